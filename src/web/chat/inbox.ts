import type { Client, Message } from '../../client/index.js';
import { textOf } from './content.js';
import type { Pages } from './pages.js';
import { say } from './say.js';

/** Letters of a message that a line of the inbox has room for. */
const MOST_LETTERS = 160;

export interface Preview {
  readonly senderId: number;
  readonly sender: string;
  readonly picture: string | null;
  readonly text: string;
  readonly at: number;
}

/** First lines of messages, by id; loaded when the inbox shows them. */
export class Inbox {
  private readonly previews = new Map<number, Preview | null>();

  constructor(
    private readonly client: Client,
    private readonly pages: Pages,
    private readonly changed: () => void,
  ) {}

  of(id: number): Preview | null {
    const loaded = this.pages.messages.get(id);
    return loaded ? previewOf(loaded) : (this.previews.get(id) ?? null);
  }

  /** Loads what is not there, in one request. */
  load(ids: readonly number[]): void {
    const message_ids = ids.filter((id) => this.of(id) === null && !this.previews.has(id));
    if (message_ids.length === 0) return;
    for (const id of message_ids) this.previews.set(id, null);
    const params = { message_ids, client_gravatar: false, allow_empty_topic_name: true };
    this.client.call('GET /messages', params).then(
      ({ messages }) => {
        for (const one of messages) this.previews.set(one.id, previewOf(one));
        this.changed();
      },
      () => message_ids.forEach((id) => this.previews.delete(id)),
    );
  }
}

function previewOf(message: Message): Preview {
  const text = textOf(message.content);
  return {
    senderId: message.sender_id,
    sender: message.sender_full_name,
    picture: message.avatar_url,
    text: text === '' ? say('home.file') : text.slice(0, MOST_LETTERS),
    at: message.timestamp,
  };
}
