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

/** Entries with `from <= seq <= to`, at most `limit`. @param read sends a command until it is answered */
export async function readRange(
  read: (command: readonly string[]) => Promise<unknown>,
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
    const entries = entriesOf(await read(range));
    found.push(...entries);
    if (entries.length < count) break;
    next = found[found.length - 1]!.seq + 1;
  }
  return found;
}

/** The end of a journal. */
export interface Newest {
  readonly last: StoredEntry | null;
  /** Up to here no other server can take this one's place and lack any. */
  readonly durable: number;
}

/** The newest entry. @param known a position that is known to be durable */
export async function newestOf(
  connection: Connection,
  keys: KeySpace,
  known: number,
): Promise<Newest> {
  // How far the journal came is asked first: it is never ahead of the journal then, unless entries are gone. Their
  // positions are not given again, and a follower must not take an entry before them for the newest.
  const [marks, newest] = await Promise.all([
    connection.send(['HMGET', keys.writer, 'seq', 'replicas', 'replicated']),
    connection.send(['XREVRANGE', keys.journal, '+', '-', 'COUNT', '1']),
  ]);
  const [came, replicas, replicated] = marks as (string | null)[];
  const seq = Math.max(known, Number(came ?? 0));
  const found = entriesOf(newest)[0] ?? null;
  const last = seq > (found?.seq ?? 0) ? { seq, text: '', damaged: true as const } : found;
  const durable =
    typeof replicas === 'string' ? Math.max(known, Number(replicated ?? 0)) : Infinity;
  return { last, durable };
}

/**
 * Yields entries with seq > `after`, whoever wrote them, until `signal` aborts. Waits on a connection
 * of its own, which it closes; an interrupted one is opened again where it left off. What it yields is as
 * durable as what the server acknowledges: it answers followers, too, after it wrote its log. Where the writer waits for
 * replicas, it yields what the writer said that they have.
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
  let before: Before = { session: null, newest: 0, waits: false, heard: '0', isMore: false };
  try {
    while (!signal.aborted) {
      const read: Promise<Found | null> = readOn(
        connection,
        keys,
        last,
        before,
        known !== undefined || last.seq > after,
      ).catch(async (error: unknown) => {
        // Another server may answer next.
        before = { ...before, session: null };
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
      before = found;
      if (found.entries.length === 0) continue;
      yield found.entries;
      last = found.entries[found.entries.length - 1]!;
    }
  } finally {
    signal.removeEventListener('abort', end);
    connection.close();
  }
}

/** What a look of a follower leaves for the next. */
interface Before {
  /** Who writes, by the random name of its lease. */
  readonly session: string | null;
  /** How far the journal came, without what may yet be lost. */
  readonly newest: number;
  /** Whether the writer waits for replicas. */
  readonly waits: boolean;
  /** The newest that it told of them: its id in the stream of these. */
  readonly heard: string;
  /** Whether there is something to read at once. */
  readonly isMore: boolean;
}

/** One look of a follower. */
interface Found extends Before {
  readonly entries: readonly StoredEntry[];
}

/** Streams as `XREAD` answers. */
type Streams = readonly (readonly [name: string, entries: readonly StreamEntry[]])[] | null;

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
  before: Before,
  isKnown: boolean,
): Promise<Found> {
  const { seq: position } = last;
  const there = ['XRANGE', keys.journal, String(position), String(position), 'COUNT', '1'];
  let attempts = 0;
  // All of a look comes from one server: where the connection breaks, another may have taken its place, and it begins
  // again.
  const look = async () => {
    attempts += 1;
    const [{ raw, heard }, marks] = await Promise.all([
      nextEntries(connection, keys, position, before),
      connection.send(
        ['HMGET', keys.writer, 'trimmed', 'seq', 'session', 'replicas', 'replicated'],
        BLOCK_MS,
      ),
    ]);
    const [trimmed, came, writer, replicas, replicated] = marks as (string | null)[];
    // A server that forgot entries may have been given others in their place, by another writer, or by one whose request
    // for the role it forgot, too, and which has the same name.
    const mayDiffer = isKnown && (writer !== before.session || attempts > 1);
    const isThere = mayDiffer && !last.damaged && Number(trimmed ?? 0) < position;
    const same = isThere ? entriesOf(await connection.send(there))[0] : last;
    const waits = typeof replicas === 'string';
    const durable = waits ? Number(replicated ?? 0) : Infinity;
    return { raw, heard, trimmed, came: Number(came ?? 0), writer, same, waits, durable };
  };
  const found = await connection.retry(look);
  const { raw, heard, trimmed, came, writer, same, waits, durable } = found;
  if (Number(trimmed ?? 0) > position) throw new TrimmedError(position);
  if (isKnown && came < position) throw new TrimmedError(position);
  if (same?.text !== last.text) throw new TrimmedError(position);
  // What was written before this look would have come at once.
  if (raw.length === 0 && before.newest > position) throw new TrimmedError(position);
  const entries = raw.filter(({ seq }) => seq <= durable);
  const isMore = waits && (entries.at(-1)?.seq ?? position) < Math.min(durable, came);
  return {
    entries,
    session: writer ?? null,
    newest: Math.min(came, durable),
    waits,
    heard,
    isMore,
  };
}

/**
 * Entries after a position. Waits a while for the next; where the writer waits for replicas, until it tells of them: what
 * they may not have yet comes at once, and would be read again and again.
 */
async function nextEntries(
  connection: Connection,
  keys: KeySpace,
  position: number,
  { waits, heard, isMore }: Before,
): Promise<{ raw: StoredEntry[]; heard: string }> {
  const block = ['BLOCK', String(BLOCK_MS)];
  const read = async (key: string, after: string, ...how: string[]) => {
    const command = ['XREAD', 'COUNT', String(READ), ...how, 'STREAMS', key, after];
    const streams = (await connection.send(command, BLOCK_MS)) as Streams;
    return (streams ?? []).flatMap(([, entries]) => entries);
  };
  if (!waits)
    return { raw: entriesOf(await read(keys.journal, String(position), ...block)), heard };
  const [told, entries] = await Promise.all([
    read(keys.replicated, heard, ...(isMore ? [] : block)),
    read(keys.journal, String(position)),
  ]);
  return { raw: entriesOf(entries), heard: told.at(-1)?.[0] ?? heard };
}
