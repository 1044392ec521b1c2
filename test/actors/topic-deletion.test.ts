import t from 'tap';
import { SimulatedClock } from '../fixtures/simulated-clock.js';
import {
  createTopicDeletionMachine,
  type TopicDeletionEvent,
} from '../../actors/topic-deletion.js';
import { storedTime } from '../../schemas/store/stored-time.js';
import { storedHost } from './fixtures/stored-host.js';

const START = 1_800_000_000_000;
const TICK = 250;
const LIMIT = 50_000;

function setUp() {
  const clock = new SimulatedClock(START);
  /** Jobs that began, or went on. */
  const begun: number[] = [];
  const kind = createTopicDeletionMachine({ begin: ({ newest }) => void begun.push(newest) });
  const stored = storedHost(kind, clock, { wall: () => clock.now() });
  const { host } = stored;
  const begin = (newest: number): void =>
    void host.begin('j', {
      ...{ recipient_id: 1, topic: 'lunch', reader_id: null, actor_id: 7, newest },
      started_at: storedTime(clock.now()),
      until: storedTime(clock.now(), LIMIT),
    });
  const send = (event: TopicDeletionEvent): boolean => host.send('j', event);
  const request = (newest: number, actor_id = 7): boolean =>
    send({ type: 'request', actor_id, newest, until: storedTime(clock.now(), LIMIT) });
  const batch = (deleted: number, left: boolean): boolean =>
    send({ type: 'batch', deleted, left, now: storedTime(clock.now()) });
  const state = (): string | undefined => stored.valueOf('j');
  const context = () => stored.store.get('j')!.context;
  return { ...stored, clock, begun, begin, send, request, batch, state, context };
}

void t.test('deleting → complete: batch after batch until nothing is left', async (t) => {
  const { begin, batch, begun, context, done, wheel, writesSoFar } = setUp();
  begin(900);
  t.same(begun, [900]);
  batch(500, true);
  t.match(context(), { deleted: 500, newest: 900 });
  t.equal(writesSoFar(), 2, 'each batch is written');
  batch(400, false);
  t.same(done, ['j complete']);
  t.same(begun, [900], 'it began once');
  t.equal(wheel.size, 0, 'no deadline stays armed');
});

void t.test('deleting → partial when the time is over, and back by a request', async (t) => {
  const { clock, begin, batch, request, begun, state, context, done } = setUp();
  begin(900);
  batch(500, true);
  clock.advance(LIMIT - 1);
  t.equal(state(), 'deleting');
  clock.advance(1 + TICK);
  t.equal(state(), 'partial');
  t.equal(batch(1, true), false, 'it takes no batch');
  clock.advance(10 * LIMIT);
  t.equal(state(), 'partial', 'it rests');
  t.equal(request(950, 8), true);
  t.equal(state(), 'deleting');
  t.same(begun, [900, 950]);
  t.match(context(), { deleted: 500, newest: 950, actor_id: 8, started_at: START });
  batch(100, false);
  t.same(done, ['j complete']);
});

void t.test('a batch that ends after the time is the last, unless nothing is left', async (t) => {
  const some = setUp();
  some.begin(900);
  some.clock.jumpTo(START + LIMIT);
  some.batch(500, true);
  t.equal(some.state(), 'partial');
  const all = setUp();
  all.begin(900);
  all.clock.jumpTo(START + LIMIT);
  all.batch(500, false);
  t.same(all.done, ['j complete']);
});

void t.test('requests share the job, whose time is that of the newest', async (t) => {
  const { clock, begin, request, batch, begun, state, context } = setUp();
  begin(900);
  clock.advance(LIMIT / 2);
  request(950);
  t.same(begun, [900], 'joining begins nothing');
  t.match(context(), { newest: 950, until: START + LIMIT + LIMIT / 2 });
  t.equal(request(800), false, 'one that asks for less changes nothing');
  t.equal(context().actor_id, 7, 'the job stays with who asked first');
  clock.advance(LIMIT / 2 + TICK);
  t.equal(state(), 'deleting');
  batch(100, true);
  clock.advance(LIMIT / 2 + TICK);
  t.equal(state(), 'partial');
});

void t.test('a job that may not go on fails, and leaves nothing', async (t) => {
  const { clock, begin, send, store, done } = setUp();
  begin(900);
  send({ type: 'refuse' });
  t.same(done, ['j failed']);
  t.equal(store.size, 0);
  clock.advance(2 * LIMIT);
  t.same(done, ['j failed']);
});

void t.test('a job that rests ends where its messages have gone otherwise', async (t) => {
  const { clock, begin, send, done } = setUp();
  begin(900);
  t.equal(send({ type: 'emptied' }), false, 'not while it deletes');
  clock.advance(LIMIT + TICK);
  send({ type: 'emptied' });
  t.same(done, ['j complete']);
});
