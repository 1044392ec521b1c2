import { EventLoopYield } from '../event-loop-yield.js';
import type { StoredEntry } from '../store/port.js';
import { encodeLargeEntry, type EntryContent, type Position } from './entry.js';

/** A text for the store, or the time of a large entry, which is encoded when its turn has come. */
export type EntryText = StoredEntry | { readonly at: number };

/** Whether the text is there. */
export function isEncoded(text: EntryText): text is StoredEntry {
  return 'text' in text;
}

/** Encodes what is not encoded yet, in stretches, before other long work: all writes wait for it. */
export async function encodeTexts(
  entries: readonly { readonly position: Position; readonly content: EntryContent }[],
  texts: EntryText[],
): Promise<void> {
  const pause = new EventLoopYield(true);
  for (const [i, { position, content }] of entries.entries()) {
    const text = texts[i]!;
    if (!isEncoded(text)) texts[i] = await encodeLargeEntry(position.seq, text.at, content, pause);
  }
}
