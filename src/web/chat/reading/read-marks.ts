import { ParleyError, type Client } from '../../../client/index.js';
import { pauseBefore } from '../../../client/pauses.js';

/** What is read within so long is told the server at once. Milliseconds. */
const GATHER_MS = 300;
/** Messages that one request marks. */
const MOST = 1000;
/** Longest pause before marks that got no answer are told again. Milliseconds. */
const LONGEST_PAUSE_MS = 10_000;

/** Tells the server what was read, again and again until it knows: one that is killed forgets nothing. */
export class ReadMarks {
  private readonly waiting = new Set<number>();
  private isTelling = false;

  constructor(private readonly client: Client) {}

  add(ids: readonly number[]): void {
    for (const id of ids) this.waiting.add(id);
    if (!this.isTelling) void this.tell();
  }

  /** Whether the server may not know yet that a message was read. */
  has(id: number): boolean {
    return this.waiting.has(id);
  }

  /** The reader took it back. */
  drop(isDropped: (id: number) => boolean): void {
    for (const id of this.waiting) if (isDropped(id)) this.waiting.delete(id);
  }

  private async tell(): Promise<void> {
    this.isTelling = true;
    await pause(GATHER_MS);
    let [most, failures] = [MOST, 0];
    while (this.waiting.size > 0) {
      const messages = [...this.waiting].slice(0, most);
      try {
        await this.client.call('POST /messages/flags', { messages, op: 'add', flag: 'read' });
        [most, failures] = [MOST, 0];
      } catch (error) {
        const isRefused =
          error instanceof ParleyError && error.status < 500 && error.status !== 429;
        if (!isRefused) {
          await pause(pauseBefore(failures++, LONGEST_PAUSE_MS, error));
          continue;
        }
        // One of them is gone, and with it the others are refused, who are told apart from it.
        most = Math.ceil(messages.length / 2);
        if (messages.length > 1) continue;
      }
      for (const id of messages) this.waiting.delete(id);
    }
    this.isTelling = false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
