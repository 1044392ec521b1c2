import { connect, type Socket } from 'node:net';

/** A response as it stood on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A response with its body as it came. */
export type RawBytes = Omit<RawResponse, 'body'> & { readonly body: Buffer };

/** A TCP connection that speaks HTTP by hand, for what ordinary clients would never send. */
export class RawConnection {
  readonly closed: Promise<void>;
  private received = Buffer.alloc(0);
  private changed: (() => void) | undefined;
  private ended = false;

  private constructor(private readonly socket: Socket) {
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.ended = true;
        this.changed?.();
        resolve();
      });
    });
    // A reset is one of the ways a server may close.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.changed?.();
    });
  }

  /** @param from the address of this machine that the connection comes from */
  static async open(port: number, from?: string): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new RawConnection(socket);
  }

  write(data: string | Buffer): void {
    this.socket.write(data);
  }

  /** A request without a body; `headers` are whole lines. */
  request(method: string, target: string, ...headers: string[]): void {
    this.write([`${method} ${target} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n'));
  }

  /** The next response, or null where the server closes instead. */
  async response(options: { head?: boolean } = {}): Promise<RawResponse | null> {
    const found = await this.bytes(options);
    return found && { ...found, body: found.body.toString('utf8') };
  }

  /** The same with the body as it came. */
  async bytes(options: { head?: boolean } = {}): Promise<RawBytes | null> {
    for (;;) {
      const parsed = this.parse(options.head ?? false);
      if (parsed) return parsed;
      if (this.ended) return null;
      await new Promise<void>((resolve) => {
        this.changed = resolve;
      });
    }
  }

  /** What came after the responses that were taken. */
  get unread(): Buffer {
    return this.received;
  }

  destroy(): void {
    this.socket.destroy();
  }

  private parse(head: boolean): RawBytes | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const lines = this.received.subarray(0, end).toString('latin1').split('\r\n');
    const headers = new Map(
      lines.slice(1).map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const announced = headers.get('content-length');
    // Without a length the body, if any, ends with the connection.
    const status = Number(lines[0]!.split(' ')[1]);
    const untilClose = announced === undefined && headers.get('connection') === 'close' && !head;
    if (untilClose && !this.ended) return undefined;
    const length = head ? 0 : untilClose ? this.received.length - end - 4 : Number(announced ?? 0);
    if (this.received.length < end + 4 + length) return undefined;
    const body = this.received.subarray(end + 4, end + 4 + length);
    this.received = this.received.subarray(end + 4 + length);
    return { status, headers, body };
  }
}
