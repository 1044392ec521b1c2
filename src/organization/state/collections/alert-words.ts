import type { AlertWordsDocument } from '../../../../schemas/personal/alert-words-document.js';
import { addTo, removeFrom } from '../key-indexes.js';
import { Collection, type Recorder } from '../collection.js';

/** A word in lower case, and the users who want to be notified of it. */
interface AlertWord {
  readonly word: string;
  /** Offset of its first run of letters and digits. */
  readonly offset: number;
  readonly users: Set<number>;
}

/** A run of letters and digits. */
const TOKEN = /[\p{L}\p{N}]+/gu;

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** Whether the characters on both sides of a position belong to one word. */
function joins(text: string, position: number): boolean {
  const before = position > 0 ? text.charAt(position - 1) : '';
  const after = text.charAt(position);
  return WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after);
}

/** Whether the word is at this position and not part of a longer one. */
function isWholeWordAt(text: string, start: number, word: string): boolean {
  if (start < 0 || !text.startsWith(word, start)) return false;
  return !joins(text, start) && !joins(text, start + word.length);
}

/**
 * AlertWordCollection finds alert words in a text in one pass, by the first run of letters and digits of
 * each word, so that a message costs its own length however many words there are.
 */
export class AlertWordCollection extends Collection<number, AlertWordsDocument> {
  private readonly entries = new Map<string, AlertWord>();
  private readonly byToken = new Map<string, Set<AlertWord>>();
  /** Words without letters and digits, such as `++`. */
  private readonly symbols = new Set<AlertWord>();

  constructor(recorder: Recorder) {
    super('alert_words', recorder, (document) => document.user_id);
  }

  /** The words of a user, in the order of their addition. */
  of(userId: number): readonly string[] {
    return this.get(userId)?.words ?? [];
  }

  /** The users among `users` with an alert word in the text, ascending. */
  matching(text: string, users: readonly number[]): number[] {
    if (this.entries.size === 0) return [];
    const found = new Set<number>();
    const lower = text.toLowerCase();
    for (const entry of this.found(lower)) for (const user of entry.users) found.add(user);
    return users.filter((user) => found.has(user)).sort((a, b) => a - b);
  }

  private *found(text: string): Iterable<AlertWord> {
    for (const match of text.matchAll(TOKEN)) {
      for (const entry of this.byToken.get(match[0]) ?? []) {
        if (isWholeWordAt(text, match.index - entry.offset, entry.word)) yield entry;
      }
    }
    for (const entry of this.symbols) if (text.includes(entry.word)) yield entry;
  }

  protected override reindex(previous?: AlertWordsDocument, next?: AlertWordsDocument): void {
    for (const word of previous?.words ?? []) this.unindex(word.toLowerCase(), previous!.user_id);
    for (const word of next?.words ?? []) this.index(word.toLowerCase(), next!.user_id);
  }

  private index(word: string, userId: number): void {
    let entry = this.entries.get(word);
    if (!entry) {
      const [first] = word.matchAll(TOKEN);
      entry = { word, offset: first?.index ?? 0, users: new Set() };
      this.entries.set(word, entry);
      if (!first) this.symbols.add(entry);
      else addTo(this.byToken, first[0], entry);
    }
    entry.users.add(userId);
  }

  private unindex(word: string, userId: number): void {
    const entry = this.entries.get(word);
    entry?.users.delete(userId);
    if (!entry || entry.users.size > 0) return;
    this.entries.delete(word);
    this.symbols.delete(entry);
    const [first] = word.matchAll(TOKEN);
    if (first) removeFrom(this.byToken, first[0], entry);
  }
}
