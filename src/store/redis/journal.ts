/** The journal stream: entries out of replies, and following it. */
import { pause as sleep } from '../../platform/timers.js';
import { unsealEntry } from '../checksum.js';
import { TrimmedError, type StoredEntry } from '../port.js';
import type { Connection } from './connection.js';
import { RedisUnavailableError } from './errors.js';
import type { KeySpace } from './keys.js';
import { onceSettled } from '../../turns/background.js';

/** Entries per command, and per batch of a follower. */
const READ = 512;
/** How long a follower lets the server wait for the next entry. Milliseconds. */
const BLOCK_MS = 1000;
/** How long a follower leaves a server alone that is away, or won't have it. */
const AWAY_PAUSE_MS = 100;

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
 * of its own, which it closes; an interrupted one is opened again where it left off. What it yields is as
 * durable as what the server acknowledges: it answers followers, too, after it wrote its log.
 * @param known the entry at `after`, where the caller has it
 * @throws TrimmedError when entries it has not seen were trimmed, or the journal lost some it has
 */
export async function* followStream(
  open: () => Connection,
  keys: KeySpace,
  after: number,
  signal: AbortSignal,
  known?: StoredEntry,
): AsyncGenerator<readonly StoredEntry[]> {
  if (signal.aborted) return;
  const connection = open();
  let stopWaiting: () => void = () => undefined;
  const end = (): void => {
    // At once, for a follower that is never asked again.
    connection.close();
    stopWaiting();
  };
  signal.addEventListener('abort', end, { once: true });
  let last: StoredEntry = known ?? { seq: after, text: '', damaged: true };
  let session: Found['session'] = null;
  let newest = 0;
  try {
    while (!signal.aborted) {
      const read: Promise<Found | null> = readOn(
        connection,
        keys,
        last,
        { session, newest },
        known !== undefined || last.seq > after,
      ).catch(async (error: unknown) => {
        // Another server may answer next.
        session = null;
        // A follower has nobody to answer to: it waits as long as the server is away.
        const mayCome = signal.aborted || error instanceof RedisUnavailableError;
        if (!mayCome) throw error;
        await sleep(AWAY_PAUSE_MS, undefined, { signal }).catch(() => undefined);
        return null;
      });
      // No race with a promise of the end: it would keep what every read has found.
      const found = await new Promise<Found | null>((resolve, reject) => {
        stopWaiting = () => resolve(null);
        onceSettled(read, resolve, reject);
      });
      if (found === null) continue;
      ({ session, newest } = found);
      if (found.entries.length === 0) continue;
      yield found.entries;
      last = found.entries[found.entries.length - 1]!;
    }
  } finally {
    signal.removeEventListener('abort', end);
    connection.close();
  }
}

/** One look of a follower. */
interface Found {
  readonly entries: readonly StoredEntry[];
  /** Who writes, by the random name of its lease. */
  readonly session: string | null;
  /** How far the journal came. */
  readonly newest: number;
}

/**
 * What comes after an entry, waiting a while for it, and then how far the journal was trimmed and who
 * writes: asked afterwards, so that a trim in between shows as a gap and never hides one.
 * @param before what was found when this was asked before
 * @param isKnown whether `last` came from this journal, and not only its position from the caller
 * @throws TrimmedError where the journal does not go on from `last`
 */
async function readOn(
  connection: Connection,
  keys: KeySpace,
  last: StoredEntry,
  before: Pick<Found, 'session' | 'newest'>,
  isKnown: boolean,
): Promise<Found> {
  const { seq: position } = last;
  const command = ['XREAD', 'COUNT', String(READ), 'BLOCK', String(BLOCK_MS)];
  const there = ['XRANGE', keys.journal, String(position), String(position), 'COUNT', '1'];
  let attempts = 0;
  // All of a look comes from one server: where the connection breaks, another may have taken its place, and it begins
  // again.
  const look = async () => {
    attempts += 1;
    const [reply, marks] = await Promise.all([
      connection.send([...command, 'STREAMS', keys.journal, String(position)], BLOCK_MS),
      connection.send(['HMGET', keys.writer, 'trimmed', 'seq', 'session'], BLOCK_MS),
    ]);
    const [trimmed, newest, writer] = marks as (string | null)[];
    // A server that forgot entries may have been given others in their place, by another writer, or by one whose request
    // for the role it forgot, too, and which has the same name.
    const mayDiffer = isKnown && (writer !== before.session || attempts > 1);
    const isThere = mayDiffer && !last.damaged && Number(trimmed ?? 0) < position;
    const same = isThere ? entriesOf(await connection.send(there))[0] : last;
    return { reply, trimmed, newest, writer, same };
  };
  const { reply, trimmed, newest, writer, same } = await connection.retry(look);
  if (Number(trimmed ?? 0) > position) throw new TrimmedError(position);
  if (isKnown && Number(newest ?? 0) < position) throw new TrimmedError(position);
  if (same?.text !== last.text) throw new TrimmedError(position);
  const streams = (reply ?? []) as [string, unknown][];
  const entries = streams.flatMap(([, found]) => entriesOf(found));
  // What was written before this look would have come at once.
  if (entries.length === 0 && before.newest > position) throw new TrimmedError(position);
  return { entries, session: writer ?? null, newest: Number(newest ?? 0) };
}
