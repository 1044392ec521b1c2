import type { Operations } from './types.js';

export type OperationName = keyof Operations;
export type Params<Name extends OperationName> = Operations[Name]['params'];
export type Reply<Name extends OperationName> = Operations[Name]['reply'];

/** The user name and the password of HTTP Basic: the API e-mail address, and the API key. */
export interface Credentials {
  readonly email: string;
  readonly apiKey: string;
}

/** The session of a browser, whose cookie the browser sends by itself to the server that the page is from. */
export interface BrowserSession {
  /** Sent along, for browsers that do not say which page asks. */
  readonly csrfToken: string;
}

/** The part of a WebSocket that the client uses: that of browsers, Node 22, or the package `ws`. */
export interface SocketLike {
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
  onerror: ((event: unknown) => void) | null;
  send(text: string): void;
  close(): void;
}

export type SocketClass = new (url: string, protocol: string) => SocketLike;

/** What the client takes from its surroundings. */
export interface ClientOptions {
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Default: the global one; where there is none (Node 20), events come by the other transports. */
  readonly WebSocket?: SocketClass;
}

/** A refusal by the server, or a reply that came from something in between, such as a proxy. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';

  constructor(
    /** HTTP status. */
    readonly status: number,
    /** `BAD_REQUEST`, `RATE_LIMIT_HIT` …; empty where something in between answered. */
    readonly code: string,
    message: string,
    /** All fields of the refusal. */
    readonly reply: Readonly<Record<string, unknown>> = {},
    /** How long the server asks to wait, seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** What a call has beside its parameters. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Goes along, where the operation takes one. */
  readonly file?: { readonly data: Blob; readonly name: string };
}

const FORM = 'application/x-www-form-urlencoded';

/** Calls to a server with the credentials of an account. */
export class Calls {
  readonly url: string;
  /** Undefined also with a session, which opens none. */
  readonly WebSocket: SocketClass | undefined;
  /** Where the paths of the API begin. */
  readonly base: '/api/v1' | '/json';
  private readonly doFetch: typeof fetch;

  /** @param url of the server, such as `https://chat.example.org` */
  constructor(
    url: string,
    readonly credentials: Credentials | BrowserSession,
    options: ClientOptions = {},
  ) {
    this.url = url.replace(/\/+$/, '');
    const { WebSocket } = globalThis as { WebSocket?: SocketClass };
    const hasSession = 'csrfToken' in credentials;
    this.WebSocket = hasSession ? undefined : (options.WebSocket ?? WebSocket);
    this.base = hasSession ? '/json' : '/api/v1';
    // Browsers refuse to call it as a method of another object.
    this.doFetch = options.fetch ?? ((input, init) => fetch(input, init));
  }

  /** Calls an operation. @throws ParleyError for a refusal; TypeError where no reply came */
  async call<Name extends OperationName>(
    name: Name,
    params: Params<Name>,
    { signal, file }: CallOptions = {},
  ): Promise<Reply<Name>> {
    const [method, template] = name.split(' ') as [string, string];
    const left: Record<string, unknown> = { ...params };
    const path = template.replace(/\{(\w+)\}/g, (_, key: string) => {
      const value = String(left[key]);
      delete left[key];
      return encodeURIComponent(value);
    });
    if (file) {
      const body = new FormData();
      for (const [key, value] of new URLSearchParams(formOf(left))) body.append(key, value);
      body.append('file', file.data, file.name);
      return this.read(await this.request(`${this.base}${path}`, { method, signal, body }));
    }
    const text = formOf(left);
    const inQuery = method === 'GET' || method === 'DELETE';
    const response = await this.request(`${this.base}${path}${inQuery && text ? `?${text}` : ''}`, {
      method,
      signal,
      ...(inQuery || !text ? {} : { body: text, headers: { 'Content-Type': FORM } }),
    });
    return this.read<Reply<Name>>(response);
  }

  /** Registers a queue; {@link events} does it by itself. */
  register(params: Params<'POST /register'> = {}): Promise<Reply<'POST /register'>> {
    return this.call('POST /register', params);
  }

  /** Uploads a file. @returns its address on this server, to link to in messages */
  upload(data: Blob, name: string): Promise<Reply<'POST /user_uploads'>> {
    return this.call('POST /user_uploads', {}, { file: { data, name } });
  }

  /** The contract of the server, as a document of OpenAPI. */
  async contract(): Promise<unknown> {
    return (await this.request('/api/v1/openapi.json')).json();
  }

  /** One request with the credentials, for what is no operation of the API. @throws TypeError where no reply came */
  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const { credentials } = this;
    if ('csrfToken' in credentials) {
      headers.set('X-CSRFToken', credentials.csrfToken);
      return this.doFetch(`${this.url}${path}`, { ...init, headers });
    }
    const { email, apiKey } = credentials;
    if (email !== '') headers.set('Authorization', `Basic ${base64(`${email}:${apiKey}`)}`);
    return this.doFetch(`${this.url}${path}`, { ...init, headers });
  }

  /** The fields of a success. @throws ParleyError */
  async read<T extends object>(response: Response): Promise<T> {
    const text = await response.text();
    const reply = parsed(text);
    if (response.ok && reply?.['result'] === 'success') return reply as T;
    const { code = '', msg = `The server answered ${response.status}` } = (reply ?? {}) as {
      code?: string;
      msg?: string;
    };
    const after = Number(response.headers.get('retry-after') ?? NaN);
    const retryAfter = Number.isNaN(after) ? undefined : after;
    throw new ParleyError(response.status, code, msg, reply ?? {}, retryAfter);
  }
}

/** Texts go as they are, everything else as JSON text. */
export function formOf(params: Readonly<Record<string, unknown>>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined)
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form.toString();
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
