/** The journal stream: entries out of replies, and following it. */
import { unsealEntry } from '../checksum.js';
import { TrimmedError, type StoredEntry } from '../port.js';
import type { Connection } from './connection.js';
import { RedisUnavailableError } from './errors.js';
import type { KeySpace } from './keys.js';

/** Entries per command, and per batch of a follower. */
const READ = 512;
/** How long a follower lets the server wait for the next entry. Milliseconds. */
const BLOCK_MS = 1000;

/** A stream entry as the server gives it: its id and its one field. */
type StreamEntry = readonly [id: string, fields: readonly [name: string, text: string]];

/** Stream entries as journal entries. */
export function entriesOf(reply: unknown): StoredEntry[] {
  return (reply as StreamEntry[]).map(([id, [, stored]]) => {
    const seq = Number.parseInt(id, 10);
    const text = unsealEntry(seq, stored);
    return text === null ? { seq, text: '', damaged: true } : { seq, text };
  });
}

/** Entries with `from <= seq <= to`, at most `limit`. */
export async function readRange(
  connection: Connection,
  keys: KeySpace,
  from: number,
  to: number,
  limit: number,
): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  let next = Math.max(0, Math.ceil(from));
  const end = Math.min(Math.floor(to), Number.MAX_SAFE_INTEGER);
  while (next <= end && found.length < limit) {
    const count = Math.min(READ, limit - found.length);
    const range = ['XRANGE', keys.journal, String(next), String(end), 'COUNT', String(count)];
    const entries = entriesOf(await connection.retry(() => connection.send(range)));
    found.push(...entries);
    if (entries.length < count) break;
    next = found[found.length - 1]!.seq + 1;
  }
  return found;
}

/**
 * Yields entries with seq > `after`, whoever wrote them, until `signal` aborts. Waits on a connection
 * of its own, which it closes; an interrupted one is opened again where it left off.
 * @throws TrimmedError when entries it has not seen were trimmed, or the journal lost some it has
 */
export async function* followStream(
  open: () => Connection,
  keys: KeySpace,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredEntry[]> {
  if (signal.aborted) return;
  const connection = open();
  const aborted = new Promise<null>((resolve) => {
    const end = (): void => {
      // At once, for a follower that is never asked again.
      connection.close();
      resolve(null);
    };
    signal.addEventListener('abort', end, { once: true });
  });
  let position = after;
  try {
    while (!signal.aborted) {
      const read = readOn(connection, keys, position).catch((error: unknown) => {
        // A follower has nobody to answer to: it waits as long as the server is away.
        if (signal.aborted || error instanceof RedisUnavailableError) return null;
        throw error;
      });
      const found = await Promise.race([read, aborted]);
      if (found === null) continue;
      const lost = position > after && found.newest < position;
      if (found.trimmed > position || lost) throw new TrimmedError(position);
      if (found.entries.length === 0) continue;
      yield found.entries;
      position = found.entries[found.entries.length - 1]!.seq;
    }
  } finally {
    connection.close();
  }
}

/**
 * What comes after a position, waiting a while for it, and then how far the journal was trimmed:
 * asked afterwards, so that a trim in between shows as a gap and never hides one.
 */
async function readOn(connection: Connection, keys: KeySpace, position: number) {
  const command = ['XREAD', 'COUNT', String(READ), 'BLOCK', String(BLOCK_MS)];
  const [reply, marks] = await connection.retry(() =>
    Promise.all([
      connection.send([...command, 'STREAMS', keys.journal, String(position)], BLOCK_MS),
      connection.send(['HMGET', keys.writer, 'trimmed', 'seq'], BLOCK_MS),
    ]),
  );
  const [trimmed, seq] = marks as (string | null)[];
  const streams = (reply ?? []) as [string, unknown][];
  return {
    entries: streams.flatMap(([, entries]) => entriesOf(entries)),
    trimmed: Number(trimmed ?? 0),
    newest: Number(seq ?? 0),
  };
}
