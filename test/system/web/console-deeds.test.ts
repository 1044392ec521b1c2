/** What administrators do in the console, by its endpoints; `stories/administration.ts` presses the buttons. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { FILE_BYTES, FigureHistory } from '../../../src/host/monitoring/figure-history.js';
import { shownCode } from '../../fixtures/authenticator.js';
import { BrowserSession } from '../harness/browser-session.js';
import { exchange, type ApiClient, type Body } from '../harness/client.js';
import { startOrganization, type SmallOrganization } from '../harness/organization.js';
import { OWNER_PASSWORD, run, storeFolder } from '../harness/server.js';
import { upload } from '../harness/uploading.js';

/** Calls of the console that change nothing: it reads settings by a queue, which it ends. */
const READING = ['POST /register', 'DELETE /events'];

/** Every change that a source of the page asks for, as `METHOD /path`. */
function deedsOfPage(): string[] {
  const folder = 'src/web/console';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const calls = texts.flatMap(
    (text) => text.match(/(?<=')(?:POST|PUT|PATCH|DELETE) \/[^']+/g) ?? [],
  );
  return [...new Set(calls)].filter((call) => !READING.includes(call)).sort();
}

async function newestRecord(owner: ApiClient): Promise<Body> {
  const { records } = await owner.ok('GET', '/realm/audit_log', { limit: 1 });
  return (records as Body[])[0] ?? { id: 0 };
}

const HAMLET_PASSWORD = 'willow-anchor-hamlet-47';
const MAIL_PASSWORD = 'gravedigger%2F77';

