import t from 'tap';
import type { Exchange } from '../../../../src/http/reply/exchange.js';
import { BodyBudget } from '../../../../src/http/request/body.js';
import { BodyStream } from '../../../../src/http/request/body-stream.js';

const MIB = 1024 * 1024;

/** A request whose body the test sends. */
class Sender {
  readonly held: boolean[] = [];
  isClosedAfterReply = false;
  receiving = false;
  readonly stream: BodyStream;
  private data!: (chunk: ArrayBuffer, last: boolean) => void;
  private aborted!: () => void;

  constructor(
    budget = new BodyBudget(100 * MIB),
    readonly holdsBody = false,
    readonly contentLength = 0,
  ) {
    this.stream = new BodyStream(this as unknown as Exchange, budget);
  }

  readonly account = 1;

  onData(listener: (chunk: ArrayBuffer, last: boolean) => void): void {
    this.data = listener;
  }

  onAbort(listener: () => void): void {
    this.aborted = listener;
  }

  holdBody(isHeld: boolean): void {
    this.held.push(isHeld);
  }

  closeAfterReply(): void {
    this.isClosedAfterReply = true;
  }

  send(text: string, last = false): void {
    const bytes = new Uint8Array(Buffer.from(text));
    this.data(bytes.buffer, last);
    // The native layer uses the memory again.
    bytes.fill(0);
  }

  leave(): void {
    this.aborted();
  }
}

/** A later round of the event loop, which has room for further bytes of all connections. */
const nextRound = async (): Promise<void> => {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
};

const text = async (stream: BodyStream, wanted: number) => String(await stream.read(wanted));

void t.test('as many bytes as are wanted, however they arrive; fewer at the end', async (t) => {
  const sender = new Sender();
  const { stream } = sender;
  t.equal(sender.receiving, true);
  sender.send('abc');
  const waiting = text(stream, 5);
  sender.send('defg');
  t.equal(await waiting, 'abcde');
  t.equal(stream.isAtEnd, false);
  sender.send('h', true);
  t.equal(sender.receiving, false);
  t.equal(await text(stream, 5), 'fgh');
  t.equal(stream.isAtEnd, true);
  t.equal(await text(stream, 5), '');
  t.same(sender.held, []);
});

void t.test('a client that is faster than the reader is held back', async (t) => {
  const budget = new BodyBudget(3 * MIB);
  const sender = new Sender(budget);
  sender.send('a'.repeat(MIB));
  t.same(sender.held, [true]);
  sender.send('b'.repeat(100));
  await nextRound();
  t.same(sender.held, [true], 'what was on its way');
  await sender.stream.read(50);
  t.same(sender.held, [true], 'still more than a mebibyte');
  await sender.stream.read(51);
  t.same(sender.held, [true, false]);
  sender.send('c'.repeat(100), true);
  while (!sender.stream.isAtEnd) await sender.stream.read(MIB);
  t.same(sender.held, [true, false], 'the end is never held back');
  t.equal(budget.take(3 * MIB), true, 'the memory is given back');

  const short = new Sender();
  short.send('a'.repeat(MIB));
  short.send('b', true);
  t.same(short.held, [true, false], 'the next request comes by the same connection');
  await short.stream.read(2 * MIB);
  t.same(short.held, [true, false]);
});

void t.test('a client is held back until its turn where a round has no room left', async (t) => {
  await nextRound();
  const sender = new Sender();
  const beside = new Sender();
  sender.send('a'.repeat(MIB));
  beside.send('b');
  t.same(beside.held, [true], 'others have sent as much as a round has room for');
  await nextRound();
  t.same(beside.held, [true, false]);
  t.equal(await text(beside.stream, 1), 'b');
});

void t.test('what came before the client has gone can be read', async (t) => {
  const sender = new Sender();
  const waiting = text(sender.stream, 100);
  sender.send('abc');
  sender.leave();
  t.equal(await waiting, 'abc');
  t.same([sender.stream.isAborted, sender.stream.isAtEnd], [true, true]);
});

void t.test('more than all bodies together may take is refused', async (t) => {
  const budget = new BodyBudget(10);
  const sender = new Sender(budget);
  sender.send('a'.repeat(8));
  sender.send('a'.repeat(3));
  sender.send('a', true);
  await t.rejects(sender.stream.read(100), { status: 503, message: 'Too many uploads at once' });
  await sender.stream.discard(100);
  t.equal(budget.take(10), true, 'and given back');
});

void t.test('a refusal comes when the client has sent the rest, or far too much', async (t) => {
  await nextRound();
  const sender = new Sender();
  sender.send('a'.repeat(2 * MIB));
  let isOver = false;
  const discarded = sender.stream.discard(4 * MIB).then(() => (isOver = true));
  await nextRound();
  t.same(sender.held, [true, false]);
  sender.send('a'.repeat(MIB));
  await Promise.resolve();
  t.equal(isOver, false);
  sender.send('a', true);
  await discarded;
  t.equal(sender.isClosedAfterReply, false);

  const endless = new Sender();
  const cut = endless.stream.discard(10);
  endless.send('a'.repeat(11));
  await cut;
  t.same([endless.isClosedAfterReply, endless.receiving], [true, false]);

  const waits = new Sender(new BodyBudget(10), true);
  await waits.stream.discard(10);
  t.equal(waits.isClosedAfterReply, true, 'one that asks before it sends');
  const announced = new Sender(new BodyBudget(10), false, 11);
  await announced.stream.discard(10);
  t.equal(announced.isClosedAfterReply, true, 'one that announces far too much');
});
