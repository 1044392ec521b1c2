import type { Client } from '../../client/index.js';
import type { Pages } from './pages.js';

/** The newest messages of conversations that nobody has opened yet; loaded when the inbox shows them. */
export class Inbox {
  /** Asked for, and on their way or gone. */
  private readonly asked = new Set<number>();

  constructor(
    private readonly client: Client,
    private readonly pages: Pages,
    private readonly changed: () => void,
  ) {}

  /** Loads what is not there, in one request. */
  load(ids: readonly number[]): void {
    const { messages } = this.pages;
    const message_ids = ids.filter((id) => !messages.has(id) && !this.asked.has(id));
    if (message_ids.length === 0) return;
    for (const id of message_ids) this.asked.add(id);
    const params = { message_ids, client_gravatar: false, allow_empty_topic_name: true };
    this.client.call('GET /messages', params).then(
      (reply) => {
        for (const one of reply.messages) {
          messages.set(one.id, one);
          this.asked.delete(one.id);
        }
        this.changed();
      },
      () => message_ids.forEach((id) => this.asked.delete(id)),
    );
  }
}