void t.test('each change that the console can make is in the audit log', async (t) => {
  const backups = storeFolder(t);
  const args = ['--backup-to', backups, '--backup-at', 'off'];
  const { server, owner, hamlet, iago } = await startOrganization(t, { args });
  const { userId } = hamlet;
  const browser = new BrowserSession(server.url);
  await browser.logIn(hamlet.email, HAMLET_PASSWORD);
  const { secret } = await iago.ok('POST', '/users/me/two_factor', {
    password: 'willow-anchor-iago-47',
  });
  await iago.ok('PATCH', '/users/me/two_factor', { code: shownCode(String(secret), Date.now()) });
  const { id: channel } = await owner.ok('POST', '/channels/create', {
    name: 'Verona',
    subscribers: [owner.userId],
  });
  const { group_id: group } = await owner.ok('POST', '/user_groups/create', {
    ...{ name: 'support', description: '', members: [] },
  });
  const { queue_id: queue } = await iago.register();
  await upload(hamlet, '/user_uploads', 'ghost.txt', Buffer.from('Mark me'));
  const { attachments } = await hamlet.ok('GET', '/attachments');
  const [{ id: file }] = attachments as [{ id: number }];
  const { sessions } = await owner.ok('GET', `/realm/console/users/${userId}`);
  const [{ id: session }] = sessions as [{ id: number }];
  writeFileSync(join(backups, 'parley-2026-11-26T03-30-00-000Z.jsonl'), 'all that there is\n');
  let invite = 0;
  let link = 0;
  const invited = async (): Promise<Body> =>
    ((await owner.ok('GET', '/invites')).invites as Body[])[0]!;

  // In this order: some need what others made.
  const deeds: readonly (readonly [
    deed: string,
    path: string,
    more?: Body,
    done?: () => unknown,
  ])[] = [
    [
      'POST /invites',
      '/invites',
      { invitee_emails: 'ophelia@example.org', stream_ids: [] },
      async () => (invite = Number((await invited())['id'])),
    ],
    ['POST /invites/{invite_id}/resend', `/invites/…/resend`],
    ['DELETE /invites/{invite_id}', `/invites/…`],
    [
      'POST /invites/multiuse',
      '/invites/multiuse',
      {},
      async () => (link = Number((await invited())['id'])),
    ],
    ['DELETE /invites/multiuse/{invite_id}', '/invites/multiuse/…'],
    ['PATCH /realm', '/realm', { description: 'A company' }],
    ['PATCH /users/{user_id}', `/users/${userId}`, { role: 300 }],
    ['DELETE /streams/{stream_id}', `/streams/${String(channel)}`],
    ['PATCH /streams/{stream_id}', `/streams/${String(channel)}`, { is_archived: false }],
    ['POST /user_groups/{user_group_id}/deactivate', `/user_groups/${String(group)}/deactivate`],
    ['PATCH /user_groups/{user_group_id}', `/user_groups/${String(group)}`, { deactivated: false }],
    ['DELETE /realm/console/queues/{queue_id}', `/realm/console/queues/${queue}`],
    [
      'DELETE /realm/console/users/{user_id}/two_factor',
      `/realm/console/users/${iago.userId}/two_factor`,
    ],
    [
      'DELETE /realm/console/users/{user_id}/sessions/{session_id}',
      `/realm/console/users/${userId}/sessions/${session}`,
    ],
    [
      'POST /realm/console/users/{user_id}/password_reset',
      `/realm/console/users/${userId}/password_reset`,
    ],
    ['DELETE /realm/console/users/{user_id}/sessions', `/realm/console/users/${userId}/sessions`],
    ['DELETE /users/{user_id}', `/users/${userId}`],
    ['POST /users/{user_id}/reactivate', `/users/${userId}/reactivate`],
    ['DELETE /realm/console/files/{attachment_id}', `/realm/console/files/${file}`],
    ['POST /realm/console/mails/retry', '/realm/console/mails/retry'],
    ['POST /realm/console/mails/test', '/realm/console/mails/test', { email: 'a@example.org' }],
    ['POST /realm/console/services/try', '/realm/console/services/try'],
    ['POST /realm/console/test_event', '/realm/console/test_event'],
    ['POST /realm/console/support_bundle', '/realm/console/support_bundle'],
    [
      'POST /realm/console/backups/link',
      '/realm/console/backups/link',
      { backup: 'parley-2026-11-26T03-30-00-000Z.jsonl' },
    ],
    ['POST /realm/console/backups', '/realm/console/backups'],
  ];
  t.strictSame(deeds.map(([deed]) => deed).sort(), deedsOfPage());
  const silent: string[] = [];
  const told: string[] = [];
  for (const [deed, path, more = {}, done] of deeds) {
    const before = await newestRecord(owner);
    const [method = ''] = deed.split(' ');
    await owner.ok(
      method,
      path.replace('…', String(deed.includes('multiuse') ? link : invite)),
      more,
    );
    const after = await newestRecord(owner);
    if (Number(after['id']) <= Number(before['id'])) silent.push(deed);
    else if (after['user_id'] !== owner.userId) silent.push(`${deed}, by another`);
    const [{ kind, action }] = after['changes'] as [{ kind: string; action: string }];
    told.push(`${kind} ${action}`);
    await done?.();
  }
  t.strictSame(silent, []);
  t.strictSame(told.slice(-9), [
    'user changed',
    'file removed',
    ...['mail done', 'mail done', 'server done', 'server done', 'server done'],
    ...['backup done', 'backup created'],
  ]);
});

void t.test('what administrators do, on one server', async (t) => {
  const backups = storeFolder(t);
  const args = [
    ...['--backup-to', backups, '--backup-at', 'off', '--upload-quota', '200'],
    ...['--url', 'https://chat.example.com', '--log', 'debug'],
  ];
  const env = { PARLEY_MAIL: `smtp://postman:${MAIL_PASSWORD}@127.0.0.1:9` };
  const organization = await startOrganization(t, { args, env });
  await t.test('files are counted and listed, and any of them is deleted', (t) =>
    countsFiles(t, organization),
  );
  await t.test('a backup is made now, and an owner fetches it by an address for a minute', (t) =>
    fetchesBackup(t, organization, backups),
  );
  await t.test(
    'a support bundle has no secret and nothing that people wrote, by page and command',
    (t) => makesBundle(t, organization),
  );
  await t.test('how somebody logs in is shown, mailed and ended', (t) =>
    endsLogins(t, organization),
  );
  await t.test(
    'the log is shown by level and text; figures of the last hours outlive a restart',
    (t) => keepsRecords(t, organization),
  );
});

