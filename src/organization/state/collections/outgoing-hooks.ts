import type { OutgoingHookDocument } from '../../../../schemas/hooks/outgoing-hook-document.js';
import { Collection, type Recorder } from '../collection.js';

/** Messages to be told to outgoing webhooks, by id; they commit with the message. */
export class OutgoingHookCollection extends Collection<number, OutgoingHookDocument> {
  /** How many wait for each bot. */
  private readonly waiting = new Map<number, number>();
  /** Called when one is added, even if its transaction is reverted later. */
  onAppear: () => void = () => undefined;

  constructor(recorder: Recorder) {
    super('outgoing_hook', recorder, (hook) => hook.id);
  }

  /** How many wait for a bot. */
  waitingFor(botId: number): number {
    return this.waiting.get(botId) ?? 0;
  }

  protected override reindex(previous?: OutgoingHookDocument, next?: OutgoingHookDocument): void {
    if (previous) this.count(previous.bot_id, -1);
    if (next) this.count(next.bot_id, 1);
    if (!previous && next) this.onAppear();
  }

  private count(botId: number, change: number): void {
    const count = this.waitingFor(botId) + change;
    if (count === 0) this.waiting.delete(botId);
    else this.waiting.set(botId, count);
  }
}
