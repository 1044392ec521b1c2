import type { AlertWordsDocument } from '../../schemas/documents/personal.js';
import { MAX_ALERT_WORDS } from '../../schemas/limits.js';
import { badRequest } from '../errors.js';
import { Collection, type Recorder } from './collection.js';
import { addTo, removeFrom } from './sets-by-key.js';
import type { Transaction } from './transaction.js';

/** A run of letters and digits. */
const TOKEN = /[\p{L}\p{N}]+/gu;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** A word in lower case, and who wants to hear of it. */
interface Entry {
  readonly word: string;
  /** Where its first run of letters and digits begins. */
  readonly offset: number;
  readonly users: Set<number>;
}

/**
 * Alert words, found in a text in one pass: by the first run of letters and digits of each word, so that
 * a message costs its own length however many words there are.
 */
export class AlertWordCollection extends Collection<number, AlertWordsDocument> {
  private readonly entries = new Map<string, Entry>();
  private readonly byToken = new Map<string, Set<Entry>>();
  /** Words without letters and digits, such as `++`. */
  private readonly symbols = new Set<Entry>();

  constructor(recorder: Recorder) {
    super('alert_words', recorder, (document) => document.user_id);
  }

  /** The words of a user, in the order they came. */
  of(userId: number): readonly string[] {
    return this.get(userId)?.words ?? [];
  }

  /** Which of these users have a word in the text, ascending. */
  matching(text: string, users: readonly number[]): number[] {
    if (this.entries.size === 0) return [];
    const found = new Set<number>();
    const lower = text.toLowerCase();
    for (const entry of this.found(lower)) for (const user of entry.users) found.add(user);
    return users.filter((user) => found.has(user)).sort((a, b) => a - b);
  }

  private *found(text: string): Iterable<Entry> {
    for (const match of text.matchAll(TOKEN)) {
      for (const entry of this.byToken.get(match[0]) ?? []) {
        if (stands(text, match.index - entry.offset, entry.word)) yield entry;
      }
    }
    for (const entry of this.symbols) if (text.includes(entry.word)) yield entry;
  }

  protected override reindex(previous?: AlertWordsDocument, next?: AlertWordsDocument): void {
    for (const word of previous?.words ?? []) this.release(word.toLowerCase(), previous!.user_id);
    for (const word of next?.words ?? []) this.hold(word.toLowerCase(), next!.user_id);
  }

  private hold(word: string, userId: number): void {
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

  private release(word: string, userId: number): void {
    const entry = this.entries.get(word);
    entry?.users.delete(userId);
    if (!entry || entry.users.size > 0) return;
    this.entries.delete(word);
    this.symbols.delete(entry);
    const [first] = word.matchAll(TOKEN);
    if (first) removeFrom(this.byToken, first[0], entry);
  }
}

/** Whether a word stands there, and not inside a longer one. */
function stands(text: string, start: number, word: string): boolean {
  if (start < 0 || !text.startsWith(word, start)) return false;
  return !joins(text, start) && !joins(text, start + word.length);
}

/** Whether the characters on both sides of a position belong to one word. */
function joins(text: string, position: number): boolean {
  const before = position > 0 ? text.charAt(position - 1) : '';
  const after = text.charAt(position);
  return WORD_CHARACTER.test(before) && WORD_CHARACTER.test(after);
}

/** Adds words; they count for later messages only (endpoints.md section C.5). @throws ApiError */
export function addAlertWords(
  tx: Transaction,
  userId: number,
  words: readonly string[],
): readonly string[] {
  const current = tx.org.alertWords.of(userId);
  const known = new Set(current.map((word) => word.toLowerCase()));
  const added = words
    .map((word) => word.trim())
    .filter(
      (word) => word !== '' && !known.has(word.toLowerCase()) && known.add(word.toLowerCase()),
    );
  if (current.length + added.length > MAX_ALERT_WORDS) {
    throw badRequest(`You can have at most ${MAX_ALERT_WORDS} alert words.`);
  }
  return store(tx, userId, current, [...current, ...added]);
}

/** Removes words, in any case; unknown ones do nothing. */
export function removeAlertWords(
  tx: Transaction,
  userId: number,
  words: readonly string[],
): readonly string[] {
  const gone = new Set(words.map((word) => word.trim().toLowerCase()));
  const current = tx.org.alertWords.of(userId);
  return store(
    tx,
    userId,
    current,
    current.filter((word) => !gone.has(word.toLowerCase())),
  );
}

function store(
  tx: Transaction,
  userId: number,
  current: readonly string[],
  words: string[],
): readonly string[] {
  if (words.length === current.length) return current;
  if (words.length === 0) tx.org.alertWords.delete(userId);
  else tx.org.alertWords.insert({ user_id: userId, words });
  tx.emit('alert_words', { to: 'users', users: [userId] }, { alert_words: words });
  return words;
}
