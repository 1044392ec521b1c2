import type { Client } from '../../../client/index.js';
import type { Pages, Standing } from '../pages.js';
import type { Unread } from '../unread.js';
import { addressOf, isConversation, narrowOf, type View } from '../view.js';
import { ReadMarks } from './read-marks.js';

/** When what is in sight is marked as read (`web_mark_read_on_scroll_policy`). */
const ONLY_CONVERSATIONS = 2;
const NEVER = 3;
/** Messages that one request marks as unread. */
const MARKED_AT_ONCE = 1000;

/** What is read, as the model of the chat has it. */
interface Shown {
  readonly client: Client;
  readonly pages: Pages;
  readonly unread: Unread;
  readonly view: View;
  readonly sight?: Standing;
  readonly settings: { readonly web_mark_read_on_scroll_policy?: number };
  changed(): void;
}

/** What was read, and where one goes on. */
export class Reading {
  readonly marks: ReadMarks;
  /** The view where nothing is marked as read until the reader leaves it. */
  held = '';

  constructor(private readonly model: Shown) {
    this.marks = new ReadMarks(model.client);
  }

  /** Whether what is in sight there is marked as read. */
  marksRead(view: View): boolean {
    const policy = this.model.settings.web_mark_read_on_scroll_policy;
    if (policy === NEVER || !isConversation(view) || this.held === addressOf(view)) return false;
    const isWholeChannel = view.kind === 'channel' && view.topic === undefined;
    return policy !== ONLY_CONVERSATIONS || !isWholeChannel;
  }

  /** Marks messages read here at once, and on the server. */
  markRead(ids: readonly number[]): void {
    const unread = ids.filter((id) => this.model.unread.has(id));
    if (unread.length === 0) return;
    this.model.unread.remove(unread);
    this.model.changed();
    this.marks.add(unread);
  }

  /** Marks what was written from a message on as unread, and marks nothing as read until the reader leaves. */
  async markUnread(view: View, id: number): Promise<void> {
    this.held = addressOf(this.model.view);
    this.marks.drop((one) => one >= id);
    if (addressOf(view) === addressOf(this.model.view)) this.model.pages.markNew(view, id);
    for (let anchor = id, isDone = false; !isDone;) {
      const reply = await this.model.client.call('POST /messages/flags/narrow', {
        anchor: String(anchor),
        include_anchor: anchor === id,
        num_before: 0,
        num_after: MARKED_AT_ONCE,
        narrow: narrowOf(view),
        op: 'remove',
        flag: 'read',
      });
      isDone = reply.found_newest || reply.last_processed_id === null;
      anchor = reply.last_processed_id ?? anchor;
    }
  }

  /** A message came that nobody saw come: what is new begins there, unless it did before. */
  markAway(view: View, id: number): void {
    const whole: View =
      view.kind === 'channel' ? { kind: 'channel', channelId: view.channelId } : view;
    for (const one of [view, whole]) {
      const page = this.model.pages.of(one);
      if (page && (page.newFrom === undefined || !this.model.unread.has(page.newFrom))) {
        this.model.pages.markNew(one, id);
      }
    }
  }

  /** Marks all of a channel or a conversation as read. */
  markAllRead(view: View): void {
    this.markRead(this.model.unread.all(view));
  }

  toFirstUnread(): void {
    const target = this.model.unread.first(this.model.view);
    if (target !== undefined) this.model.pages.open(this.model.view, { target, newFrom: target });
  }

  toNewest(): void {
    const { newFrom } = this.model.pages.of(this.model.view) ?? {};
    if (this.model.sight) this.model.sight.isAtBottom = true;
    this.model.pages.open(this.model.view, { newFrom });
  }
}
