/**
 * A channel's members with queues in memory, and messages to all of them, for `fan-out-large`: a hundred thousand
 * registrations over HTTP would take minutes and add nothing. Arguments: members, queues of each, how many of these
 * admit messages, all-public queues of others, rounds.
 */
import { readFileSync } from 'node:fs';
import type { EventQueueContext } from '../../actors/event-queue.js';
import { EventQueue } from '../../src/journal/queues/event-queue.js';
import { FanOut } from '../../src/journal/queues/fan-out.js';
import type { QueueFilter } from '../../src/journal/queues/queue-filter.js';
import { SharedEvent } from '../../src/journal/queues/delivery.js';
import { median } from '../harness/measuring/figures.js';

const [members = 0, queuesEach = 0, admitting = 0, allPublic = 0, rounds = 0] = process.argv
  .slice(2)
  .map(Number);

const ALL_TYPES: QueueFilter = {
  event_types: null,
  apply_markdown: true,
  client_gravatar: true,
  slim_presence: true,
  include_subscribers: false,
  all_public_streams: false,
  narrow: [],
  capabilities: {},
};
const OTHER_TYPES: QueueFilter = { ...ALL_TYPES, event_types: ['presence', 'typing'] };
const ALL_PUBLIC: QueueFilter = { ...ALL_TYPES, all_public_streams: true };

const limits = { maxEvents: 10_000, maxBytes: 8 * 1024 * 1024 };
const queues: EventQueue[] = [];
const fanOut = new FanOut(limits, ({ queueId }) => {
  throw new Error(`${queueId} overflowed`);
});

function addQueue(userId: number, filter: QueueFilter): void {
  const context = {
    queue_id: `bench-queue-${queues.length}`,
    user_id: userId,
    since: 0,
    idle_timeout_ms: 600_000,
    traits: filter as EventQueueContext['traits'],
    deadline: 0,
  };
  const snapshot = { machine: 'event-queue', version: 3, value: 'live', context };
  const queue = new EventQueue(snapshot, { cursor: 0, now: 0, live: true });
  queues.push(queue);
  fanOut.admit(queue);
}

const subscribers = Array.from({ length: members }, (_, index) => index + 1);
for (const userId of subscribers) {
  for (let i = 0; i < queuesEach; i++) addQueue(userId, i < admitting ? ALL_TYPES : OTHER_TYPES);
}
for (let i = 0; i < allPublic; i++) addQueue(members + 1 + i, ALL_PUBLIC);

/** CPU time of this thread where the scheduler tells it, which other processes do not lengthen; else the time. */
function now(): number {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8');
    return Number(text.split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** Delivers one message. @returns CPU time and its longest part without a pause, milliseconds */
async function deliver(seq: number): Promise<{ cpuMs: number; blockMs: number }> {
  const event = {
    type: 'message',
    audience: { to: 'subscribers', channel: 1 },
    data: { public: true, content: 'x'.repeat(200) },
    slots: 1,
    first: 1,
  } as const;
  const shared = new SharedEvent(event, undefined, seq, seq, new Map());
  const membership = { wasSubscribed: (userId: number) => userId <= members };
  let isDelivered = false;
  const began = now();
  let last = began;
  let blockMs = 0;
  const look = (): void => {
    const at = now();
    blockMs = Math.max(blockMs, at - last);
    last = at;
  };
  fanOut.deliver({ shared, subscribers, membership });
  fanOut.wake();
  look();
  fanOut.whenDelivered(() => (isDelivered = true));
  while (!isDelivered) {
    await nextTurn();
    look();
  }
  return { cpuMs: last - began, blockMs };
}

/** Before these code is not compiled. */
const WARM_UP = 3;
const results: { cpuMs: number; blockMs: number }[] = [];
for (let seq = 1; seq <= WARM_UP + rounds; seq++) {
  const result = await deliver(seq);
  if (seq > WARM_UP) results.push(result);
  // Clients have it.
  for (const queue of queues) queue.acknowledge(queue.newestId);
  await nextTurn();
}
process.stdout.write(
  JSON.stringify({
    deliveries: members * admitting + allPublic,
    cpuMs: median(results.map(({ cpuMs }) => cpuMs)),
    blockMs: median(results.map(({ blockMs }) => blockMs)),
  }),
);
