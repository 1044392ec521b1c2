import { DEFAULT_USER_SETTINGS, UserSettings } from '../../../../schemas/users/user-settings.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { nameKey } from '../../../services/text/stored-text.js';
import { release, type Recorder, Collection, addTo, removeFrom } from '../collection.js';
import { PersonalCollection, RANGE_SIZE, rangeOf } from '../user-collections.js';
import type { DefaultableSetting } from '../../../../schemas/realm/realm.js';

/** Accounts, humans and bots, active or not. */
export class UserCollection extends PersonalCollection<UserDocument> {
  private readonly byEmail = new Map<string, number>();
  /** Users by `nameKey` of their names, which need not be unique. */
  private readonly byName = new Map<string, Set<number>>();
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
    for (const user of this.namedLike(name)) {
      if (!user.is_active || user.full_name !== name || !admits(user)) continue;
      if (!found || user.user_id < found.user_id) found = user;
    }
    return found;
  }

  /** Users, active or not, whose names equal this one or look alike. */
  *namedLike(name: string): Generator<UserDocument> {
    for (const id of this.byName.get(nameKey(name)) ?? []) yield this.get(id)!;
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
    toggle(this.active, id, counts);
    toggle(this.activeGuests, id, counts && next.role === ROLE.guest);
    this.reindexInactive(id, next !== undefined && !counts);
    toggle(this.bots, id, next !== undefined && next.is_bot && !next.is_system_bot);
    toggle(this.systemBots, id, next !== undefined && next.is_system_bot);
    this.ranges = Math.max(this.ranges, rangeOf(id) + 1);
    // A new account was taken back.
    if (!next) while (this.ranges > 0 && !this.hasIn(this.ranges - 1)) this.ranges -= 1;
  }

  private reindexInactive(id: number, isInactive: boolean): void {
    const more = Number(isInactive) - Number(this.inactive.has(id));
    if (more === 0) return;
    toggle(this.inactive, id, isInactive);
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
    if (previous) removeFrom(this.byName, nameKey(previous.full_name), previous.user_id);
    if (next) addTo(this.byName, nameKey(next.full_name), next.user_id);
  }
}

/**
 * What addresses are compared by: without case. A compatibility form of a letter stays as it is, since its small letter may
 * be that of another address: the sign for kelvin becomes a k.
 */
function addressKey(email: string): string {
  return email.normalize('NFKC') === email ? email.toLowerCase() : email;
}

function toggle(set: Set<number>, id: number, wanted: boolean): void {
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
    toggle(this.toldOfChannels, (next ?? previous)!.user_id, isToldOfChannels(next));
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

const ID = 'defaults';

/** The organization's defaults for new accounts, where they differ from the server's. */
export type SettingsDefaultsDocument = Readonly<Partial<Pick<UserSettings, DefaultableSetting>>>;

/**
 * The single document of the default settings of new accounts
 * (endpoints-organization.md#change-organization).
 */
export class SettingsDefaultsCollection extends Collection<typeof ID, SettingsDefaultsDocument> {
  constructor(recorder: Recorder) {
    super('realm_user_settings_defaults', recorder, () => ID);
  }

  /** All settings of a new account, including personal ones. */
  get effective(): Readonly<UserSettings> {
    return { ...DEFAULT_USER_SETTINGS, ...this.get(ID) };
  }

  /** Changes some of the defaults. */
  change(values: SettingsDefaultsDocument): void {
    this.insert({ ...this.get(ID), ...values });
  }
}
