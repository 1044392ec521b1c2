import type { LargestCall } from './call.js';
import { text } from './messages.js';
import { upTo, type Rows } from './world.js';

const FILE_HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="f.bin"\r\n\r\n';

/** A multipart body with one file. */
function upload(bytes: number): NonNullable<LargestCall['body']> {
  const file = Buffer.alloc(bytes, 'x');
  const whole = Buffer.concat([Buffer.from(FILE_HEAD), file, Buffer.from('\r\n--b--\r\n')]);
  return { type: 'multipart/form-data; boundary=b', bytes: whole };
}

const FORM = 'application/x-www-form-urlencoded';
const MIB = 1024 * 1024;

/** Bodies that are costly to read, whatever the endpoint. */
const BODIES: readonly LargestCall[] = [
  {
    what: 'all escapes',
    body: { type: FORM, bytes: Buffer.from(`x=${'%41'.repeat(upTo(8 * MIB, MIB))}`) },
    status: 400,
  },
  {
    what: 'all escapes of a known name',
    body: { type: FORM, bytes: Buffer.from(`status_text=${'%41'.repeat(upTo(8 * MIB, MIB))}`) },
    status: 400,
  },
  {
    what: 'no escapes',
    body: { type: FORM, bytes: Buffer.alloc(upTo(25 * MIB, MIB), 'x') },
    status: 400,
  },
  {
    what: 'many pairs',
    body: { type: FORM, bytes: Buffer.from('ab=c&'.repeat(200)) },
    status: 400,
  },
  {
    what: 'not ASCII',
    body: { type: FORM, bytes: Buffer.from(`x=${'ü€'.repeat(upTo(5 * MIB - 1, MIB))}`) },
    status: 400,
  },
  {
    what: 'too large',
    body: { type: FORM, bytes: Buffer.alloc(25 * MIB + 1, 'x') },
    status: 413,
    refusal: 'Request entity too large',
  },
  {
    what: 'no form',
    body: { type: 'text/plain', bytes: Buffer.alloc(upTo(25 * MIB, MIB), 'x') },
    status: 415,
  },
  { what: 'multipart', body: upload(upTo(4 * MIB - 1000, MIB)), status: 400 },
  {
    what: 'multipart, too large where no file is taken',
    body: upload(15 * MIB),
    status: 413,
    refusal: 'Request entity too large',
  },
];

/** Storage of a bot: so many short values. */
function storageOf(keys: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: keys }, (_, i) => [`key${i}`, 'v']));
}

/** Nested lists, which cost much to parse for their length. */
const nested = (length: number) => `[${'[1],'.repeat(length / 4)}[1]]`;

