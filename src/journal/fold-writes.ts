import type { EventLoopYield } from '../event-loop-yield.js';
import type { Write } from '../store/port.js';

/** One write per document: a message that takes two numbers of a counter stores the second only. */
export function foldWrites(writes: Write[]): Write[] {
  if (writes.length < 2 || areAscending(writes)) return writes;
  const byKey = new Map<string, Write>();
  for (const write of writes) fold(byKey, write);
  return byKey.size === writes.length ? writes : [...byKey.values()];
}

/** As `foldWrites`, in stretches. */
export async function foldManyWrites(
  writes: readonly Write[],
  pause: EventLoopYield,
): Promise<readonly Write[]> {
  const byKey = new Map<string, Write>();
  for (const write of writes) {
    fold(byKey, write);
    if (pause.isDue) await pause.take();
  }
  return byKey.size === writes.length ? writes : [...byKey.values()];
}

function fold(byKey: Map<string, Write>, write: Write): void {
  const { collection, id } = write.key;
  const key = `${collection}:${id}`;
  byKey.set(key, folded(byKey.get(key), write));
}

/** Whether they are about documents of one collection, by number: many of one change are. */
function areAscending(writes: readonly Write[]): boolean {
  const { collection } = writes[0]!.key;
  let last = -1;
  for (const { key } of writes) {
    const id = Number(key.id);
    if (key.collection !== collection || !(id > last)) return false;
    last = id;
  }
  return true;
}

function folded(earlier: Write | undefined, later: Write): Write {
  if (!earlier || later.op !== 'merge' || earlier.op === 'delete') return later;
  if (earlier.op === 'set') return { op: 'set', key: later.key, document: later.document };
  const { op, key, document } = later;
  return { op, key, fields: { ...earlier.fields, ...later.fields }, document };
}
