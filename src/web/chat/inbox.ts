import type { Client, Message } from '../../client/index.js';
import { textOf } from './content.js';
import type { Pages } from './pages.js';
import { say } from './say.js';

/** Letters of a message that a line of the inbox has room for. */
const MOST_LETTERS = 160;

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

/** What a line of the inbox shows of a message. */
export function lineOf(message: Message): string {
  const text = textOf(message.content);
  return text === '' ? say('home.file') : text.slice(0, MOST_LETTERS);
}
