import fc from 'fast-check';
import t from 'tap';
import { ApiError } from '../../../../src/errors/index.js';
import {
  type EventQueue,
  type QueueLimits,
  EventText,
} from '../../../../src/journal/queues/event-queue.js';
import { PLAIN_FILTER } from '../../../fixtures/core-node.js';
import { newQueue } from '../../../fixtures/new-queue.js';

const LIMITS: QueueLimits = { maxEvents: 3, maxBytes: 1000 };
const WIDE_LIMITS: QueueLimits = { maxEvents: 1000, maxBytes: 1_000_000 };

function queueAt(cursor: number): EventQueue {
  return newQueue({ filter: PLAIN_FILTER, cursor });
}

function text(id: number, json = `{"id":${id}}`): EventText {
  return new EventText(id, json, id);
}

function filled(ids: readonly number[]): EventQueue {
  const queue = queueAt(0);
  for (const id of ids) queue.push(text(id), WIDE_LIMITS);
  return queue;
}

function idsOf(queue: EventQueue): number[] {
  return queue.pending().map(({ id }) => id);
}

function refusal(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as ApiError).code;
  }
}

void t.test('acknowledging drops what is not newer, and delivery drops nothing', (t) => {
  const queue = filled([10, 20, 30]);
  t.equal(queue.pendingJson(), '{"id":10},{"id":20},{"id":30}');
  t.same(idsOf(queue), [10, 20, 30]);
  queue.acknowledge(20);
  t.same(idsOf(queue), [30]);
  t.equal(queue.pendingJson(), '{"id":30}');
  queue.acknowledge(20);
  t.same(idsOf(queue), [30], 'the same id again');
  queue.acknowledge(-1);
  t.same(idsOf(queue), [30], 'no id');
  queue.acknowledge(30);
  t.equal(queue.pendingJson(), '');
  t.equal(queue.bufferedBytes, 0);
  t.end();
});

void t.test('an id among several events of one text leaves those after it', (t) => {
  const queue = queueAt(0);
  const json = [11, 12, 13].map((id) => `{"type":"x","id":${id}}`).join();
  queue.push(new EventText(13, json, 11, 11), WIDE_LIMITS);
  queue.push(text(20), WIDE_LIMITS);
  queue.acknowledge(10);
  t.equal(queue.pendingJson(), `${json},{"id":20}`);
  queue.acknowledge(12);
  t.equal(queue.pendingJson(), '{"type":"x","id":13},{"id":20}');
  t.equal(queue.bufferedBytes, queue.pendingJson().length - 1);
  t.equal(
    refusal(() => queue.acknowledge(11)),
    'BAD_EVENT_QUEUE_ID',
    'what is gone is not given again',
  );
  queue.acknowledge(13);
  t.equal(queue.pendingJson(), '{"id":20}');
  t.end();
});

void t.test('an id between two events, or of a heartbeat, acknowledges what is before it', (t) => {
  const queue = filled([10, 20]);
  queue.acknowledge(15);
  t.same(idsOf(queue), [20]);
  t.equal(queue.issueHeartbeat(25), '{"type":"heartbeat","id":25}');
  queue.acknowledge(25);
  t.same(idsOf(queue), []);
  t.equal(
    refusal(() => queue.acknowledge(22)),
    undefined,
    'nothing after 22 was dropped',
  );
  t.end();
});

void t.test('an id that was never given is refused and acknowledges nothing', (t) => {
  const queue = filled([10, 20]);
  t.equal(
    refusal(() => queue.acknowledge(21)),
    'BAD_REQUEST',
  );
  t.same(idsOf(queue), [10, 20]);
  t.end();
});

void t.test('an id whose successors were dropped ends in BAD_EVENT_QUEUE_ID', (t) => {
  const queue = filled([10, 20, 30]);
  queue.acknowledge(20);
  t.equal(
    refusal(() => queue.acknowledge(19)),
    'BAD_EVENT_QUEUE_ID',
  );
  t.equal(
    refusal(() => queue.acknowledge(0)),
    'BAD_EVENT_QUEUE_ID',
  );
  t.same(idsOf(queue), [30]);
  t.end();
});

void t.test('a lower id is fine while everything after it is still there', (t) => {
  const queue = filled([10, 20]);
  queue.acknowledge(9);
  queue.acknowledge(3);
  t.same(idsOf(queue), [10, 20]);
  t.end();
});

void t.test('bounds: by count and by size, one over breaks them', (t) => {
  const byCount = queueAt(0);
  for (const id of [1, 2, 3]) t.ok(byCount.push(text(id), LIMITS));
  t.notOk(byCount.push(text(4), LIMITS));
  const bySize = queueAt(0);
  t.ok(bySize.push(text(1, 'x'.repeat(1000)), LIMITS));
  t.notOk(bySize.push(text(2, 'x'), LIMITS));
  t.end();
});

void t.test('an event that came already, or comes after the end, changes nothing', (t) => {
  const queue = filled([10]);
  t.ok(queue.push(text(10), LIMITS));
  t.same(idsOf(queue), [10]);
  queue.suspend();
  t.ok(queue.push(text(11), LIMITS));
  t.same(idsOf(queue), []);
  t.equal(queue.bufferedBytes, 0);
  t.end();
});

void t.test('the oldest position needed is that of the oldest event held', (t) => {
  const queue = queueAt(0);
  t.equal(queue.oldestNeeded, null);
  // An id in the upper part of an entry of several positions belongs to where the entry begins.
  queue.push(new EventText(1507, '{}', 7), WIDE_LIMITS);
  t.equal(queue.oldestNeeded, 7);
  const waiting = newQueue({ filter: PLAIN_FILTER, since: 4, cursor: 4096, live: false });
  t.equal(waiting.oldestNeeded, 5);
  t.end();
});

void t.test('after a replay, older cursors than the replayed one are too old', (t) => {
  const queue = newQueue({ filter: PLAIN_FILTER, live: false });
  t.ok(queue.push(text(5), LIMITS), 'nothing is taken before the replay');
  queue.replayed([text(120)], 100, 200);
  t.same(idsOf(queue), [120]);
  t.equal(
    refusal(() => queue.acknowledge(99)),
    'BAD_EVENT_QUEUE_ID',
  );
  t.equal(
    refusal(() => queue.acknowledge(201)),
    'BAD_REQUEST',
  );
  queue.acknowledge(200);
  t.same(idsOf(queue), []);
  t.end();
});

void t.test(
  'any sequence of events and acknowledgements keeps order, size and nothing else',
  (t) => {
    const step = fc.record({ push: fc.boolean(), id: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = queueAt(0);
        let newest = 0;
        let model: number[] = [];
        for (const { push, id } of steps) {
          if (push) {
            newest += id;
            model.push(newest);
            queue.push(text(newest), WIDE_LIMITS);
          } else if (refusal(() => queue.acknowledge(id)) === undefined) {
            model = model.filter((one) => one > id);
          }
          const size = model.reduce((sum, one) => sum + text(one).size, 0);
          if (idsOf(queue).join() !== model.join() || queue.bufferedBytes !== size) return false;
        }
        return true;
      }),
    );
    t.end();
  },
);
