import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ApiClient, WireEvent } from './harness/client.js';
import { startOrganization } from './harness/organization.js';
import { scaled, seeded, seedOfRun } from './harness/scale.js';

const ROUNDS = scaled(4, 20);
const QUEUES = 200;
const WRITERS = 8;
/** A round lasts between these, milliseconds. */
const SHORTEST = 200;
const LONGEST = 1200;

/** A client that polls one queue at full speed and keeps what it saw across crashes. */
class Poller {
  /** Event ids in the order they came. */
  readonly ids: number[] = [];
  /** Message ids by how often they came. */
  readonly messages = new Map<number, number>();
  private cursor: number;
  private polling: Promise<void> | undefined;

  constructor(
    readonly queueId: string,
    cursor: number,
  ) {
    this.cursor = cursor;
  }

  /** Polls until the server is gone. A refusal other than a broken connection is kept. */
  start(client: ApiClient): void {
    this.polling = this.run(client);
  }

  refusal: string | undefined;

  async stopped(): Promise<void> {
    await this.polling;
  }

  /** Takes events until one carries the given message. */
  async catchUp(client: ApiClient, messageId: number): Promise<void> {
    while (!this.messages.has(messageId)) await this.once(client);
  }

  private async run(client: ApiClient): Promise<void> {
    for (;;) {
      try {
        await this.once(client);
      } catch (error) {
        const text = String(error);
        if (text.includes('GET /events')) this.refusal = text;
        return;
      }
    }
  }

  private async once(client: ApiClient): Promise<void> {
    for (const event of await client.poll(this.queueId, this.cursor)) this.take(event);
  }

  private take(event: WireEvent): void {
    this.ids.push(event.id);
    this.cursor = Math.max(this.cursor, event.id);
    if (event.type !== 'message') return;
    const { id } = event.message as { id: number };
    this.messages.set(id, (this.messages.get(id) ?? 0) + 1);
  }
}

interface Written {
  /** Messages whose request was answered. */
  readonly acknowledged: Map<number, string>;
}

/** Sends messages one after the other until the server is gone. */
async function write(client: ApiClient, name: string, written: Written): Promise<void> {
  for (let i = 0; ; i++) {
    const content = `${name} ${i}`;
    try {
      written.acknowledged.set(await client.say(content), content);
    } catch {
      return;
    }
  }
}

/** All messages of the organization that the user can read, by id. */
async function readAll(client: ApiClient): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (let anchor = 0; ;) {
    const page = await client.ok('GET', '/messages', {
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

void t.test(`${ROUNDS} crashes lose nothing that was acknowledged`, async (t) => {
  const seed = seedOfRun();
  const random = seeded(seed);
  t.comment(`seed ${seed} (PARLEY_TEST_SEED), ${QUEUES} pollers, ${WRITERS} writers`);
  const organization = await startOrganization(t);
  let { server } = organization;
  const people = [organization.owner, organization.hamlet, organization.iago];
  const before = await organization.owner.say('before any queue');
  const owners = Array.from({ length: QUEUES }, (_, i) => people[i % people.length]!);
  const pollers = await Promise.all(
    owners.map(async (client, i) => {
      // Half of them get everything; the others messages only.
      const types = i % 2 === 0 ? {} : { event_types: ['message'] };
      const queue = await client.register({ ...types, fetch_event_types: [] });
      return new Poller(queue.queue_id, queue.last_event_id);
    }),
  );
  const written: Written = { acknowledged: new Map() };

  for (let round = 1; round <= ROUNDS; round++) {
    pollers.forEach((poller, i) => poller.start(owners[i]!.at(server.url)));
    const writing = Array.from({ length: WRITERS }, (_, i) =>
      write(people[i % people.length]!.at(server.url), `${round}.${i}`, written),
    );
    await pause(SHORTEST + random() * (LONGEST - SHORTEST));
    await server.kill();
    await Promise.all([...writing, ...pollers.map((poller) => poller.stopped())]);

    server = await server.restart(t);
    const marker = await organization.owner.at(server.url).say(`end of round ${round}`);
    written.acknowledged.set(marker, `end of round ${round}`);
    await Promise.all(
      pollers.map((poller, i) => poller.catchUp(owners[i]!.at(server.url), marker)),
    );

    const stored = await readAll(organization.hamlet.at(server.url));
    const lost = [...written.acknowledged].filter(([id, text]) => stored.get(id) !== text);
    t.same(lost, [], `round ${round}: each of ${written.acknowledged.size} messages is there`);
    t.same(
      pollers.map((poller) => poller.refusal).filter((refusal) => refusal !== undefined),
      [],
      'no queue was refused',
    );
    const expected = [...stored.keys()].filter((id) => id > before);
    checkPollers(t, pollers, expected, round);
  }
  t.comment(`${written.acknowledged.size} messages acknowledged`);
});

function checkPollers(
  t: Test,
  pollers: readonly Poller[],
  expected: readonly number[],
  round: number,
): void {
  const stored = new Set(expected);
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
  t.equal(missed, 0, `round ${round}: no queue missed an event`);
  t.equal(vanished, 0, 'no queue saw a message that the crash undid');
  t.equal(repeated, 0, 'no queue saw a message twice');
  t.equal(disordered, 0, 'ids increase strictly within each queue');
}
