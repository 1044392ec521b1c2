import { ApiError } from '../../errors/index.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import type { Pictures } from '../../services/pictures/pictures.js';
import type { BlobStore } from '../../services/blob-store.js';
import type { Store, Document, Write } from '../../store/port.js';
import type { HeldLease } from '../../store/transfer/held.js';

/** The parts that imports of other services' exports share. */
export interface ImportJob {
  /** The archive, unpacked. */
  readonly folder: string;
  readonly store: Store;
  readonly held: HeldLease;
  readonly blobs: BlobStore;
  readonly pictures: Pictures;
  readonly markdown: Markdown;
  readonly omissions: Omissions;
  /** Base URL in links. */
  readonly url: string;
  readonly botDomain: string;
  readonly now: () => number;
  /** Lines for the operator. */
  readonly report: (line: string) => void;
}

/** A kind of what an import could not take. */
export interface Omitted {
  /** In the plural, with the reason. */
  readonly what: string;
  readonly count: number;
  /** One of them; empty for none. */
  readonly example: string;
}

/** Most kinds that a report names: names of fields and tables are the archive's, so their number is, too. */
const MAX_KINDS = 1000;
const FURTHER = 'things of more kinds than a report names';

/** What was noted and settled in a while, as a document of the store. */
export interface Noted {
  readonly counts: readonly Omitted[];
  readonly open: readonly { readonly kind: string; readonly left: number }[];
  readonly isIncomplete: boolean;
}

/** How much was taken, by kind, in the plural. */
export type Taken = Readonly<Record<string, number>>;

/**
 * What an import could not take, counted, for the operator; and sums of what the archive has, by kind, against what
 * became of it, so that nothing is left out in silence.
 */
export class Omissions {
  private readonly counts = new Map<string, { count: number; example: string }>();
  /** How many of a kind nothing has settled yet: neither taken nor left out with a reason. */
  private readonly open = new Map<string, number>();
  /** Whether the archive has a part that nothing took. */
  isIncomplete = false;
  /** Notes the same, while something is recorded. */
  private recorder: Omissions | null = null;

  /** Records what is noted from now on. */
  record(): void {
    this.recorder ??= new Omissions();
  }

  /** Ends it. @returns what was noted meanwhile */
  recorded(): Noted {
    const { counts, open, isIncomplete } = this.recorder ?? new Omissions();
    this.recorder = null;
    return {
      counts: Array.from(counts, ([what, one]) => ({ what, ...one })),
      open: Array.from(open, ([kind, left]) => ({ kind, left })),
      isIncomplete,
    };
  }

  /** Notes again what an import noted that was cut off. */
  restore({ counts, open, isIncomplete }: Noted): void {
    for (const { what, example, count } of counts) this.add(what, example, count);
    for (const { kind, left } of open) this.found(kind, left);
    this.isIncomplete ||= isIncomplete;
  }

  /**
   * Notes something.
   * @param what in the plural, with the reason, e.g. `reactions by custom emoji`
   * @param example one of them, by which the operator finds it
   */
  add(what: string, example = '', count = 1): void {
    this.recorder?.add(what, example, count);
    const isNamed = this.counts.has(what) || this.counts.size < MAX_KINDS;
    const kind = isNamed ? what : FURTHER;
    const known = this.counts.get(kind);
    if (known) known.count += count;
    else this.counts.set(kind, { count, example: shortened(example) });
  }

  /**
   * Notes a part of the archive that nothing took: what it holds is missing, and the import has failed to that extent.
   */
  miss(what: string, example = '', count = 1): void {
    this.isIncomplete = true;
    if (this.recorder) this.recorder.isIncomplete = true;
    this.add(what, example, count);
  }

  /** Notes what stands in a list of rows and is none. @param where the file and its table */
  missStrange(...where: readonly string[]): void {
    this.miss('values in the place of rows or of lists of rows', where.filter(Boolean).join(' '));
  }

  /** The archive has some of a kind, e.g. `rows of zerver_stream`. */
  found(kind: string, count = 1): void {
    this.recorder?.found(kind, count);
    this.open.set(kind, (this.open.get(kind) ?? 0) + count);
  }

  /** What became of some of a kind was decided: they were taken, or noted. */
  settle(kind: string, count = 1): void {
    this.found(kind, -count);
  }

  /** What the archive has more of than was taken and noted is missing; so is anything that was taken twice. */
  balance(): void {
    for (const [kind, left] of this.open) {
      if (left > 0) this.miss(`${kind} that nothing took`, '', left);
      if (left < 0) this.miss(`${kind} more than the archive has`, '', -left);
    }
    this.open.clear();
  }

  /** Each kind, the most frequent first. */
  rows(): Omitted[] {
    const kinds = [...this.counts].map(([what, one]) => ({ what, ...one }));
    return kinds.sort((a, b) => b.count - a.count);
  }
}

/** Longest example, code points: of what was written there, its beginning is enough to find it. */
const MAX_EXAMPLE = 200;

function shortened(example: string): string {
  if (example.length <= MAX_EXAMPLE) return example;
  return `${[...example].slice(0, MAX_EXAMPLE).join('')}…`;
}

/** Why the organization refuses something, as a client would read it; null where it does not. @throws other errors */
export function refusalOf(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.message;
  }
}

/** A write of a whole document. */
export function set(collection: string, id: string, document: object): Write {
  return { op: 'set', key: { collection, id }, document: document as Document };
}