async function fetchesBackup(
  t: Test,
  { server, owner, hamlet }: SmallOrganization,
  backups: string,
): Promise<void> {
  await owner.ok('PATCH', `/users/${hamlet.userId}`, { role: 200 });
  const seen = async (): Promise<Body> => {
    const { operation } = await owner.ok('GET', '/realm/console', { with_operation: true });
    return (operation as { backups: Body }).backups;
  };
  t.match(await seen(), { newest_at: null, backups_there: [], is_making: false, keep: 14 });
  await hamlet.ok('POST', '/realm/console/backups');
  const again = await owner.call('POST', '/realm/console/backups');
  t.match(again.body, { msg: 'A backup is being made.' });
  let state = await seen();
  while (state['is_making'] === true) state = await seen();
  const [made] = state['backups_there'] as { name: string; made_at: number; bytes: number }[];
  const whole = readFileSync(join(backups, made!.name));
  t.equal(made!.bytes, whole.length);
  t.match(state, { newest_at: made!.made_at, last_failure: null });
  const backup = made!.name;
  const path = '/realm/console/backups/link';
  t.match((await hamlet.call('POST', path, { backup })).body, { code: 'UNAUTHORIZED_PRINCIPAL' });
  const { body: none } = await owner.call('POST', path, { backup: '../api-keys.secret' });
  t.match(none, { msg: 'There is no such backup.' });
  const { backup_url } = await owner.ok('POST', path, { backup });
  const reply = await fetch(server.url + String(backup_url));
  t.equal(reply.headers.get('cache-control'), 'private, no-store');
  t.ok(Buffer.from(await reply.arrayBuffer()).equals(whole));
  const forged = String(backup_url).replace(/backups\/../, 'backups/AA');
  t.equal((await exchange(server.url, 'GET', forged)).status, 404);

  await owner.ok('PATCH', `/users/${hamlet.userId}`, { role: 100 });
  const taken = String((await hamlet.ok('POST', path, { backup }))['backup_url']);
  t.equal((await fetch(server.url + taken)).status, 200);
  await owner.ok('PATCH', `/users/${hamlet.userId}`, { role: 200 });
  t.equal((await fetch(server.url + taken)).status, 404, 'who is no owner any more has none');
}

async function endsLogins(
  t: Test,
  { server, owner, hamlet, iago }: SmallOrganization,
): Promise<void> {
  await owner.ok('PATCH', `/users/${iago.userId}`, { role: 200 });
  const browser = new BrowserSession(server.url);
  await browser.logIn(hamlet.email, HAMLET_PASSWORD);
  const path = `/realm/console/users/${hamlet.userId}`;
  const logins = await iago.ok('GET', path);
  const [session] = logins['sessions'] as { id: number }[];
  t.match(logins, { has_two_factor: false, reset_is_mailed: true, sessions: [{ device: /./ }] });
  t.equal((await browser.call('GET', '/users/me')).status, 200);
  await iago.ok('DELETE', `${path}/sessions/${session!.id}`);
  t.equal((await browser.call('GET', '/users/me')).status, 401);
  t.match(await iago.ok('POST', `${path}/password_reset`), { mailed: true, reset_link: null });
  const waiting = await iago.ok('GET', '/realm/console/mails');
  const mails = waiting['mails'] as Body[];
  t.match(mails.at(-1), { to_user_id: hamlet.userId, to_email: null, about: 'password_reset' });
  t.match(waiting, { mails_waiting: mails.length, mail_server: 'smtp://127.0.0.1:9' });
  const ofOwner = await iago.call('DELETE', `/realm/console/users/${owner.userId}/sessions`);
  t.match(ofOwner.body, { msg: 'Must be an organization owner' });
  await iago.ok('DELETE', `${path}/sessions`);
  t.equal((await hamlet.call('GET', '/users/me')).status, 401);
  const tried = await owner.ok('POST', '/realm/console/services/try');
  t.match(tried['services'], [{ service: /mail server/, fault: /^--mail: .*ECONNREFUSED/ }]);
  const { last_event_id, queue_id } = await owner.register({ event_types: ['realm'] });
  const sent = await owner.ok('POST', '/realm/console/test_event', { user_id: owner.userId });
  t.match(sent, { journal_position: Number, queues: 1 });
  t.match(await owner.poll(queue_id, last_event_id), [
    { type: 'realm', op: 'update', property: 'name', value: 'Elsinore Ltd' },
  ]);
}

