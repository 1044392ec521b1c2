import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { EntryChange } from '../../../store/port.js';
import { applies, type Folding } from '../fold.js';
import type { MergedFields } from './merged-fields.js';

/** The changes of one entry; each part ascends by id. */
export interface FoldedMessages {
  readonly removed: readonly number[];
  /** None of them is there once those removed are gone. */
  readonly added: readonly MessageDocument[];
  readonly merged: readonly MergedFields[];
}

/**
 * Sorts the changes of messages that one entry made.
 * @throws FoldError for a message that is not there, unless tolerant
 */
export function foldedMessages(
  changes: readonly EntryChange[],
  has: (id: number) => boolean,
  folding: Folding,
): FoldedMessages {
  const removed: number[] = [];
  const added: MessageDocument[] = [];
  const merged: MergedFields[] = [];
  for (const change of changes) {
    const id = Number(change.key.id);
    const exists = has(id);
    if (!applies(change, exists, folding)) continue;
    if (change.op === 'merge') merged.push({ id, fields: change.fields });
    // A message that is there already is taken out and added anew.
    else if (exists) removed.push(id);
    if (change.op === 'set') added.push(change.fields as MessageDocument);
  }
  return {
    removed: removed.sort((a, b) => a - b),
    added: added.sort((a, b) => a.id - b.id),
    merged: merged.sort((a, b) => a.id - b.id),
  };
}
