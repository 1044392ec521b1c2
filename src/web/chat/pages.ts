import type { Client, Message } from '../../client/index.js';
import { addressOf, isIn, narrowOf, type View } from './view.js';

/** Messages that one request brings: more than a tall screen shows. */
const PAGE_SIZE = 50;
/** Messages that are drawn at once: some 15 ms, so that scrolling does not stop for a page. */
const STEP = 12;
/** Views whose messages are kept; the one seen longest ago is forgotten. */
const MOST_PAGES = 30;

/** What is loaded of a view: the newest messages of it, without gaps. */
export interface Page {
  readonly view: View;
  /** Ascending. */
  readonly ids: readonly number[];
  readonly hasOldest: boolean;
  readonly loading: boolean;
  readonly error?: string;
}

/** The messages of views, loaded in pages from the newest backwards. */
export class Pages {
  readonly messages = new Map<number, Message>();
  private readonly pages = new Map<string, Page>();
  /** How often all was forgotten: what was asked for before is of no use. */
  private cleared = 0;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {}

  of(view: View): Page | undefined {
    return this.pages.get(addressOf(view));
  }

  /** Loads the newest messages of a view, unless they are there. */
  open(view: View): void {
    const address = addressOf(view);
    const page = this.pages.get(address);
    this.pages.delete(address);
    if (page && page.error === undefined) {
      this.pages.set(address, page);
      return;
    }
    this.pages.set(address, { view, ids: [], hasOldest: false, loading: false });
    for (const oldest of this.pages.keys()) {
      if (this.pages.size <= MOST_PAGES) break;
      this.pages.delete(oldest);
    }
    this.load(view, 'newest');
  }

  /** Loads what comes before the oldest message. */
  older(view: View): void {
    const page = this.of(view);
    if (!page || page.loading || page.hasOldest || page.ids.length === 0) return;
    this.load(view, String(page.ids[0]));
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
      this.pages.set(address, { ...page, ids: [...page.ids, message.id] });
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
    for (const id of ids) this.messages.delete(id);
    for (const [address, page] of this.pages) {
      if (!page.ids.some((id) => gone.has(id))) continue;
      this.pages.set(address, { ...page, ids: page.ids.filter((id) => !gone.has(id)) });
    }
  }

  private load(view: View, anchor: string): void {
    const address = addressOf(view);
    const { cleared } = this;
    this.update(address, { loading: true });
    this.client
      .call('GET /messages', {
        anchor,
        num_before: PAGE_SIZE,
        num_after: 0,
        include_anchor: anchor === 'newest',
        narrow: narrowOf(view),
        allow_empty_topic_name: true,
        client_gravatar: false,
      })
      .then(
        ({ messages, found_oldest }) => {
          if (this.cleared !== cleared) return;
          const done = { loading: false, hasOldest: found_oldest === true };
          void this.put(address, messages, done);
        },
        (error: Error) => this.update(address, { loading: false, error: error.message }),
      );
  }

  /** Adds messages step by step, the newest first. @param done what holds then */
  private async put(
    address: string,
    messages: readonly Message[],
    done: Partial<Page>,
  ): Promise<void> {
    const { cleared } = this;
    for (let end = messages.length; ; end -= STEP) {
      const step = messages.slice(Math.max(0, end - STEP), Math.max(0, end));
      for (const message of step) this.messages.set(message.id, message);
      const ids = [...step.map(({ id }) => id), ...(this.pages.get(address)?.ids ?? [])];
      const all = [...new Set(ids)].sort((a, b) => a - b);
      const isLast = end <= STEP;
      this.update(address, { ids: all, ...(isLast ? done : {}) });
      if (isLast) return;
      await new Promise((resolve) => setTimeout(resolve));
      if (this.cleared !== cleared) return;
    }
  }

  private update(address: string, change: Partial<Page>): void {
    const page = this.pages.get(address);
    if (!page) return;
    this.pages.set(address, { ...page, error: undefined, ...change });
    this.changed();
  }
}
