import t from 'tap';
import type { ApiError } from '../../../../src/errors/index.js';
import type { Exchange } from '../../../../src/http/reply/exchange.js';
import { BodyBudget, collectBody } from '../../../../src/http/request/body.js';
import { BodyStream } from '../../../../src/http/request/body-stream.js';
import { BYTES_PER_ROUND } from '../../../../src/turns/connection-turns.js';
import { Sender } from '../../turns/round-clients.js';

const KIB = 1024;
const MIB = 1024 * KIB;

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
  // Half a megabyte of each: 64 MiB are kept, and the one with which they are passed.
  for (let i = 0; i < 134; i++) {
    const size = i % 2 === 0 ? MIB : MIB / 2;
    const sender = new Sender(i, size, size);
    if (i % 2 === 0) collectBody(sender as unknown as Exchange, MIB, budget, receiver);
    else streams.push(new BodyStream(sender as unknown as Exchange, budget));
    sender.sends();
  }
  t.same(refused, [503, 503]);
  for (const [i, stream] of streams.entries()) {
    if (i < 64) t.equal((await stream.read(KIB)).length, KIB);
    else await t.rejects(stream.read(MIB), { status: 503, message: 'Too many uploads at once' });
  }
});

void t.test(
  'bodies of which parts came before are held back in the round that has no room for more',
  async (t) => {
    await new Promise(setImmediate);
    const budget = new BodyBudget(400 * MIB);
    const senders: Sender[] = [];
    for (let i = 0; i < 40; i++) {
      const sender = new Sender(i, 4 * MIB, 4 * MIB, 1);
      senders.push(sender);
      const exchange = sender as unknown as Exchange;
      if (i % 2 === 0) {
        const refused = ({ message }: ApiError): void => void t.fail(message);
        collectBody(exchange, 4 * MIB, budget, { complete: () => undefined, refused });
      } else void new BodyStream(exchange, budget);
      t.equal(sender.sends(), 1);
    }
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    // The native layer reports all of them in one go, and passes over those that are held back by then.
    const sum = senders.reduce((bytes, sender) => bytes + sender.sends(), 0);
    t.equal(sum, 3 * 512 * KIB, 'a mebibyte, and the part with which it is passed');
    t.ok(
      senders.every(({ isHeld }) => isHeld),
      'all are held',
    );
    for (let i = 0; i < 100 && !senders.some(({ isHeld }) => !isHeld); i++) {
      await new Promise(setImmediate);
    }
    t.ok(
      senders.some(({ isHeld }) => !isHeld),
      'until the round is over',
    );
  },
);

void t.test(
  'a body that grows too large while it is held back is received to its end',
  async (t) => {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const sender = new Sender(1, 3 * MIB, 0);
    const refused: number[] = [];
    collectBody(sender as unknown as Exchange, MIB, new BodyBudget(400 * MIB), {
      complete: () => void t.fail('it is too large'),
      refused: ({ status }) => void refused.push(status),
    });
    sender.sends();
    sender.sends();
    sender.sendsHeld();
    t.equal(sender.isHeld, false, 'nothing waits for its turn any more');
    while (sender.sends() > 0) await new Promise(setImmediate);
    t.same(refused, [413]);
  },
);
