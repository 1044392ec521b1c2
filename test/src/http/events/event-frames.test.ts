import fc from 'fast-check';
import t from 'tap';
import { firstAfter, frameEnd } from '../../../../src/http/events/event-frames.js';
import type { EventText } from '../../../../src/journal/queues/event-queue.js';

/** Length of events that share a frame (socket.md). */
const ROOM = 131_072;

function events(sizes: readonly number[]): EventText[] {
  return sizes.map((size, i) => ({ id: 10 * (i + 1), size }) as EventText);
}

void t.test('a frame has all events that fit, and one that is larger alone', (t) => {
  for (const [sizes, ends] of [
    [
      [ROOM - 1, 1, 1],
      [2, 3],
    ],
    [
      [ROOM, 1],
      [1, 2],
    ],
    [
      [1, ROOM],
      [1, 2],
    ],
    [
      [ROOM + 1, 1, ROOM],
      [1, 2, 3],
    ],
    [[1, 1, 1], [3]],
  ] as const) {
    const some = events(sizes);
    const found: number[] = [];
    for (let at = 0; at < some.length; at = found.at(-1)!) found.push(frameEnd(some, at));
    t.strictSame(found, ends, sizes.join());
  }
  t.end();
});

void t.test('what follows a cursor begins at the first event with a larger id', (t) => {
  fc.assert(
    fc.property(fc.nat(12), fc.nat(140), (count, cursor) => {
      const some = events(Array.from({ length: count }, () => 1));
      const all = some.filter(({ id }) => id > cursor);
      t.strictSame(some.slice(firstAfter(some, cursor)), all, `${count} events, after ${cursor}`);
    }),
  );
  t.end();
});
