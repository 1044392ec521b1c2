import { EventEmitter } from 'node:events';
import type { SimProcess } from '../node/process.js';
import { codeError, exchange } from './exchange.js';
import type { ServiceReply } from './service-host.js';

/** Services are at names of this domain, and at a public address. */
const DOMAIN = '.example';
const ADDRESS = '93.184.216.34';
/** What a name server takes, milliseconds. */
const RESOLVE_MS = 0.5;

/** What the product gives to `fetch`, as far as a service looks at it. */
interface Sent {
  readonly body: string;
  readonly signal?: AbortSignal | null;
}

/** Requests of the platform to services by HTTP, as far as the product sends any. */
export function webOf(process: SimProcess): object {
  return {
    fetch: async (url: string, { body, signal }: Sent) => {
      const reply = await ask(process, new URL(url), body, signal);
      // As much of a response as is read.
      return { status: reply.status, body: [Buffer.from(reply.body)] };
    },
    httpRequest: (url: URL, { signal }: { signal: AbortSignal }, answered: Answered) =>
      new SimClientRequest(process, url, signal, answered),
    resolver: () => ({
      cancel: () => undefined,
      resolve4: async (name: string) => {
        await process.io(RESOLVE_MS);
        if (!name.endsWith(DOMAIN)) throw codeError('ENOTFOUND');
        return [ADDRESS];
      },
      resolve6: () => Promise.reject(codeError('ENODATA')),
    }),
  };
}

function ask(
  process: SimProcess,
  { hostname, pathname }: URL,
  body: string,
  signal?: AbortSignal | null,
): Promise<ServiceReply> {
  const host = hostname.slice(0, -DOMAIN.length);
  return exchange(process, host, { path: pathname, body }, { signal });
}

type Answered = (response: SimIncomingMessage) => void;

/** A request of Node. */
class SimClientRequest extends EventEmitter {
  constructor(
    private readonly process: SimProcess,
    private readonly url: URL,
    private readonly signal: AbortSignal,
    private readonly answered: Answered,
  ) {
    super();
  }

  end(body = ''): this {
    ask(this.process, this.url, body, this.signal).then(
      (reply) => this.answered(new SimIncomingMessage(this.process, reply)),
      (error: unknown) => this.emit('error', error),
    );
    return this;
  }
}

/** A response of Node, whose body comes with its head. */
class SimIncomingMessage extends EventEmitter {
  readonly statusCode: number;
  readonly headers = {};
  destroyed = false;

  constructor(process: SimProcess, { status, body }: ServiceReply) {
    super();
    this.statusCode = status;
    process.run(() => {
      if (this.destroyed) return;
      this.emit('data', Buffer.from(body));
      this.emit('end');
      this.emit('close');
    });
  }

  destroy(): this {
    this.destroyed = true;
    return this;
  }
}
