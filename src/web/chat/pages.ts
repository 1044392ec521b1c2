import { ParleyError, type Client, type Message } from '../../client/index.js';
import { say } from './say.js';
import type { Asked } from './search/asked.js';
import { addressOf, isConversation, isIn, type View } from './view.js';

/** Messages that one request brings: more than a tall screen shows. */
const PAGE_SIZE = 50;
/** Messages that are drawn at once: some 15 ms, so that scrolling does not stop for a page. */
const STEP = 12;
/** Messages above the one that is looked for, in the first step: they fill the screen above it. */
const STEP_ABOVE = 4;
/** Views whose messages are kept; the one seen longest ago is forgotten. */
const MOST_PAGES = 30;

/** What is loaded of a view: a stretch of its messages, without gaps. */
export interface Page {
  readonly view: View;
  /** Ascending. */
  readonly ids: readonly number[];
  readonly hasOldest: boolean;
  readonly hasNewest: boolean;
  readonly loading: boolean;
  readonly error?: string;
  /** The first message that was unread when the view was opened: a line stands above it. */
  readonly newFrom?: number;
  /** The message that is kept in sight until the reader moves. */
  readonly target?: number;
  /** Came while the newest were being loaded. */
  readonly late: readonly number[];
}

/** Where a view is opened. */
export interface Place {
  /** The message to show; absent: the newest. */
  readonly target?: number;
  readonly newFrom?: number;
}

/** Where a reader is in the view that is shown. */
export interface Standing {
  isAtBottom: boolean;
  /** The message at the top of what is seen; undefined at the bottom. */
  readonly place: number | undefined;
}

