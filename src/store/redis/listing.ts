/** What an organization's keys hold: its collections, its due indexes, and the slots of one. */
import type { Connection } from './connection.js';
import type { KeySpace } from './keys.js';

/** Where to look. */
export interface ListingSource {
  readonly connection: Connection;
  readonly keys: KeySpace;
}

/** Keys the server looks at per command. */
const LOOK_AT = 5000;

/**
 * Names of collections or due indexes, ascending. There is no list of them, which every commit would
 * have to keep: the server's keys are looked through, and the counts of those that may be gone.
 */
export function listedNames(
  { connection, keys }: ListingSource,
  what: 'documents' | 'due',
): Promise<string[]> {
  return connection.retry(async () => {
    const found = await lookThrough(connection, keys, (key) => keys.listed(key)?.what === what);
    for (const key of await countedKeys(connection, keys)) {
      if (keys.listed(key)?.what === what) found.add(key);
    }
    const names = new Set([...found].map((key) => keys.listed(key)!.name));
    // While a Cluster moves the slot, each of two nodes has some of its keys. Asked for one that is
    // nowhere, the node that was looked through refuses if it has not, or no longer, all of them.
    await connection.send(['EXISTS', keys.nowhere]);
    return [...names].sort();
  });
}

const COUNT = 'count:';

/** The sorted sets that have members by the writer's counts, whether or not they are there. */
async function countedKeys(connection: Connection, keys: KeySpace): Promise<string[]> {
  const fields = (await connection.send(['HGETALL', keys.writer])) as string[];
  return fields.flatMap((field, i) =>
    i % 2 === 0 && field.startsWith(COUNT) && fields[i + 1] !== '0'
      ? [field.slice(COUNT.length)]
      : [],
  );
}

/** The keys that list something and that are wanted. */
export async function lookThrough(
  connection: Connection,
  keys: KeySpace,
  isWanted: (key: string) => boolean,
): Promise<Set<string>> {
  const wanted = new Set<string>();
  for await (const found of keysLike(connection, keys.listings)) {
    for (const key of found) if (keys.listed(key) && isWanted(key)) wanted.add(key);
  }
  return wanted;
}

/** The keys of the server that match a pattern, in no order; one may come twice. */
export async function* keysLike(
  connection: Connection,
  pattern: string,
): AsyncGenerator<readonly string[]> {
  let cursor = '0';
  do {
    const command = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(LOOK_AT)];
    const [next, found] = (await connection.send(command)) as [string, string[]];
    yield found;
    cursor = next;
  } while (cursor !== '0');
}

/**
 * All slots of a due index by time. Those that nobody changes meanwhile come, whatever happens to the
 * others: each batch begins behind the last slot of the one before, not at a rank.
 */
export async function* scanDue(
  { connection, keys }: ListingSource,
  index: string,
  batch: number,
): AsyncGenerator<{ id: string; at: number }[]> {
  const key = keys.due(index);
  let last: DueSlot | null = null;
  for (let extra = 0; ;) {
    const count: number = batch + extra;
    const from: string = last === null ? '-inf' : String(last.at);
    const range = ['ZRANGEBYSCORE', key, from, '+inf', 'WITHSCORES', 'LIMIT', '0', String(count)];
    const found: DueSlot[] = slotsOf(await connection.retry(() => connection.send(range)));
    const before: DueSlot | null = last;
    const fresh: DueSlot[] =
      before === null ? found : found.filter((slot) => isBehind(slot, before));
    if (fresh.length > 0) {
      yield fresh;
      last = fresh.at(-1)!;
    }
    if (found.length < count) return;
    // Those of the same time come first again; there may be more of them than fit into a batch.
    extra = found.filter(({ at }) => at === last?.at).length;
  }
}

interface DueSlot {
  readonly id: string;
  readonly at: number;
}

/** By time, then by the bytes of the ids, as the server orders them. */
function isBehind(slot: DueSlot, other: DueSlot): boolean {
  if (slot.at !== other.at) return slot.at > other.at;
  return Buffer.compare(Buffer.from(slot.id), Buffer.from(other.id)) > 0;
}

/** Members and scores in turn, as the server gives them. */
export function slotsOf(reply: unknown): { id: string; at: number }[] {
  const items = reply as string[];
  const slots: { id: string; at: number }[] = [];
  for (let i = 0; i < items.length; i += 2) slots.push({ id: items[i]!, at: Number(items[i + 1]) });
  return slots;
}
