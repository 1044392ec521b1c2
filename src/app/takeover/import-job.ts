import type { Markdown } from '../../services/markdown/markdown.js';
import type { Pictures } from '../../services/pictures/pictures.js';
import type { BlobStore } from '../../services/blob-store.js';
import type { Store } from '../../store/port.js';
import type { HeldLease } from '../../store/transfer/held.js';
import type { Omissions } from './omissions.js';

/** What an import of a foreign organization works with. */
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
