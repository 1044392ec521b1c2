import type { Test } from 'tap';
import Type from 'typebox';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  endpoint,
  Id,
  IdList,
  optional,
  required,
  type EndpointDescriptor,
} from '../../../schemas/endpoint.js';
import { badRequest, unauthorized } from '../../../src/errors/index.js';
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type HttpSite,
  type Service,
  type SiteOptions,
} from '../../../src/http/server.js';
import type { Exchange } from '../../../src/http/reply/exchange.js';
import type { Health } from '../../../src/http/health.js';
import type {
  Authenticator,
  DecodedRequest,
  Route,
  Session,
  UploadRequest,
} from '../../../src/resources/kernel/route.js';

export const KEY = 'k'.repeat(32);

/** The Authorization header of a user of the toy organization. */
export function basic(email = 'iago@example.com', key = KEY): string {
  return `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
}

/** A user document; only what the HTTP layer looks at matters. */
export function user(fields: Partial<UserDocument>): UserDocument {
  const base = { user_id: 1, role: 400, is_active: true, is_bot: false, key_version: '1' };
  return { email: 'iago@example.com', full_name: 'Iago', ...base, ...fields } as UserDocument;
}

/** An authenticator over a few users whose fields tests may change; all have the same key. */
class ToyAuthenticator implements Authenticator {
  lacksTwoFactor(): boolean {
    return false;
  }

  logins = 0;
  readonly users = new Map(
    [
      user({ user_id: 1, email: 'iago@example.com', role: 100 }),
      user({ user_id: 2, email: 'hamlet@example.com' }),
      user({ user_id: 3, email: 'guest@example.com', role: 600 }),
      user({ user_id: 4, email: 'bot@example.com', is_bot: true }),
      user({ user_id: 5, email: 'admin@example.com', role: 200 }),
    ].map((one) => [one.user_id, one]),
  );

  login(email: string, key: string) {
    this.logins++;
    const found = [...this.users.values()].find((one) => one.email === email.toLowerCase());
    if (!found || key !== KEY) throw unauthorized('Invalid API key');
    if (!found.is_active) throw unauthorized('Account is deactivated');
    return { userId: found.user_id, keyVersion: found.key_version, email: found.email };
  }

  byKey(key: string) {
    if (key !== KEY) throw unauthorized('Invalid API key');
    return { user: this.users.get(4)! };
  }

  caller(session: Session) {
    const found = this.users.get(session.userId)!;
    if (found.key_version !== session.keyVersion || found.email !== session.email) return undefined;
    if (!found.is_active) throw unauthorized('Account is deactivated');
    return { user: found };
  }
}

type Fields = Partial<EndpointDescriptor> & Pick<EndpointDescriptor, 'method' | 'path'>;

/** An endpoint of which only the given fields matter. */
export function toyEndpoint(fields: Fields): EndpointDescriptor {
  return endpoint({
    operation: `${fields.method} ${fields.path}`,
    access: 'user',
    summary: '',
    params: {},
    response: Type.Object({}),
    errors: [],
    events: [],
    ...fields,
  });
}

/** A route that answers with what it received. */
export function echo(fields: Fields): Route {
  return {
    endpoint: toyEndpoint(fields),
    call: (request: DecodedRequest) => {
      const { caller, clientName, remoteAddress, files, params } = request as UploadRequest;
      return {
        operation: `${fields.method} ${fields.path}`,
        params,
        client: clientName,
        user_id: caller?.user.user_id ?? null,
        address: remoteAddress,
        files: files.map(({ data, ...file }) => ({ ...file, data: data.toString('latin1') })),
      };
    },
  };
}

const content = required(Type.String({ minLength: 1, maxLength: 10 }));

/** The routes most tests use. */
export const ROUTES: readonly Route[] = [
  echo({ method: 'GET', path: '/open', access: 'anonymous', params: {} }),
  echo({ method: 'POST', path: '/login', access: 'anonymous', params: { username: content } }),
  echo({ method: 'GET', path: '/messages', params: { anchor: optional(Type.Integer()) } }),
  echo({ method: 'POST', path: '/messages', params: { content, to: optional(IdList) } }),
  echo({ method: 'POST', path: '/upload' }),
  echo({
    method: 'PATCH',
    path: '/messages/{message_id}',
    params: { message_id: required(Id), content },
  }),
  echo({ method: 'DELETE', path: '/messages/{message_id}', params: { message_id: required(Id) } }),
  echo({ method: 'GET', path: '/human', access: 'human' }),
  echo({ method: 'GET', path: '/member', access: 'member' }),
  echo({ method: 'GET', path: '/administrator', access: 'administrator' }),
  echo({ method: 'GET', path: '/owner', access: 'owner', params: { n: optional(Type.Integer()) } }),
  {
    endpoint: toyEndpoint({ method: 'GET', path: '/refuse' }),
    call: async () => {
      throw badRequest('No.');
    },
  },
  {
    endpoint: toyEndpoint({ method: 'GET', path: '/fault' }),
    call: () => {
      throw new TypeError('secret detail');
    },
  },
  {
    endpoint: toyEndpoint({ method: 'GET', path: '/late-fault' }),
    call: async () => ({ value: 1n }),
  },
];

/** A held poll as tests see it. */
class ToyPoll {
  readonly held: Exchange[] = [];
  aborts = 0;
  private waiting: (() => void) | undefined;

  readonly special = {
    endpoint: toyEndpoint({
      method: 'GET',
      path: '/events',
      params: { queue_id: required(Type.String()) },
    }),
    respond: (exchange: Exchange) => {
      this.held.push(exchange);
      exchange.onAbort(() => {
        this.aborts++;
        this.waiting?.();
      });
      this.waiting?.();
    },
  };

  /** Resolves once the condition holds; checked at every arrival and abort. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.waiting = resolve;
      });
    }
  }
}

export interface Toy {
  readonly server: HttpServer;
  /** What serves every host name there. */
  readonly site: HttpSite;
  readonly port: number;
  readonly authenticator: ToyAuthenticator;
  readonly poll: ToyPoll;
  /** What was logged as a fault. */
  readonly logged: object[];
  /** An API call by fetch; authenticated unless `auth` says otherwise. */
  readonly api: (path: string, init?: RequestInit & { auth?: string | null }) => Promise<Response>;
}

/**
 * A server on a free port that is stopped when the test ends.
 * @param prepare is called before it listens
 */
export async function startToy(
  t: Test,
  options: Partial<HttpServerOptions & SiteOptions & Service> = {},
  prepare?: (server: HttpServer, authenticator: ToyAuthenticator, site: HttpSite) => void,
): Promise<Toy> {
  const authenticator = new ToyAuthenticator();
  const poll = new ToyPoll();
  const logged: object[] = [];
  const health = (): Health => 'ready';
  const server = createHttpServer({
    log: { error: (context) => logged.push(context) },
    newId: () => 'fault-1',
    ...options,
  });
  const site = server.site({ limiter: null, health, ...options });
  server.name(site, null);
  site.serve({ health, routes: ROUTES, specials: [poll.special], authenticator, ...options });
  t.teardown(() => server.stop());
  prepare?.(server, authenticator, site);
  const { port } = await server.listen('127.0.0.1', 0);
  const api: Toy['api'] = (path, { auth = basic(), headers, ...init } = {}) =>
    fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      ...init,
      headers: { ...(auth === null ? {} : { Authorization: auth }), ...(headers as object) },
    });
  return { server, site, port, authenticator, poll, logged, api };
}

/** The status and JSON body of a response. */
export async function answer(
  response: Response,
): Promise<{ status: number; body: Record<string, unknown> }> {
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
