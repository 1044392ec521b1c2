/** The client package of src/client against a server: its promises are those of src/client/README.md. */
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import {
  Client,
  ParleyError,
  Superseded,
  type EventFeed,
  type FeedItem,
  type FeedState,
  type SocketClass,
  type Transport,
} from '../../../src/client/index.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

/** Node 20 has none of its own. */
const options = { WebSocket: WebSocket as unknown as SocketClass };
const MESSAGES = { event_types: ['message'] } as const;
const register = { event_types: [...MESSAGES.event_types] };
const TRANSPORTS: readonly Transport[] = ['socket', 'stream', 'poll'];

/** What a feed gave, for tests that wait for it. */
class Reading {
  readonly items: FeedItem[] = [];
  readonly states: FeedState[] = [];
  readonly ended: Promise<unknown>;
  private readonly waiting = new Set<() => void>();
  readonly feed: EventFeed;

  constructor(client: Client, feedOptions: Parameters<Client['events']>[0] = {}) {
    const onState = (state: FeedState): void => {
      this.states.push(state);
      this.tell();
    };
    this.feed = client.events({ register, ...feedOptions, onState });
    this.ended = this.read().then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  get texts(): string[] {
    return this.items.flatMap((item) =>
      item.kind === 'event' && item.event.type === 'message' ? [item.event.message.content] : [],
    );
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.waiting.add(resolve));
  }

  private async read(): Promise<void> {
    for await (const item of this.feed) {
      this.items.push(item);
      this.tell();
    }
  }

