import t, { type Test } from 'tap';
import { badRequest, serviceUnavailable, rateLimitHit } from '../../../src/errors/index.js';
import { bind } from '../../../src/resources/kernel/bind.js';
import { handle, handlePrepared, type AnyHandler } from '../../../src/resources/kernel/handler.js';
import { monotonicTime } from '../../../src/platform/time.js';
import { html } from '../../../src/services/text/html.js';
import { account, CoreNode } from '../../fixtures/core-node.js';
import { answer, basic, startToy, toyEndpoint } from './toy-server.js';

/** A pause before a probe does not keep a process alive; these tests wait for it. */
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

/** What is given to a handler that waits. */
class Signal {
  give!: () => void;
  readonly given = new Promise<void>((done) => {
    this.give = done;
  });
}

const noSuchUser = () => badRequest('No such user');

/** A node whose store has just been given the deletion of user 2, and says nothing yet; and a server of its handlers. */
async function setUp(t: Test) {
  const node = await CoreNode.start();
  for (const id of [1, 2]) node.runtime.transact((tx) => tx.org.users.insert(account(id)));
  await node.journal.barrier();
  const asked = { prepared: new Signal(), refusal: new Signal() };
  const handlers: AnyHandler[] = [
    handle(toyEndpoint({ method: 'POST', path: '/greet' }), (tx) => {
      if (!tx.org.users.has(2)) throw noSuchUser();
      return {};
    }),
    handlePrepared(
      toyEndpoint({ method: 'POST', path: '/load' }),
      async (org) => {
        const isThere = org.users.has(2);
        asked.prepared.give();
        await asked.refusal.given;
        if (!isThere) throw noSuchUser();
      },
      () => ({}),
    ),
    handle(toyEndpoint({ method: 'POST', path: '/away' }), () => {
      throw serviceUnavailable('Away');
    }),
    handle(toyEndpoint({ method: 'POST', path: '/limit' }), () => {
      throw rateLimitHit(7);
    }),
  ];
  const call = async () =>
    node.runtime.transact((): never => {
      throw noSuchUser();
    });
  const tell = async () => {
    const data = { name: node.org.users.has(2) ? 'there' : 'gone' };
    return { page: html`<p>${data.name}</p>`, data };
  };
  const lead = async () => ({
    location: node.org.users.has(2) ? '/in' : '/out',
    refusal: noSuchUser(),
  });
  const toy = await startToy(t, {
    routes: handlers.map((handler) => bind(node.runtime, handler)),
    pages: {
      all: [
        { method: 'GET', path: '/page', call },
        { method: 'GET', path: '/tell', call: tell },
        { method: 'GET', path: '/lead', call: lead },
      ],
      errorPage: (error) => html`<p>${error.message}</p>`,
    },
    onceDurable: (ageMs) => node.runtime.durableSince(monotonicTime() - ageMs),
  });
  t.teardown(() => node.journal.abandon());
  node.gate.holding = true;
  const answers: string[] = [];
  /** Status and code of the answer to a POST. */
  const post = async (path: string, init: Parameters<typeof toy.api>[1] = {}): Promise<string> => {
    const { status, body } = await answer(await toy.api(path, { method: 'POST', ...init }));
    const said = `${status} ${String(body.msg)}`;
    answers.push(said);
    return said;
  };
  const drop = async () => {
    node.runtime.transact((tx) => tx.org.users.delete(2));
    await node.gate.waiting(1);
  };
  /** Resolves when so many requests wait for their answer. */
  const held = async (count: number) => {
    while (toy.server.pendingCount + answers.length < count)
      await new Promise((done) => setImmediate(done));
    // Rounds in which they would be answered.
    for (let round = 0; round < 5; round++) await new Promise((done) => setImmediate(done));
  };
  const refuse = () => node.gate.held.shift()!.refuse(new Error('no space left on the disk'));
  return { node, toy, asked, answers, post, drop, held, refuse };
}

const AWAY = '503 The store is not available';

