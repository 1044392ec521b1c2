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

/** What an import could not take, counted, for the operator. */
export class Omissions {
  private readonly counts = new Map<string, { count: number; example: string }>();
  /** Whether the archive has a part that nothing took. */
  isIncomplete = false;

  /**
   * Notes something.
   * @param what in the plural, with the reason, e.g. `reactions by custom emoji`
   * @param example one of them, by which the operator finds it
   */
  add(what: string, example = ''): void {
    const known = this.counts.get(what);
    if (known) known.count += 1;
    else this.counts.set(what, { count: 1, example });
  }

  /**
   * Notes a part of the archive that nothing took: what it holds is missing, and the import has failed to that extent.
   */
  miss(what: string, example: string): void {
    this.isIncomplete = true;
    this.add(what, example);
  }

  /** A line for each kind, the most frequent first. */
  lines(): string[] {
    const kinds = [...this.counts].sort(([, a], [, b]) => b.count - a.count);
    return kinds.map(([what, { count, example }]) => {
      return `${count} ${what}${example === '' ? '' : ` (such as ${example})`}`;
    });
  }
}

/** A write of a whole document. */
export function set(collection: string, id: string, document: object): Write {
  return { op: 'set', key: { collection, id }, document: document as Document };
}
