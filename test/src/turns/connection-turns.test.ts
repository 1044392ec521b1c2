import fc from 'fast-check';
import t from 'tap';
import { answerPoll } from '../../../src/http/events/long-poll.js';
import { EventStreamConsumer } from '../../../src/http/events/event-stream.js';
import { WebSocketConsumer } from '../../../src/http/events/websocket.js';
import type { Exchange } from '../../../src/http/reply/exchange.js';
import { BodyBudget, collectBody } from '../../../src/http/request/body.js';
import { BodyStream } from '../../../src/http/request/body-stream.js';
import type { EventQueue } from '../../../src/journal/queues/event-queue.js';
import {
  BYTES_PER_ROUND,
  connectionTurns,
  ConnectionTurns,
} from '../../../src/turns/connection-turns.js';
import { inBackground } from '../../../src/turns/background.js';
import { CoreNode } from '../../fixtures/core-node.js';
import { emitAny } from '../../fixtures/emit-any.js';
import { clock, useClockOfWork, work } from './clock-of-work.js';
import { Client, MailClient, Network, poll, Sender } from './round-clients.js';

const KIB = 1024;
const MIB = 1024 * KIB;

void t.test(
  'work is done at once while the round has room, then by turns of accounts',
  async (t) => {
    const turns = new ConnectionTurns();
    const done: string[] = [];
    const take = (name: string, account: number): void =>
      turns.take(BYTES_PER_ROUND / 2, account, () => done.push(name));
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) take(name, 1);
    take('b1', 2);
    t.same(done, ['a1', 'a2'], 'as much as a round has room for');
    await new Promise(setImmediate);
    t.same(done.slice(2), ['a3', 'b1']);
    take('b2', 2);
    t.equal(done.length, 4, 'who comes later does not go first');
    await new Promise(setImmediate);
    t.same(done.slice(4), ['a4', 'b2']);
    await new Promise(setImmediate);
    t.same(done.slice(6), ['a5']);
  },
);

void t.test('a piece counts as a call into the system at least', (t) => {
  const turns = new ConnectionTurns();
  let fits = 0;
  while (turns.count(1)) fits += 1;
  t.equal(fits, 256);
  t.end();
});

void t.test('parts of a byte are too many when thousands have arrived in a round', async (t) => {
  const turns = new ConnectionTurns();
  let arrived = 0;
  while (!turns.isTooMany(1) && arrived < 100_000) {
    turns.arrive(1);
    arrived += 1;
  }
  t.equal(arrived, 4097);
  t.notOk(turns.isTooMany(4096), 'as most clients send them they are not');
  await new Promise(setImmediate);
  t.notOk(turns.isTooMany(1), 'nor are they in the next round');
});

void t.test('turns end with their time, however few bytes were moved', async (t) => {
  useClockOfWork(t);
  const turns = new ConnectionTurns();
  turns.count(BYTES_PER_ROUND);
  const times: number[] = [];
  for (let i = 0; i < 10; i++) {
    turns.wait(1, i, () => {
      work(3);
      times.push(clock.now);
    });
  }
  const rounds: number[] = [];
  for (let before = 0; before < 10; before = times.length) {
    await new Promise(setImmediate);
    rounds.push(times.length - before);
  }
  t.ok(Math.max(...rounds) <= 3, `${rounds.join()}: 9 ms in a round`);
});

void t.test('all replies together write a megabyte in a round of the event loop', async (t) => {
  const begun: number[] = [];
  const turns = Array.from({ length: 40 }, async (_, i) => {
    await connectionTurns.turn(256 * 1024, null);
    begun.push(i);
  });
  const rounds: number[] = [];
  while (begun.length < 40) {
    await new Promise(setImmediate);
    rounds.push(begun.length - rounds.reduce((sum, count) => sum + count, 0));
  }
  await Promise.all(turns);
  t.same(
    begun,
    Array.from({ length: 40 }, (_, i) => i),
    'first come, first served',
  );
  t.ok(Math.max(...rounds) <= 8, `${rounds.join()}: one round ends while the next begins`);
});

void t.test('replies of several users take turns', async (t) => {
  const written: string[] = [];
  const write = async (name: string, account: number): Promise<void> => {
    await connectionTurns.turn(1024 * 1024, account);
    written.push(name);
  };
  // Nothing is left of this round then.
  await connectionTurns.turn(2 * 1024 * 1024, null);
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => write(name, 1));
  all.push(write('b1', 2));
  await Promise.all(all);
  t.same(written, ['a1', 'b1', 'a2', 'a3', 'a4']);
});

const EVENTS = 60;
const LONG = 'x'.repeat(50_000);
const LEAST = EVENTS * LONG.length;

