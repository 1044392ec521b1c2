import type { Test } from 'tap';
import { ApiClient, type Snapshot, type WireEvent } from './client.js';
import { QueueReader } from './queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD } from './server.js';

/** Newest numbers that anybody has seen. */
interface Newest {
  event: number;
  message: number;
  draft: number;
  presence: number;
}

/**
 * A client that was away while the store went back, with all it had seen before: its queue must be gone,
 * not silently behind, and nothing may be numbered again.
 */
export class SeenBefore {
  private readonly newest: Newest = { event: 0, message: 0, draft: 0, presence: 0 };

  private constructor(
    private owner: ApiClient,
    private reader: QueueReader,
    private readonly idle: Snapshot,
  ) {}

  static async begin(url: string): Promise<SeenBefore> {
    const owner = await ApiClient.login(url, OWNER_EMAIL, OWNER_PASSWORD);
    const idle = await owner.register();
    return new SeenBefore(owner, await QueueReader.open(owner), idle);
  }

  /** Changes something of everything, and sees all of it. */
  async live(text: string): Promise<void> {
    const { owner, newest } = this;
    newest.message = await owner.say(text);
    const drafts = JSON.stringify([
      { type: 'stream', to: [1], topic: 'x', content: text, timestamp: 1_600_000_000 },
    ]);
    const { ids } = await owner.ok('POST', '/drafts', { drafts });
    newest.draft = (ids as number[])[0]!;
    newest.presence = await this.presence(-1);
    const isLast = (event: WireEvent): boolean =>
      event.type === 'message' && (event.message as { id: number }).id === newest.message;
    await this.reader.until(isLast);
    newest.event = this.reader.cursor;
  }

  /** Goes on with the same queue: nothing has happened to the history. */
  async goesOn(t: Test, url: string, text: string): Promise<void> {
    this.owner = this.owner.at(url);
    this.reader.move(this.owner);
    await this.live(text);
    t.pass(`${text}: the same queue goes on`);
  }

  /** Comes back after the store went back, and begins anew. */
  async comesBack(t: Test, url: string, text: string): Promise<void> {
    const before = { ...this.newest };
    this.owner = this.owner.at(url);
    const { owner, reader, idle } = this;
    const gone = [
      [reader.queueId, reader.cursor],
      [idle.queue_id, idle.last_event_id],
    ] as const;
    for (const [queue_id, last_event_id] of gone) {
      const parameters = { queue_id, last_event_id, dont_block: true };
      t.match(
        await owner.call('GET', '/events', parameters),
        { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID', queue_id } },
        `${text}: a queue of the former history is gone`,
      );
    }
    const stale = await owner.ok('POST', '/users/me/presence', {
      status: 'idle',
      last_update_id: before.presence,
    });
    t.ok(
      `${owner.userId}` in (stale.presences as object),
      `${text}: an old presence cursor gets everything`,
    );
    const snapshot = await owner.register();
    this.reader = QueueReader.from(owner, snapshot);
    await this.live(text);
    for (const name of ['message', 'draft'] as const) {
      t.ok(this.newest[name] > before[name], `${text}: no ${name} id is given twice`);
    }
    t.ok(this.newest.presence >= before.presence);
    const { event, message } = this.newest;
    t.ok(event < 10_000, `${text}: event ids begin anew, each in its queue`);
    t.ok(message < 2 ** 30, `${text}: clients read message ids in 32 bits`);
    Object.assign(this.idle, await owner.register());
  }

  private async presence(last: number): Promise<number> {
    const parameters = { status: 'active', last_update_id: last };
    const reply = await this.owner.ok('POST', '/users/me/presence', parameters);
    return Number(reply.presence_last_update_id);
  }
}
