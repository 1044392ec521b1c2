import { parameterTexts } from '../parameter-texts.js';

/** Parameters about drafts, snippets, devices and what else people keep for themselves. */
export const personalTexts = parameterTexts({
  'create-saved-snippet.content':
    'Text of the snippet in Markdown, at most `max_message_length` code points.',
  'edit-saved-snippet.content': 'New text of the snippet in Markdown.',
  emoji_code:
    'What identifies the emoji: code points in hexadecimal joined by `-`, the id of a custom emoji, or the name of a special one. Without it the name decides.',
  reaction_type: 'Kind of emoji: `unicode_emoji`, `realm_emoji` (custom) or `zulip_extra_emoji`.',
  status_text: 'Words beside the name, at most 60 characters; empty for none.',
  'update-own-status.emoji_name': 'Name of the emoji beside the name; empty for none.',
  'update-user-status.emoji_name': 'Name of the emoji beside the name; empty for none.',
  muted_user_id: 'Id of the person whose messages are hidden.',
  drafts:
    'Drafts, as objects with `type` (`stream`, `private` or empty), `to` (ids), `topic`, `content` and `timestamp`; all are made, or none.',
  draft:
    'The draft as it is from now on: an object with `type`, `to`, `topic`, `content` and `timestamp`.',
  draft_id: 'Which draft of the caller’s own, by its number from `GET /drafts`.',
  saved_snippet_id: 'Which snippet of the caller’s own, by its number from `GET /saved_snippets`.',
  title: 'Name of the snippet, at most 60 characters.',
  alert_words: 'Words and phrases, at most 100 characters each; case makes no difference.',
  onboarding_step: 'Name of a step from `onboarding_steps`.',
  fragment: 'What identifies the view: the part of its address behind `#`, such as `narrow/is/dm`.',
  is_pinned: 'Whether the sidebar shows the view; otherwise it is in the menu of further views.',
  'update-navigation-view.name': 'New name of the view, at most 100 characters.',
  token: 'Token that the platform’s push service gave the device.',
  device_id: 'Id of a client device, from `POST /register_client_device`.',
  push_key_id: 'Number by which the device recognizes the key a notification was encrypted with.',
  token_kind: 'Whose push service the token is of: `apns` or `fcm`.',
  bouncer_public_key: [
    'Key of the push service that the registration is sealed for.',
    'cHVibGljLWtleQ==',
  ],
  encrypted_push_registration: [
    'Token and its kind, encrypted for the push service, base64.',
    'c2VhbGVkLXJlZ2lzdHJhdGlvbg==',
  ],
});
