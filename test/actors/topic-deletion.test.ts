import t from 'tap';
import { DeadlineWheel } from '../../actors/deadline-wheel.js';
import { ActorHost } from '../../actors/host.js';
import { SimulatedClock } from '../../actors/simulated-clock.js';
import {
  createTopicDeletionMachine,
  type TopicDeletionMachine,
} from '../../actors/topic-deletion.js';

const START = 1_800_000_000_000;
const LIMIT = 50_000;
const TOPIC = 'topic';

/** A job on a clock that stands still, with what it asked for and what it answered. */
class Bench {
  readonly clock = new SimulatedClock(START);
  readonly wheel = new DeadlineWheel(this.clock, { onError: (error) => this.faults.push(error) });
  readonly faults: unknown[] = [];
  /** Bound of every batch that was asked for. */
  readonly batches: number[] = [];
  readonly answers: (readonly [ids: string, outcome: string])[] = [];
  readonly done: string[] = [];
  readonly host: ActorHost<TopicDeletionMachine>;

  constructor() {
    const kind = createTopicDeletionMachine({
      deleteBatch: (_topic, newest) => this.batches.push(newest),
      answer: (_topic, requests, outcome) => {
        if (requests.length > 0) this.answers.push([requests.join(), outcome]);
      },
    });
    this.host = new ActorHost(kind, {
      clock: this.clock,
      wheel: this.wheel,
      onError: (_id, error) => this.faults.push(error),
      onDone: (_id, state) => this.done.push(state),
    });
  }

  get now(): number {
    return this.clock.now();
  }

  begin(id: number, newest: number): void {
    const request = { id, until: this.now + LIMIT };
    this.host.spawn(TOPIC, { topic: TOPIC, newest, request });
  }

  join(id: number, newest: number): void {
    const request = { id, until: this.now + LIMIT };
    this.host.send(TOPIC, { type: 'request', request, newest });
  }

  batch(deleted: number, left: boolean): void {
    this.host.send(TOPIC, { type: 'batch', deleted, left, now: this.now });
  }

  get context(): Readonly<Record<string, unknown>> {
    return this.host.snapshotOf(TOPIC)!.context;
  }
}

void t.test('in progress → complete: batch after batch until nothing is left', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  t.same(bench.batches, [900], 'the first batch is asked for at once');
  bench.batch(500, true);
  t.match(bench.context, { deleted: 500, newest: 900 });
  t.same(bench.batches, [900, 900]);
  t.same(bench.answers, []);
  bench.batch(400, false);
  t.same(bench.answers, [['1', 'complete']]);
  t.same(bench.done, ['complete']);
  t.equal(bench.host.size, 0);
  t.same(bench.batches, [900, 900], 'and no other batch');
  t.equal(bench.wheel.size, 0, 'no deadline stays armed');
});

void t.test('in progress → partial: answered when its time is over, then it stops', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  bench.clock.advance(LIMIT - 1);
  t.same(bench.answers, []);
  bench.clock.advance(2000);
  t.same(bench.answers, [['1', 'partial']], 'also while a batch is under way');
  t.equal(bench.host.valueOf(TOPIC), 'deleting', 'which still ends');
  bench.batch(500, true);
  t.same(bench.done, ['partial']);
  t.same(bench.batches, [900], 'nothing more is deleted for nobody');
  t.same(bench.answers, [['1', 'partial']], 'and nobody is answered twice');
});

void t.test('a request is answered at the end of the batch in which its time ended', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  // The wheel is coarse; a batch knows the time.
  bench.clock.jumpTo(START + LIMIT);
  bench.batch(500, true);
  t.same(bench.answers, [['1', 'partial']]);
  t.same(bench.done, ['partial']);
});

void t.test('a batch that ends all is complete, however late', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  bench.clock.jumpTo(START + LIMIT);
  bench.batch(500, false);
  t.same(bench.answers, [['1', 'complete']]);
});

void t.test('concurrent requests share the job, each with its own time', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  bench.clock.advance(LIMIT / 2);
  bench.join(2, 950);
  t.same(bench.batches, [900], 'joining asks for no batch of its own');
  bench.batch(500, true);
  t.same(bench.batches, [900, 950], 'what was sent before the second request goes too');
  bench.clock.advance(LIMIT / 2 + 2000);
  t.same(bench.answers, [['1', 'partial']]);
  bench.batch(100, true);
  t.equal(bench.host.valueOf(TOPIC), 'deleting', 'somebody waits still');
  bench.batch(100, false);
  t.same(bench.answers, [
    ['1', 'partial'],
    ['2', 'complete'],
  ]);
  t.same(bench.done, ['complete']);
});

void t.test('a request for less does not lower the bound', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  bench.join(2, 800);
  t.match(bench.context, { newest: 900 });
});

void t.test(
  'a request while the last batch ends keeps a job alive that nobody waited for',
  async (t) => {
    const bench = new Bench();
    bench.begin(1, 900);
    bench.clock.advance(LIMIT + 2000);
    bench.join(2, 900);
    bench.batch(500, true);
    t.same(bench.batches, [900, 900]);
    bench.batch(400, false);
    t.same(bench.answers, [
      ['1', 'partial'],
      ['2', 'complete'],
    ]);
  },
);

void t.test('a job that ended makes room for the next', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  bench.clock.jumpTo(START + LIMIT);
  bench.batch(500, true);
  bench.begin(2, 400);
  bench.batch(400, false);
  t.same(bench.answers, [
    ['1', 'partial'],
    ['2', 'complete'],
  ]);
});

void t.test('a batch that cannot be made refuses everybody', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  bench.join(2, 900);
  bench.host.send(TOPIC, { type: 'failed' });
  t.same(bench.answers, [['1,2', 'failed']]);
  t.same(bench.done, ['failed']);
  t.equal(bench.wheel.size, 0);
});

void t.test('a server that stops answers everybody with what was reached', async (t) => {
  const bench = new Bench();
  bench.begin(1, 900);
  bench.join(2, 900);
  bench.host.send(TOPIC, { type: 'stop' });
  t.same(bench.answers, [['1,2', 'partial']]);
  t.same(bench.done, ['partial']);
  bench.batch(500, true);
  t.same(bench.batches, [900]);
  t.same(bench.faults, []);
});
