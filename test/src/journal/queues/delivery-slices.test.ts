import t from 'tap';
import type { Audience } from '../../../../src/journal/entry.js';
import type { Consumer, EventQueue } from '../../../../src/journal/queues/event-queue.js';
import { Retention } from '../../../../src/organization/state/journal-retention.js';
import { CoreNode, eventsIn } from '../../../fixtures/core-node.js';
import { emitAny } from '../../../fixtures/emit-any.js';
import { randomOfRun, scaled } from '../../../system/harness/scale.js';

/*
 * Deliveries that pause after every few queues, among registrations, ends, polls, sockets, heartbeats, moves to other
 * nodes and trims of the journal in random order, against a model: a list of numbers per queue.
 */

const USERS = [1, 2, 3, 4, 5, 6, 7];
const TYPES = [null, ['note'], ['other'], ['note', 'other'], ['rest']] as const;
const STEPS = 120;

/** A queue, what it must get, and a client that reads it. */
class Subject {
  /** Numbers of the events for it, in journal order, with their positions. */
  readonly expected: { n: number; seq: number }[] = [];
  readonly received: (number | undefined)[] = [];
  /** Newest id that the client got. */
  cursor: number;
  restoring = false;

  constructor(
    readonly node: CoreNode,
    readonly queue: EventQueue,
    readonly types: readonly string[] | null,
  ) {
    this.cursor = queue.newestId;
  }

  /** A poll that finds what waits. */
  read(): void {
    this.queue.acknowledge(this.cursor);
    this.take();
  }

  /** What a consumer gets. */
  take(): void {
    for (const { id, n, type } of eventsIn(this.queue.pendingJson())) {
      if (id <= this.cursor) continue;
      this.cursor = id;
      if (type !== 'heartbeat') this.received.push(n);
    }
  }

  attach(kind: 'poll' | 'socket'): void {
    const { queues, steady } = this.node;
    const consumer: Consumer = {
      kind,
      deliveredAt: steady.now(),
      wake: () => {
        this.take();
        if (kind === 'poll') queues.consumers.release(this.queue, consumer);
      },
      heartbeat: (json) => {
        this.take();
        const { id } = eventsIn(json)[0]!;
        if (id <= this.cursor) this.received.push(NaN);
        this.cursor = id;
      },
      end: () => undefined,
    };
    this.queue.acknowledge(this.cursor);
    queues.consumers.attach(this.queue, consumer);
    // What waited, as polls and sockets do.
    this.take();
  }

  /** Numbers of the events that were durable at a position. */
  due(seq = Infinity): number[] {
    return this.expected.filter((event) => event.seq <= seq).map(({ n }) => n);
  }
}

class Run {
  readonly subjects: Subject[] = [];
  readonly faults: string[] = [];
  /** How often a poll that does not block had to wait. */
  waits = 0;
  private n = 0;
  private readonly retention: Retention;

