import t from 'tap';
import sharp from 'sharp';
import { ApiClient, exchange, type Reply } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { run } from '../harness/server.js';
import { SocketReader } from '../harness/socket-reader.js';

const DEACTIVATED = {
  result: 'error',
  msg: 'Account is deactivated',
  code: 'UNAUTHORIZED',
};

const STREAM = { Accept: 'text/event-stream' };

/** A socket on a queue of the account. */
async function openSocket(client: ApiClient): Promise<SocketReader> {
  const { queue_id, last_event_id } = await client.register({ fetch_event_types: [] });
  return SocketReader.open(client, { queue_id, last_event_id });
}

void t.test('what ends with an account', async (t) => {
  const { owner, hamlet, iago } = await startOrganization(t);
  const echo = await hamlet.ok('POST', '/bots', { full_name: 'Echo', short_name: 'echo' });
  const { user } = await hamlet.ok('GET', `/users/${String(echo.user_id)}`);
  const bot = new ApiClient(
    owner.url,
    String((user as { email: string }).email),
    String(echo.api_key),
    Number(echo.user_id),
  );
  await bot.ok('GET', '/users/me');

  const { queue_id, last_event_id } = await hamlet.register({ fetch_event_types: [] });
  const parameters = { queue_id, last_event_id };
  let held: Promise<Reply> | undefined;
  await new Promise<void>((sent) => {
    held = hamlet.call('GET', '/events', parameters, { sent });
  });
  const socket = await openSocket(hamlet);
  const botSocket = await openSocket(bot);
  const watcher = await QueueReader.open(iago, { event_types: ['realm_user'] });
  // The server has read the poll by now: it answers in the order in which requests came.
  await hamlet.ok('GET', '/users/me');

  await owner.ok('DELETE', `/users/${hamlet.userId}`);
  const reply = await held!;
  t.equal(reply.status, 401, 'a waiting poll is answered at once');
  t.strictSame(reply.body, DEACTIVATED);
  t.match(reply.headers['www-authenticate'], /^Basic/);
  t.equal(await socket.closed, 4003, 'a socket is closed');
  t.equal(await botSocket.closed, 4003, "also that of the user's bot");
  for (const client of [hamlet, bot]) {
    const after = await client.call('GET', '/users/me');
    t.equal(after.status, 401, 'the key is dead');
    t.strictSame(after.body, DEACTIVATED);
  }
  const events = await watcher.now();
  t.strictSame(
    events.map(({ person }) => person),
    [
      { user_id: bot.userId, is_active: false },
      { user_id: hamlet.userId, is_active: false },
    ],
  );
  const login = await exchange(owner.url, 'POST', '/api/v1/fetch_api_key', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'username=hamlet%40example.org&password=willow-anchor-hamlet-47',
  });
  t.match(login.body, { code: 'USER_DEACTIVATED', msg: 'Account is deactivated' });

  await owner.ok('POST', `/users/${hamlet.userId}/reactivate`);
  await hamlet.ok('GET', '/users/me');
  const gone = await hamlet.call('GET', '/events', { ...parameters, dont_block: true });
  t.match(gone.body, { code: 'BAD_EVENT_QUEUE_ID' }, 'the queue does not come back');
});

void t.test('what ends with the organization, and what goes on', async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const gone = {
    result: 'error',
    msg: 'This organization has been deactivated',
    code: 'UNAUTHORIZED',
  };
  const { queue_id, last_event_id } = await hamlet.register({ fetch_event_types: [] });
  const held = await hamlet.hold(queue_id, last_event_id);
  const deaf = await hamlet.register({ fetch_event_types: [], event_types: ['user_status'] });
  const unaware = hamlet.call('GET', '/events', {
    queue_id: deaf.queue_id,
    last_event_id: deaf.last_event_id,
  });
  const socket = await openSocket(hamlet);
  await hamlet.ok('GET', '/users/me');

  await owner.ok('POST', '/realm/deactivate');
  t.match(await held.events, [{ type: 'realm', op: 'deactivated', realm_id: 1 }], 'a poll is told');
  t.strictSame((await unaware).body, gone, 'one that does not ask for it is refused');
  t.equal(await socket.closed, 4003, 'a socket is closed');
  for (const client of [owner, hamlet]) {
    const { status, body } = await client.call('GET', '/users/me');
    t.strictSame({ status, body }, { status: 401, body: gone });
  }
  const login = await exchange(owner.url, 'POST', '/api/v1/fetch_api_key', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'username=hamlet%40example.org&password=willow-anchor-hamlet-47',
  });
  t.match(login, { status: 401, body: { ...gone, code: 'REALM_DEACTIVATED' } });
  const page = await fetch(`${owner.url}/login/`, { headers: { Accept: 'text/html' } });
  t.equal(page.status, 401);
  t.match(await page.text(), /<h1>This organization has been deactivated<\/h1>/);
  const settings = await exchange(owner.url, 'GET', '/api/v1/server_settings');
  t.equal(settings.status, 200, 'apps find the server');

  const flags = ['--json', '--store', server.store];
  const shown = await run(['organization', 'reactivate', ...flags], {}, server.folder);
  t.match(JSON.parse(shown.stdout), { deactivated: false });
  await hamlet.ok('GET', '/users/me');
  const former = await hamlet.call('GET', '/events', { queue_id, last_event_id, dont_block: true });
  t.match(former.body, { code: 'BAD_EVENT_QUEUE_ID' }, 'queues do not come back');

  const again = await run(['organization', 'deactivate', ...flags], {}, server.folder);
  t.match(JSON.parse(again.stdout), { deactivated: true }, 'the operator may do it too');
  t.match(await hamlet.call('GET', '/users/me'), { status: 401, body: gone });
});

