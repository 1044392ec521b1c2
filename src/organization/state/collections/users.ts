import { DEFAULT_USER_SETTINGS, UserSettings } from '../../../../schemas/users/user-settings.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { release, type Recorder, Collection, addTo, removeFrom, toggle } from '../collection.js';
import { NameSets } from '../id-sets.js';
import { PersonalCollection, RANGE_SIZE, rangeOf } from '../user-collections.js';
import type { MutedUserDocument } from '../../../../schemas/personal/muted-users.js';
import type { AlertWordsDocument } from '../../../../schemas/personal/alert-words.js';

/*
 * What is kept of each user: the account, the settings, whom they muted, and which words alert them.
 */

/** Accounts, humans and bots, active or not. */
export class UserCollection extends PersonalCollection<UserDocument> {
  private readonly byEmail = new Map<string, number>();
  /** Users by their names, which need not be unique. */
  private readonly names = new NameSets();
  /** Active users, bots included, system bots excluded: the audience `all`. */
  readonly active = new Set<number>();
  /** Active guests, who do not see public channels that they are not subscribed to. */
  readonly activeGuests = new Set<number>();
  /** Users who are not in `active`. */
  readonly inactive = new Set<number>();
  /** Number of users in `inactive`, by range of ids. */
  private readonly inactiveByRange = new Map<number, number>();
  /** Bots, active or not, system bots excluded. */
  readonly bots = new Set<number>();
  /** The bots that post notices. */
  readonly systemBots = new Set<number>();
  /** Number of id ranges that cover all users. */
  ranges = 0;

  constructor(recorder: Recorder) {
    super('user', recorder);
  }

  /** The user with this real address, compared without case. */
  byRealEmail(email: string): UserDocument | undefined {
    const id = this.byEmail.get(addressKey(email));
    return id === undefined ? undefined : this.get(id);
  }

  /** The active user with exactly this name whom `admits` admits; of several the one with the smallest id. */
  byFullName(
    name: string,
    admits: (user: UserDocument) => boolean = () => true,
  ): UserDocument | undefined {
    let found: UserDocument | undefined;
    for (const id of this.names.named(name)) {
      const user = this.get(id)!;
      if (!user.is_active || user.full_name !== name || !admits(user)) continue;
      if (!found || user.user_id < found.user_id) found = user;
    }
    return found;
  }

  /** Users, active or not, whose names equal this one or look alike; some may come twice. */
  *namedLike(name: string): Generator<UserDocument> {
    for (const id of this.names.alike(name)) yield this.get(id)!;
  }

  /** Whether users in a range of ids are not in `active`. */
  hasInactive(range: number): boolean {
    return (this.inactiveByRange.get(range) ?? 0) > 0;
  }

  protected override reindex(previous?: UserDocument, next?: UserDocument): void {
    super.reindex(previous, next);
    this.reindexName(previous, next);
    if (previous && previous.email !== next?.email) {
      release(this.byEmail, addressKey(previous.email), previous.user_id);
    }
    if (next && previous?.email !== next.email) {
      this.byEmail.set(addressKey(next.email), next.user_id);
    }
    const id = (next ?? previous)!.user_id;
    const counts = next !== undefined && next.is_active && !next.is_system_bot;
    toggleIn(this.active, id, counts);
    toggleIn(this.activeGuests, id, counts && next.role === ROLE.guest);
    this.reindexInactive(id, next !== undefined && !counts);
    toggleIn(this.bots, id, next !== undefined && next.is_bot && !next.is_system_bot);
    toggleIn(this.systemBots, id, next !== undefined && next.is_system_bot);
    this.ranges = Math.max(this.ranges, rangeOf(id) + 1);
    // A new account was taken back.
    if (!next) while (this.ranges > 0 && !this.hasIn(this.ranges - 1)) this.ranges -= 1;
  }

