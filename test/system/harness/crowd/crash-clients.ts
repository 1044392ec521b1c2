import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import type { ApiClient, Reply, WireEvent } from '../client.js';

/** How long a client waits that was asked to come back later. Milliseconds. */
const COME_BACK_MS = 25;

/** Tells clients to stop where they are. */
export class Whistle {
  blown = false;

  blow(): void {
    this.blown = true;
  }
}

/** A client that polls one queue at full speed and keeps what it saw across crashes. */
export class CrashPoller {
  /** Event ids in the order they came. */
  readonly ids: number[] = [];
  /** Message ids by how often they came. */
  readonly messages = new Map<number, number>();
  /** A refusal other than a broken connection or a 503. */
  refusal: string | undefined;
  private cursor: number;
  private polling: Promise<void> | undefined;

  constructor(
    readonly queueId: string,
    cursor: number,
  ) {
    this.cursor = cursor;
  }

  /** Polls until the server is gone, or the whistle is blown and a poll comes back. */
  start(client: ApiClient, whistle: Whistle): void {
    this.polling = this.run(client, whistle);
  }

  async stopped(): Promise<void> {
    await this.polling;
  }

  /** Takes events until one carries the given message. */
  async catchUp(client: ApiClient, messageId: number): Promise<void> {
    while (!this.messages.has(messageId) && this.refusal === undefined) await this.once(client);
  }

  private async run(client: ApiClient, whistle: Whistle): Promise<void> {
    try {
      while (!whistle.blown && this.refusal === undefined) await this.once(client);
    } catch {
      // The connection broke.
    }
  }

  private async once(client: ApiClient): Promise<void> {
    const { status, body, text } = await client.call('GET', '/events', {
      queue_id: this.queueId,
      last_event_id: this.cursor,
    });
    if (status === 200) for (const event of body.events as WireEvent[]) this.take(event);
    else if (status === 503) await pause(COME_BACK_MS);
    else this.refusal = `${status} ${text}`;
  }

  private take(event: WireEvent): void {
    this.ids.push(event.id);
    this.cursor = Math.max(this.cursor, event.id);
    if (event.type !== 'message') return;
    const { id } = event.message as { id: number };
    this.messages.set(id, (this.messages.get(id) ?? 0) + 1);
  }
}

/** Registers queues: half of them get everything, the others messages only. */
export function registerPollers(owners: readonly ApiClient[]): Promise<CrashPoller[]> {
  return Promise.all(
    owners.map(async (client, i) => {
      const types = i % 2 === 0 ? {} : { event_types: ['message'] };
      const queue = await client.register({ ...types, fetch_event_types: [] });
      return new CrashPoller(queue.queue_id, queue.last_event_id);
    }),
  );
}

/** Sends a message to `general`, and takes whatever the answer is. */
export function post(client: ApiClient, content: string): Promise<Reply> {
  return client.call('POST', '/messages', {
    type: 'channel',
    to: 'general',
    topic: 'test',
    content,
  });
}

/**
 * Sends messages one after the other until the server is gone or the whistle is blown.
 * @param acknowledged gets those whose request was answered with success
 */
export async function writeUntilGone(
  client: ApiClient,
  name: string,
  acknowledged: Map<number, string>,
  whistle: Whistle,
): Promise<void> {
  for (let i = 0; !whistle.blown; i++) {
    const content = `${name} ${i}`;
    const reply = await post(client, content).catch(() => null);
    if (reply === null) return;
    if (reply.status === 200) acknowledged.set(Number(reply.body.id), content);
    else await pause(COME_BACK_MS);
  }
}

/** Sends a message, coming back as long as the server is not available, and returns its id. */
export async function sayInTheEnd(client: ApiClient, content: string): Promise<number> {
  for (;;) {
    const { status, body, text } = await post(client, content);
    if (status === 200) return Number(body.id);
    if (status !== 503) throw new Error(`POST /messages: ${status} ${text}`);
    await pause(COME_BACK_MS);
  }
}

/** All messages of the channel that the user can read, by id; comes back while the store has not answered in time. */
export async function readAllMessages(client: ApiClient): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (let anchor = 0; ;) {
    const page = await client.okInTheEnd('GET', '/messages', {
      anchor,
      num_before: 0,
      num_after: 5000,
      apply_markdown: false,
      narrow: [{ operator: 'channel', operand: 'general' }],
    });
    const messages = page.messages as { id: number; content: string }[];
    for (const { id, content } of messages) found.set(id, content);
    if (page.found_newest === true) return found;
    anchor = messages.at(-1)!.id + 1;
  }
}

/** What was acknowledged is there, and every queue saw each message that is there exactly once. */
export function checkRound(
  t: Test,
  round: string,
  pollers: readonly CrashPoller[],
  acknowledged: ReadonlyMap<number, string>,
  stored: ReadonlyMap<number, string>,
  /** Messages up to this one were sent before there were queues. */
  before: number,
): void {
  const lost = [...acknowledged].filter(([id, text]) => stored.get(id) !== text);
  t.same(lost, [], `${round}: each of ${acknowledged.size} messages is there`);
  t.same(
    pollers.map((poller) => poller.refusal).filter((refusal) => refusal !== undefined),
    [],
    'no queue was refused',
  );
  const expected = [...stored.keys()].filter((id) => id > before);
  let missed = 0;
  let repeated = 0;
  let vanished = 0;
  let disordered = 0;
  for (const { ids, messages } of pollers) {
    missed += expected.filter((id) => !messages.has(id)).length;
    vanished += [...messages.keys()].filter((id) => !stored.has(id)).length;
    repeated += [...messages.values()].filter((count) => count > 1).length;
    disordered += ids.filter((id, i) => i > 0 && id <= ids[i - 1]!).length;
  }
  t.equal(missed, 0, `${round}: no queue missed an event`);
  t.equal(vanished, 0, 'no queue saw a message that the crash undid');
  t.equal(repeated, 0, 'no queue saw a message twice');
  t.equal(disordered, 0, 'ids increase strictly within each queue');
}