/** The messages of views, loaded in pages from one of them in both directions. */
export class Pages {
  readonly messages = new Map<number, Message>();
  private readonly pages = new Map<string, Page>();
  /** How often all was forgotten: what was asked for before is of no use. */
  private cleared = 0;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
    /** Which messages a view shows. */
    private readonly asked: (view: View) => Promise<Asked>,
  ) {}

  of(view: View): Page | undefined {
    return this.pages.get(addressOf(view));
  }

  /** Shows a view at a place, and loads what lacks there. */
  open(view: View, place: Place = {}): void {
    const address = addressOf(view);
    const page = this.pages.get(address);
    this.pages.delete(address);
    const { target } = place;
    const isThere =
      page?.error === undefined &&
      (target === undefined ? page?.hasNewest : page?.ids.includes(target));
    if (page && isThere) {
      this.pages.set(address, { ...page, newFrom: undefined, target: undefined, ...place });
      return this.changed();
    }
    // The newest are complete by the events that come meanwhile.
    const hasNewest = target === undefined;
    const empty = { ids: [], late: [], hasOldest: false, loading: false };
    this.pages.set(address, { view, ...empty, hasNewest, ...place });
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) break;
      this.pages.delete(oldest);
    }
    if (target === undefined) this.load(view, 'newest', PAGE_SIZE, 0);
    else this.load(view, target, PAGE_SIZE / 2, PAGE_SIZE / 2);
  }

  /** Loads what comes before the oldest message. */
  older(view: View): void {
    const page = this.of(view);
    if (!page || page.loading || page.hasOldest || page.ids.length === 0) return;
    this.load(view, page.ids[0]!, PAGE_SIZE, 0);
  }

  /** Loads what comes after the last message. */
  newer(view: View): void {
    const page = this.of(view);
    if (!page || page.loading || page.hasNewest || page.ids.length === 0) return;
    this.load(view, page.ids.at(-1)!, 0, PAGE_SIZE);
  }

  /** The reader moved: nothing is kept in sight any more. */
  settle(view: View): void {
    const page = this.of(view);
    if (page?.target !== undefined) this.pages.set(addressOf(view), { ...page, target: undefined });
  }

  /** Draws the line above a message. */
  markNew(view: View, newFrom: number): void {
    this.update(addressOf(view), { newFrom });
  }

  /** Forgets all: events were missed, or messages have moved. */
  clear(): void {
    this.cleared += 1;
    this.pages.clear();
    this.messages.clear();
  }

  /** Adds a message that has just been sent to the views that show it. */
  add(message: Message, me: number): void {
    let isShown = false;
    for (const [address, page] of this.pages) {
      if (!isIn(page.view, message, me) || page.ids.includes(message.id)) continue;
      if (page.hasNewest) this.pages.set(address, { ...page, ids: [...page.ids, message.id] });
      else if (page.loading) this.pages.set(address, { ...page, late: [...page.late, message.id] });
      else continue;
      isShown = true;
    }
    if (isShown) this.messages.set(message.id, message);
  }

  /** Changes a message, where it is loaded. */
  change(id: number, change: (message: Message) => Partial<Message>): void {
    const message = this.messages.get(id);
    if (message) this.messages.set(id, { ...message, ...change(message) });
  }

  remove(ids: readonly number[]): void {
    const gone = new Set(ids);
    const left = (all: readonly number[]) => all.filter((id) => !gone.has(id));
    for (const id of ids) this.messages.delete(id);
    for (const [address, page] of this.pages) {
      this.pages.set(address, { ...page, ids: left(page.ids), late: left(page.late) });
    }
  }

  private load(view: View, anchor: number | 'newest', before: number, after: number): void {
    const address = addressOf(view);
    const { cleared } = this;
    this.update(address, { loading: true });
    const isFresh = this.of(view)!.ids.length === 0;
    const asking = async () => {
      const asked = await this.asked(view);
      const isDated = anchor === 'newest' && asked.before !== undefined;
      const reply = await this.client.call('GET /messages', {
        ...(isDated
          ? { anchor: 'date', anchor_date: new Date(asked.before * 1000).toISOString() }
          : { anchor: String(anchor) }),
        num_before: before,
        num_after: after,
        include_anchor: isFresh && !isDated,
        narrow: asked.narrow,
        allow_empty_topic_name: true,
        client_gravatar: false,
      });
      return { ...asked, ...reply };
    };
    asking().then(
      ({ messages: all, found_oldest, found_newest, after: since = 0 }) => {
        if (this.cleared !== cleared) return;
        const messages = all.filter(({ timestamp }) => timestamp >= since);
        const isAll = found_oldest === true || messages.length < all.length;
        const done = {
          loading: false,
          ...(before > 0 ? { hasOldest: isAll } : {}),
          ...(after > 0 ? { hasNewest: found_newest === true } : {}),
        };
        const start = anchor === 'newest' ? messages.length : firstAt(messages, anchor);
        void this.put(address, messages, start, done);
      },
      (error: Error) => this.update(address, { loading: false, error: wordsOf(error, view) }),
    );
  }

  /** Adds messages step by step, from one of them on. @param done what holds then */
  private async put(
    address: string,
    messages: readonly Message[],
    start: number,
    done: Partial<Page>,
  ): Promise<void> {
    const { cleared } = this;
    for (const step of stepsFrom(messages, start)) {
      for (const message of step) this.messages.set(message.id, message);
      this.extend(
        address,
        step.map(({ id }) => id),
      );
      await new Promise((resolve) => setTimeout(resolve));
      if (this.cleared !== cleared) return;
    }
    if (done.hasNewest) this.extend(address, this.pages.get(address)?.late ?? []);
    this.update(address, { ...done, late: [] });
  }

  private extend(address: string, more: readonly number[]): void {
    const ids = new Set([...(this.pages.get(address)?.ids ?? []), ...more]);
    this.update(address, { ids: [...ids].sort((a, b) => a - b) });
  }

  private update(address: string, change: Partial<Page>): void {
    const page = this.pages.get(address);
    if (!page) return;
    this.pages.set(address, { ...page, error: undefined, ...change });
    this.changed();
  }
}

function wordsOf(error: Error, view: View): string {
  const isRefused = error instanceof ParleyError && error.status === 400;
  const isUnknown = isRefused && isConversation(view);
  return isUnknown ? say('error.no-conversation') : error.message;
}

/** Index of the first message from an id on. */
function firstAt(messages: readonly Message[], id: number): number {
  const index = messages.findIndex((one) => one.id >= id);
  return index < 0 ? messages.length : index;
}

/** Messages around an index, then those below, then those above, a few at a time. */
function* stepsFrom(messages: readonly Message[], start: number): Generator<readonly Message[]> {
  const { length } = messages;
  let low = Math.max(0, Math.min(start - STEP_ABOVE, length - STEP));
  let high = low + STEP;
  yield messages.slice(low, high);
  for (; high < length; high += STEP) yield messages.slice(high, high + STEP);
  for (; low > 0; low -= STEP) yield messages.slice(Math.max(0, low - STEP), low);
}