  constructor(
    readonly node: CoreNode,
    private readonly random: () => number,
  ) {
    this.retention = new Retention(node.runtime, node.gate.store, { slack: 6, maximum: 10_000 });
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.random() * list.length)]!;
  }

  /** A queue that is not being restored. */
  private get any(): Subject | undefined {
    const usable = this.subjects.filter(({ restoring }) => !restoring);
    return usable.length > 0 ? this.pick(usable) : undefined;
  }

  async register(): Promise<void> {
    const event_types = this.pick(TYPES);
    const queue = await this.node.register(this.pick(USERS), { event_types });
    this.subjects.push(new Subject(this.node, queue, event_types));
  }

  emit(): void {
    const users = this.random() < 0.6 ? null : USERS.filter(() => this.random() < 0.6);
    const audience: Audience = users ? { to: 'users', users } : { to: 'all' };
    const type = this.pick(['note', 'note', 'other']);
    const first = this.random() < 0.5 ? this.pick(USERS) : undefined;
    const n = ++this.n;
    const seq = this.node.runtime.transact((tx) => {
      emitAny(tx, type, audience, { n }, { first });
      return tx.seq;
    });
    for (const { queue, types, expected } of this.subjects) {
      const isListed = users === null || users.includes(queue.userId);
      if (isListed && (types === null || types.includes(type))) expected.push({ n, seq });
    }
  }

  async step(): Promise<void> {
    const { node, any } = this;
    const { queues } = node;
    const dice = Math.floor(this.random() * 14);
    if (dice < 4) this.emit();
    else if (dice === 4) await node.journal.barrier();
    else if (dice === 5) await nextTurn();
    else if (!any || dice === 6) await this.register();
    else if (any.queue.needsReplay) await this.restore(any);
    else if (dice === 7) any.read();
    else if (dice === 8) any.attach('poll');
    else if (dice === 9) any.attach('socket');
    else if (dice === 10) {
      if (any.queue.consumer) queues.heartbeats.send(any.queue, any.queue.consumer);
    } else if (dice === 11) this.readAll(any);
    else if (dice === 12 && this.random() < 0.3) this.end(any);
    else if (dice === 12) queues.moveAway(any.queue.queueId);
    else await this.retention.run();
  }

  private end(subject: Subject): void {
    this.node.queues.end(subject.queue, 'delete');
    this.subjects.splice(this.subjects.indexOf(subject), 1);
  }

  private async restore(subject: Subject): Promise<void> {
    subject.restoring = true;
    const restored = this.node.queues.restore(subject.queue, subject.cursor).then(
      () => {
        subject.restoring = false;
        subject.read();
      },
      (error: unknown) => void this.faults.push(String(error)),
    );
    // Others go on meanwhile, or not.
    if (this.random() < 0.5) await restored;
  }

  /** A poll that does not block: it must have everything that is durable. */
  private readAll(subject: Subject): void {
    const due = subject.due(this.node.journal.durableHead.seq);
    let waited = true;
    this.node.queues.fanOut.whenDelivered(() => {
      waited = false;
      if (subject.queue.needsReplay || subject.restoring) return;
      subject.read();
      const missing = due.filter((n) => !subject.received.includes(n));
      if (missing.length > 0) this.faults.push(`an empty reply before ${missing.join()}`);
    });
    if (waited) this.waits += 1;
  }

  /** Everything comes to an end. */
  async settle(): Promise<void> {
    const { node } = this;
    await node.journal.barrier();
    while (this.subjects.some(({ restoring }) => restoring)) await nextTurn();
    for (const subject of this.subjects) {
      const { queue, cursor } = subject;
      if (queue.needsReplay) await node.queues.restore(queue, cursor);
    }
    await new Promise<void>((done) => node.queues.fanOut.whenDelivered(done));
    for (const subject of this.subjects) subject.read();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** Every look at the clock finds that the time is over. */
function hurried(visits: number, wakes: number) {
  let now = 0;
  return { clock: () => (now += 1000), visits, wakes };
}

void t.test(
  'each queue gets each of its events once, in order, whatever comes between',
  async (t) => {
    const random = randomOfRun(t);
    let waits = 0;
    let received = 0;
    for (let round = 0; round < scaled(40, 2000); round++) {
      const visits = 1 + Math.floor(random() * 4);
      const node = await CoreNode.start({ pace: hurried(visits, 1 + Math.floor(random() * 3)) });
      const run = new Run(node, random);
      for (let i = 0; i < 8; i++) await run.register();
      for (let i = 0; i < STEPS; i++) await run.step();
      await run.settle();
      if (run.faults.length > 0) t.same(run.faults, [], `round ${round}`);
      for (const subject of run.subjects) {
        const due = subject.due();
        received += due.length;
        if (subject.received.join() !== due.join()) t.same(subject.received, due, `round ${round}`);
      }
      waits += run.waits;
      node.wheel.stop();
      if (!t.passing()) break;
    }
    t.ok(received > 1000, 'much was delivered');
    t.ok(waits > 20, 'deliveries were under way');
  },
);

/** A node in the middle of a delivery: of the queues of users 1 to 5 three have the event. */
async function amidDelivery() {
  const node = await CoreNode.start({ pace: hurried(2, 100) });
  const queues: EventQueue[] = [];
  for (const userId of [1, 2, 3, 4, 5]) queues.push(await node.register(userId));
  const seq = node.runtime.transact((tx) => {
    emitAny(tx, 'note', { to: 'all' }, { n: 1 });
    return tx.seq;
  });
  await node.journal.barrier();
  t.same(
    queues.map(({ length }) => length),
    [1, 1, 1, 0, 0],
  );
  return { node, queues, seq };
}

void t.test('a start that another node moves does not skip what waits', async (t) => {
  const { node, queues, seq } = await amidDelivery();
  const last = queues[4]!;
  const document = node.queues.document(last);
  node.queues.put({ ...document, context: { ...document.context, since: seq } });
  await nextTurn();
  await nextTurn();
  t.match(eventsIn(last.pendingJson()), [{ n: 1 }]);
  t.equal(last.since, seq);
});

void t.test('a queue needs what it has yet to get', async (t) => {
  const { node, queues, seq } = await amidDelivery();
  const needed = () => queues.map((queue) => node.queues.oldestNeededBy(queue, 99));
  for (const queue of queues) queue.acknowledge(queue.newestId);
  t.same(needed(), [seq, seq, seq, seq, seq]);
  await nextTurn();
  await nextTurn();
  for (const queue of queues) queue.acknowledge(queue.newestId);
  t.same(needed(), [99, 99, 99, 99, 99]);
});