void t.test('a refusal waits until what it rests on is durable', async (t) => {
  const { node, answers, post, drop, held } = await setUp(t);
  await drop();
  const refused = post('/greet');
  await held(1);
  t.same(answers, [], 'not before');
  await node.gate.held.shift()!.accept();
  t.equal(await refused, '400 No such user');
  t.equal(await post('/greet'), '400 No such user', 'nothing is in flight');
});

void t.test('a refusal that rests on what was taken back is none', async (t) => {
  const { toy, answers, post, drop, held, refuse, node } = await setUp(t);
  await drop();
  const wrong = basic('iago@example.com', 'x'.repeat(32));
  const all = [
    post('/greet'),
    // What others did decides that, too.
    post('/greet', { auth: wrong }),
    post('/greet', { auth: wrong, body: new URLSearchParams({ content: 'c'.repeat(100_000) }) }),
    post('/nothing'),
  ];
  const page = fetch(`http://127.0.0.1:${toy.port}/page`).then(async (shown) => {
    answers.push(`${shown.status} ${await shown.text()}`);
  });
  await held(5);
  t.same(answers, []);
  refuse();
  t.same(await Promise.all(all), [AWAY, AWAY, AWAY, AWAY]);
  await page;
  t.ok(answers.includes('503 <p>The store is not available</p>'));
  t.ok(node.journal.isReadOnly);
  t.equal(await post('/greet'), '200 ', 'and the user is there');
});

void t.test('so is one that was decided before, and comes afterwards', async (t) => {
  const { asked, node, post, drop, refuse } = await setUp(t);
  await drop();
  const reply = post('/load');
  await asked.prepared.given;
  refuse();
  while (!node.journal.isReadOnly) await new Promise((done) => setImmediate(done));
  asked.refusal.give();
  t.equal(await reply, AWAY);
});

void t.test('a store that does not answer keeps no refusal', async (t) => {
  const { node, post, drop, held } = await setUp(t);
  await drop();
  const reply = post('/greet');
  await held(1);
  node.journal.abandon();
  t.equal(await reply, AWAY, 'as it does no reply');
  t.equal(await post('/greet'), AWAY, 'nor is what may be lost a reason');
});

void t.test('nothing waits for a client that has left', async (t) => {
  const { toy, asked, node, drop, refuse } = await setUp(t);
  const unhandled: unknown[] = [];
  const add = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', add);
  t.teardown(() => process.off('unhandledRejection', add));
  await drop();
  const leaving = new AbortController();
  const reply = toy.api('/load', { method: 'POST', signal: leaving.signal });
  await asked.prepared.given;
  leaving.abort();
  await t.rejects(reply);
  while (toy.server.pendingCount > 0) await new Promise((done) => setImmediate(done));
  asked.refusal.give();
  const rounds = async () => {
    for (let round = 0; round < 5; round++) await new Promise((done) => setImmediate(done));
  };
  await rounds();
  refuse();
  while (!node.journal.isReadOnly) await new Promise((done) => setImmediate(done));
  await rounds();
  t.same(unhandled, []);
});

void t.test('failures and limits are told at once', async (t) => {
  const { node, post, drop } = await setUp(t);
  await drop();
  t.equal(await post('/away'), '503 Away');
  t.match(await post('/limit'), /^429 /);
  t.equal(node.gate.held.length, 1);
});

void t.test('a page waits until what it tells is durable, and so does a redirect', async (t) => {
  const { toy, answers, drop, held, refuse, node } = await setUp(t);
  const visit = async (path: string): Promise<void> => {
    const shown = await fetch(`http://127.0.0.1:${toy.port}${path}`, { redirect: 'manual' });
    answers.push(`${shown.status} ${shown.headers.get('Location') ?? (await shown.text())}`);
  };
  const both = () => Promise.all([visit('/tell'), visit('/lead')]);
  await drop();
  const first = both();
  await held(2);
  t.same(answers, []);
  await node.gate.held.shift()!.accept();
  await first;
  t.same(answers.splice(0).sort(), ['200 <p>gone</p>', '302 /out']);
  node.runtime.transact((tx) => tx.org.users.insert(account(2)));
  await node.gate.waiting(1);
  const second = both();
  await held(2);
  refuse();
  await second;
  const away = '503 <p>The store is not available</p>';
  t.same(answers, [away, away], 'what was taken back is told to nobody');
});