  private tell(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

/** A port that nobody has, for a server that comes back at the same address. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return String(port);
}

async function started(t: Test): Promise<{ server: RunningServer; client: Client }> {
  const server = await RunningServer.start(t, { args: ['--port', await freePort()] });
  const client = await Client.login(server.url, OWNER_EMAIL, OWNER_PASSWORD, options);
  return { server, client };
}

/** Sends a message until it is acknowledged, as the same one each time. */
async function send(client: Client, queueId: string, text: string): Promise<void> {
  for (;;) {
    try {
      await client.call('POST /messages', {
        type: 'channel',
        to: 'general',
        topic: 'test',
        content: text,
        queue_id: queueId,
        local_id: text,
      });
      return;
    } catch (error) {
      if (error instanceof ParleyError && error.status !== 503) throw error;
      await pause(10);
    }
  }
}

void t.test(
  'nothing is lost or doubled when the server is killed, by each transport',
  async (t) => {
    const { server, client } = await started(t);
    const readings = TRANSPORTS.map(
      (transport) =>
        new Reading(client, { register: { ...register, apply_markdown: false }, transport }),
    );
    for (const reading of readings) {
      const { feed, states, items } = reading;
      await reading.until(
        () => items.length === 1 && (feed.transport === 'poll' || states.length > 0),
      );
    }
    const sent = Array.from({ length: 60 }, (_, index) => `message ${index}`);
    const { queueId } = readings[0]!.feed.cursor!;
    for (const text of sent.slice(0, 20)) await send(client, queueId, text);
    // Killed while messages are under way, with all feeds open.
    const underWay = Promise.all(sent.slice(20, 40).map((text) => send(client, queueId, text)));
    await server.kill();
    await server.restart(t);
    for (const { feed } of readings) feed.retryNow();
    await underWay;
    for (const text of sent.slice(40)) await send(client, queueId, text);
    for (const reading of readings) {
      await reading.until(() => reading.texts.length >= sent.length);
      t.strictSame([...reading.texts].sort(), [...sent].sort(), reading.feed.transport);
      t.strictSame(reading.texts.slice(0, 20), sent.slice(0, 20), 'in order');
      t.equal(reading.items.filter(({ kind }) => kind === 'snapshot').length, 1, 'the same queue');
      reading.feed.close();
      t.equal(await reading.ended, undefined);
    }
  },
);

void t.test('a feed gives each event of its queue once, in order', async (t) => {
  const { client } = await started(t);
  const say = (text: string): Promise<unknown> =>
    client.call('POST /messages', { type: 'channel', to: 'general', topic: 'test', content: text });
  const plain = { register: { ...register, apply_markdown: false } };

  await t.test('goes on over another transport at any event', async (t) => {
    const reading = new Reading(client, plain);
    await reading.until(() => reading.states.length > 0);
    t.equal(reading.feed.transport, 'socket', 'the first that works');
    const sent: string[] = [];
    for (const transport of ['poll', 'stream', 'socket', 'stream', 'poll'] as const) {
      const text = `by ${transport} ${sent.length}`;
      sent.push(text, `${text} too`);
      await say(text);
      reading.feed.use(transport);
      await say(`${text} too`);
      await reading.until(() => reading.texts.length === sent.length);
      t.equal(reading.feed.transport, transport);
    }
    t.strictSame(reading.texts, sent);
    reading.feed.close();
  });

  await t.test('registers a queue that is gone again, and says so', async (t) => {
    for (const transport of TRANSPORTS) {
      const reading = new Reading(client, { ...plain, transport });
      await reading.until(() => reading.items.length === 1);
      await say('before');
      await reading.until(() => reading.texts.length === 1);
      const { queueId } = reading.feed.cursor!;
      await client.call('DELETE /events', { queue_id: queueId });
      await reading.until(() => reading.items.length === 3);
      const [first, , again] = reading.items;
      t.match(
        [first, again],
        [
          { kind: 'snapshot', lost: false },
          { kind: 'snapshot', lost: true },
        ],
        transport,
      );
      t.not(reading.feed.cursor!.queueId, queueId);
      await say('after');
      await reading.until(() => reading.texts.length === 2);
      t.strictSame(reading.texts, ['before', 'after']);
      reading.feed.close();
    }
  });

  await t.test(
    'resumes at a cursor, and with it the events that were not dealt with',
    async (t) => {
      const feed = client.events({ ...plain, transport: 'poll' });
      const iterator = feed[Symbol.asyncIterator]();
      await iterator.next();
      for (const text of ['one', 'two', 'three']) await say(text);
      await iterator.next();
      const second = await iterator.next();
      t.match(second.value, { event: { message: { content: 'two' } } });
      const { cursor } = feed;
      feed.close();
      const later = new Reading(client, { resume: cursor });
      await later.until(() => later.texts.length === 2);
      t.strictSame(later.texts, ['two', 'three']);
      later.feed.close();
    },
  );

  await t.test('acknowledges what it gave, on each transport', async (t) => {
    for (const transport of TRANSPORTS) {
      const reading = new Reading(client, { ...plain, transport });
      await reading.until(() => reading.items.length === 1);
      // One by one, since one acknowledgement on a stream is for 50 frames.
      for (let count = 1; count <= 51; count++) {
        await say(`${transport} ${count}`);
        await reading.until(() => reading.texts.length === count);
      }
      const { queueId } = reading.feed.cursor!;
      const waiting = async (): Promise<number> => {
        const params = { queue_id: queueId, last_event_id: -1, dont_block: true };
        return (await client.call('GET /events', params)).events.length;
      };
      await reading.until(() => reading.feed.cursor!.lastEventId > 0);
      reading.feed.close();
      await reading.ended;
      let left = await waiting();
      while (left > 1) left = await waiting();
      t.ok(left <= 1, `${transport}: ${left}`);
    }
  });

  await t.test('falls back to the stream where no socket can be opened', async (t) => {
    class Closed {
      onclose: ((event: { code: number }) => void) | null = null;
      constructor() {
        setImmediate(() => this.onclose?.({ code: 1006 }));
      }
      close(): void {}
    }
    const behind = new Client(client.url, client.credentials, {
      WebSocket: Closed as unknown as SocketClass,
    });
    const reading = new Reading(behind, plain);
    await reading.until(() => reading.states.some(({ connected }) => connected));
    t.strictSame(
      reading.states.map(({ connected, transport }) => [connected, transport]),
      [
        [false, 'socket'],
        [false, 'stream'],
        [true, 'stream'],
      ],
    );
    reading.feed.close();
  });

  await t.test('ends where a newer consumer takes its queue', async (t) => {
    for (const transport of ['socket', 'stream'] as const) {
      const reading = new Reading(client, { ...plain, transport });
      await reading.until(() => reading.states.some(({ connected }) => connected));
      const { cursor } = reading.feed;
      const newer = new Reading(client, { resume: cursor, transport: 'stream' });
      t.ok((await reading.ended) instanceof Superseded, transport);
      newer.feed.close();
    }
  });

  await t.test('ends with the refusal where its key is no longer valid', async (t) => {
    const password = 'willow-anchor-hamlet-47';
    const email = 'hamlet@example.org';
    await client.call('POST /users', { email, full_name: 'Hamlet', password });
    const hamlet = await Client.login(client.url, email, password, options);
    const reading = new Reading(hamlet, plain);
    await reading.until(() => reading.states.length > 0);
    const me = await hamlet.call('GET /users/me', {});
    await client.call('DELETE /users/{user_id}', { user_id: me.user_id });
    t.match(await reading.ended, { name: 'ParleyError', status: 401 });
  });
});

void t.test('a call returns the typed reply, or throws the refusal', async (t) => {
  const { client } = await started(t);

  await t.test('a refusal has status, code and fields', async (t) => {
    const refused = client.call('GET /messages/{message_id}', { message_id: 1e9 });
    await t.rejects(refused, new ParleyError(400, 'BAD_REQUEST', 'Invalid message(s)'));
    await t.rejects(Client.login(client.url, OWNER_EMAIL, 'wrong'), {
      name: 'ParleyError',
      status: 401,
      code: 'AUTHENTICATION_FAILED',
    });
  });

  await t.test('parameters of the path are put there, lists and objects are JSON', async (t) => {
    const { id } = await client.call('POST /messages', {
      type: 'channel',
      to: 'general',
      topic: 'tea & cake',
      content: 'Ünï **code**',
    });
    const narrow = [{ operator: 'topic', operand: 'tea & cake' }];
    const page = { anchor: 'newest', num_before: 5, num_after: 0, narrow };
    const { messages } = await client.call('GET /messages', page);
    t.same(
      messages.map((message) => message.id),
      [id],
    );
    const { raw_content } = await client.call('GET /messages/{message_id}', { message_id: id });
    t.equal(raw_content, 'Ünï **code**');
  });

  await t.test('a file is uploaded and can be read', async (t) => {
    const { url } = await client.upload(new Blob(['hello']), 'a b.txt');
    const response = await client.request(url);
    t.equal(await response.text(), 'hello');
  });
});
