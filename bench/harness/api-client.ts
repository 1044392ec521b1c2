import type { Address } from '../exchange/jobs.js';
import { HttpConnection } from '../generators/http-connection.js';

export interface ApiReply {
  readonly [field: string]: unknown;
}

interface Call {
  readonly request: string;
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

export function basicAuthorization(email: string, key: string): string {
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
}

/** Calls the API to prepare what a scenario needs; a bounded number of calls at once. */
export class ApiClient {
  private readonly idle: HttpConnection[] = [];
  private readonly waiting: Call[] = [];
  private readonly current = new Map<HttpConnection, Call>();

  constructor(
    private readonly address: Address,
    connections = 16,
  ) {
    for (let i = 0; i < connections; i++) {
      const connection: HttpConnection = new HttpConnection(address, 0, {
        reply: ({ status, body }) => {
          const text = body.toString();
          const call = this.done(connection);
          if (status === 200) call.resolve(text);
          else call.reject(new Error(`The server answered ${status}: ${text.slice(0, 300)}`));
        },
        fault: (error) => this.done(connection).reject(error),
      });
      this.idle.push(connection);
    }
  }

  /** A call with form parameters. @throws Error for any status but 200 */
  async call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    authorization: string,
    parameters: Readonly<Record<string, string | number>> = {},
  ): Promise<ApiReply> {
    const form = Object.entries(parameters)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const query = method === 'GET' && form !== '' ? `?${form}` : '';
    const body = method === 'GET' ? '' : form;
    const head =
      `${method} /api/v1${path}${query} HTTP/1.1\r\nHost: ${this.address.host}\r\n` +
      (authorization === '' ? '' : `Authorization: ${authorization}\r\n`) +
      'User-Agent: parley-bench\r\n';
    // As clients do: no library announces the length of a body that a GET does not have.
    const request =
      method === 'GET'
        ? `${head}\r\n`
        : `${head}Content-Type: application/x-www-form-urlencoded\r\n` +
          `Content-Length: ${body.length}\r\n\r\n${body}`;
    const text = await new Promise<string>((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.next();
    });
    return JSON.parse(text) as ApiReply;
  }

  close(): void {
    for (const connection of [...this.idle, ...this.current.keys()]) connection.close();
  }

  private next(): void {
    while (this.idle.length > 0 && this.waiting.length > 0) {
      const connection = this.idle.pop()!;
      const call = this.waiting.shift()!;
      this.current.set(connection, call);
      connection.send(call.request);
    }
  }

  private done(connection: HttpConnection): Call {
    const call = this.current.get(connection)!;
    this.current.delete(connection);
    this.idle.push(connection);
    setImmediate(() => this.next());
    return call;
  }
}
