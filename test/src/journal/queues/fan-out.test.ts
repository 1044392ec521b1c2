import t from 'tap';
import type { Audience } from '../../../../src/journal/entry.js';
import { EventQueue, type Consumer } from '../../../../src/journal/queues/event-queue.js';
import { FanOut, type DeliveryPace } from '../../../../src/journal/queues/fan-out.js';
import { QueueIndex } from '../../../../src/journal/queues/queue-index.js';
import { SharedEvent } from '../../../../src/journal/queues/delivery.js';
import type { Receiver, EventRenderers } from '../../../../src/journal/renderers/event-renderer.js';
import type { QueueFilter } from '../../../../src/journal/queues/queue-filter.js';
import { PLAIN_FILTER } from '../../../fixtures/core-node.js';
import { newQueue } from '../../../fixtures/new-queue.js';

const LIMITS = { maxEvents: 2, maxBytes: 1_000_000 };

class Desk {
  readonly overflowed: string[] = [];
  readonly fanOut: FanOut;
  readonly queues: EventQueue[] = [];

  private clock: () => number = () => 0;

  constructor(pace: Partial<DeliveryPace> = {}) {
    if (pace.clock) this.setClock(pace.clock);
    const overflowed = (queue: EventQueue): void => {
      this.overflowed.push(queue.queueId);
      this.fanOut.remove(queue);
    };
    this.fanOut = new FanOut(LIMITS, overflowed, { ...pace, clock: () => this.clock() });
  }

  setClock(clock: () => number): void {
    this.clock = clock;
  }

  queue(userId: number, filter: Partial<QueueFilter> = {}, since = 0): EventQueue {
    const id = `${userId}/${this.queues.length}`;
    const all = { ...PLAIN_FILTER, ...filter };
    const queue = newQueue({ queueId: id, userId, filter: all, since, idleTimeoutMs: 1 });
    this.queues.push(queue);
    this.fanOut.admit(queue);
    return queue;
  }

  deliver(
    audience: Audience,
    options: {
      seq?: number;
      first?: number;
      isPublic?: boolean;
      subscribers?: number[];
      guests?: ReadonlySet<number>;
      renderers?: EventRenderers;
    } = {},
  ): void {
    const { seq = 1, first, isPublic, subscribers = null, guests, renderers = new Map() } = options;
    const data = isPublic ? { public: true } : {};
    const event = { type: 'note', audience, data, slots: 1, first };
    const shared = new SharedEvent(event, undefined, seq, seq, renderers);
    const membership = { wasSubscribed: (id: number) => subscribers?.includes(id) ?? false };
    this.fanOut.deliver({ shared, subscribers, membership, guests });
  }

  /** Users whose queues got something. */
  receivers(): number[] {
    return this.queues.filter(({ length }) => length > 0).map(({ userId }) => userId);
  }
}

function consumer(wake: () => void): Consumer {
  return { kind: 'socket', deliveredAt: 0, wake, heartbeat: () => undefined, end: () => undefined };
}