/**
 * Before the turns of a round as much as in them, and a single piece more than there was room for: a reply to a poll. What
 * arrives of bodies may be as much again before they are held back, with one part more.
 */
const MOST_IN_A_ROUND = 2 * (BYTES_PER_ROUND + 1.1 * MIB) + BYTES_PER_ROUND + 0.5 * MIB;
/** What is kept of all bodies together: they are read as they come, or whole. */
const MOST_KEPT = 60 * LEAST;

/** Receives a body, whole or as it comes. */
function receive(sender: Sender, isStream: boolean, budget: BodyBudget): void {
  const exchange = sender as unknown as Exchange;
  const failed = (error: unknown): void => {
    throw error;
  };
  if (!isStream) {
    return collectBody(exchange, LEAST, budget, { complete: () => undefined, refused: failed });
  }
  const stream = new BodyStream(exchange, budget);
  const read = async (): Promise<void> => {
    while (!stream.isAtEnd) await stream.read(MIB);
  };
  inBackground(read, failed);
}

const connection = fc.record({
  kind: fc.constantFrom('stream', 'socket', 'poll', 'download', 'upload', 'resumable', 'mail'),
  buffer: fc.constantFrom(100 * KIB, MIB, 64 * MIB),
  comes: fc.constantFrom('before' as const, 'after' as const),
});

void t.test(
  'whatever connections of one user or ten open, are fed, woken or drained in one round, it moves a bounded number of bytes',
  async (t) => {
    const property = fc.asyncProperty(
      fc.constantFrom(1, 10),
      fc.array(connection, { minLength: 20, maxLength: 60, size: 'max' }),
      async (users, connections) => {
        const node = await CoreNode.start({ limits: { maxEvents: 10_000, maxBytes: 8 * MIB } });
        const network = new Network();
        const queues: EventQueue[] = [];
        for (const i of connections.keys()) queues.push(await node.register(1 + (i % users)));
        const clients: Client[] = [];
        const senders = new Map<number, Sender>();
        const budget = new BodyBudget(MOST_KEPT);
        const opened = new Set<number>();
        const open = (i: number): void => {
          const { kind, buffer } = connections[i]!;
          const queue = queues[i]!;
          opened.add(i);
          if (kind === 'poll') return answerPoll(poll(network, i), node.queues, queue, false, '');
          if (kind === 'download') {
            const send = async (): Promise<void> => {
              for (let left = LEAST; left > 0; left -= 64 * KIB) {
                await connectionTurns.turn(64 * KIB, queue.userId);
                network.take(i, 64 * KIB);
              }
            };
            return void send();
          }
          if (kind === 'upload' || kind === 'resumable') {
            // What comes with heads is the matter of another test.
            const sender = new Sender(queue.userId, LEAST, LEAST, 100);
            senders.set(i, sender);
            receive(sender, kind === 'resumable', budget);
            return void network.take(i, sender.sends());
          }
          if (kind === 'mail') {
            return new MailClient(network, i, queue.userId).says(LEAST / 5);
          }
          const client = new Client(network, i, buffer);
          clients.push(client);
          if (kind === 'stream') {
            return new EventStreamConsumer(client, node.queues, queue, () => 0).open();
          }
          const consumer = new WebSocketConsumer(client, node.queues, queue, () => 0);
          client.drained = () => consumer.drained();
          consumer.open();
        };
        for (const [i, { comes }] of connections.entries()) if (comes === 'before') open(i);
        await new Promise(setImmediate);
        network.moved = 0;
        let most = 0;
        const look = (): void => {
          most = Math.max(most, network.moved);
          network.moved = 0;
        };
        for (let i = 0; i < EVENTS; i++) {
          node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'all' }, { LONG }));
        }
        await node.journal.barrier();
        for (const i of connections.keys()) if (!opened.has(i)) open(i);
        const isServed = (i: number): boolean =>
          (network.received[i] ?? 0) >= (connections[i]!.kind === 'poll' ? MIB : LEAST);
        for (let i = 0; i < 10_000 && !connections.every((_, one) => isServed(one)); i++) {
          await new Promise(setImmediate);
          for (const [one, sender] of senders) network.take(one, sender.sends());
          look();
          // All that wait for it at once.
          if (i % 5 === 0) for (const client of clients) client.reads();
        }
        for (const i of connections.keys()) {
          if (!isServed(i)) throw new Error(`${i}, a ${connections[i]!.kind}, is not served`);
        }
        for (const client of clients) client.gone();
        if (most > MOST_IN_A_ROUND) throw new Error(`${(most / MIB).toFixed(1)} MiB in a round`);
      },
    );
    await fc.assert(property, { numRuns: 12 });
    t.pass();
  },
);
