/** The operator's commands, at a running server and at a stopped store. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { TopRow } from '../../../src/operator/admin/top-text.js';
import { recordText, tableText } from '../../../src/operator/admin/table.js';
import { shownCode } from '../../fixtures/authenticator.js';
import { ApiClient } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import {
  launch,
  OWNER_EMAIL,
  OWNER_PASSWORD,
  run,
  RunningServer,
  storeFolder,
  type Exit,
} from '../harness/server.js';

// Each command is a process, which loaded machines take long to start.
t.setTimeout(120_000);

/** Runs a command at the store of a folder. */
function admin(folder: string, ...args: string[]): Promise<Exit> {
  return run([...args, '--store', `embedded:${folder}`]);
}

/** What a command prints as JSON. @throws Error with its refusal */
async function json<T>(folder: string, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await admin(folder, ...args, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as T;
}

interface UserRow {
  readonly id: number;
  readonly email: string;
  readonly role: string;
  readonly active: boolean;
  readonly password?: string;
}

const ANN = 'ann@example.org';

void t.test('accounts of a running server, with the events that the API causes', async (t) => {
  const server = await RunningServer.start(t);
  const { folder } = server;
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const reader = await QueueReader.open(owner, { event_types: ['realm_user'] });

  const made = await json<UserRow>(
    folder,
    'users',
    'create',
    ANN,
    'Ann Lee',
    '--role',
    'moderator',
  );
  t.match(made, { email: ANN, name: 'Ann Lee', role: 'moderator', active: true });
  t.match(await reader.now(), [{ type: 'realm_user', op: 'add', person: { user_id: made.id } }]);
  const ann = await ApiClient.login(server.url, ANN, made.password!);
  t.equal((await ann.register()).user_id, made.id, 'the password that was shown is hers');
  // A first login sets when she joined, and says so where that is another minute than that of her account.
  for (const event of await reader.now())
    t.match(event, { op: 'update', person: { user_id: made.id, date_joined: String } });

  const list = await admin(folder, 'users', 'list');
  t.match(list, { code: 0, stderr: '' });
  t.match(list.stdout, /^ *ID {2}EMAIL +VERIFIED +NAME +ROLE +ACTIVE +BOT\n/);
  t.match(list.stdout, /ann@example\.org +yes +Ann Lee +moderator +yes +no$/m);
  t.notMatch(list.stdout, 'notification-bot');

  t.match(await json(folder, 'users', 'role', ANN, 'member'), { role: 'member' });
  t.match(await reader.now(), [{ type: 'realm_user', op: 'update', person: { role: 400 } }]);
  t.match(await json(folder, 'users', 'deactivate', ANN), { active: false });
  t.match(await reader.now(), [{ op: 'update', person: { user_id: made.id, is_active: false } }]);
  const active = await json<UserRow[]>(folder, 'users', 'list');
  t.notOk(active.some(({ email }) => email === ANN));
  const all = await json<UserRow[]>(folder, 'users', 'list', '--all');
  t.match(
    all.find(({ email }) => email === ANN),
    { active: false },
  );
  t.match(await json(folder, 'users', 'reactivate', String(made.id)), { active: true });

  const { password } = await json<UserRow>(folder, 'users', 'reset-password', ANN);
  t.match(password, /^[\w-]{24}$/);
  await t.rejects(ApiClient.login(server.url, ANN, made.password!), 'the former one is no more');
  const again = await ApiClient.login(server.url, ANN, password!);
  t.not(again.key, ann.key, 'and the key is another');

  const none = await admin(folder, 'users', 'two-factor-off', ANN);
  t.match(none, { code: 1, stderr: /ann@example\.org has no second factor/ });
  const { body } = await again.call('POST', '/users/me/two_factor', { password });
  const secret = new URL(String(body.otpauth_url)).searchParams.get('secret')!;
  t.equal(secret, body.secret);
  const code = shownCode(secret, Date.now());
  t.equal((await again.call('PATCH', '/users/me/two_factor', { code })).status, 200);
  await t.rejects(ApiClient.login(server.url, ANN, password!), /TWO_FACTOR_REQUIRED/);
  t.match(await json(folder, 'users', 'two-factor-off', ANN), { email: ANN });
  const demanded = await json(folder, 'organization', 'require-two-factor', 'everyone');
  t.match(demanded, { second_factor_of: 'everyone' });
  await t.rejects(ApiClient.login(server.url, ANN, password!), /TWO_FACTOR_SETUP_REQUIRED/);
  await json(folder, 'organization', 'require-two-factor', 'nobody');
  t.ok(await ApiClient.login(server.url, ANN, password!));
});

void t.test('a password from standard input is not shown', async (t) => {
  const server = await RunningServer.start(t);
  const args = ['users', 'reset-password', OWNER_EMAIL, '--password-stdin', '--json'];
  const child = launch([...args, '--store', `embedded:${server.folder}`], {}, undefined, 'pipe');
  let stdout = '';
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const closed = new Promise((resolve) => child.on('close', resolve));
  child.stdin!.end('heron-lamp-harbor-93\n');
  t.equal(await closed, 0);
  t.match(JSON.parse(stdout), { email: OWNER_EMAIL });
  t.notMatch(stdout, 'heron');
  t.ok(await ApiClient.login(server.url, OWNER_EMAIL, 'heron-lamp-harbor-93'));
});

void t.test('what the API refuses, a command refuses with its words', async (t) => {
  const { folder } = await RunningServer.start(t);
  for (const [args, words] of [
    [['users', 'role', OWNER_EMAIL, 'member'], /^Failed: The owner permission cannot be removed/],
    [['users', 'deactivate', OWNER_EMAIL], /^Failed: .*only organization owner/],
    [['users', 'role', OWNER_EMAIL, 'king'], /^Failed: A role is one of owner, administrator,/],
    [['users', 'role', 'nobody@x.org', 'member'], /^Failed: There is no account nobody@x\.org/],
    [['users', 'create', OWNER_EMAIL, 'Ann'], /^Failed: Email '.*' already in use/],
    [['users', 'create', ANN, 'Ann', '--role', 'king'], /^Failed: A role is one of/],
    [['queues', 'show', 'none'], /^Failed: There is no queue none/],
    [['queues', 'drop', 'none'], /^Failed: There is no queue none/],
    [['tail', '--user', 'nobody@x.org'], /^Failed: There is no account nobody@x\.org/],
    [['tail', '--type', 'message,massage'], /^Failed: There is no event of the type 'massage'/],
    [['tail', '--count', '-1'], /^Failed: --count is a number from 1 to 1000000/],
  ] as const) {
    t.match(await admin(folder, ...args), { code: 1, stdout: '', stderr: words }, args.join(' '));
  }
  t.match(await admin(folder, 'users', 'role', OWNER_EMAIL), {
    code: 2,
    stderr: /^parley users role takes EMAIL and ROLE\n/,
  });
  t.match(await admin(folder, 'users', 'lst'), { code: 2, stderr: /Did you mean list\?/ });
});

void t.test('queues of a running server', async (t) => {
  const server = await RunningServer.start(t);
  const { folder } = server;
  t.match(await admin(folder, 'queues', 'list'), { code: 0, stdout: 'None\n' });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { queue_id } = await owner.register({ event_types: ['message'] });
  await owner.say('waits in the queue');
  const row = { id: queue_id, user: OWNER_EMAIL, state: 'idle', events: 1 };
  t.match(await json(folder, 'queues', 'list'), [row]);
  t.match(await json(folder, 'queues', 'show', queue_id), {
    ...row,
    document: { value: 'live', context: { queue_id } },
  });
  t.match((await admin(folder, 'queues', 'show', queue_id)).stdout, /^events +1$/m);
  t.match(await json(folder, 'queues', 'drop', queue_id), row);
  t.same(await json(folder, 'queues', 'list'), []);
  await t.rejects(owner.poll(queue_id, -1), /BAD_EVENT_QUEUE_ID/);
});

void t.test('figures of a running server', async (t) => {
  const server = await RunningServer.start(t);
  t.match(await json(server.folder, 'stats'), {
    organization: 'Parley',
    users: 1,
    store: 'ready',
    queues: 0,
    process: Number,
  });
  t.match((await admin(server.folder, 'stats')).stdout, /^users +1$/m);
});

void t.test('what the server does, as it does it', async (t) => {
  const server = await RunningServer.start(t);
  const { folder } = server;
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.register({ event_types: ['message'] });
  let going = true;
  const load = (async () => {
    for (; going; await pause(5)) await owner.say('more');
  })();
  const flags = ['--interval', '1', '--count', '2'];
  const { code, stdout } = await admin(folder, 'top', '--json', ...flags);
  const text = await admin(folder, 'top', '--interval', '1', '--count', '1');
  going = false;
  await load;
  t.equal(code, 0);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as TopRow);
  t.equal(rows.length, 2);
  for (const row of rows) {
    t.ok(row.commits > 0 && row.deliveries > 0 && row.requests > 0);
    t.ok(row.commit_p99_ms! > 0 && row.commit_p99_ms! < 60_000);
    t.ok(row.loop_max_ms >= row.loop_p99_ms && row.loop_p99_ms >= 0);
    const [slowest] = row.operations;
    t.match(slowest, { operation: 'send-message', per_second: Number, mean_ms: Number });
    t.ok(slowest!.mean_ms > 0);
    t.match(row.queues, { idle: 1, polling: 0, streaming: 0, unattached: 0 });
  }
  t.ok(rows[1]!.queue_events > rows[0]!.queue_events, 'the client does not come');
  t.match(text.stdout, /^requests [\d.]+\/s {3}deliveries [\d.]+\/s {3}commits [\d.]+\/s \(p99/m);
  t.match(text.stdout, /^OPERATION +PER_SECOND +MEAN_MS +P99_MS\nsend-message/m);
  t.match(await admin(folder, 'top', '--interval', '0'), { code: 1, stderr: /from 1 to 60/ });
});

void t.test(
  'who changed which setting: by the API, by a command, by a stopped store',
  async (t) => {
    const server = await RunningServer.start(t);
    const { folder } = server;
    const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    await owner.ok('PATCH', '/realm', { invite_required: false });
    await json(folder, 'users', 'create', ANN, 'Ann');
    await json(folder, 'users', 'role', ANN, 'administrator');
    interface Row {
      readonly at: string;
      readonly by: string;
      readonly what: string;
    }
    const rows = async (...flags: string[]) => json<Row[]>(folder, 'audit', ...flags);
    const told = (list: readonly Row[]) =>
      list.map(({ by, what }) => [by, what.replace(/\d+/, 'N')]);
    const byCommand = [
      ['operator', 'user N Ann created'],
      ['operator', 'user N Ann: role 400 → 200'],
    ];
    t.same(told(await rows()), [
      [OWNER_EMAIL, 'organization Parley: invite_required true → false'],
      ...byCommand,
    ]);
    t.same(told(await rows('--count', '1')), byCommand.slice(1), 'the newest');
    t.same(told(await rows('--kind', 'user')), byCommand);
    t.equal((await rows('--user', OWNER_EMAIL)).length, 1);
    t.match((await admin(folder, 'audit')).stdout, /^ *ID {2}AT +BY +WHAT\n/);
    const { records } = await owner.ok('GET', '/realm/audit_log', { kind: 'user' });
    t.match(records, [
      { way: 'operator', user_id: null },
      { way: 'operator', user_id: null },
    ]);
    for (const [flag, value, words] of [
      ['--kind', 'king', /A kind is one of organization, /],
      ['--count', 'many', /--count is a number from 1 to 10000/],
      ['--user', 'nobody@x.org', /There is no account/],
    ] as const) {
      t.match(await admin(folder, 'audit', flag, value), { code: 1, stderr: words });
    }
    await server.stop();
    const grant = ['grant', '--store', `embedded:${folder}`, ANN, 'can_create_users'];
    t.match(await run(grant), { code: 0 });
    const after = await rows();
    t.same(told(after).at(-1), ['operator', 'user N Ann: creates_users none → true']);
    t.ok(after.every(({ at }) => Math.abs(Date.parse(at) - Date.now()) < 600_000));
  },
);

void t.test('a right of an account is given and taken while the server runs', async (t) => {
  const server = await RunningServer.start(t);
  const { folder, url } = server;
  const { password } = await json<UserRow>(folder, 'users', 'create', ANN, 'Ann');
  const ann = await ApiClient.login(url, ANN, password!);
  let made = 0;
  const create = (client: ApiClient) =>
    client.call('POST', '/users', {
      email: `new${++made}@example.org`,
      full_name: `New ${made}`,
      password: 'correct horse battery',
    });
  t.equal((await create(ann)).status, 400, 'a member may not');
  t.match(await admin(folder, 'grant', 'ANN@example.org', 'can_create_users'), {
    code: 0,
    stderr: 'Ann <ann@example.org> has can_create_users\n',
  });
  t.equal((await create(ann)).status, 200);
  const owner = await ApiClient.login(url, OWNER_EMAIL, OWNER_PASSWORD);
  t.equal((await create(owner)).status, 200);
  t.match(await admin(folder, 'revoke', OWNER_EMAIL, 'can_create_users'), {
    code: 0,
    stderr: `Owner <${OWNER_EMAIL}> no longer has can_create_users\n`,
  });
  t.equal((await create(owner)).status, 400, 'at once, owners included');
  t.match(await admin(folder, 'grant', 'nobody@example.org', 'can_create_users'), {
    code: 1,
    stderr: 'Failed: There is no account nobody@example.org\n',
  });
  await server.kill();
  const again = await server.restart(t);
  t.equal((await create(new ApiClient(again.url, ANN, ann.key, 0))).status, 200, 'it is kept');
});

void t.test('the journal as it grows, by type and by user', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const store = ['--store', `embedded:${server.folder}`];
  const filters = ['--type', 'message', '--user', OWNER_EMAIL, '--count', '2'];
  const child = launch(['tail', '--json', ...filters, ...store], {});
  t.teardown(() => child.kill());
  let stdout = '';
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const closed = new Promise((resolve) => child.on('close', resolve));
  let ended = false;
  void closed.then(() => (ended = true));
  // It begins at a moment that nobody is told, so there are messages, and what it is not to show, until it ends.
  while (!ended) {
    await owner.say('one more');
    await owner.ok('PATCH', '/settings', { starred_message_counts: true });
  }
  t.equal(await closed, 0, 'it ends after so many');
  const rows = stdout.trim().split('\n');
  t.equal(rows.length, 2);
  for (const row of rows) {
    const { seq, events, changes } = JSON.parse(row) as {
      seq: number;
      events: { type: string }[];
      changes: string[];
    };
    t.ok(seq > 0);
    t.same(
      events.map(({ type }) => type),
      ['message'],
    );
    t.ok(changes.some((change) => /^set message:\d+$/.test(change)));
  }
});