function later(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

void t.test('an event reaches the queues of its audience, each once', (t) => {
  const receivers = (audience: Audience, subscribers?: number[]): number[] => {
    const desk = new Desk();
    for (const userId of [1, 2, 2, 3]) desk.queue(userId);
    desk.deliver(audience, { subscribers });
    return desk.receivers();
  };
  t.same(receivers({ to: 'all' }), [1, 2, 2, 3]);
  t.same(receivers({ to: 'all', except: [2] }), [1, 3]);
  t.same(receivers({ to: 'users', users: [3, 1, 9] }), [1, 3]);
  t.same(receivers({ to: 'subscribers', channel: 1 }, [2, 3]), [2, 2, 3]);
  t.same(receivers({ to: 'subscribers', channel: 1, except: [2] }, [2, 3]), [3]);
  t.end();
});

void t.test('a user named twice gets one event', (t) => {
  const desk = new Desk();
  const queue = desk.queue(1);
  desk.deliver({ to: 'users', users: [1, 1] }, { first: 1 });
  t.equal(queue.length, 1);
  t.end();
});

void t.test('what came before a registration is in its snapshot', (t) => {
  const desk = new Desk();
  const queue = desk.queue(1, {}, 5);
  desk.deliver({ to: 'all' }, { seq: 5 });
  t.equal(queue.length, 0);
  desk.deliver({ to: 'all' }, { seq: 6 });
  t.equal(queue.length, 1);
  t.end();
});

void t.test('the first user is served first, if they are addressed at all', async (t) => {
  const audiences: Audience[] = [
    { to: 'all' },
    { to: 'users', users: [1, 2, 3] },
    { to: 'subscribers', channel: 1 },
  ];
  for (const audience of audiences) {
    const desk = new Desk();
    const order: number[] = [];
    for (const userId of [1, 2, 3]) {
      desk.queue(userId).setConsumer(consumer(() => order.push(userId)));
    }
    desk.deliver(audience, { first: 3, subscribers: [1, 2, 3] });
    desk.fanOut.wake();
    t.same(order, [3, 1, 2]);
  }
  const desk = new Desk();
  for (const userId of [1, 2]) desk.queue(userId);
  desk.deliver({ to: 'users', users: [1] }, { first: 2 });
  desk.deliver({ to: 'all', except: [2] }, { first: 2, seq: 2 });
  t.same(desk.receivers(), [1]);
});

void t.test('one serialization for all queues of a variant, none where there is no body', (t) => {
  const asked: Receiver[] = [];
  let bodies = 0;
  const renderers: EventRenderers = new Map([
    [
      'note',
      {
        variant: (_event, receiver) => {
          asked.push(receiver);
          return receiver.userId === 3 ? null : String(receiver.userId % 2);
        },
        bodies: (_event, variant) => {
          bodies += 1;
          return variant === '1' ? [{ type: 'note' }] : [];
        },
      },
    ],
  ]);
  const desk = new Desk();
  for (const userId of [1, 2, 3, 4, 5]) desk.queue(userId);
  desk.deliver({ to: 'all' }, { renderers });
  t.same(desk.receivers(), [1, 5]);
  t.equal(desk.queues[0]!.pending()[0], desk.queues[4]!.pending()[0]);
  t.equal(bodies, 2);
  t.ok(asked.every(({ inAudience: addressed }) => addressed));
  t.end();
});

for (const extra of [0, 20]) {
  void t.test(`queues of all public channels, with ${extra} more`, (t) => {
    const renderers: EventRenderers = new Map([
      [
        'note',
        {
          variant: (_event, { inAudience }) => (inAudience ? 'own' : 'other'),
          bodies: (_event, variant) => [{ type: 'note', variant }],
        },
      ],
    ]);
    const desk = new Desk();
    const allPublic = { all_public_streams: true };
    for (let i = 0; i < extra; i++) desk.queue(100 + i, allPublic);
    const [subscriber, outsider, guest, left] = [1, 2, 3, 4].map((id) => desk.queue(id, allPublic));
    const plain = desk.queue(5);
    const options = { isPublic: true, subscribers: [1], guests: new Set([3]), renderers };
    desk.deliver({ to: 'subscribers', channel: 1, except: [4] }, options);
    t.match(subscriber!.pendingJson(), 'own');
    t.match(outsider!.pendingJson(), 'other');
    t.equal(guest!.length + left!.length + plain.length, 0);
    desk.deliver({ to: 'subscribers', channel: 1 }, { subscribers: [1], seq: 2, renderers });
    t.equal(outsider!.length, 1, 'nothing that is not public');
    desk.fanOut.remove(outsider!);
    desk.deliver({ to: 'subscribers', channel: 1 }, { ...options, seq: 3 });
    t.equal(outsider!.length, 1);
    t.end();
  });
}

void t.test('a queue that overflows goes while its sisters are being served', (t) => {
  const desk = new Desk();
  const [a, b, c] = [desk.queue(1), desk.queue(1), desk.queue(1)];
  for (const seq of [1, 2]) {
    desk.deliver({ to: 'all' }, { seq });
    if (seq === 2) for (const queue of [a, c]) queue.acknowledge(queue.newestId);
  }
  desk.deliver({ to: 'all' }, { seq: 3 });
  t.same(desk.overflowed, [b.queueId]);
  t.equal(a.length, 1);
  t.equal(c.length, 1);
  t.same(desk.fanOut.of(1), [a, c]);
  t.end();
});

void t.test('many consumers are woken in slices, each once, in order', async (t) => {
  // Each look at the clock finds that the time is over.
  let now = 0;
  const desk = new Desk({ clock: () => (now += 100), visits: 10_000, wakes: 512 });
  const woken: number[] = [];
  for (let i = 0; i < 1300; i++) desk.queue(i).setConsumer(consumer(() => woken.push(i)));
  desk.deliver({ to: 'all' });
  desk.deliver({ to: 'users', users: [1299] }, { seq: 2 });
  desk.fanOut.wake();
  t.equal(woken.length, 512);
  // More comes while the rest waits.
  desk.deliver({ to: 'users', users: [0, 1298] }, { seq: 3 });
  desk.fanOut.wake();
  t.equal(woken.length, 512);
  for (let i = 0; i < 3; i++) await later();
  t.same(woken, [...Array.from({ length: 1300 }, (_, i) => i), 0]);
  desk.fanOut.wake();
  t.equal(woken.length, 1301);
});

void t.test('a large delivery pauses, and what comes later waits behind it', async (t) => {
  let now = 0;
  const desk = new Desk({ clock: () => now, visits: 2 });
  for (let i = 1; i <= 9; i++) desk.queue(i);
  const lengths = (): string => desk.queues.map(({ length }) => length).join('');
  let delivered = 0;
  const settled: string[] = [];
  desk.deliver({ to: 'all' }, { first: 9 });
  t.equal(lengths(), '111111111', 'while there is time it goes on');
  desk.fanOut.wake();
  now += 1000;
  // From here on each look at the clock finds that the time is over.
  desk.setClock(() => (now += 1000));
  desk.fanOut.whenDelivered(() => delivered++);
  t.equal(delivered, 1, 'at once where nothing waits');
  desk.deliver({ to: 'all' }, { seq: 2, first: 9 });
  desk.deliver({ to: 'users', users: [1, 9] }, { seq: 3 });
  t.equal(lengths(), '222111112');
  t.equal(desk.fanOut.oldestUndelivered, 2);
  desk.fanOut.whenDelivered(() => settled.push(lengths()));
  desk.fanOut.wake();
  for (let i = 0; i < 4; i++) await later();
  t.same(settled, ['322222223']);
  t.equal(desk.fanOut.oldestUndelivered, null);
  t.same(desk.overflowed, ['1/0', '9/8']);
  t.end();
});

void t.test('no more than ten thousand deliveries wait', (t) => {
  let now = 0;
  const desk = new Desk({ clock: () => (now += 1000), visits: 1 });
  const queues = [1, 2, 3, 4].map((userId) => desk.queue(userId));
  for (let seq = 1; seq <= 10_002; seq++) {
    desk.deliver({ to: 'all' }, { seq });
    for (const queue of queues) queue.acknowledge(queue.newestId);
  }
  t.equal(desk.fanOut.oldestUndelivered, 3);
  t.end();
});

void t.test('deliveries that are late get a larger share of each turn', async (t) => {
  let now = 0;
  // A look at the clock per queue: each takes a millisecond.
  const desk = new Desk({ clock: () => (now += 1), visits: 0 });
  for (let i = 0; i < 60; i++) desk.queue(i);
  const done = (): number => desk.queues.filter(({ length }) => length > 0).length;
  desk.deliver({ to: 'all' });
  const first = done();
  await later();
  const second = done() - first;
  t.ok(second <= 4, `${second} in two milliseconds`);
  now += 4000;
  await later();
  const late = done() - first - second;
  t.ok(late >= 12 && late <= 16, `${late} in fourteen`);
});

void t.test('a consumer that ends others when it is woken', async (t) => {
  const desk = new Desk();
  const woken: number[] = [];
  const queues = [1, 2, 3].map((userId) => desk.queue(userId));
  queues.forEach((queue, i) =>
    queue.setConsumer(
      consumer(() => {
        woken.push(i);
        queues[1]!.setConsumer(null);
        desk.fanOut.remove(queues[1]!);
      }),
    ),
  );
  desk.deliver({ to: 'all' });
  desk.fanOut.wake();
  t.same(woken, [0, 2]);
});

function queueOf(userId: number, types: readonly string[] | null, allPublic = false): EventQueue {
  const filter = { ...PLAIN_FILTER, event_types: types, all_public_streams: allPublic };
  return newQueue({ queueId: `${userId}`, userId, filter });
}

/** Users of the queues that an event of a type visits, with a mark where each queue must be asked. */
function visited(index: QueueIndex, type: string): string[] {
  return index
    .admitting(type)
    .flatMap(({ byUser, isMixed }) => [...byUser.keys()].map((id) => `${id}${isMixed ? '?' : ''}`))
    .sort();
}

void t.test('an event visits the queues that admit its type, and no others', (t) => {
  const index = new QueueIndex();
  const [all, notes, others, both, reordered, odd] = [
    queueOf(1, null),
    queueOf(2, ['note']),
    queueOf(3, ['other']),
    queueOf(4, ['note', 'other']),
    queueOf(5, ['other', 'note', 'note']),
    queueOf(6, ['note,other']),
  ];
  for (const queue of [all, notes, others, both, reordered, odd]) index.add(queue);
  t.same(visited(index, 'note'), ['1', '2', '4', '5']);
  t.same(visited(index, 'other'), ['1', '3', '4', '5']);
  t.same(visited(index, 'note,other'), ['1', '6']);
  t.same(visited(index, 'rest'), ['1']);
  t.equal(index.admitting('note').length, 3, 'queues with equal types share a group');
  index.remove(all);
  index.remove(both);
  t.same(visited(index, 'note'), ['2', '5']);
  t.end();
});

void t.test('with many lists of types the later ones share a group', (t) => {
  const index = new QueueIndex();
  const queues = Array.from({ length: 12 }, (_, i) => queueOf(i, [`t${i}`]));
  for (const queue of queues) index.add(queue);
  const mixed = ['10?', '11?', '8?', '9?'];
  t.same(visited(index, 't0'), ['0', ...mixed]);
  t.same(visited(index, 't9'), mixed);
  // A queue stays where it is when a group becomes free; the next list of types gets that.
  index.remove(queues[0]!);
  index.add(queueOf(20, ['t11']));
  t.same(visited(index, 't11'), [...mixed.slice(0, 2), '20', ...mixed.slice(2)].sort());
  index.remove(queues[11]!);
  t.same(visited(index, 't11'), ['10?', '20', '8?', '9?']);
  t.end();
});

void t.test('the queues of a user, in whatever group', (t) => {
  const index = new QueueIndex();
  const queues = [queueOf(1, null), queueOf(1, ['note']), queueOf(2, ['note'], true)];
  for (const queue of queues) index.add(queue);
  t.same(index.of(1), [queues[0], queues[1]]);
  t.same(index.of(3), []);
  const publicOnes = () =>
    index.admitting('note').flatMap(({ allPublic }) => [...allPublic.values()]);
  t.match(publicOnes(), [{ userId: 2, queueId: '2', inAudience: false }]);
  index.remove(queues[2]!);
  t.same(publicOnes(), []);
  t.end();
});
