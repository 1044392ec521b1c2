import type { Model } from '../model.js';
import type { Standing } from '../pages.js';
import { isConversation } from '../view.js';

/** Pixels from either end at which more messages are loaded, and from the bottom that count as being there. */
const LOAD_AT = 400;
const BOTTOM = 40;
/** What a message stands below the top of the list when one is led to it, as a part of its height. */
const TARGET_AT = 0.25;
/** How long a message is in sight before it counts as read: what flies past is not. Milliseconds. */
const READ_MS = 200;

/** What lies outside of the part that is seen. */
export interface Outside {
  /** Whether the newest message is out of sight. */
  readonly isAway: boolean;
  /** Where the first unread message is; null where it is in sight, or there is none. */
  readonly unread: 'above' | 'below' | null;
}

/** Keeps the place of a reader in a list of messages that grows at both ends, and notices what was in sight. */
export class Sight implements Standing {
  isAtBottom = true;
  private first: number | undefined;
  private last: number | undefined;
  private anchor: number | undefined;
  /** Where the anchor is on the screen. Pixels. */
  private top = 0;
  private looking: ReturnType<typeof setTimeout> | undefined;
  private focused: number | undefined;

  constructor(
    private readonly model: Model,
    readonly box: HTMLElement,
    private readonly onOutside: (outside: Outside) => void,
  ) {}

  get place(): number | undefined {
    return this.isAtBottom ? undefined : this.anchor;
  }

  /** After messages were drawn, or have grown. */
  drawn(): void {
    const { box } = this;
    const { view, pages } = this.model;
    const page = pages.of(view);
    const [first, last] = [page?.ids[0], page?.ids.at(-1)];
    const hasNews = page?.hasNewest === true && !page.loading && last !== this.last;
    // Who reads at the bottom sees what comes.
    if (hasNews && this.isAtBottom && this.last !== undefined) pages.settle(view);
    const target = pages.of(view)?.target;
    const row = target === undefined ? undefined : rowOf(target);
    if (row) {
      const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
      box.scrollTop += top - box.clientHeight * TARGET_AT;
      if ('near' in view && view.near === target) this.focus(row, target!);
    } else if (this.isAtBottom && page?.hasNewest !== false) box.scrollTop = box.scrollHeight;
    else if (this.first !== first && this.anchor !== undefined) {
      box.scrollTop += (topOf(this.anchor) ?? this.top) - this.top;
    }
    this.first = first;
    this.last = last;
    this.moved();
  }

  /** The reader moves by themselves: what they were led to may leave their sight. */
  released(): void {
    this.model.pages.settle(this.model.view);
  }

  /** After the place changed. */
  moved(): void {
    const { box } = this;
    const { view, pages } = this.model;
    const below = box.scrollHeight - box.scrollTop - box.clientHeight;
    this.isAtBottom = below < BOTTOM && pages.of(view)?.hasNewest !== false;
    this.anchor = this.topRow();
    this.top = topOf(this.anchor) ?? 0;
    if (box.scrollTop < LOAD_AT) pages.older(view);
    if (below < LOAD_AT) pages.newer(view);
    this.looking ??= setTimeout(() => {
      this.looking = undefined;
      this.look();
    }, READ_MS);
  }

  close(): void {
    clearTimeout(this.looking);
  }

  /** Marks what is in sight as read. A message is when its end is. */
  private look(): void {
    const { model, box } = this;
    const { view, unread } = model;
    const { top, bottom } = box.getBoundingClientRect();
    const isLooking =
      document.visibilityState === 'visible' && !document.querySelector('dialog[open]');
    const isReading = isLooking && model.reading.marksRead(view);
    const read: number[] = [];
    for (const { id, end } of this.rows()) {
      if (isReading && unread.has(id) && end > top && end <= bottom + 1) read.push(id);
    }
    if (read.length > 0) model.reading.markRead(read);
    this.onOutside({ isAway: !this.isAtBottom, unread: this.unreadAt(top, bottom) });
  }

  private unreadAt(top: number, bottom: number): Outside['unread'] {
    const { view, unread, pages } = this.model;
    const first = isConversation(view) ? unread.first(view) : undefined;
    if (first === undefined) return null;
    const [oldest = 0] = pages.of(view)?.ids ?? [];
    const place = rowOf(first)?.getBoundingClientRect();
    if (!place) return first < oldest ? 'above' : 'below';
    if (place.bottom <= top) return 'above';
    return place.top >= bottom ? 'below' : null;
  }

  private topRow(): number | undefined {
    const { top } = this.box.getBoundingClientRect();
    for (const { id, end } of this.rows()) if (end > top) return id;
    return undefined;
  }

  /** Rows of the blocks that are in sight, from above. Others are not laid out. */
  private *rows(): Generator<{ id: number; end: number }> {
    const { top, bottom } = this.box.getBoundingClientRect();
    for (const block of this.box.querySelectorAll('.block')) {
      const place = block.getBoundingClientRect();
      if (place.bottom < top) continue;
      if (place.top > bottom) return;
      for (const row of block.querySelectorAll('.message')) {
        yield {
          id: Number(row.id.slice('message-'.length)),
          end: row.getBoundingClientRect().bottom,
        };
      }
    }
  }

  private focus(row: HTMLElement, id: number): void {
    if (this.focused === id) return;
    this.focused = id;
    row.focus({ preventScroll: true });
  }
}

export function rowOf(id: number | undefined): HTMLElement | null {
  return document.getElementById(`message-${id}`);
}

function topOf(id: number | undefined): number | undefined {
  return rowOf(id)?.getBoundingClientRect().top;
}
