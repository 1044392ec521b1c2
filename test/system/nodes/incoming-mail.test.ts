/** Mails that become messages, over whole processes: taken in by one that follows, and by the next leader. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import nodemailer from 'nodemailer';
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';

const FOLLOWS = /^Parley follows on/m;
const LEADS = /^Parley is listening on/m;
const TAKEN = /^Mails are taken at smtp:\/\/127\.0\.0\.1:(\d+)$/m;
const ADDRESSES = ['--incoming-mail-address', '%s@mail.example.org'];

void t.test('a follower takes mails in, and the next leader knows them', async (t) => {
  const leader = await RunningServer.start(t, { args: ADDRESSES });
  const args = [...ADDRESSES, '--incoming-mail', 'smtp://127.0.0.1:0'];
  const follower = RunningServer.spawn(leader.folder, { args });
  t.teardown(() => follower.kill());
  await follower.printed(FOLLOWS);
  await follower.listening();
  const port = Number((await follower.printed(TAKEN))[1]);
  const here = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
  const there = await ApiClient.login(follower.url, OWNER_EMAIL, OWNER_PASSWORD);
  const created = await here.ok('POST', '/channels/create', { name: 'players', subscribers: [] });
  const { email: to } = await here.ok('GET', `/streams/${String(created['id'])}/email_address`);

  const transport = nodemailer.createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
  const send = (messageId: string, address = String(to)) =>
    transport.sendMail({
      from: 'yorick@example.org',
      to: address,
      subject: 'Alas',
      text: 'poor Yorick',
      messageId,
      attachments: [{ filename: 'skull.bin', content: Buffer.alloc(3 * 1024 * 1024, 'x') }],
    });
  const told = await send('<1@example.org>');
  t.match(told.response, /^250 /);
  const newest = async (client: ApiClient) => {
    const narrow = [{ operator: 'channel', operand: 'players' }];
    const window = { anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false };
    const { messages } = await client.ok('GET', '/messages', { ...window, narrow });
    return (messages as { subject: string; content: string; sender_full_name: string }[]).filter(
      ({ subject }) => subject === 'Alas',
    );
  };
  const [message, ...others] = await newest(here);
  t.same(others, []);
  t.match(message, {
    sender_full_name: 'Email Gateway',
    content:
      /^From: yorick@example\.org\npoor Yorick\n\n\[skull\.bin\]\(\/user_uploads\/.*skull\.bin\)$/,
  });
  const [, path] = /\((\/user_uploads\/[^)]*)\)/.exec(message!.content)!;
  const { url } = await there.ok('GET', String(path));
  const file = await fetch(new URL(String(url), follower.url));
  t.equal((await file.arrayBuffer()).byteLength, 3 * 1024 * 1024);
  const unknown = send('<2@example.org>', 'hamlet@mail.example.org');
  await t.rejects(unknown, { message: /550 No such address here/ });

  await leader.kill();
  await follower.printed(LEADS);
  const again = await send('<1@example.org>');
  t.match(again.response, /^250 /);
  t.equal((await newest(there)).length, 1, 'the same mail again');
  await send('<3@example.org>');
  t.equal((await newest(there)).length, 2);
  await follower.stop();
});

void t.test('a port that is taken ends the start with its reason', async (t) => {
  const blocker = createServer().listen(0, '127.0.0.1');
  t.teardown(() => blocker.close());
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo;
  const place = ['--store', `embedded:${storeFolder(t)}`, '--port', '0'];
  const { code, stderr } = await run([
    'serve',
    ...place,
    ...ADDRESSES,
    '--incoming-mail',
    `lmtp://127.0.0.1:${port}`,
  ]);
  t.equal(code, 1);
  t.match(stderr, /Mail: Cannot listen on 127\.0\.0\.1:\d+: the port is in use by another process/);
});
