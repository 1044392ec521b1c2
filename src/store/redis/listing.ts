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
 * have to keep: the server's keys are looked through.
 */
export function listedNames(
  { connection, keys }: ListingSource,
  what: 'documents' | 'due',
): Promise<string[]> {
  return connection.retry(async () => {
    const names = await lookThrough(connection, keys, what);
    // While a Cluster moves the slot, each of two nodes has some of its keys. Asked for one that is
    // nowhere, the node that was looked through refuses if it has not, or no longer, all of them.
    await connection.send(['EXISTS', keys.nowhere]);
    return [...names].sort();
  });
}

async function lookThrough(
  connection: Connection,
  keys: KeySpace,
  what: 'documents' | 'due',
): Promise<Set<string>> {
  const names = new Set<string>();
  let cursor = '0';
  do {
    const command = ['SCAN', cursor, 'MATCH', keys.listings, 'COUNT', String(LOOK_AT)];
    const [next, found] = (await connection.send(command)) as [string, string[]];
    for (const key of found) {
      const listed = keys.listed(key);
      if (listed?.what === what) names.add(listed.name);
    }
    cursor = next;
  } while (cursor !== '0');
  return names;
}

/** All slots of a due index, by rank. */
export async function* scanDue(
  { connection, keys }: ListingSource,
  index: string,
  batch: number,
): AsyncGenerator<{ id: string; at: number }[]> {
  for (let from = 0; ; from += batch) {
    const range = ['ZRANGE', keys.due(index), String(from), String(from + batch - 1), 'WITHSCORES'];
    const slots = slotsOf(await connection.retry(() => connection.send(range)));
    if (slots.length > 0) yield slots;
    if (slots.length < batch) return;
  }
}

/** Members and scores in turn, as the server gives them. */
export function slotsOf(reply: unknown): { id: string; at: number }[] {
  const items = reply as string[];
  const slots: { id: string; at: number }[] = [];
  for (let i = 0; i < items.length; i += 2) slots.push({ id: items[i]!, at: Number(items[i + 1]) });
  return slots;
}
