import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { request } from '../harness/bad-requests.js';
import { exchange, type ApiClient, type Body, type WireEvent } from '../harness/client.js';
import { ENDPOINTS, validParameters } from '../harness/endpoints.js';
import { Mailbox } from '../harness/mailbox.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { SocketReader } from '../harness/socket-reader.js';
import { StreamReader } from '../harness/stream-reader.js';
import { upload } from '../harness/uploading.js';
import { utf8Of } from '../harness/utf8.js';

/*
 * Texts beyond ASCII in every place that takes text, and the bytes of every reply as UTF-8. Each organization has words
 * of one kind alone: builds of the HTTP layer that send letters below U+0100 as Latin-1 (native-binaries.md#text) are
 * right where a letter of another script stands beside them.
 */

// Of all files that share the process: the eight take a minute, through a follower and on a busy machine three.
t.setTimeout(480_000);

const KINDS: Readonly<Record<string, string>> = {
  'letters of Western Europe': 'Käse für Zoë: naïve Ångström & ß',
  Cyrillic: 'Щи да каша',
  Chinese: '你好，世界',
  emoji: '🎉 👩‍👩‍👧',
};

/** Parameters that are texts of people. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['content', 'description', 'full_name', 'hint', 'name', 'note', 'status_text', 'title'],
  ...['topic', 'topic_name', 'welcome_message_custom_text'],
]);

/** The same parameters, the texts among them with a word at their end. */
function withWord(value: unknown, word: string, isText = false): unknown {
  if (typeof value === 'string') return isText ? `${value} ${word}`.slice(0, 60) : value;
  if (Array.isArray(value)) return value.map((one) => withWord(one, word, isText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withWord(one, word, TEXTS.has(name))]),
  );
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

/** A queue of everything, read in three ways. */
class Watchers {
  private constructor(
    private readonly poll: QueueReader,
    private readonly stream: StreamReader,
    private readonly socket: SocketReader,
  ) {}

  static async open(client: ApiClient): Promise<Watchers> {
    const register = async (): Promise<Body> => {
      const { queue_id, last_event_id } = await client.register({ all_public_streams: true });
      return { queue_id, last_event_id };
    };
    const poll = await QueueReader.open(client, { all_public_streams: true });
    const stream = await StreamReader.open(client, await register());
    if (!(stream instanceof StreamReader)) throw new Error(JSON.stringify(stream.body));
    await stream.next();
    return new Watchers(poll, stream, await SocketReader.open(client, await register()));
  }

  /** What all three got, without their ids. @throws Error where they are not the same */
  async events(t: Test): Promise<Body[]> {
    const [polled, streamed] = [await this.poll.now(), [] as WireEvent[]];
    const bare = (events: readonly WireEvent[]): Body[] =>
      events.map(({ id: _id, ...event }) => event as Body);
    streamed.push(...(await this.stream.take(polled.length)));
    const pushed = await this.socket.take(polled.length);
    t.same(bare(streamed), bare(polled), 'by stream as by poll');
    t.same(bare(pushed), bare(polled), 'by socket as by poll');
    this.stream.close();
    this.socket.close();
    return bare(polled);
  }
}

