import type { EntryChanges, StoredEntry } from '../port.js';
import type { Durability } from './environment.js';

/** How an embedded store is opened. */
export interface EmbeddedStoreOptions {
  /** What an acknowledgement means; default `disk`. */
  readonly durability?: Durability;
  /** Free space on the disk, bytes; default: what the file system reports. */
  readonly free?: () => number;
  /** Makes durable what other processes wrote; default: a sync of the file. */
  readonly flush?: () => Promise<void>;
  /** Reads the changes of a journal entry; without it a damaged record of unapplied merges is refused. */
  readonly readChanges?: ((entry: StoredEntry) => EntryChanges) | undefined;
}
