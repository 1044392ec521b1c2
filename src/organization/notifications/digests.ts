import { setImmediate } from '../../platform/timers.js';
import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { DigestRoundDocument } from '../../../schemas/notifications/digest-round-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  MAX_DIGEST_MESSAGES,
  MAX_WAITING_DIGESTS,
  MAX_WAITING_MESSAGE_MAILS,
} from '../../../schemas/limits.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { queueMail } from '../mail/delivery.js';
import { lastSeen, RECORD_EVERY_SECONDS } from '../state/collections/presences.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import { RANGE_SIZE } from '../state/user-collections.js';
import { DigestWeek, type DigestMatter } from './digest-topics.js';
import type { NotificationLog } from './missed-message-mails.js';
import { isStoreAway } from '../../store/port.js';
import { inBackground } from '../../turns/background.js';
import { NEVER, NOW } from '../state/scheduled/next-due.js';

/** Digests are sent from this hour of UTC on. */
const HOUR = 9;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Users who were here within so many days know what is going on. */
const AWAY_SECONDS = 5 * 86_400;
/** Days that a digest covers. */
const TOLD_SECONDS = 7 * 86_400;
/** Mails that one transaction queues. */
const MAILS_AT_ONCE = 10;
/** Pause where as many mails wait as may, milliseconds. */
const PACE_MS = 1000;
/** Pause where the store is failing, or mails do not get away. */
const PAUSE_MS = 30_000;

const HOURLY = 'hour';
const WAKE_UP = 'again';

/** Dependencies of {@link Digests}. */
interface DigestsOptions {
  /** Keys of its own, by the wall clock. */
  readonly wheel: Deadlines;
  readonly log: NotificationLog;
}

/** A user who gets a digest. */
interface Told {
  readonly user_id: number;
  readonly matter: DigestMatter;
}

/**
 * Digests queues, once a week, a mail for everybody who was not here for some days. A round goes through the users by
 * their ids; its document says how far it has come, and changes in the transaction that queues the mails, so that
 * nobody gets it twice or left out, whatever is killed. It runs on the leader, and the next one goes on with the round.
 */
export class Digests {
  private running = false;
  private stopped = false;
  /** What the digests may show, during a round. */
  private week: { readonly day: number; readonly of: DigestWeek } | null = null;

  constructor(
    private readonly runtime: Transactor,
    private readonly options: DigestsOptions,
  ) {}

  /** Begins or continues a round on the day for it; checks again at every full hour. */
  start(): void {
    this.armHour();
    this.wake();
  }

  /** Begins nothing any more. */
  stop(): void {
    this.stopped = true;
    this.week = null;
  }

