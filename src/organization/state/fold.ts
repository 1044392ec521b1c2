import type { EntryChange } from '../../store/port.js';

/** Applies changes of one journal entry that another node committed; see `Organization.fold`. */
export interface Folding {
  /** Position of the entry. */
  readonly seq: number;
  /** Skips changes of documents that are not there, instead of throwing. */
  readonly tolerant: boolean;
}

/**
 * An entry changes a document that is not in memory: memory is not what the journal was written from. The
 * follower loads the organization again.
 */
export class FoldError extends Error {
  constructor({ key: { collection, id }, op }: EntryChange, seq: number) {
    super(`Entry ${seq} has a ${op} of ${collection}:${id}, which is not in memory`);
    this.name = 'FoldError';
  }
}

/** Anything that follows the journal: it takes the changes of an entry that belong to it. */
export interface Foldable {
  /**
   * Applies the changes of one entry, at most one of each document, as loading would: nothing is recorded.
   * Applying them again changes nothing.
   * @throws FoldError for a document that is not there, unless tolerant
   */
  fold(changes: readonly EntryChange[], folding: Folding): void;
}

/** The changes of an entry by collection, in their order. */
export function byCollection(
  changes: readonly EntryChange[],
): ReadonlyMap<string, readonly EntryChange[]> {
  const groups = new Map<string, EntryChange[]>();
  for (const change of changes) {
    const group = groups.get(change.key.collection);
    if (group) group.push(change);
    else groups.set(change.key.collection, [change]);
  }
  return groups;
}

/** Whether a change applies to a document that is there or not. @throws FoldError unless it does, or tolerant */
export function applies(change: EntryChange, exists: boolean, { seq, tolerant }: Folding): boolean {
  if (exists || change.op === 'set') return true;
  if (!tolerant) throw new FoldError(change, seq);
  return false;
}