  private reindexInactive(id: number, isInactive: boolean): void {
    const more = Number(isInactive) - Number(this.inactive.has(id));
    if (more === 0) return;
    toggleIn(this.inactive, id, isInactive);
    const range = rangeOf(id);
    const count = (this.inactiveByRange.get(range) ?? 0) + more;
    if (count === 0) this.inactiveByRange.delete(range);
    else this.inactiveByRange.set(range, count);
  }

  /** Whether a range has users. */
  private hasIn(range: number): boolean {
    for (let id = range * RANGE_SIZE; rangeOf(id) === range; id++) if (this.has(id)) return true;
    return false;
  }

  private reindexName(previous?: UserDocument, next?: UserDocument): void {
    if (previous?.full_name === next?.full_name) return;
    if (previous) this.names.remove(previous.full_name, previous.user_id);
    if (next) this.names.add(next.full_name, next.user_id);
  }
}

/**
 * What addresses are compared by: without case. A compatibility form of a letter stays as it is, since its small letter
 * may be that of another address: the sign for kelvin becomes a k.
 */
function addressKey(email: string): string {
  return email.normalize('NFKC') === email ? email.toLowerCase() : email;
}

/** Adds an id to a set, or removes it. */
function toggleIn(set: Set<number>, id: number, wanted: boolean): void {
  if (wanted) set.add(id);
  else set.delete(id);
}

/**
 * A user's stored settings: only those that differ from the defaults, so that a hundred thousand users who
 * never changed their settings cost nothing.
 */
export interface UserSettingsDocument extends Partial<UserSettings> {
  readonly user_id: number;
  /** Settings the user changed themselves (`skip_if_already_edited`). */
  readonly edited: readonly string[];
}

const PERIOD = 'email_notifications_batching_period_seconds';

/** Changed settings of users; a user without changes has no document. */
export class UserSettingsCollection extends PersonalCollection<UserSettingsDocument> {
  /** Number of users with a restricted address, by range of ids. */
  private readonly hidingByRange = new Map<number, number>();
  /** Users who are notified of every message to their channels by mail or push, unless they chose otherwise for one. */
  readonly toldOfChannels = new Set<number>();
  /** Users to whom clients show a notice of every message to their channels, unless they chose otherwise for one. */
  readonly shownChannels = new Set<number>();
  /** Called when the batching period of a user's mails about messages changed, or that was taken back. */
  onPeriodChange: (userId: number) => void = () => undefined;

  constructor(recorder: Recorder) {
    super('user_settings', recorder);
  }

  /** Whether a user in a range of ids restricts the visibility of their address. */
  hidesAddresses(range: number): boolean {
    return (this.hidingByRange.get(range) ?? 0) > 0;
  }

  protected override reindex(previous?: UserSettingsDocument, next?: UserSettingsDocument): void {
    super.reindex(previous, next);
    toggleIn(this.toldOfChannels, (next ?? previous)!.user_id, isToldOfChannels(next));
    const isShown = next?.enable_stream_desktop_notifications === true;
    toggleIn(this.shownChannels, (next ?? previous)!.user_id, isShown);
    if (previous?.[PERIOD] !== next?.[PERIOD]) this.onPeriodChange((next ?? previous)!.user_id);
    const more = Number(hidesAddress(next)) - Number(hidesAddress(previous));
    if (more === 0) return;
    const range = rangeOf((next ?? previous)!.user_id);
    this.hidingByRange.set(range, (this.hidingByRange.get(range) ?? 0) + more);
  }

  /** The effective value of one setting. */
  value<K extends keyof UserSettings>(userId: number, name: K): UserSettings[K] {
    const own = this.get(userId)?.[name];
    return (own === undefined ? DEFAULT_USER_SETTINGS[name] : own) as UserSettings[K];
  }

  /** All settings of a user, defaults filled in. */
  effective(userId: number): UserSettings {
    const stored = this.get(userId);
    if (!stored) return DEFAULT_USER_SETTINGS;
    const { user_id: _user, edited: _edited, ...own } = stored;
    return { ...DEFAULT_USER_SETTINGS, ...own };
  }
}

