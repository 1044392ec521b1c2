import type { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { Organization } from './organization.js';

/** When others are to run in between. */
export type Pause = Pick<EventLoopYield, 'isDue' | 'take'>;

/** A part of a snapshot that takes long: it is made in stretches before the transaction that shows it. */
export interface PreparedPart {
  /** Whether it needs little more than to be shown. */
  readonly isReady: boolean;
  /** Makes it; it is not ready afterwards where too much has changed meanwhile. */
  prepare(pause: Pause): Promise<void>;
}

/** How often a part is begun anew because something has changed; afterwards its transaction makes it as a whole. */
const MAX_PASSES = 4;

/** Prepares parts until all are ready. */
export async function prepareAll(parts: readonly PreparedPart[], pause: Pause): Promise<void> {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const missing = parts.filter(({ isReady }) => !isReady);
    if (missing.length === 0) return;
    for (const part of missing) await part.prepare(pause);
  }
}

/** What steps make, others served in between; null where the moment has passed. */
export async function inTurns<T>(
  steps: Generator<void, T>,
  moment: SnapshotMoment,
  pause: Pause,
): Promise<T | null> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (!pause.isDue) continue;
    await pause.take();
    if (!moment.isPresent) return null;
  }
}

/** What steps make, at once. */
export function allAtOnce<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** What a channel shows by time, such as its traffic, is of the same minute. */
const MINUTE_MS = 60_000;

/** Messages that may come between the two: more take longer than to begin anew is worth. */
const MAX_NEWER = 1000;

/**
 * SnapshotMoment tells whether what a user sees of channels and messages is still what it was, but for messages that
 * have come: long parts of a snapshot are made in stretches before the transaction that shows them.
 */
export class SnapshotMoment {
  private readonly versions: readonly unknown[];
  private newest: number;

  constructor(
    private readonly org: Organization,
    private readonly userId: number,
  ) {
    this.versions = this.now();
    this.newest = org.messages.index.columns.lastId;
  }

  /** The newest message at this moment, or 0. */
  get newestId(): number {
    return this.newest;
  }

  /** Whether nothing but messages has come since. */
  get isPresent(): boolean {
    if (this.org.messages.index.columns.lastId - this.newest > MAX_NEWER) return false;
    const { versions } = this;
    return this.now().every((version, i) => version === versions[i]);
  }

  /** The messages that have come since, ascending; deleted ones may be among them. */
  newer(): number[] {
    const { lastId } = this.org.messages.index.columns;
    return Array.from({ length: lastId - this.newest }, (_, i) => this.newest + 1 + i);
  }

  /** As {@link newer}, once: they count as there from now on. */
  takeNewer(): number[] {
    const found = this.newer();
    this.newest += found.length;
    return found;
  }

  private now(): readonly unknown[] {
    const { org, userId } = this;
    return [
      Math.floor(org.now() / MINUTE_MS),
      org.users.version,
      org.groups.version,
      org.realm.version,
      org.waitingPeriod.version,
      org.channels.version,
      org.messages.rewritten,
      org.settings.get(userId),
      org.subscriptions.ofEach.of(userId),
      org.readState.ofEach.of(userId),
      org.userTopics.ofEach.of(userId),
    ];
  }
}