void t.test('the socket is for the account of the server, and goes with it', async (t) => {
  const server = await RunningServer.start(t);
  const path = join(server.folder, 'admin.sock');
  t.equal(statSync(path).mode & 0o777, 0o600);
  await server.stop();
  t.notOk(existsSync(path));
});

void t.test('a stopped store is opened for the command', async (t) => {
  const server = await RunningServer.start(t);
  const { folder } = server;
  await server.kill();
  t.match(await json(folder, 'users', 'create', ANN, 'Ann'), { email: ANN });
  t.match(await json(folder, 'stats'), { users: 2 });
  const again = await server.restart(t);
  const list = await json<UserRow[]>(folder, 'users', 'list');
  t.same(list.map(({ email }) => email).sort(), [ANN, OWNER_EMAIL]);
  t.equal((await again.stop()).code, 0);
});

void t.test('where there is nothing, nothing is made', async (t) => {
  const folder = storeFolder(t);
  t.match(await admin(folder, 'users', 'list'), {
    code: 1,
    stderr: `Failed: embedded:${folder} holds no organization\n`,
  });
  t.notOk(existsSync(join(folder, 'data.mdb')));
  t.match(await run(['stats', '--store', 'redis://127.0.0.1:1/'], {}, folder), {
    code: 1,
    stderr:
      /^Failed: No leading server has its admin socket at state-127\.0\.0\.1-1-0-main\/admin\.sock/,
  });
});

void t.test('rows become a table that obeys no control characters', async (t) => {
  const rows = [
    { id: 7, name: '李雷', ok: true },
    { id: 12, name: 'Ann\u001b[2J', ok: false },
  ];
  t.equal(
    tableText(rows),
    ['ID  NAME     OK', ' 7  李雷     yes', '12  Ann?[2J  no'].join('\n'),
    'numbers to the right, nothing that a terminal obeys',
  );
  t.equal(recordText({ a: 1, long: { b: 2 } }), 'a     1\nlong  {"b":2}');
  t.equal(tableText([]), 'None');
});