void t.test('a new key ends the old one, and what was opened with it', async (t) => {
  const { hamlet } = await startOrganization(t);
  const { queue_id, last_event_id } = await hamlet.register({
    fetch_event_types: [],
    event_types: ['user_status'],
  });
  const poll = await hamlet.hold(queue_id, last_event_id);
  const socket = await openSocket(hamlet);
  const { api_key } = await hamlet.ok('POST', '/users/me/api_key/regenerate');
  const refused = await hamlet.call('GET', '/users/me');
  t.match(refused.body, { code: 'UNAUTHORIZED', msg: 'Invalid API key' });
  t.equal(await socket.closed, 4003);
  t.strictSame(await poll.events, [], 'a poll learns nothing of what comes');
  const again = new ApiClient(hamlet.url, hamlet.email, String(api_key), hamlet.userId);
  await again.ok('POST', '/users/me/status', { status_text: 'new key' });
  t.match(
    await again.poll(queue_id, last_event_id, { dontBlock: true }),
    [{ type: 'user_status', status_text: 'new key' }],
    'the queue stays',
  );
});

// [c:new-password-tickets]
void t.test(
  'a new password ends tickets, and with a new key what the old one opened',
  async (t) => {
    const { hamlet } = await startOrganization(t);
    const password = 'willow-anchor-hamlet-47';
    const ticketOf = async (client: ApiClient): Promise<string> =>
      String((await client.ok('POST', '/events/ticket')).ticket);
    const status = async (ticket: string): Promise<number> =>
      (await exchange(hamlet.url, 'GET', `/api/v1/events?ticket=${ticket}`, { headers: STREAM }))
        .status;
    const first = await ticketOf(hamlet);
    const next = 'cedar-window-31-map';
    t.strictSame(
      await hamlet.ok('PATCH', '/settings', { old_password: password, new_password: next }),
      { result: 'success', msg: '' },
    );
    await hamlet.ok('GET', '/users/me');
    t.equal(await status(first), 401, 'a ticket of before');

    const second = await ticketOf(hamlet);
    const socket = await openSocket(hamlet);
    const { queue_id, last_event_id } = await hamlet.register({ fetch_event_types: [] });
    const poll = await hamlet.hold(String(queue_id), Number(last_event_id));
    const changed = await hamlet.ok('PATCH', '/settings', {
      ...{ old_password: next, new_password: 'harbour-lamp-88-tin', regenerate_api_key: true },
    });
    t.equal(await socket.closed, 4003);
    t.strictSame(await poll.events, []);
    t.match((await hamlet.call('GET', '/users/me')).body, { msg: 'Invalid API key' });
    t.equal(await status(second), 401);
    const again = new ApiClient(hamlet.url, hamlet.email, String(changed.api_key), hamlet.userId);
    t.match(await again.ok('GET', '/users/me'), { user_id: hamlet.userId });
  },
);

void t.test('a picture is there for everybody, also after a restart', async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const picture = await sharp({
    create: { width: 30, height: 30, channels: 3, background: 'red' },
  })
    .png()
    .toBuffer();
  const head =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="me.png"\r\n' +
    'Content-Type: image/png\r\n\r\n';
  const upload = await exchange(owner.url, 'POST', '/api/v1/users/me/avatar', {
    headers: {
      Authorization: hamlet.authorization,
      'Content-Type': 'multipart/form-data; boundary=x',
    },
    body: Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--x--\r\n')]),
  });
  const { avatar_url } = upload.body as { avatar_url: string };
  const fetchPicture = async (url: string, path: string) => {
    const response = await fetch(`${url}${path}`);
    const data = Buffer.from(await response.arrayBuffer());
    t.equal(response.status, 200, path);
    t.equal(response.headers.get('content-type'), 'image/png');
    t.match(response.headers.get('cache-control'), /immutable/);
    return (await sharp(data).metadata()).width;
  };
  t.equal(await fetchPicture(owner.url, avatar_url), 100);
  const go = (client: ApiClient, path: string) =>
    fetch(`${client.url}${path}`, {
      redirect: 'manual',
      headers: { Authorization: client.authorization },
    });
  const redirect = await go(owner, `/avatar/${hamlet.userId}`);
  t.equal(redirect.status, 302);
  t.equal(redirect.headers.get('location'), avatar_url);
  const medium = await go(owner, '/avatar/hamlet%40example.org/medium');
  t.equal(await fetchPicture(owner.url, medium.headers.get('location')!), 500);
  t.equal((await fetch(`${owner.url}/avatar/${hamlet.userId}`)).status, 401);
  t.equal((await go(owner, '/avatar/999')).status, 400);
  t.equal(
    await fetchPicture(owner.url, `/user_avatars/identicon/${hamlet.userId}-medium.png`),
    500,
  );
  for (const path of [
    '/user_avatars/',
    '/user_avatars/../api-keys.secret',
    '/user_avatars/x.png',
    '/user_avatars/identicon/999.png',
  ]) {
    t.equal((await fetch(`${owner.url}${path}`)).status, 404, path);
  }
  await server.stop();
  const restarted = await server.restart(t);
  t.equal(await fetchPicture(restarted.url, avatar_url), 100);
});
