import t from 'tap';
import { MAX_TIMER_MS } from '../../actors/clock.js';
import type { ActorSnapshot } from '../../actors/host.js';
import {
  scheduledMessageKind,
  type ScheduledMessageContext,
  type ScheduledMessageEvent,
} from '../../actors/scheduled-message.js';
import { SimulatedClock } from '../fixtures/simulated-clock.js';
import { storedHost } from './fixtures/stored-host.js';

/** UNIX seconds. */
const START = 1_800_000_000;
const TICK = 250;
const DAY = 86_400;

function setUp() {
  const clock = new SimulatedClock(START * 1000);
  const { host, store, ...stored } = storedHost(scheduledMessageKind, clock);
  const begin = (dueIn: number): void => {
    host.begin('m', { deliver_at: START + dueIn, failure: null });
  };
  const edit = (changes: { deliver_at?: number; content?: string }): boolean =>
    host.send('m', { type: 'edit', changes, now: clock.now() });
  const state = (): string | undefined => store.get('m')?.value;
  return { ...stored, clock, host, store, begin, edit, state };
}

void t.test(
  'pending until its time, then delivering, then sent: its document is gone',
  async (t) => {
    const { clock, host, store, done, begin, state } = setUp();
    begin(1);
    t.same(store.get('m'), {
      ...{ machine: 'scheduled-message', version: 2, value: 'pending' },
      context: { deliver_at: START + 1, failure: null },
    });
    clock.advance(999);
    t.equal(state(), 'pending');
    clock.advance(1);
    t.equal(state(), 'delivering');
    t.equal(host.deadlineOf('m'), undefined, 'which ends by an event');
    t.ok(host.send('m', { type: 'delivered' }));
    t.same(done, ['m sent']);
    t.notOk(store.has('m'));
  },
);

void t.test('one that is due already is delivered on the next tick', async (t) => {
  const { clock, begin, state } = setUp();
  begin(-5);
  clock.advance(TICK);
  t.equal(state(), 'delivering');
});

void t.test('a refused delivery rests as failed, with the reason', async (t) => {
  const { clock, host, store, done, begin } = setUp();
  begin(0);
  clock.advance(TICK);
  host.send('m', { type: 'refused', failure: 'no right to post' });
  t.match(store.get('m'), { value: 'failed', context: { failure: 'no right to post' } });
  clock.advance(DAY * 1000);
  t.equal(store.get('m')?.value, 'failed', 'until somebody changes it');
  t.same(done, []);
});

void t.test('what failed is pending again by an edit to a future time only', async (t) => {
  const { clock, host, store, begin, edit } = setUp();
  begin(0);
  clock.advance(TICK);
  host.send('m', { type: 'refused', failure: 'why' });
  t.notOk(edit({ content: 'better' }));
  t.notOk(edit({ deliver_at: START }));
  t.equal(store.get('m')?.value, 'failed');
  t.ok(edit({ deliver_at: START + 60, content: 'better' }));
  t.same(store.get('m'), {
    ...{ machine: 'scheduled-message', version: 2, value: 'pending' },
    context: { deliver_at: START + 60, failure: null, content: 'better' },
  });
  clock.advance(60_000);
  t.equal(store.get('m')?.value, 'delivering');
});

void t.test('an edit of what is pending moves its time', async (t) => {
  const { clock, begin, edit, state } = setUp();
  begin(1);
  edit({ deliver_at: START + 5 });
  clock.advance(4999);
  t.equal(state(), 'pending', 'later');
  edit({ deliver_at: START + 4 });
  clock.advance(TICK);
  t.equal(state(), 'delivering', 'and earlier, on the next tick');
});

void t.test('a time beyond what timers take', async (t) => {
  const { clock, begin, state } = setUp();
  const far = 40 * DAY;
  t.ok(far * 1000 > MAX_TIMER_MS);
  begin(far);
  clock.advance(far * 1000 - 1);
  t.equal(state(), 'pending');
  clock.advance(TICK);
  t.equal(state(), 'delivering');
});

void t.test('the clock may be set', async (t) => {
  const { clock, begin, state } = setUp();
  begin(3600);
  clock.jumpTo((START - 7200) * 1000);
  clock.advance(3_600_000);
  t.equal(state(), 'pending', 'backwards: it waits for the time on the clock');
  clock.jumpTo((START + 3600) * 1000);
  clock.advance(600_000);
  t.equal(state(), 'delivering', 'forwards: the wheel looks at the clock now and then');
});

/** Each event, so that it would be taken wherever the state allows it. */
const EVENTS: readonly ScheduledMessageEvent[] = [
  { type: 'deadline', now: START * 1000 },
  { type: 'edit', changes: { deliver_at: START + 60 }, now: START * 1000 },
  { type: 'cancel' },
  { type: 'delivered' },
  { type: 'refused', failure: 'why' },
];

/** What a state becomes with an event; events that are not named are refused. */
const TAKEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: { deadline: 'delivering', edit: 'pending', cancel: 'cancelled' },
  delivering: { delivered: 'sent', refused: 'failed' },
  failed: { edit: 'pending', cancel: 'cancelled' },
  sent: {},
  cancelled: {},
};

void t.test('each event in each state: taken, or refused without a change', async (t) => {
  for (const [value, taken] of Object.entries(TAKEN)) {
    for (const event of EVENTS) {
      const { host, store, done, restore, errors } = setUp();
      const snapshot: ActorSnapshot<ScheduledMessageContext> = {
        ...{ machine: 'scheduled-message', version: 2, value },
        context: { deliver_at: START, failure: null },
      };
      restore('m', snapshot);
      const next = taken[event.type];
      t.equal(host.can('m', event), next !== undefined, `${value}: ${event.type}`);
      t.equal(host.send('m', event), next !== undefined);
      if (next === undefined) t.equal(store.get('m'), snapshot, 'nothing has changed');
      else t.equal(store.get('m')?.value ?? done[0]?.slice(2), next, `${value}: ${event.type}`);
      t.same(errors, []);
    }
  }
});
