import type { MutedUserDocument } from '../../../../schemas/personal/muted-user-document.js';
import { Collection, type Recorder, release, toggle, addTo, removeFrom } from '../collection.js';
import type { PushTokenDocument, PushService } from '../../../../schemas/personal/push-document.js';
import { OwnedCollection } from '../user-collections.js';
import type { AlertWordsDocument } from '../../../../schemas/personal/alert-words-document.js';

export function idOf(userId: number, mutedUserId: number): string {
  return `${userId}:${mutedUserId}`;
}

const NOBODY: ReadonlySet<number> = new Set();

/** Which users muted which users, indexed by both. */
export class MutedUserCollection extends Collection<string, MutedUserDocument> {
  private readonly mutedByUser = new Map<number, Set<number>>();
  private readonly mutersByUser = new Map<number, Set<number>>();

  constructor(recorder: Recorder) {
    super('muted_user', recorder, ({ user_id, muted_user_id }) => idOf(user_id, muted_user_id));
  }

  /** Whether the first user muted the second. */
  isMuted(userId: number, mutedUserId: number): boolean {
    return this.mutersByUser.get(mutedUserId)?.has(userId) ?? false;
  }

  /** The users that a user muted, in no particular order. */
  mutedBy(userId: number): ReadonlySet<number> {
    return this.mutedByUser.get(userId) ?? NOBODY;
  }

  /** The users who muted a user, in no particular order. */
  mutersOf(userId: number): ReadonlySet<number> {
    return this.mutersByUser.get(userId) ?? NOBODY;
  }

  /** The users that a user muted, with times, oldest first (`muted_users`). */
  list(userId: number): { id: number; timestamp: number }[] {
    return [...this.mutedBy(userId)]
      .map((id) => ({ id, timestamp: this.get(idOf(userId, id))!.timestamp }))
      .sort((a, b) => a.timestamp - b.timestamp || a.id - b.id);
  }

  protected override reindex(previous?: MutedUserDocument, next?: MutedUserDocument): void {
    const { user_id, muted_user_id } = (next ?? previous)!;
    toggle(this.mutedByUser, user_id, muted_user_id, next !== undefined);
    toggle(this.mutersByUser, muted_user_id, user_id, next !== undefined);
  }
}

/** Push tokens of the legacy API; each belongs to one user at a time. */
export class PushTokenCollection extends OwnedCollection<PushTokenDocument> {
  private readonly idByToken = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('push_token', recorder);
  }

  byToken(service: PushService, token: string): PushTokenDocument | undefined {
    const id = this.idByToken.get(`${service}:${token}`);
    return id === undefined ? undefined : this.get(id);
  }

  protected override reindex(previous?: PushTokenDocument, next?: PushTokenDocument): void {
    super.reindex(previous, next);
    if (previous && !next) {
      release(this.idByToken, `${previous.service}:${previous.token}`, previous.id);
    }
    if (next) this.idByToken.set(`${next.service}:${next.token}`, next.id);
  }
}

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