for (const [kind, word] of Object.entries(KINDS)) {
  void t.test(`${kind} alone, wherever text goes in and comes out`, async (t) => {
    const mailbox = await Mailbox.open(t);
    const env = { PARLEY_MAIL: mailbox.url, PARLEY_LOG: 'info' };
    const { server, owner, hamlet } = await startOrganization(t, { env });
    const headers = { Authorization: owner.authorization };
    const get = (path: string, more: Record<string, string> = {}) =>
      fetch(server.url + path, { headers: { ...headers, ...more }, redirect: 'manual' });

    // [c:every-endpoint-ignores]
    await t.test('every endpoint, by a parameter that it does not know', async (t) => {
      const { queue_id: queueId, subscriptions } = await owner.register({
        fetch_event_types: ['subscription'],
      });
      const watchers = await Watchers.open(owner);
      const messageId = await owner.say(word, 'general', word);
      const [general] = subscriptions as { stream_id: number }[];
      const ids = { userId: owner.userId, streamId: general!.stream_id, messageId, queueId };
      const valid = validParameters(ids);
      const silent: string[] = [];
      let successes = 0;
      // What deletes comes last: the others find what was made.
      const [deleting, others] = [
        ENDPOINTS.filter(({ method }) => method === 'DELETE'),
        ENDPOINTS.filter(({ method }) => method !== 'DELETE'),
      ];
      for (const endpoint of [...others, ...deleting]) {
        const { operation } = endpoint;
        const parameters = withWord({ ...valid[operation], [word]: 'x' }, word) as Body;
        const { method, path, ...raw } = request(operation, endpoint, parameters, headers);
        // Throws for bytes that are not UTF-8.
        const reply = await exchange(server.url, method, path, raw);
        if (reply.status !== 200) continue;
        successes += 1;
        if (!reply.text.includes(JSON.stringify(word).slice(1, -1))) silent.push(operation);
      }
      t.same(silent, [], 'every success tells of the parameter');
      t.ok(successes > 0.7 * ENDPOINTS.length, `${successes} of ${ENDPOINTS.length} succeed`);
      const events = await watchers.events(t);
      const having = events.filter((event) => JSON.stringify(event).includes(word));
      t.ok(having.length > 20, `${having.length} of ${events.length} events have it`);
    });

    await t.test('refusals that quote', async (t) => {
      for (const [method, path, parameters, msg] of [
        ['GET', '/get_stream_id', { stream: word }, `Invalid channel name '${word}'`],
        ['POST', '/messages', { type: word, to: [1], content: 'a' }, `Invalid message type`],
        ['POST', `/messages/1/reactions`, { emoji_name: word }, `Emoji '${word}' does not exist`],
        ['DELETE', '/events', { queue_id: word }, `Bad event queue ID: ${word}`],
      ] as const) {
        const { status, body } = await owner.call(method, path, parameters);
        t.match({ status, msg: body.msg }, { status: 400, msg }, path);
      }
    });

    await t.test('compressed replies, and pages', async (t) => {
      for (let i = 0; i < 20; i++) await owner.say(`${word} `.repeat(40));
      const zipped = await get(
        '/api/v1/messages?anchor=newest&num_before=20&num_after=0&apply_markdown=false',
        {
          'Accept-Encoding': 'gzip',
        },
      );
      t.equal(zipped.headers.get('content-encoding'), 'gzip');
      const { messages } = JSON.parse(utf8Of(await bytesOf(zipped))) as { messages: Body[] };
      t.match(messages.at(-1)?.content, word);
      await owner.ok('PATCH', '/realm', { name: word, description: word });
      for (const path of ['/login', '/accounts/password/reset/']) {
        const page = await get(path, { Accept: 'text/html' });
        t.match(utf8Of(await bytesOf(page)), word.replace('&', '&amp;'), path);
      }
    });

    await t.test('a file with such a name and contents', async (t) => {
      const name = `${word}.txt`;
      const { url, filename } = await upload(hamlet, '/user_uploads', name, Buffer.from(word));
      t.equal(filename, name);
      const headers = { Authorization: hamlet.authorization };
      const file = await fetch(server.url + String(url), { headers });
      t.equal(file.status, 200, String(url));
      t.equal(utf8Of(await bytesOf(file)), word);
      const [, sent] = /filename\*=UTF-8''(\S+)$/.exec(file.headers.get('content-disposition')!)!;
      t.equal(decodeURIComponent(sent!), name);
      const { attachments } = await hamlet.ok('GET', '/attachments');
      t.match(attachments, [{ name }]);
    });

    await t.test('an export of the organization, a mail, and the log', async (t) => {
      await owner.ok('POST', '/export/realm');
      let address: string | null = null;
      while (address === null) {
        const { exports } = await owner.ok('GET', '/export/realm');
        address = (exports as { export_url: string | null }[]).at(-1)!.export_url;
      }
      const exported = await get(new URL(address).pathname);
      const lines = utf8Of(gunzipSync(await bytesOf(exported))).split('\n');
      t.ok(lines.some((line) => line.includes(`"full_name":"Ophelia ${word}"`)));
      await owner.ok('POST', '/invites', { invitee_emails: 'guest@example.org', stream_ids: [] });
      const mail = await mailbox.to('guest@example.org');
      t.match(mail.headers.subject, word);
      t.match(mail.text, word);
      await get(`/api/v1/${encodeURIComponent(word)}`, { 'User-Agent': 'a client' });
      t.notMatch(server.stderr, '\ufffd');
    });
  });
}
