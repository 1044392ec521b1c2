import { fieldTexts } from '../field-texts.js';
import { GENERAL, OPHELIA } from '../example-values.js';

/** Fields of what people keep for themselves. */
export const personalFields = fieldTexts({
  alert_words: ['Words and phrases that notify the caller, all of them.', ['ghost']],
  device_id: ['Id of the client device.', 1],
  push_key_id: ['Id of the key that encrypts notifications for the device; null without one.', 1],
  push_token_id: ['Id of the token at the push service, base64; null without one.', 'dG9rZW4tMDE='],
  pending_push_token_id: ['Token that is being registered; null where none is.', null],
  push_token_last_updated_timestamp: [
    'When the token was last changed, UNIX seconds; null without one.',
    1_750_000_000,
  ],
  push_registration_error_code: ['Why the registration failed; null where it did not.', null],

  'Draft.id': ['Id of the draft.', 1],
  'Draft.type': 'Where the message shall go: a channel, people, or nowhere yet (empty).',
  'Draft.to': [
    'Id of the channel in a list of its own, or ids of people; may be empty.',
    [GENERAL],
  ],
  'Draft.topic': ['Topic of the message; empty for direct ones.', 'castle'],
  'Draft.content': ['Text so far, in Markdown.', 'Who’s'],
  'Draft.timestamp': [
    'When the draft was last edited, UNIX seconds; now, where left out.',
    1_750_000_000,
  ],
  count: ['Number of drafts in the list.', 1],
  'get-drafts.drafts': 'Drafts of the caller, the newest edit first.',
  ids: ['Ids of the new drafts, in the order of the request.', [1]],
  'drafts.drafts': 'The new drafts.',
  'drafts.draft': 'The draft after the change.',
  draft_id: ['Id of the draft that is gone.', 1],

  'SavedSnippet.id': ['Id of the snippet.', 1],
  'SavedSnippet.title': ['Name by which the snippet is found.', 'Oath'],
  'SavedSnippet.content': ['Text of the snippet, in Markdown.', 'Swear by my sword'],
  'get-saved-snippets.saved_snippets': 'Snippets of the caller, oldest first.',
  saved_snippet: 'The snippet as it is now.',
  saved_snippet_id: ['Id of the snippet.', 1],

  'MutedUser.id': ['Id of the muted user.', OPHELIA],
  'MutedUser.timestamp': ['When they were muted, UNIX seconds.', 1_750_000_000],
  'muted_users.muted_users': 'All users whom the user muted.',

  fragment: ['Which view: the part of its address after `#`.', 'narrow/is/dm'],
  'NavigationView.is_pinned':
    'Whether the sidebar shows it; otherwise the menu of more views does.',
  'NavigationView.name': [
    'Name of a view of the user’s own; null for built-in ones.',
    'Direct messages',
  ],
  'get-navigation-views.navigation_views': 'Views the caller added or arranged.',
  'navigation_view.navigation_view': 'The new view.',
  'navigation_view.data': 'What changed, with its new value.',
  'navigation_view.name': ['New name of the view.', 'Direct messages'],
  'data.is_pinned': 'Whether the sidebar shows it now.',

  'OnboardingStep.type': 'Kind of the hint: one that is shown once.',
  'OnboardingStep.name': 'Which hint it is.',
  'onboarding_steps.onboarding_steps': 'Hints the user has not dismissed yet.',

  away: 'True where the user is shown as away, an older form of the setting `presence_enabled`.',
  status_text: ['What the user says about their day; left out where empty.', 'on the ramparts'],
  'UserStatus.emoji_name': ['Name of the emoji beside it; left out without one.', 'castle'],
  'UserStatus.emoji_code': ['Code of the emoji beside it; left out without one.', '1f3f0'],
  'UserStatus.reaction_type': [
    'Kind of the emoji beside it; left out without one.',
    'unicode_emoji',
  ],
  'user_status.emoji_name': [
    'Name of the emoji; empty where it was removed, left out where it stayed.',
    'castle',
  ],
  'user_status.emoji_code': [
    'Code of the emoji; empty where it was removed, left out where it stayed.',
    '1f3f0',
  ],
  'user_status.reaction_type': [
    'Kind of the emoji; empty where it was removed, left out where it stayed.',
    'unicode_emoji',
  ],
  'user_status.status_text': ['New text; left out where it stayed.', 'on the ramparts'],
  'get-user-status.status': 'The status; empty if none is set.',
});