function hidesAddress(settings: UserSettingsDocument | undefined): boolean {
  const visibility = settings?.email_address_visibility;
  return visibility !== undefined && visibility !== DEFAULT_USER_SETTINGS.email_address_visibility;
}

function isToldOfChannels(settings: UserSettingsDocument | undefined): boolean {
  if (!settings) return false;
  // Both are off by default.
  const { enable_stream_email_notifications: mail, enable_stream_push_notifications: push } =
    settings;
  return mail === true || push === true;
}

/** Id of the document that says that one user muted another. */
export function muteId(userId: number, mutedUserId: number): string {
  return `${userId}:${mutedUserId}`;
}

const NOBODY: ReadonlySet<number> = new Set();

/** Which users muted which users, indexed by both. */
export class MutedUserCollection extends Collection<string, MutedUserDocument> {
  private readonly mutedByUser = new Map<number, Set<number>>();
  private readonly mutersByUser = new Map<number, Set<number>>();

  constructor(recorder: Recorder) {
    super('muted_user', recorder, ({ user_id, muted_user_id }) => muteId(user_id, muted_user_id));
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
      .map((id) => ({ id, timestamp: this.get(muteId(userId, id))!.timestamp }))
      .sort((a, b) => a.timestamp - b.timestamp || a.id - b.id);
  }

  protected override reindex(previous?: MutedUserDocument, next?: MutedUserDocument): void {
    const { user_id, muted_user_id } = (next ?? previous)!;
    toggle(this.mutedByUser, user_id, muted_user_id, next !== undefined);
    toggle(this.mutersByUser, muted_user_id, user_id, next !== undefined);
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

const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}_]$/u;
const BEGINS_IN_WORD = /^[\p{L}\p{N}\p{M}_]/u;
/** A sign that another one makes a longer word of (`c++`, `c+++`); emoji stand for themselves. */
const SIGN = /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Component}\s]|[#*]/u;

/**
 * Whether the word is at this position and not part of a longer one: no letter, digit or underscore is beside it, also
 * where the word itself begins or ends with another character (`c++`, `.net`), and not that sign once more.
 */
function isWholeWordAt(text: string, start: number, word: string): boolean {
  if (start < 0 || !text.startsWith(word, start)) return false;
  const end = start + word.length;
  // A character has two units at most.
  if (ENDS_IN_WORD.test(text.slice(Math.max(0, start - 2), start))) return false;
  if (BEGINS_IN_WORD.test(text.slice(end, end + 2))) return false;
  const [first, last] = [word[0]!, word[word.length - 1]!];
  if (SIGN.test(first) && text[start - 1] === first) return false;
  return !(SIGN.test(last) && text[end] === last);
}

/** A text in which equal words are equal: in lower case, letters composed with their accents. */
export function comparedWord(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Whether the word is anywhere in the text as a whole. */
function isWholeWordIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (isWholeWordAt(text, at, word)) return true;
  }
  return false;
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
    for (const entry of this.found(comparedWord(text)))
      for (const user of entry.users) found.add(user);
    return users.filter((user) => found.has(user)).sort((a, b) => a - b);
  }

  private *found(text: string): Iterable<AlertWord> {
    for (const match of text.matchAll(TOKEN)) {
      for (const entry of this.byToken.get(match[0]) ?? []) {
        if (isWholeWordAt(text, match.index - entry.offset, entry.word)) yield entry;
      }
    }
    for (const entry of this.symbols) if (isWholeWordIn(text, entry.word)) yield entry;
  }

  protected override reindex(previous?: AlertWordsDocument, next?: AlertWordsDocument): void {
    for (const word of previous?.words ?? []) this.unindex(comparedWord(word), previous!.user_id);
    for (const word of next?.words ?? []) this.index(comparedWord(word), next!.user_id);
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