  /** When the next round is due, where there will be anything to tell. */
  nextDue(): number {
    const { org } = this;
    if (this.running || this.options.wheel.has(WAKE_UP)) return NOW;
    const next = nextRound(org);
    const last = org.digestRound.get('digest_round');
    if (last && !last.ended && next < NEVER) return NOW;
    const since = Math.max(next - TOLD_SECONDS * 1000, (last?.at ?? 0) * 1000);
    return newestMatter(org) > since ? next : NEVER;
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  /**
   * The day whose digests are due: of a round that has not ended, since its messages are in no later one; else today,
   * if it is one of digests.
   */
  private get day(): number | null {
    const { org } = this;
    const round = org.digestRound.get('digest_round');
    if (!round || round.ended || !sendsDigests(org)) return dayOf(org);
    const age = Math.floor(org.now() / DAY_MS) - round.day;
    return age >= 0 && age < 7 ? round.day : dayOf(org);
  }

  private armHour(): void {
    const next = (Math.floor(this.org.now() / HOUR_MS) + 1) * HOUR_MS;
    this.options.wheel.arm(HOURLY, next, () => {
      if (this.stopped) return;
      this.armHour();
      this.wake();
    });
  }

  private wake(): void {
    if (this.running || this.stopped) return;
    if (this.day === null) {
      this.week = null;
      return;
    }
    this.running = true;
    setImmediate(() =>
      inBackground(
        () => this.run(),
        (error) => this.failed(error),
      ),
    );
  }

  private failed(error: unknown): void {
    this.options.log.warn({ err: error }, 'digests could not be made');
  }

  private async run(): Promise<void> {
    try {
      while (!this.stopped && (await this.mailSome())) {
        // One transaction at a time: what waits for the store stays little.
        await this.runtime.journal.barrier();
      }
    } catch (error) {
      this.later(PAUSE_MS);
      if (!isStoreAway(error)) this.failed(error);
    } finally {
      this.running = false;
      if (!this.options.wheel.has(WAKE_UP)) this.week = null;
    }
  }

  private later(ms: number): void {
    if (!this.stopped) this.options.wheel.arm(WAKE_UP, this.org.now() + ms, () => this.wake());
  }

  /** @returns whether there may be more to do */
  private async mailSome(): Promise<boolean> {
    const { day } = this;
    if (day === null || this.options.wheel.has(WAKE_UP)) return false;
    const round = this.org.digestRound.get('digest_round');
    // The clock was set back, or this day's are done.
    if (round && (round.day > day || (round.day === day && round.ended))) return false;
    if (round?.day !== day) {
      this.runtime.transact((tx) => begin(tx, day));
      return true;
    }
    const wait = waitFor(this.org);
    if (wait > 0) {
      this.later(wait);
      return false;
    }
    if (this.week?.day !== day) {
      this.week = { day, of: await DigestWeek.of(this.org, round) };
      if (this.stopped) return false;
    }
    return this.tellSome(round, this.week.of);
  }

  private async tellSome(round: DigestRoundDocument, week: DigestWeek): Promise<boolean> {
    const { org } = this;
    const pause = new EventLoopYield();
    const found: Told[] = [];
    const end = org.users.ranges * RANGE_SIZE;
    let after = round.after;
    while (after < end && found.length < MAILS_AT_ONCE) {
      after += 1;
      const user = org.users.get(after);
      const matter = user && getsDigest(org, user) ? week.for(org, user) : null;
      if (matter) found.push({ user_id: after, matter });
      if (!pause.isDue) continue;
      await pause.take();
      if (this.stopped) return false;
    }
    const ended = after >= end;
    this.runtime.transact((tx) => tell(tx, round, found, { after, ended }));
    if (ended) this.options.log.info({ day: round.day }, 'all digests of this week are queued');
    return !ended;
  }
}

/** Whether a user gets digests, and has not been here lately. */
export function getsDigest(org: Organization, user: UserDocument): boolean {
  if (!user.is_active || user.is_bot || user.is_system_bot) return false;
  if (user.is_email_unverified === true) return false;
  if (!org.settings.value(user.user_id, 'enable_digest_emails')) return false;
  const { user_id, date_joined } = user;
  // Further requests within a day are not recorded.
  const request = (org.activities.get(user_id)?.active_at ?? -Infinity) + RECORD_EVERY_SECONDS;
  const seen = Math.max(request, lastSeen(org.presences.get(user_id)), date_joined / 1000);
  return seen <= org.now() / 1000 - AWAY_SECONDS;
}

/** Whether the organization has digests at all. */
export function sendsDigests(org: Organization): boolean {
  return !org.realm.isDeactivated && org.realm.current.digest_emails_enabled;
}

/** The day of UTC, days since 1970, where it is one of digests and late enough; else null. */
function dayOf(org: Organization): number | null {
  const now = org.now();
  const day = Math.floor(now / DAY_MS);
  if (!sendsDigests(org) || now - day * DAY_MS < HOUR * HOUR_MS) return null;
  // 1970 began with a Thursday.
  return (day + 3) % 7 === org.realm.current.digest_weekday ? day : null;
}

/** When the next round of digests begins, which may be one whose time has come; never where there are none. */
function nextRound(org: Organization): number {
  if (!sendsDigests(org)) return NEVER;
  const today = Math.floor(org.now() / DAY_MS);
  const last = org.digestRound.get('digest_round');
  const first = last?.day === today && last.ended ? today + 1 : today;
  const wait = (org.realm.current.digest_weekday - ((first + 3) % 7) + 7) % 7;
  return (first + wait) * DAY_MS + HOUR * HOUR_MS;
}

/** When the newest thing came that a digest may tell of, milliseconds since 1970. */
function newestMatter({ messages, channels }: Organization): number {
  const { columns } = messages.index;
  const { length } = columns;
  let newest = length === 0 ? -Infinity : columns.rowAt(length - 1).timestamp;
  for (const { date_created } of channels.values()) newest = Math.max(newest, date_created);
  return newest * 1000;
}

/** How long no mails may be added, milliseconds. */
function waitFor({ mails }: Organization): number {
  if (mails.size >= MAX_WAITING_MESSAGE_MAILS) return PAUSE_MS;
  let untried = 0;
  for (const { attempts } of mails.values()) {
    if (attempts === 0 && ++untried >= MAX_WAITING_DIGESTS) return PACE_MS;
  }
  return 0;
}

function begin({ org, now }: Transaction, day: number): void {
  const before = org.digestRound.get('digest_round');
  const { columns } = org.messages.index;
  const at = Math.floor(now / 1000);
  const since = Math.max(at - TOLD_SECONDS, before?.at ?? 0);
  const newest = columns.length - MAX_DIGEST_MESSAGES;
  const oldest = newest > 0 ? columns.rowAt(newest).id : 0;
  org.digestRound.insert({
    day,
    at,
    since,
    first_message: Math.max(columns.firstIdAtTime(since), oldest, (before?.last_message ?? 0) + 1),
    last_message: columns.lastId,
    after: 0,
    ended: false,
  });
}

function tell(
  tx: Transaction,
  { day, first_message, last_message }: DigestRoundDocument,
  told: readonly Told[],
  progress: Pick<DigestRoundDocument, 'after' | 'ended'>,
): void {
  if (tx.org.digestRound.get('digest_round')?.day !== day) return;
  for (const { user_id, matter } of told) {
    const user = tx.org.users.get(user_id);
    if (!user?.is_active) continue;
    queueMail(tx, user.email, { kind: 'digest', user_id, first_message, last_message, ...matter });
  }
  tx.org.digestRound.update('digest_round', progress);
}
