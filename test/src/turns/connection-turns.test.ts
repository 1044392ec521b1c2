import fc from 'fast-check';
import t from 'tap';
import { answerPoll } from '../../../src/http/events/long-poll.js';
import { EventStreamConsumer, type Stream } from '../../../src/http/events/event-stream.js';
import { WebSocketConsumer, type Socket } from '../../../src/http/events/websocket.js';
import { turnToWrite } from '../../../src/http/files/chunks.js';
import type { ApiError } from '../../../src/errors/index.js';
import type { Exchange } from '../../../src/http/reply/exchange.js';
import type { StreamListener } from '../../../src/http/reply/reply-stream.js';
import { BodyBudget, collectBody } from '../../../src/http/request/body.js';
import { BodyStream } from '../../../src/http/request/body-stream.js';
import type { EventQueue } from '../../../src/journal/queues/event-queue.js';
import { BYTES_PER_ROUND, ConnectionTurns } from '../../../src/turns/connection-turns.js';
import { CoreNode } from '../../fixtures/core-node.js';
import { emitAny } from '../../fixtures/emit-any.js';
import { clock, useClockOfWork, work } from './clock-of-work.js';

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

/** What all connections have been sent, bytes, and what may still be. */
class Network {
  moved = 0;
  readonly received: number[] = [];

  take(connection: number, bytes: number): void {
    this.moved += bytes;
    this.received[connection] = (this.received[connection] ?? 0) + bytes;
  }
}

/** A client that takes so many bytes until it is told to go on. */
class Client implements Stream, Socket {
  isBlocked = false;
  drained: () => void = () => undefined;
  gone: () => void = () => undefined;
  private unread = 0;

  constructor(
    private readonly network: Network,
    private readonly index: number,
    private readonly buffer: number,
  ) {}

  listen(listener: StreamListener): void {
    this.drained = () => listener.drained();
    this.gone = () => listener.gone();
  }

  write(frame: string | Uint8Array): void {
    if (this.isBlocked) throw new Error('Nothing may be written now');
    this.takes(frame.length);
  }

  send(frame: string | ArrayBuffer | Uint8Array): number {
    this.takes(typeof frame === 'string' ? frame.length : frame.byteLength);
    return this.isBlocked ? 0 : 1;
  }

  getBufferedAmount(): number {
    return this.isBlocked ? 16 * MIB : 0;
  }

  end(): void {
    throw new Error('Nobody ends it');
  }

  close(): void {
    throw new Error('Nobody closes it');
  }

  /** It has read everything. */
  reads(): void {
    this.unread = 0;
    if (!this.isBlocked) return;
    this.isBlocked = false;
    this.drained();
  }

  private takes(bytes: number): void {
    this.network.take(this.index, bytes);
    this.unread += bytes;
    this.isBlocked = this.unread > this.buffer;
  }
}

/** A poll whose reply is made in one text, and then sent in chunks, which have turns of their own. */
function poll(network: Network, index: number): Exchange {
  const exchange = {
    settled: false,
    method: 'GET',
    acceptEncoding: '',
    onAbort: () => undefined,
    hold: () => ({ progressed: () => undefined, ended: () => undefined }),
    replyJsonChunks: async ({ size }: { size: number }) => {
      exchange.settled = true;
      network.take(index, size);
    },
  };
  return exchange as unknown as Exchange;
}

const EVENTS = 60;
const LONG = 'x'.repeat(50_000);
const LEAST = EVENTS * LONG.length;

/** Before the turns of a round as much as in them, and a single piece more than there was room for: a reply to a poll. */
const MOST_IN_A_ROUND = 2 * (BYTES_PER_ROUND + 1.1 * MIB);

const connection = fc.record({
  kind: fc.constantFrom('stream' as const, 'socket' as const, 'poll' as const, 'download' as const),
  buffer: fc.constantFrom(100 * KIB, MIB, 64 * MIB),
  comes: fc.constantFrom('before' as const, 'after' as const),
});

