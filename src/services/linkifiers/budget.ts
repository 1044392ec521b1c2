import { monotonicTime } from '../../platform/time.js';

/** Milliseconds that the patterns of all linkifiers together may take for one message, or one topic. */
const MAX_MS = 20;
/**
 * Characters times instructions that are always searched, some 5 ms: an ordinary message has its links also on a
 * machine that is too busy to say how long something took.
 */
const FREE_WORK = 250_000;
/** Links that linkifiers make of one message, and UTF-16 units of their addresses. */
const MAX_LINKS = 500;
const MAX_URL_UNITS = 65_536;

/**
 * What one rendering may spend on linkifiers, of all patterns and all its texts together. Patterns are searched in
 * their order; once something is spent, the rest of the message stays text.
 */
export class LinkifierBudget {
  private readonly end: number;
  private links = MAX_LINKS;
  private units = MAX_URL_UNITS;
  private work = 0;

  constructor(private readonly clock: () => number = () => monotonicTime()) {
    this.end = clock() + MAX_MS;
  }

  /** Counts a search that is to be made. @returns whether it may be */
  maySearch(work: number): boolean {
    this.work += work;
    if (this.links <= 0 || this.units <= 0) return false;
    return this.work <= FREE_WORK || this.clock() <= this.end;
  }

  /** Counts a link that was made. */
  take(url: string): void {
    this.links -= 1;
    this.units -= url.length;
  }
}
