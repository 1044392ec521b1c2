/** The server for tests of others (docs/guides/testing-a-bot.md), as they use it. */
import { readdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import t from 'tap';
import { ParleyError, startParley, type Parley } from '../../../src/testing/testing.js';
import { bound } from '../../../src/platform/bound.js';
import { nodePlatform } from '../../../src/platform/node-platform.js';
import { leastOf, processorTimeOf } from '../../fixtures/machine-load.js';

/** A picture of one pixel. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Folders that servers for tests have now. */
function folders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith(`parley-testing-${process.pid}-`));
}

/** What keeps the process alive, without what a write to the runner takes for a moment. */
function resources(): string[] {
  const passing = new Set(['Immediate', 'FSReqCallback', 'FSReqPromise', 'WriteWrap']);
  return process.getActiveResourcesInfo().filter((name) => !passing.has(name));
}

/** The resources once they are so many, or after some rounds: the other ends of closed connections close by themselves. */
async function resourcesOnceLike({ length }: readonly string[]): Promise<string[]> {
  for (let i = 0; i < 200 && resources().length !== length; i++) {
    await new Promise((resolve) => void setImmediate(resolve));
  }
  return resources();
}

void t.test('an organization begins with what its seed says', async (t) => {
  const parley = await startParley({
    users: ['ada', { name: 'Linus T', role: 'guest' }],
    bots: ['helper'],
    channels: ['design', { name: 'plans', private: true, subscribers: ['ada'] }],
    messages: [
      { from: 'ada', to: 'design', topic: 'logo', content: '*first*' },
      { from: 'helper', to: ['ada', 'Linus T'], content: 'second' },
    ],
  });
  t.teardown(() => parley.stop());
  const ada = parley.as('ada');
  const { messages } = await ada.call('GET /messages', {
    anchor: 'newest',
    num_before: 2,
    num_after: 0,
  });
  t.match(messages, [
    { sender_full_name: 'ada', subject: 'logo', content: '<p><em>first</em></p>' },
    {
      sender_full_name: 'helper',
      display_recipient: [{ full_name: 'ada' }, { full_name: 'Linus T' }, { full_name: 'helper' }],
    },
  ]);
  t.match(parley.users, {
    owner: { email: 'owner@example.org' },
    'Linus T': { email: 'linus.t@example.org', name: 'Linus T' },
    helper: { email: 'helper-bot@parley.invalid' },
  });
  const { subscriptions } = await parley.as('Linus T').call('GET /users/me/subscriptions', {});
  t.same(
    subscriptions.map(({ name }) => name),
    ['design', 'general'],
  );
  t.match(await parley.as('owner').call('GET /users/me', {}), { is_owner: true });
  t.throws(() => parley.as('nobody'), {
    message: 'There is no nobody: there are owner, ada, Linus T, helper',
  });
});

void t.test('a seed that contradicts itself starts nothing', async (t) => {
  const before = folders();
  await t.rejects(startParley({ users: ['ada', 'ada'] }), { message: 'ada is there already' });
  await t.rejects(startParley({ messages: [{ from: 'ada', to: 'general', content: 'x' }] }), {
    message: 'There is no ada: there are owner',
  });
  await t.rejects(startParley({ settings: { prot: '1' } }), {
    message: 'parley serve has no --prot',
  });
  await t.rejects(startParley({ settings: { 'rate-limit': 'maybe' } }), { name: 'ConfigError' });
  t.same(folders(), before);
});

void t.test('a password logs in, and clients of other languages get what they read', async (t) => {
  const parley = await startParley({ users: [{ name: 'ada', password: 'iris-lamp-harbor-92' }] });
  t.teardown(() => parley.stop());
  const { email, apiKey } = parley.users['ada']!;
  const reply = await fetch(`${parley.url}/api/v1/fetch_api_key`, {
    method: 'POST',
    body: new URLSearchParams({ username: email, password: 'iris-lamp-harbor-92' }),
  });
  t.match(await reply.json(), { result: 'success', api_key: apiKey });
  t.equal(
    parley.dotenv('ada'),
    `ZULIP_SITE=${parley.url}\nZULIP_EMAIL=${email}\nZULIP_API_KEY=${apiKey}\n`,
  );
  t.equal(parley.zuliprc('ada'), `[api]\nemail=${email}\nkey=${apiKey}\nsite=${parley.url}\n`);
});