void t.test(
  'whatever connections of one user or ten open, are woken or drained in one round, it moves a bounded number of bytes',
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
        const opened = new Set<number>();
        const open = (i: number): void => {
          const { kind, buffer } = connections[i]!;
          const queue = queues[i]!;
          opened.add(i);
          if (kind === 'poll') return answerPoll(poll(network, i), node.queues, queue, false, '');
          if (kind === 'download') {
            const send = async (): Promise<void> => {
              for (let left = LEAST; left > 0; left -= 64 * KIB) {
                await turnToWrite(64 * KIB, queue.userId);
                network.take(i, 64 * KIB);
              }
            };
            return void send();
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

/** A client that sends a body as fast as it may. */
class Sender {
  settled = false;
  contentLength = 0;
  contentCoding = '';
  holdsBody = false;
  receiving = false;
  isHeld = false;
  sent = 0;
  private data!: (chunk: ArrayBuffer, last: boolean) => void;

  constructor(
    readonly account: number,
    readonly size: number,
    length: number,
  ) {
    this.contentLength = length;
  }

  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void {
    this.data = listener;
  }

  onAbort(): void {}
  closeAfterReply(): void {}

  holdBody(isHeld: boolean): void {
    this.isHeld = isHeld;
  }

  /** What the native layer reads at a time. @returns how much that was */
  sends(): number {
    if (this.isHeld || this.sent === this.size) return 0;
    const length = Math.min(512 * KIB, this.size - this.sent);
    const chunk = new Uint8Array(length).fill(this.sent / (512 * KIB));
    this.sent += length;
    this.data(chunk.buffer, this.sent === this.size);
    return length;
  }
}

void t.test('bodies that come at once are received by turns, and each comes whole', async (t) => {
  const size = 3 * MIB + 5;
  const senders: Sender[] = [];
  let whole = 0;
  for (let i = 0; i < 40; i++) {
    const sender = new Sender(i % 3, size, i % 4 === 0 ? 0 : size);
    senders.push(sender);
    const exchange = sender as unknown as Exchange;
    if (i % 2 === 0) {
      collectBody(exchange, 25 * MIB, new BodyBudget(400 * MIB), {
        complete: (body) => {
          const isRight = (at: number): boolean =>
            at >= size || (body[at] === at >> 19 && isRight(at + 997));
          if (body.length === size && isRight(0)) whole += 1;
        },
        refused: (error) => t.fail(error.message),
      });
      continue;
    }
    const stream = new BodyStream(exchange, new BodyBudget(400 * MIB));
    const read = async (): Promise<void> => {
      let at = 0;
      while (!stream.isAtEnd) {
        const bytes = await stream.read(512 * KIB);
        if (bytes[0] !== at >> 19 || bytes.at(-1) !== at >> 19) return;
        at += bytes.length;
      }
      if (at === size) whole += 1;
    };
    read().catch((error: unknown) => t.fail(String(error)));
  }
  for (const sender of senders) sender.sends();
  let most = 0;
  for (let i = 0; i < 10_000 && whole < senders.length; i++) {
    await new Promise(setImmediate);
    const sum = senders.reduce((bytes, sender) => bytes + sender.sends(), 0);
    most = Math.max(most, sum);
  }
  t.equal(whole, senders.length);
  t.ok(most <= 2 * BYTES_PER_ROUND, `${most / MIB} MiB in a round, once the first have come`);
});

void t.test('what arrives of bodies in one round is bounded; the rest is refused', async (t) => {
  await new Promise(setImmediate);
  const refused: number[] = [];
  const streams: BodyStream[] = [];
  const budget = new BodyBudget(400 * MIB);
  const receiver = {
    complete: () => void t.fail('none is complete'),
    refused: ({ status }: ApiError) => void refused.push(status),
  };
  // Half a megabyte of each: 96 MiB are kept, and the one with which they are passed.
  for (let i = 0; i < 200; i++) {
    const size = i % 2 === 0 ? MIB : MIB / 2;
    const sender = new Sender(i, size, size);
    if (i % 2 === 0) collectBody(sender as unknown as Exchange, MIB, budget, receiver);
    else streams.push(new BodyStream(sender as unknown as Exchange, budget));
    sender.sends();
  }
  t.same(refused, [503, 503, 503]);
  for (const [i, stream] of streams.entries()) {
    if (i < 96) t.equal((await stream.read(KIB)).length, KIB);
    else await t.rejects(stream.read(MIB), { status: 503, message: 'Too many uploads at once' });
  }
});
