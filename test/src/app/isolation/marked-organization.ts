/** An organization of which each byte can be told from those of others that are its twins. */
import { request as send, type IncomingHttpHeaders } from 'node:http';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { agent, ApiClient, type Body } from '../../../system/harness/client.js';
import { BrowserSession } from '../../../system/harness/browser-session.js';
import { validParameters } from '../../../system/harness/endpoints.js';

/** Stands in valid requests for a text of the organization. */
export const MARKER = 'MARKER';
/** Parameters of people's own words. */
const WORDS = /^(content|topic|description|name|full_name|status_text|note|question|value|title)$/;
const TWIN = 'ann@example.org';

/** A reply, as bytes in Latin-1 with its headers before them. */
export interface Raw {
  readonly status: number;
  readonly bytes: string;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** What runs beside requests, until it is ended. */
export interface Stream {
  end(): void;
}

export class MarkedOrganization {
  private texts = 0;
  /** Valid parameters of each endpoint, with {@link MARKER} for texts. */
  valid: Readonly<Record<string, Body>> = {};
  /** What nobody else may see. */
  readonly marks: string[];
  filePath = '';

  private constructor(
    readonly name: string,
    readonly url: string,
    readonly owner: ApiClient,
    readonly twin: ApiClient,
    readonly session: BrowserSession,
    readonly queueId: string,
  ) {
    this.marks = [this.mark, `${name}.test`, owner.key, twin.key, queueId, session.token];
    this.marks.push(...session.cookies.values());
  }

  /** @param owner logged in; all have the same people, with the same passwords */
  static async furnish(name: string, owner: ApiClient, password: string) {
    const user = { email: TWIN, password, full_name: 'Ann' };
    await owner.ok('POST', '/users', user);
    const twin = await ApiClient.login(owner.url, TWIN, password);
    const session = new BrowserSession(owner.url);
    await session.logIn(owner.email, password);
    const { queue_id: queueId, subscriptions } = await owner.register({ all_public_streams: true });
    const made = new MarkedOrganization(name, owner.url, owner, twin, session, queueId);
    await owner.ok('PATCH', '/realm', { name: made.mark, description: made.text() });
    const messageId = await owner.say(made.text());
    const [general] = subscriptions as { stream_id: number }[];
    const ids = { userId: owner.userId, streamId: general!.stream_id, messageId, queueId };
    made.valid = withMarkers(validParameters(ids));
    return made;
  }

  /** A word of this organization alone. */
  get mark(): string {
    return `Zq${this.name}Qz`;
  }

  /** A text that no other one has. */
  text(): string {
    return `${this.mark}${(this.texts += 1)}`;
  }

  /** Puts texts of this organization in the place of markers. */
  marked(text: string): string {
    return text.replaceAll(MARKER, () => this.text());
  }

  /** Sends a request to this organization, whoever it is of. */
  ask({ method, path, headers = {}, body = '' }: Asked): Promise<Raw> {
    return new Promise((resolve, reject) => {
      const length = { 'Content-Length': String(Buffer.byteLength(body)) };
      const sent = send(
        `${this.url}${path}`,
        { method, agent, headers: body.length > 0 ? { ...headers, ...length } : headers },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('latin1');
            const bytes = `${headText(response.headers)}\n${text}`;
            resolve({ status: response.statusCode ?? 0, bytes });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Uploads a file. */
  async upload(headers: Readonly<Record<string, string>>): Promise<Raw> {
    const text = this.text();
    const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="${text}.txt"\r\n\r\n${text}\r\n--x--\r\n`;
    const type = { 'Content-Type': 'multipart/form-data; boundary=x' };
    const path = '/api/v1/user_uploads';
    const reply = await this.ask({ method: 'POST', path, headers: { ...headers, ...type }, body });
    this.filePath = /"url":"([^"]+)"/.exec(reply.bytes)?.[1] ?? this.filePath;
    return reply;
  }

  /** Follows the queue over a socket, or as server-sent events. */
  follow(t: Test, how: 'socket' | 'stream', seen: (bytes: string) => void): Stream {
    const query = `queue_id=${this.queueId}&last_event_id=-1`;
    const headers = { Authorization: this.owner.authorization };
    const url = `${this.url}/api/v1/events?${query}`;
    if (how === 'socket') {
      const socket = new WebSocket(url.replace('http', 'ws'), 'parley.v1', { agent, headers });
      socket.on('message', (data: Buffer) => seen(data.toString('latin1')));
      socket.on('error', () => undefined);
      t.teardown(() => socket.terminate());
      return { end: () => socket.terminate() };
    }
    const sent = send(
      url,
      { agent, headers: { ...headers, Accept: 'text/event-stream' } },
      (got) => {
        got.on('data', (chunk: Buffer) => seen(chunk.toString('latin1')));
        got.on('error', () => undefined);
      },
    );
    sent.on('error', () => undefined);
    sent.end();
    t.teardown(() => sent.destroy());
    return { end: () => void sent.destroy() };
  }
}

function withMarkers(all: Readonly<Record<string, Body>>): Record<string, Body> {
  const marked = (body: Body): Body =>
    Object.fromEntries(
      Object.entries(body).map(([key, value]) => [
        key,
        typeof value === 'string' && WORDS.test(key) ? MARKER : value,
      ]),
    );
  return Object.fromEntries(Object.entries(all).map(([name, body]) => [name, marked(body)]));
}

function headText(headers: IncomingHttpHeaders): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}
