import { ParleyError, type Client, type Params } from '../../client/index.js';
import { pauseBefore } from '../../client/pauses.js';
import { addressOf, type View } from './view.js';

/** A message that was written and has not come back as an event. */
export interface Outgoing {
  readonly localId: string;
  readonly view: View;
  readonly content: string;
  /** Why the server refused it. */
  readonly refusal?: string;
}

/** Longest pause before a message that got no answer is sent again. Milliseconds. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Sends messages until the server has them. Each is sent again under its local id, by which the server knows it, so
 * a connection that breaks or a server that is killed neither loses nor doubles one.
 */
export class Outbox {
  private readonly messages = new Map<string, Outgoing>();
  private counter = Date.now();

  constructor(
    private readonly client: Client,
    private readonly queueId: () => string,
    private readonly changed: () => void,
  ) {
    // The browser asks before it closes a page that still has something to send.
    addEventListener('beforeunload', (event) => {
      if (this.messages.size > 0) event.preventDefault();
    });
  }

  get isEmpty(): boolean {
    return this.messages.size === 0;
  }

  of(view: View): Outgoing[] {
    const address = addressOf(view);
    return [...this.messages.values()].filter((one) => addressOf(one.view) === address);
  }

  send(view: View, content: string): void {
    const localId = String(this.counter++);
    this.messages.set(localId, { localId, view, content });
    this.changed();
    void this.deliver(localId, this.queueId());
  }

  /** Its event came, or the writer gave it up. */
  drop(localId: string): void {
    if (this.messages.delete(localId)) this.changed();
  }

  private async deliver(localId: string, queueId: string): Promise<void> {
    for (let failures = 0; ; failures++) {
      const outgoing = this.messages.get(localId);
      if (!outgoing) return;
      const params = { ...recipient(outgoing.view), content: outgoing.content };
      try {
        await this.client.call('POST /messages', {
          ...params,
          queue_id: queueId,
          local_id: localId,
          read_by_sender: true,
        });
        // Its event drops it, unless the queue was lost meanwhile: then the new state has the message.
        if (queueId !== this.queueId()) this.drop(localId);
        return;
      } catch (error) {
        if (error instanceof ParleyError && error.status < 500 && error.status !== 429) {
          this.messages.set(localId, { ...outgoing, refusal: error.message });
          this.changed();
          return;
        }
        const ms = pauseBefore(failures, LONGEST_PAUSE_MS, error);
        await new Promise((resolve) => setTimeout(resolve, ms));
      }
    }
  }
}

function recipient(view: View): Omit<Params<'POST /messages'>, 'content'> {
  if (view.kind === 'direct') return { type: 'direct', to: view.userIds };
  if (view.kind === 'channel') {
    return { type: 'channel', to: view.channelId, topic: view.topic ?? '' };
  }
  throw new Error(`Nothing can be sent to ${view.kind}`);
}
