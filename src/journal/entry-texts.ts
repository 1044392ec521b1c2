import { EventLoopYield } from '../event-loop-yield.js';
import type { StoredEntry } from '../store/port.js';
import { encodeLargeEntry, type EntryContent, type Position } from './entry.js';
import { foldManyWrites } from './fold-writes.js';

/** A text for the store, or the time of a large entry, which is encoded when its turn has come. */
export type EntryText = StoredEntry | { readonly at: number };

/** Whether the text is there. */
export function isEncoded(text: EntryText): text is StoredEntry {
  return 'text' in text;
}

/** An entry as it waits to be encoded. */
interface Unencoded {
  readonly position: Position;
  content: EntryContent;
}

/**
 * Encodes what is not encoded yet, in stretches, before other long work: all writes wait for it. What a
 * large entry writes is folded first, in `content` too.
 */
export async function encodeTexts(
  entries: readonly Unencoded[],
  texts: EntryText[],
): Promise<void> {
  const pause = new EventLoopYield(true);
  for (const [i, entry] of entries.entries()) {
    const text = texts[i]!;
    if (isEncoded(text)) continue;
    const writes = await foldManyWrites(entry.content.writes, pause);
    entry.content = { ...entry.content, writes };
    texts[i] = await encodeLargeEntry(entry.position.seq, text.at, entry.content, pause);
  }
}
