import type { EventFeed, Event, FeedItem } from '../client/index.js';
import { inBackground } from '../turns/background.js';
import { nodePlatform } from '../platform/node-platform.js';
import type { Inbox } from './api.js';

const { timers } = nodePlatform;

/** How long a test waits for an event that does not come. Milliseconds of the machine. */
const PATIENCE_MS = 5000;
/** Events that are kept for a test that does not look. */
const MOST_EVENTS = 100_000;

/** The events of a feed, kept for a test that asks for them. */
export class FeedInbox implements Inbox {
  readonly seen: Event[] = [];
  lost = 0;
  private next_ = 0;
  private failure: Error | undefined;
  private isClosed = false;
  private told: () => void = () => undefined;

  private constructor(private readonly feed: EventFeed) {}

  /** @returns once the queue is registered. @throws ParleyError where it cannot be */
  static async open(feed: EventFeed): Promise<FeedInbox> {
    const items = feed[Symbol.asyncIterator]();
    // The snapshot.
    await items.next();
    const inbox = new FeedInbox(feed);
    inBackground(
      () => inbox.collect(items),
      (error) => inbox.ended(error),
    );
    return inbox;
  }

  next<T extends Event['type']>(type: T, within?: number): Promise<Extract<Event, { type: T }>>;
  next(accepts: (event: Event) => boolean, within?: number): Promise<Event>;
  async next(
    wanted: Event['type'] | ((event: Event) => boolean),
    within = PATIENCE_MS,
  ): Promise<Event> {
    const accepts = typeof wanted === 'string' ? ({ type }: Event) => type === wanted : wanted;
    const from = this.next_;
    const found = await this.first(accepts, within);
    if (found) return found;
    if (this.failure !== undefined) throw this.failure;
    const what = typeof wanted === 'string' ? `event ${wanted}` : 'such event';
    const came =
      this.seen
        .slice(from)
        .map(({ type }) => type)
        .join(', ') || 'nothing';
    throw new Error(`No ${what} within ${within} ms, but ${came}`);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    for (;;) {
      const found = await this.first(() => true, Infinity);
      if (!found) return;
      yield found;
    }
  }

  close(): void {
    this.isClosed = true;
    this.feed.close();
    this.told();
  }

  /** The next event that is accepted; undefined where none comes in time, or the feed has ended. */
  private async first(
    accepts: (event: Event) => boolean,
    within: number,
  ): Promise<Event | undefined> {
    let isLate = false;
    const timer =
      within === Infinity
        ? undefined
        : timers.setTimeout(() => {
            isLate = true;
            this.told();
          }, within);
    try {
      for (;;) {
        while (this.next_ < this.seen.length) {
          const event = this.seen[this.next_++]!;
          if (accepts(event)) return event;
        }
        if (isLate || this.isClosed || this.failure !== undefined) return undefined;
        await new Promise<void>((resolve) => (this.told = resolve));
      }
    } finally {
      timers.clearTimeout(timer);
    }
  }

  private async collect(items: AsyncGenerator<FeedItem>): Promise<void> {
    for (;;) {
      const result = await items.next();
      if (result.done === true) return;
      const item = result.value;
      if (item.kind === 'snapshot') this.lost += 1;
      else if (this.seen.length < MOST_EVENTS) this.seen.push(item.event);
      else throw new Error(`Nobody looked at ${MOST_EVENTS} events`);
      this.told();
    }
  }

  private ended(error: unknown): void {
    this.failure = error instanceof Error ? error : new Error(String(error));
    this.told();
  }
}
