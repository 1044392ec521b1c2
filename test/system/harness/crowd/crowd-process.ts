import { connect, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';

/*
 * One part of a crowd, as a process of its own: a process may have some 20,000 descriptors only.
 * Started by crowd.ts with what to do as its first argument; talks by messages.
 */

/** What a part of a crowd does. */
export interface CrowdOrder {
  readonly port: number;
  /** Values of the Authorization header, in turn: one account has a bounded number of queues. */
  readonly authorizations: readonly string[];
  readonly kind: 'poll' | 'socket';
  readonly count: number;
  /** Loopback addresses to come from: each has about 28,000 ports. */
  readonly sources: readonly string[];
}

/** What it tells: that all are waiting, then when each of them got the message. */
export type CrowdReport =
  | { readonly type: 'waiting' }
  | { readonly type: 'delivered'; readonly times: readonly number[] }
  | { readonly type: 'failed'; readonly why: string };

/** Connections opened at a time; a listen backlog is finite. */
const AT_ONCE = 100;
/** Stands in the broadcast message, and in nothing else. */
const MARK = 'the broadcast';
const QUEUE_ID = /"queue_id":"([^"]+)"/;

function tell(report: CrowdReport): void {
  process.send!(report);
}

/** One member: registers a queue, waits on it, and notes when the broadcast came. */
class Member {
  private text = '';
  private expect: ((text: string) => boolean) | undefined;
  private done: (() => void) | undefined;
  private readonly socket: Socket;

  constructor(
    private readonly order: CrowdOrder,
    private readonly authorization: string,
    source: string,
    private readonly delivered: () => void,
  ) {
    const { port } = order;
    this.socket = connect({ host: '127.0.0.1', port, localAddress: source });
    this.socket.setNoDelay(true);
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', (error) => tell({ type: 'failed', why: String(error) }));
  }

  /** Registers and begins to wait. */
  async wait(): Promise<void> {
    const body = 'event_types=%5B%22message%22%5D&fetch_event_types=%5B%5D';
    this.send(
      'POST /api/v1/register',
      ['Content-Type: application/x-www-form-urlencoded', `Content-Length: ${body.length}`],
      body,
    );
    await this.until((text) => text.includes('\r\n\r\n') && text.endsWith('}\n'));
    const queueId = QUEUE_ID.exec(this.text)?.[1];
    if (queueId === undefined) throw new Error(this.text);
    const path = `GET /api/v1/events?queue_id=${queueId}&last_event_id=-1`;
    this.text = '';
    if (this.order.kind === 'poll') this.send(path, []);
    else {
      const key = randomBytes(16).toString('base64');
      const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
      this.send(path, [...upgrade, `Sec-WebSocket-Key: ${key}`]);
      await this.until((text) => text.includes('"hello"'));
      this.text = '';
    }
    this.expect = (text) => text.includes(MARK);
    this.done = this.delivered;
  }

  private send(start: string, headers: readonly string[], body = ''): void {
    const credentials = `Authorization: ${this.authorization}`;
    const head = [`${start} HTTP/1.1`, 'Host: test', credentials, ...headers];
    this.socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }

  private until(expect: (text: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.expect = expect;
      this.done = resolve;
    });
  }

  private read(chunk: Buffer): void {
    this.text += chunk.toString('latin1');
    if (!this.expect?.(this.text)) return;
    this.expect = undefined;
    this.done!();
  }
}

async function main(order: CrowdOrder): Promise<void> {
  const times: number[] = [];
  const delivered = (): void => {
    times.push(Date.now());
    if (times.length === order.count) tell({ type: 'delivered', times });
  };
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < order.count) {
        const source = order.sources[next % order.sources.length]!;
        const authorization = order.authorizations[next++ % order.authorizations.length]!;
        await new Member(order, authorization, source, delivered).wait();
      }
    }),
  );
  tell({ type: 'waiting' });
}

process.on('disconnect', () => process.exit(0));
main(JSON.parse(process.argv[2]!) as CrowdOrder).catch((error: unknown) =>
  tell({ type: 'failed', why: String(error) }),
);
