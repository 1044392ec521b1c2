/**
 * Unapplied merges of a store whose record of them is damaged: the journal has them too. The last values that the
 * entries since the first of these merges give to fields are the current ones, whether a document has them already or
 * not. Of documents that were written whole meanwhile nothing is unapplied.
 */
import { unsealEntry } from '../../checksum.js';
import { ByDocument } from '../../commits.js';
import type { EntryChanges, StoredEntry } from '../../port.js';
import type { Environment } from '../environment.js';
import type { Merge, Merges } from './unapplied-record.js';

/** @returns null where the journal does not have all of them */
export function mergesOfJournal(
  { journal }: Pick<Environment, 'journal'>,
  since: number,
  readChanges: (entry: StoredEntry) => EntryChanges,
): Merges | null {
  const merges = new ByDocument<Merge>();
  let first: number | undefined;
  for (const { key: seq, value } of journal.getRange({ start: since })) {
    first ??= seq;
    const text = unsealEntry(seq, value);
    if (text === null) return null;
    for (const change of readChanges({ seq, text }).changes) {
      const { key } = change;
      if (change.op === 'merge') {
        merges.set({ key, fields: { ...merges.get(key)?.fields, ...change.fields } });
      } else merges.delete(key);
    }
  }
  return first === since ? merges : null;
}

/**
 * Brings merges up to date with entries that came after their record. A writer that knows the record applies it before
 * it writes one of its documents; an older build, which had the store open before there was a record, does not.
 * @param after position of the record, or up to which this was done
 */
export function bringUpToDate(
  merges: Merges,
  { journal }: Pick<Environment, 'journal'>,
  after: number,
  readChanges: (entry: StoredEntry) => EntryChanges,
): void {
  for (const { key: seq, value } of journal.getRange({ start: after + 1 })) {
    const text = unsealEntry(seq, value);
    // What a damaged entry changed nobody knows.
    if (text === null) continue;
    for (const change of readChanges({ seq, text }).changes) {
      const { key } = change;
      const earlier = merges.get(key);
      if (!earlier) continue;
      if (change.op !== 'merge') merges.delete(key);
      else merges.set({ key, fields: { ...earlier.fields, ...change.fields } });
    }
  }
}