/** Requests about the organization, one's own things and the server. */
export const SETTING_ROWS: Rows = {
  'update-own-status': () => [{ params: { status_text: 'x' } }, ...BODIES],
  'add-alert-words': () => ({
    params: { alert_words: Array.from({ length: upTo(1000) }, (_, i) => `${'w'.repeat(90)}${i}`) },
  }),
  'get-alert-words': () => ({}),
  'remove-alert-words': () => ({
    params: { alert_words: Array.from({ length: upTo(1000) }, (_, i) => `${'w'.repeat(90)}${i}`) },
  }),
  'create-drafts': () => ({
    params: {
      drafts: Array.from({ length: upTo(100) }, () => ({
        type: '',
        to: [],
        topic: 't',
        content: 'x'.repeat(10_000),
      })),
    },
  }),
  'edit-draft': () => ({
    params: { draft_id: 1, draft: { type: '', to: [], topic: '', content: 'y'.repeat(10_000) } },
  }),
  'add-navigation-view': () => ({
    params: { fragment: 'x'.repeat(1000), is_pinned: true, name: 'n' },
  }),
  'get-navigation-views': () => ({}),
  'update-navigation-view': () => ({ params: { fragment: 'x'.repeat(1000), is_pinned: false } }),
  'remove-navigation-view': () => ({ params: { fragment: 'x'.repeat(1000) } }),
  'add-apns-token': () => ({ params: { token: 'ab'.repeat(2000), appid: 'x' } }),
  'remove-apns-token': () => ({ params: { token: 'ab'.repeat(2000) } }),
  'register-push-device': () => ({
    params: { device_id: 1, push_key_id: 1, push_key: 'x' },
    status: 400,
  }),
  'send-test-notification': () => ({}),
  'send-encrypted-test-notification': () => ({ status: 400 }),
  'update-settings': ({ people }) => [
    { params: { timezone: 'Europe/Berlin', enter_sends: true } },
    {
      what: 'of everybody',
      params: {
        enter_sends: true,
        twenty_four_hour_time: true,
        starred_message_counts: false,
        target_users: { user_ids: people.slice(0, upTo(10_000)), group_ids: [1, 2, 3] },
      },
    },
  ],
  'update-own-profile-data': () => ({
    params: { data: Array.from({ length: 100 }, (_, i) => ({ id: i + 1, value: 'x' })) },
    status: 400,
  }),
  'remove-own-profile-data': () => ({
    params: { data: Array.from({ length: 100 }, (_, i) => i) },
    status: 400,
  }),
  'update-realm': ({ people }) => [
    { what: 'texts', params: { name: 'x'.repeat(40), description: text(1000) } },
    {
      what: 'a permission for many',
      params: {
        can_create_groups: {
          new: { direct_members: people.slice(0, upTo(1000)), direct_subgroups: [] },
        },
      },
    },
    {
      what: 'nested JSON',
      params: { message_content_edit_limit_seconds: nested(upTo(1_000_000)) },
      status: 400,
    },
  ],
  // Its real work is the end of all queues, in stretches (test/src/journal/queues/queues.test.ts).
  'deactivate-realm': ({ accounts }) => ({
    as: accounts[0]!.authorization,
    params: { deletion_delay_days: 14 },
    status: 400,
  }),
  'get-audit-log': () => ({ params: { limit: 200, kind: 'channel', subject_id: 1 } }),
  'add-realm-domain': () => ({ params: { domain: 'x.example', allow_subdomains: true } }),
  'update-realm-domain': () => ({ params: { domain: 'x.example', allow_subdomains: false } }),
  'remove-realm-domain': () => ({ params: { domain: 'x.example' } }),
  'add-linkifier': () => [
    { params: { pattern: '#(?P<id>[0-9]+)', url_template: 'https://x.example/{id}' } },
    {
      what: 'large',
      params: {
        pattern: `${'x'.repeat(900)}(?P<id>[0-9]+)`,
        url_template: 'https://x.example/{id}',
      },
      status: 400,
    },
  ],
  'update-linkifier': () => ({
    params: { filter_id: 1, pattern: '#(?P<id>[0-9]+)', url_template: 'https://y.example/{id}' },
  }),
  'reorder-linkifiers': () => ({
    params: { ordered_linkifier_ids: Array.from({ length: upTo(10_000) }, (_, i) => i) },
    status: 400,
  }),
  'remove-linkifier': () => ({ params: { filter_id: 1 } }),
  'add-code-playground': () => ({
    params: { name: 'Try', pygments_language: 'Python', url_template: 'https://p.example/{code}' },
  }),
  'remove-code-playground': () => ({ params: { playground_id: 1 } }),
  'upload-custom-emoji': () => ({
    params: { emoji_name: 'large' },
    body: upload(5 * MIB - 1000),
    status: 400,
  }),
  'deactivate-custom-emoji': () => ({ params: { emoji_name: 'absent' }, status: 400 }),
  'upload-avatar': () => ({ body: upload(5 * MIB - 1000), status: 400 }),
  'upload-realm-icon': () => ({ body: upload(5 * MIB - 1000), status: 400 }),
  'upload-realm-logo': () => ({ body: upload(5 * MIB - 1000), status: 400 }),
  'upload-file': () => ({ body: upload(25 * MIB - 1000) }),
  'remove-attachment': () => ({ params: { attachment_id: 1 } }),
  'get-uploaded-file': () => ({
    params: { realm_id: 1, file_path: '00/x/absent.txt' },
    status: 404,
  }),
  'get-thumbnail': () => ({
    params: { realm_id: 1, file_path: '00/x/absent.png/840x560.webp' },
    status: 404,
  }),
  'download-uploaded-file': () => ({
    params: { realm_id: 1, file_path: '00/x/absent.txt' },
    status: 404,
  }),
  'get-file-temporary-url': () => ({
    params: { realm_id: 1, path: '00/x/absent.txt' },
    status: 404,
  }),
  'get-temporary-file': () => ({ params: { token: 'x', filename: 'y' }, status: 404 }),
  'create-bot': () => ({ params: { full_name: 'A Bot', short_name: 'abot', bot_type: 1 } }),
  'update-bot': ({ people }) => ({
    params: { bot_id: people[people.length - 1]! + 4, full_name: 'Another' },
    status: 400,
  }),
  'get-bot-api-key': ({ people }) => ({ params: { bot_id: people[0] }, status: 400 }),
  'regenerate-bot-api-key': ({ people }) => ({ params: { bot_id: people[0] }, status: 400 }),
  'deactivate-bot': ({ people }) => ({ params: { bot_id: people[0] }, status: 400 }),
  'update-bot-storage': () => [
    { params: { storage: storageOf(upTo(10_000)) } },
    {
      what: 'too many keys',
      params: { storage: storageOf(10_001) },
      refusal: 'storage has too many members in one object (limit: 10000)',
    },
    {
      what: 'still more keys',
      params: { storage: storageOf(50_000) },
      refusal: 'storage has too many lists, objects and members (limit: 50000)',
    },
  ],
  'get-bot-storage': () => ({ params: { keys: Object.keys(storageOf(upTo(10_000))) } }),
  'remove-bot-storage': () => ({ params: { keys: Object.keys(storageOf(upTo(10_000))) } }),
  'regenerate-own-api-key': ({ spare }) => ({ as: spare[9]!.authorization }),
  'deactivate-own-user': ({ spare }) => ({ as: spare[10]!.authorization }),
  'fetch-api-key': () => ({
    params: { username: 'x'.repeat(1000), password: 'y'.repeat(1000) },
    status: 400,
  }),
  'end-session': () => ({ params: { session_id: Number.MAX_SAFE_INTEGER }, status: 404 }),
  'begin-two-factor': () => ({ params: { password: 'y'.repeat(1_000_000) }, status: 400 }),
  'confirm-two-factor': () => ({ params: { code: '9'.repeat(200) }, status: 400 }),
  'remove-two-factor': () => ({
    params: { password: 'y'.repeat(1_000_000), code: '9'.repeat(200) },
    status: 400,
  }),
  'fetch-api-key-by-token': () => ({ params: { token: 'x'.repeat(1_000_000) }, status: 400 }),
  'register-queue': () => [
    {
      what: 'everything',
      params: {
        include_subscribers: true,
        client_gravatar: false,
        slim_presence: true,
        client_capabilities: { include_deactivated_groups: true, user_list_incomplete: true },
      },
    },
    {
      what: 'long lists',
      params: {
        event_types: Array.from({ length: upTo(1000) }, (_, i) => `type${i}`),
        fetch_event_types: Array.from({ length: upTo(1000) }, (_, i) => `type${i}`),
        narrow: Array.from({ length: 100 }, () => ['topic', 'x'.repeat(1000)]),
      },
    },
  ],
  'check-subdomain': () => ({ params: { subdomain: 'x'.repeat(100) }, isRefused: true }),
  'create-video-call': () => ({ params: { provider: 'zoom' }, isRefused: true }),
  'get-video-call': () => ({ params: { provider: 'zoom' }, isRefused: true }),
  'export-realm': () => ({ params: { export_type: 'full_with_consent' } }),
  'get-export-file': () => ({ params: { token: 'x', filename: 'y' }, status: 404 }),
  'get-console': () => ({
    params: {
      ...{ events_after: 0, open_entry: 1, open_queue: 'x'.repeat(200), with_queues: true },
      ...{ queue_filter: 'x '.repeat(30), with_troubles: true, with_actors: true },
      with_charts: true,
      with_operation: true,
      ...{ with_log: true, log_level: 'debug', log_filter: 'x '.repeat(30) },
      ...{ with_history: true, with_logins: true },
    },
  }),
  'end-person-session': () => ({ params: { user_id: 4, session_id: 1 }, status: 404 }),
  'remove-person-two-factor': () => ({ params: { user_id: 4 }, isRefused: true }),
  'log-person-out': ({ spare }) => ({ params: { user_id: spare[0]!.userId } }),
  'send-test-mail': () => ({ params: { email: 'x'.repeat(10_000) }, isRefused: true }),
  'delete-any-file': () => ({ params: { attachment_id: 1 }, isRefused: true }),
  'make-backup': () => ({ isRefused: true }),
  'link-backup': () => ({ params: { backup: 'x'.repeat(10_000) }, isRefused: true }),
  'get-backup-file': () => ({ params: { token: 'x', filename: 'y' }, status: 404 }),
  'drop-queue': () => ({ params: { queue_id: 'x'.repeat(200) }, status: 400 }),
  'delete-realm-export': () => ({ params: { export_id: 1 }, isRefused: true }),
  'get-thumbnail-status': () => ({ params: { realm_id: 1, file_path: 'x' }, isRefused: true }),
  zcommand: () => ({ params: { command: 'x'.repeat(1000) }, isRefused: true }),
  'get-events': () => ({ params: { queue_id: 'x'.repeat(200), last_event_id: 0 }, status: 400 }),
  'delete-queue': () => ({ params: { queue_id: 'x'.repeat(200) }, status: 400 }),
  'acknowledge-events': () => ({
    params: { queue_id: 'x'.repeat(200), last_event_id: 0 },
    status: 400,
  }),
};