async function countsFiles(t: Test, { owner, hamlet, iago }: SmallOrganization): Promise<void> {
  for (const [who, name, size] of [
    [hamlet, 'small.txt', 10],
    [iago, 'large.bin', 3000],
    [hamlet, 'middle.bin', 200],
  ] as const) {
    await upload(who, '/user_uploads', name, Buffer.alloc(size, 'x'));
  }
  const usage = await owner.ok('GET', '/realm/console/files');
  t.match(usage, {
    ...{ used_bytes: 3210, quota_bytes: 200 * 1024 * 1024, file_count: 3 },
    people: [
      { user_id: iago.userId, files: 1, bytes: 3000 },
      { user_id: hamlet.userId, files: 2, bytes: 210 },
    ],
    largest: [{ name: 'large.bin' }, { name: 'middle.bin' }, { name: 'small.txt' }],
  });
  const [{ id }] = usage['largest'] as [{ id: number }];
  await owner.ok('DELETE', `/realm/console/files/${id}`);
  t.match(await owner.ok('GET', '/realm/console/files'), { used_bytes: 210, file_count: 2 });
  t.strictSame((await iago.ok('GET', '/attachments')).attachments, []);
}

async function makesBundle(
  t: Test,
  { server, owner, hamlet, iago }: SmallOrganization,
): Promise<void> {
  const browser = new BrowserSession(server.url);
  await browser.logIn(iago.email, 'willow-anchor-iago-47');
  const { user } = await owner.ok('GET', `/users/${hamlet.userId}`);
  const planted = [
    ...[OWNER_PASSWORD, MAIL_PASSWORD, 'gravedigger/77', HAMLET_PASSWORD, 'postman'],
    ...[owner.key, hamlet.key, iago.key, browser.token, ...browser.cookies.values()],
    ...[owner.email, hamlet.email, 'ophelia@example.org', String((user as Body)['full_name'])],
    ...['Something is rotten', 'castle wall', 'Wittenberg', 'skull-of-yorick', 'Elsinore Ltd'],
    readFileSync(join(server.folder, 'api-keys.secret'), 'latin1').trim(),
  ];
  await owner.ok('PATCH', '/realm', { name: 'Elsinore Ltd', description: 'Something is rotten' });
  await owner.ok('POST', '/channels/create', { name: 'Wittenberg', subscribers: [owner.userId] });
  await hamlet.say('Something is rotten', 'general', 'castle wall');
  await upload(hamlet, '/user_uploads', 'skull-of-yorick.txt', Buffer.from('Alas'));
  await owner.ok('POST', '/invites', { invitee_emails: 'ophelia@example.org', stream_ids: [] });
  const { invite_link } = await owner.ok('POST', '/invites/multiuse', {});
  planted.push(String(invite_link).split('/').at(-2)!);
  await owner.ok('POST', `/realm/console/users/${hamlet.userId}/password_reset`);
  // What is refused and fails is logged, with whatever was sent.
  await hamlet.call('GET', '/realm/audit_log', {
    api_key: hamlet.key,
    token: 'Something is rotten',
  });
  await hamlet.call('GET', `/users/${encodeURIComponent('ophelia@example.org')}`);
  await exchange(server.url, 'GET', `/join/${planted.at(-1)!}/`).catch(() => null);
  await owner.call('POST', '/realm/console/mails/test', { email: 'ophelia@example.org' });
  const unsent = { with_log: true, log_filter: 'mail was not sent' };
  while (((await owner.ok('GET', '/realm/console', unsent)).log as Body[]).length === 0);
  const { bundle } = await owner.ok('POST', '/realm/console/support_bundle');
  const ofAdministrator = await hamlet.ok('POST', '/realm/console/support_bundle');
  t.notOk('audit' in (JSON.parse(String(ofAdministrator['bundle'])) as object), 'owners read it');
  const { code, stdout } = await run(['support-bundle', '--store', `embedded:${server.folder}`]);
  t.equal(code, 0);
  for (const text of [String(bundle), stdout]) {
    const parsed = JSON.parse(text) as Record<string, Body> & { log: Body[]; audit: Body[] };
    t.match(parsed['versions'], { parley: /^\d/, node: process.version });
    t.ok(parsed.log.some(({ message }) => /mail was not sent/.test(String(message))));
    t.ok(parsed.audit.length > 5);
    t.strictSame(
      planted.filter((secret) => text.includes(secret)),
      [],
    );
  }
}

