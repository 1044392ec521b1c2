import type { FileHandle } from 'node:fs/promises';
import type { FiguresHistoryFields } from '../../../schemas/queues/console-log.js';
import type { ConsoleNodeRow, LatencyCounts } from '../../../schemas/queues/console.js';
import { open } from '../../platform/files.js';
import { wallTime } from '../../platform/time.js';

const MINUTE_MS = 60_000;
/** A day: what people ask in the morning of the night. */
const MINUTES = 24 * 60;
/** The figures of a minute, in the order of the file. */
const NAMES = [
  'requests_per_second',
  'events_per_second',
  'entries_per_second',
  'commit_p99_ms',
  'send_p99_ms',
  'memory_bytes',
  'event_queues',
  'waiting_mails',
] as const;
/** The minute since 1970, then the figures; NaN where there is none. */
const NUMBERS = 1 + NAMES.length;
const ROW_BYTES = NUMBERS * 8;

/** What a minute's figures are made of. */
export type Looked = Pick<
  ConsoleNodeRow,
  | 'requests'
  | 'delivered_events'
  | 'journal_head'
  | 'commits'
  | 'sends'
  | 'resident_bytes'
  | 'queue_counts'
>;

/**
 * FigureHistory keeps figures of the last 24 hours, a minute each, in a file of {@link FILE_BYTES} bytes that a restart
 * reads. A minute has its place in the file by its number, so the file never grows; what a crash or another version
 * left there is told by the minute that stands with it. Nothing else depends on the file: a fault ends the keeping.
 */
export class FigureHistory {
  private readonly rows = new Float64Array(MINUTES * NUMBERS);
  private last: { readonly at: number; readonly look: Looked } | null = null;

  /** Read when there is something to note: one process at a time leads, and writes the file. */
  private reading: Promise<void> | undefined;
  private noting: Promise<void> = Promise.resolve();

  /** @param failed told where the file cannot be used: figures then end with the process */
  constructor(
    private readonly path: string,
    private readonly failed: (error: unknown) => void,
    private readonly now: () => number = wallTime,
  ) {}

  /** Notes the figures of the minute that ends, or of the first part of the first one. */
  note(look: Looked, waitingMails: number): Promise<void> {
    return (this.noting = this.noteOf(look, waitingMails));
  }

  /** Resolves when nothing is being written: the folder of the file may then be removed. */
  settled(): Promise<void> {
    return this.noting.catch(() => undefined);
  }

  private async noteOf(look: Looked, waitingMails: number): Promise<void> {
    await (this.reading ??= this.read());
    const at = this.now();
    const { last } = this;
    this.last = { at, look };
    const minute = Math.floor(at / MINUTE_MS);
    const row = [minute, ...ratesOf(look, last?.look, (at - (last?.at ?? at)) / 1000)];
    row.push(look.resident_bytes ?? NaN, queuesOf(look), waitingMails);
    const place = (minute % MINUTES) * NUMBERS;
    this.rows.set(row, place);
    const bytes = Buffer.from(Buffer.from(this.rows.buffer, place * 8, ROW_BYTES));
    await this.withFile((file) => file.write(bytes, 0, ROW_BYTES, place * 8));
  }

  /** The figures of the last 24 hours, the oldest first. */
  figures(): FiguresHistoryFields {
    const newest = Math.floor(this.now() / MINUTE_MS);
    const minutes: number[] = [];
    const columns = NAMES.map((): (number | null)[] => []);
    for (let minute = newest - MINUTES + 1; minute <= newest; minute++) {
      const place = (minute % MINUTES) * NUMBERS;
      if (this.rows[place] !== minute) continue;
      minutes.push(minute);
      columns.forEach((column, index) => column.push(numberOrNull(this.rows[place + 1 + index]!)));
    }
    const named = NAMES.map((name, index) => [name, columns[index]!] as const);
    return { minutes, ...(Object.fromEntries(named) as Omit<FiguresHistoryFields, 'minutes'>) };
  }

  private async read(): Promise<void> {
    const bytes = Buffer.from(this.rows.buffer);
    await this.withFile((file) => file.read(bytes, 0, bytes.length, 0));
  }

  /** Opens the file, or makes it: once a minute costs less than a handle that somebody has to close. */
  private async withFile(work: (file: FileHandle) => Promise<unknown>): Promise<void> {
    let file: FileHandle | undefined;
    try {
      file = await open(this.path, 'r+').catch((error: { code?: string }) => {
        if (error.code !== 'ENOENT') throw error;
        return open(this.path, 'w+', 0o600);
      });
      await work(file);
    } catch (error) {
      this.failed(error);
    } finally {
      await file?.close();
    }
  }
}

/** Size of the file. */
export const FILE_BYTES = MINUTES * ROW_BYTES;

/** Rates and latencies between two looks; NaN before there are two. */
function ratesOf(now: Looked, before: Looked | undefined, seconds: number): number[] {
  if (!before || seconds <= 0) return [NaN, NaN, NaN, NaN, NaN];
  const rate = (name: 'requests' | 'delivered_events' | 'journal_head'): number =>
    Math.max(0, now[name] - before[name]) / seconds;
  return [
    ...[rate('requests'), rate('delivered_events'), rate('journal_head')],
    ...[p99(now.commits, before.commits), p99(now.sends, before.sends)],
  ];
}

/** Milliseconds within which 99 of 100 were done; the upper bound of its bucket. */
function p99(now: LatencyCounts, before: LatencyCounts): number {
  const count = now.count - before.count;
  if (count <= 0) return NaN;
  const place = now.within.findIndex(
    (within, index) => within - (before.within[index] ?? 0) >= 0.99 * count,
  );
  return 1000 * (now.bounds[place] ?? now.bounds.at(-1) ?? NaN);
}

function queuesOf({ queue_counts: counts }: Looked): number {
  const { idle = 0, polling = 0, streaming = 0, unattached = 0 } = counts;
  return idle + polling + streaming + unattached;
}

/** What JSON has. */
function numberOrNull(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : null;
}