void t.test('an inbox has each event from when it was asked for', async (t) => {
  const parley = await startParley({ users: ['ada', 'linus'] });
  t.teardown(() => parley.stop());
  const inbox = await parley.events('linus', { event_types: ['message', 'reaction'] });
  const ada = parley.as('ada');
  const say = (content: string) =>
    ada.call('POST /messages', { type: 'channel', to: 'general', topic: 'x', content });
  const { id: message_id } = await say('one');
  await say('two');
  await ada.call('POST /messages/{message_id}/reactions', { message_id, emoji_name: 'tada' });
  t.match(await inbox.next('message'), { message: { content: 'one' } });
  t.match(
    await inbox.next('reaction'),
    { emoji_name: 'tada' },
    'passes over what is not asked for',
  );
  await t.rejects(inbox.next('message', 10), {
    message: 'No event message within 10 ms, but nothing',
  });
  t.same(
    inbox.seen.map(({ type }) => type),
    ['message', 'message', 'reaction'],
  );
  const later = inbox.next((event) => event.type === 'message');
  await say('three');
  t.match(await later, { message: { content: 'three' } });
  await t.rejects(parley.connected('ada', 10), {
    message: 'No client of ada polls or listens within 10 ms',
  });
  await parley.connected('linus');
});

void t.test('pictures are taken, by a process that ends with the server', async (t) => {
  const parley = await startParley();
  t.teardown(() => parley.stop());
  const body = new FormData();
  body.append('file', new Blob([DOT], { type: 'image/png' }), 'dot.png');
  const reply = await parley
    .as('owner')
    .request('/api/v1/realm/emoji/dot', { method: 'POST', body });
  t.match(await reply.json(), { result: 'success' });
});

void t.test('what it serves is the contract, refusals too', async (t) => {
  const parley = await startParley();
  t.teardown(() => parley.stop());
  const owner = parley.as('owner');
  const to = { type: 'channel', to: 'nowhere', topic: 'x', content: 'x' } as const;
  const refusal = await owner.call('POST /messages', to).catch((error: unknown) => error);
  t.ok(refusal instanceof ParleyError);
  t.match(refusal, { status: 400, code: 'STREAM_DOES_NOT_EXIST' });
});

void t.test('after the end nothing is left', async (t) => {
  const before = resources();
  const files = folders();
  const listeners = process.listenerCount('exit');
  const [first, second] = await Promise.all([
    startParley({ users: ['ada'], messages: [{ from: 'ada', to: 'general', content: 'x' }] }),
    startParley(),
  ]);
  t.not(first.url, second.url, 'two at once');
  t.equal(folders().length, files.length + 2);
  await first.events('ada');
  await first.as('ada').call('GET /users/me', {});
  first.faults.slow({ by: '1 hour' });
  const slow = first.as('ada').call('GET /users/me', {});
  const failed = t.rejects(slow, TypeError, 'a reply that did not come');
  await first.connected('ada');
  await Promise.all([first.stop(), second.stop(), second.stop()]);
  await failed;
  await t.rejects(first.events('ada'), { message: 'The server has ended' });
  t.same(folders(), files);
  t.equal(process.listenerCount('exit'), listeners);
  t.equal(bound(), nodePlatform, 'the machine has its time again');
  t.same(await resourcesOnceLike(before), before, 'no timer, no socket');
  const { port } = new URL(first.url);
  const refused = await new Promise((resolve) => {
    createConnection(Number(port), '127.0.0.1').on('error', resolve).on('connect', resolve);
  });
  t.match(refused, { code: 'ECONNREFUSED' });
});

void t.test('a server costs little', async (t) => {
  const options = { users: ['ada', 'linus'], channels: ['design'] };
  const { least, limit } = await leastOf(30, async () => {
    let parley: Parley | undefined;
    const took = await processorTimeOf(async () => (parley = await startParley(options)));
    await parley?.stop();
    return took;
  });
  t.ok(least < limit, `a further server takes ${least} ms of the processor, of ${limit}`);
});