async function keepsRecords(t: Test, { server, owner, hamlet }: SmallOrganization): Promise<void> {
  await hamlet.call('GET', '/realm/audit_log');
  const asked = { with_log: true, log_filter: 'get-audit-log' };
  const { log } = await owner.ok('GET', '/realm/console', asked);
  t.match((log as Body[])[0], { level: 'info', message: 'a request was refused', node_id: /./ });
  const worse = await owner.ok('GET', '/realm/console', { ...asked, log_level: 'error' });
  t.strictSame(worse['log'], []);
  const figures = async (at: ApiClient): Promise<Record<string, number[]>> =>
    (await at.ok('GET', '/realm/console', { with_history: true })).history as never;
  const before = await figures(owner);
  t.equal(before['minutes']!.length, before['memory_bytes']!.length);
  t.ok(before['memory_bytes']![0]! > 10_000_000);
  await server.stop();
  // As the process had left them an hour ago.
  const file = join(server.folder, 'figures.bin');
  t.equal(statSync(file).size <= FILE_BYTES, true);
  const anHourAgo = Date.now() - 3_600_000;
  const earlier = new FigureHistory(
    file,
    (error) => t.fail(String(error)),
    () => anHourAgo,
  );
  const none = { bounds: [], within: [], count: 0 };
  await earlier.note(
    {
      ...{ requests: 1, delivered_events: 1, journal_head: 1, resident_bytes: 12_340_000 },
      ...{ commits: none, sends: none, queue_counts: { idle: 3, polling: 4 } },
    },
    5,
  );
  const { url } = await server.restart(t);
  let after = await figures(owner.at(url));
  // The file is read once the server is ready.
  while (after['minutes']!.length < 2) after = await figures(owner.at(url));
  const place = after['minutes']!.indexOf(Math.floor(anHourAgo / 60_000));
  t.match(
    [after['memory_bytes'], after['event_queues'], after['waiting_mails']].map(
      (one) => one![place],
    ),
    [12_340_000, 7, 5],
  );
  t.ok(after['minutes']!.includes(before['minutes']![0]!));
  const { logins } = await owner.at(url).ok('GET', '/realm/console', { with_logins: true });
  t.match(logins, {
    ...{ active_people: 3, people_with_password: 3, people_with_two_factor: 0 },
    login_methods: [{ login_method: 'Email', is_enabled: true, is_available: true }],
  });
}
