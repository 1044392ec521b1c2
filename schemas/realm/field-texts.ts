import { fieldTexts } from '../field-texts.js';
import { LINKIFIER, OWNER, SENT } from '../example-values.js';

const EMOJI = {
  id: '1',
  name: 'skull',
  source_url: '/user_avatars/emoji/1.png',
  still_url: null,
  deactivated: false,
  author_id: OWNER,
};

/** Fields of the organization and of what belongs to it. */
export const realmFields = fieldTexts({
  records: 'What was changed, the newest first.',
  'get-audit-log.found_oldest': 'Whether there are no older records.',
  'get-realm-exports.exports': 'All exports, the oldest first.',
  'export-realm.id': ['Number of the export.', 1],
  'realm_export.exports': 'All exports there are, the oldest first.',
  'RealmExport.id': ['Number of the export.', 1],
  'RealmExport.acting_user_id': ['Who asked for it.', OWNER],
  'RealmExport.export_time': ['When it was asked for, UNIX seconds.', 1769853600],
  'RealmExport.export_type': 'What is in it.',
  'RealmExport.export_url': [
    'Address of the file; null while there is none. Whoever has it can fetch the file.',
    'https://chat.example.com/exports/9d5ed678fe57bcca610140957afab571/parley-export-1.jsonl.gz',
  ],
  'RealmExport.pending': 'Whether it is being made.',
  'RealmExport.failed_timestamp': ['When making it failed, UNIX seconds; else null.', null],
  'RealmExport.deleted_timestamp': ['When its file was deleted, UNIX seconds; else null.', null],
  'RealmExport.export_from_prior_server': 'Whether another server made it; always false.',
  'realm.realm_id': ['Number of the organization; always 1.', 1],
  'AuditRecord.id': ['Position of the change; increases.', 1200],
  'AuditRecord.timestamp': ['When it was changed, UNIX seconds.', 1769853600],
  'AuditRecord.user_id': [
    'User id of the author of the change; null if no user was logged in: see `way`.',
    OWNER,
  ],
  'AuditRecord.role': ['Their role then; null if no user was logged in.', 100],
  way: 'Origin of the change: `api` a request, `link` a mailed link, `login` a single sign-on login, `operator` a command on the server, `server` the server itself.',
  'AuditRecord.changes': 'What was changed, a thing each.',
  left_out: ['Number of further changes that are left out.', 0],
  'AuditChange.kind': 'Kind of the thing.',
  'AuditChange.id': ['Id of the thing; 0 for the organization and its default settings.', 0],
  'AuditChange.name': ['Its name then; empty where it has none.', 'Elsinore'],
  'AuditChange.action': 'Whether the thing came, changed or went.',
  'AuditChange.fields': 'Fields that changed; none for what came or went.',
  'AuditField.name': ['Name of the setting.', 'invite_required'],
  'AuditField.old': [
    'Former value as JSON, at most 300 characters; for a list the removed entries. Null if there was none, or the value is secret.',
    'false',
  ],
  'AuditField.new': [
    'New value as JSON, at most 300 characters; for a list the added entries. Null if there is none, or the value is secret.',
    'true',
  ],
  'CustomEmoji.id': ['Id of the emoji, as text.', '1'],
  'CustomEmoji.name': ['Name without colons.', 'skull'],
  source_url: ['Address of the picture; may be relative.', '/user_avatars/emoji/1.png'],
  still_url: [
    'Address of a still form of an animated picture; null for others.',
    '/user_avatars/emoji/1-still.png',
  ],
  'CustomEmoji.deactivated': 'Whether it can no longer be used; old messages still show it.',
  author_id: ['Who added it, by user id; null where unknown.', OWNER],
  emoji: ['Custom emoji by id.', { 1: EMOJI }],
  'realm_emoji.emoji': ['The new emoji.', EMOJI],
  emoji_id: ['Id of the emoji, as text.', '1'],
  'realm_emoji.data': 'What changed, with its new value.',
  'realm_emoji.realm_emoji': ['All custom emoji by id.', { 1: EMOJI }],

  'Linkifier.id': ['Id of the linkifier.', 1],
  'add-linkifier.id': ['Id of the new linkifier.', 1],
  'Linkifier.pattern': ['Regular expression (RE2) whose matches become links.', LINKIFIER.pattern],
  'Linkifier.url_template': [
    'RFC 6570 template of the link, with the named groups of the pattern.',
    LINKIFIER.url_template,
  ],
  'Linkifier.example_input': [
    'A text that matches the pattern; null without one. Since level 471.',
    '#123',
  ],
  'Linkifier.reverse_template': [
    'How a link becomes a short text again; null where it does not. Since level 471.',
    '#{id}',
  ],
  'Linkifier.alternative_url_templates': ['Further templates whose links become short texts.', []],
  linkifiers: 'Linkifiers in the order in which they are tried.',
  'realm_linkifiers.realm_linkifiers': 'All linkifiers, in the order in which they are tried.',

  'Playground.id': ['Id of the playground.', 1],
  'add-code-playground.id': ['Id of the new playground.', 1],
  'Playground.name': ['Name clients show.', 'Try it'],
  pygments_language: ['Language of the code, as highlighting names it.', 'Python'],
  'Playground.url_template': [
    'RFC 6570 template of the page, with the one variable `code`.',
    'https://play.example.com/{code}',
  ],
  'realm_playgrounds.realm_playgrounds': 'All playgrounds.',

  domain: ['The domain.', 'example.com'],
  allow_subdomains: 'Whether its subdomains are allowed too.',
  domains: 'Domains whose addresses can have accounts.',
  new_domain: ['Id and name of the domain.', [1, 'example.com']],
  realm_domain: 'The domain as it is now.',

  icon_url: ['Address of the icon; may be relative.', '/static/icon.svg'],
  icon_source: 'Where the icon comes from: `G` a default one, `U` uploaded.',
  logo_url: ['Address of the logo for light backgrounds; may be relative.', '/static/logo.svg'],
  logo_source: 'Where that logo comes from: `D` a default one, `U` uploaded.',
  'get-realm-logo.logo_url': [
    'Address of the logo that was asked for; may be relative.',
    '/static/logo.svg',
  ],
  night_logo_url: [
    'Address of the logo for dark backgrounds; may be relative.',
    '/static/logo.svg',
  ],
  night_logo_source:
    'Where the logo for dark backgrounds comes from: `D` a default one, `U` uploaded.',

  push_notifications_enabled: 'Whether notifications are pushed to mobile devices.',
  is_incompatible: 'Whether the client that asks is too old for this server.',
  email_auth_enabled: 'Whether people log in by e-mail address and password.',
  require_email_format_usernames:
    'Whether user names are e-mail addresses; false with a directory.',
  realm_uri: ['Older name of `realm_url`.', 'https://chat.example.com'],
  realm_url: ['Public address of the organization, without a path.', 'https://chat.example.com'],
  realm_name: ['Name of the organization.', 'Elsinore'],
  realm_icon: ['Address of the icon; may be relative to `realm_url`.', '/static/icon.svg'],
  realm_description: [
    'What the organization is for, as HTML.',
    '<p>The <em>court</em> at Elsinore</p>',
  ],
  realm_web_public_access_enabled:
    'Whether visitors without an account can read something; always false.',
  external_authentication_methods:
    'Buttons for logging in at other services, in their order; may be empty.',
  'get-server-settings.authentication_methods': [
    'Ways to log in by name. Deprecated; some clients still read it.',
    { password: true, email: true, ldap: false },
  ],
  'LoginService.name': ['Name of the service for programs, different for each.', 'saml:elsinore'],
  'LoginService.display_name': ['Name for the button.', 'Castle login'],
  'LoginService.display_icon': [
    'Address of a picture for the button; null without one.',
    '/static/icon.svg',
  ],
  'LoginService.login_url': [
    'Where logging in begins; relative to `realm_url`.',
    '/accounts/login/social/saml/elsinore',
  ],
  'LoginService.signup_url': [
    'Where signing up begins; relative to `realm_url`.',
    '/accounts/register/social/saml/elsinore',
  ],
  'fetch-api-key.email': [
    'API e-mail address of the account, the user name of HTTP Basic.',
    'owner@example.com',
  ],
  'fetch-api-key-by-token.email': [
    'API e-mail address of the account, the user name of HTTP Basic.',
    'owner@example.com',
  ],
  'fetch-api-key.user_id': ['Id of the account. Since level 171.', OWNER],
  'fetch-api-key-by-token.user': 'Profile of the account; only with `include_profile`.',

  /* Events. */
  'realm.property': [
    'Setting of the organization that changed; with `data` several at once.',
    'name',
  ],
  'realm.data': 'What changed, with its new value.',
  'realm.message_content_edit_limit_seconds': [
    'Seconds for which authors may edit a message of theirs; null without a limit.',
    600,
  ],
  'realm.mandatory_topics':
    'Older form of `topics_policy`: whether every channel message needs a topic.',
  'realm.rendered_description': [
    'The description as HTML.',
    '<p>The <em>court</em> at Elsinore</p>',
  ],
  'realm.authentication_methods': [
    'All ways to log in by name.',
    { Email: { enabled: true, available: true } },
  ],
  enabled: 'Whether the organization allows it.',
  available: 'Whether the server can offer it.',
  'realm_user_settings_defaults.property': [
    'Which setting new accounts begin with in another way.',
    'enter_sends',
  ],
  'test-welcome-bot-custom-message.message_id': [
    'Id of the greeting that was sent to the caller.',
    SENT,
  ],
});
