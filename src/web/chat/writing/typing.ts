import type { Client } from '../../../client/index.js';
import { addressOf, type View } from '../view.js';

/** A notice that somebody types is repeated so often, and holds for a little longer. Milliseconds. */
const REPEAT_MS = 10_000;
const HOLDS_MS = 15_000;

/** Where the reader lets others see that they type. */
interface Shared {
  readonly send_private_typing_notifications?: boolean;
  readonly send_stream_typing_notifications?: boolean;
}

/** Who types where, and the reader's own notices. */
export class Typing {
  /** Users by address of the conversation. */
  private readonly typists = new Map<string, Map<number, ReturnType<typeof setTimeout>>>();
  private told: { view: View; at: number } | undefined;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
    private readonly settings: () => Shared,
  ) {}

  at(view: View): number[] {
    return [...(this.typists.get(addressOf(view))?.keys() ?? [])];
  }

  heard(view: View, userId: number, isTyping: boolean): void {
    const address = addressOf(view);
    const there = this.typists.get(address) ?? new Map<number, ReturnType<typeof setTimeout>>();
    clearTimeout(there.get(userId));
    there.delete(userId);
    if (isTyping) {
      there.set(
        userId,
        setTimeout(() => this.heard(view, userId, false), HOLDS_MS),
      );
    }
    if (there.size === 0) this.typists.delete(address);
    else this.typists.set(address, there);
    this.changed();
  }

  /** Tells the others, where the reader wants that; `isTyping` false when the text was sent or taken back. */
  tell(view: View, isTyping: boolean): void {
    const { send_private_typing_notifications, send_stream_typing_notifications } = this.settings();
    if (
      (view.kind === 'direct' && send_private_typing_notifications === false) ||
      (view.kind === 'channel' && send_stream_typing_notifications === false)
    ) {
      return;
    }
    const { told } = this;
    const isSame = told !== undefined && addressOf(told.view) === addressOf(view);
    if (isTyping && isSame && Date.now() - told.at < REPEAT_MS) return;
    if (!isTyping && !isSame) return;
    this.told = isTyping ? { view, at: Date.now() } : undefined;
    const op = isTyping ? 'start' : 'stop';
    const where =
      view.kind === 'direct'
        ? { type: 'direct' as const, to: [...view.userIds] }
        : view.kind === 'channel'
          ? { type: 'channel' as const, stream_id: view.channelId, topic: view.topic ?? '' }
          : null;
    if (where) this.client.call('POST /typing', { op, ...where }).catch(() => undefined);
  }
}
