import type { NativeRequest } from '../../../src/http/native.js';
import type { End } from '../world/network.js';
import type { Task } from '../world/scheduler.js';
import type { SimProcess } from './process.js';
import { HttpConnection, type Handler, type Route, type SocketRoute } from './http-connection.js';

/** Ports that are given out, from here on. */
const FIRST_PORT = 40_000;

/**
 * The library looks at its connections every four seconds, and closes those that it finds idle for the third time: after 8
 * to 12 seconds, as measured. So go those of a machine that lost its power.
 */
const SWEEP_MS = 4000;
const IDLE_SWEEPS = 2;
/** A connection that nobody uses is closed by then, milliseconds. */
export const MOST_IDLE_MS = (IDLE_SWEEPS + 1) * SWEEP_MS;

/** In place of uWebSockets.js: the same calls, over the network of the simulation. */
export function nativeLibrary(process: SimProcess): object {
  let ports = FIRST_PORT;
  return {
    App: () => new SimApp(process, () => ++ports),
    LIBUS_LISTEN_EXCLUSIVE_PORT: 1,
    SHARED_COMPRESSOR: 1,
    _cfg: () => undefined,
    us_socket_local_port: ({ port }: ListenSocket) => port,
    us_listen_socket_close: ({ close }: ListenSocket) => close(),
  };
}

interface ListenSocket {
  readonly port: number;
  readonly close: () => void;
}

/** A server: routes, and the connections to it. */
class SimApp {
  readonly #routes: Route[] = [];
  readonly #sockets: SocketRoute[] = [];
  readonly #open = new Set<HttpConnection>();
  #listening: ListenSocket[] = [];
  #filter: (response: object, change: number) => void = () => undefined;
  #sweep: Task;

  constructor(
    private readonly process: SimProcess,
    private readonly newPort: () => number,
  ) {
    this.#sweep = this.#sweepLater();
    process.atDeath.push(() => this.#sweep.cancel());
  }

  any(path: string, handle: Handler): this {
    return this.#route(null, path, handle);
  }

  get(path: string, handle: Handler): this {
    return this.#route('get', path, handle);
  }

  post(path: string, handle: Handler): this {
    return this.#route('post', path, handle);
  }

  patch(path: string, handle: Handler): this {
    return this.#route('patch', path, handle);
  }

  ws(path: string, behavior: SocketRoute['behavior']): this {
    this.#sockets.push({ path, behavior });
    return this;
  }

  filter(filter: (response: object, change: number) => void): this {
    this.#filter = filter;
    return this;
  }

  listen(
    _host: string,
    wanted: number,
    _options: number,
    done: (socket: ListenSocket | false) => void,
  ): this {
    const { network, name } = this.process.machine;
    const port = wanted === 0 ? this.newPort() : wanted;
    if (network.isListening(name, port)) {
      done(false);
      return this;
    }
    const accept = (end: End): void => this.#accept(end);
    network.listen(name, port, accept);
    const close = (): void => network.unlisten(name, port, accept);
    this.process.atDeath.push(close);
    const socket = { port, close };
    this.#listening.push(socket);
    done(socket);
    return this;
  }

  close(): this {
    this.#sweep.cancel();
    for (const { close } of this.#listening.splice(0)) close();
    for (const connection of [...this.#open]) connection.close();
    return this;
  }

  /** It is no task of the process: it takes no time of it where nothing is to be closed. */
  #sweepLater(): Task {
    const { scheduler } = this.process.machine;
    return scheduler.in(SWEEP_MS, () => {
      const since = scheduler.now - IDLE_SWEEPS * SWEEP_MS;
      const idle = [...this.#open].filter((one) => one.isIdleSince(since));
      if (idle.length > 0) this.process.run(() => this.#closeIdle(idle, since));
      this.#sweep = this.#sweepLater();
    });
  }

  /** Those that are still idle: a process that stood still finds what came meanwhile first. */
  #closeIdle(idle: readonly HttpConnection[], since: number): void {
    for (const one of idle) if (one.isIdleSince(since)) one.close();
  }

  #route(method: string | null, path: string, handle: Handler): this {
    this.#routes.push({ method, path, handle });
    return this;
  }

  #accept(end: End): void {
    const { process } = this;
    process.ends.add(end);
    end.run = (work) => process.arrive(work);
    const connection = new HttpConnection(process, end, {
      find: (request) => this.#find(request),
      socket: (path) => this.#sockets.find((one) => one.path === path) ?? null,
      closed: () => {
        process.ends.delete(end);
        this.#open.delete(connection);
        this.#filter(connection.response, -1);
      },
    });
    this.#open.add(connection);
    process.run(() => this.#filter(connection.response, 1));
  }

  /** The route of a path comes before those of all. */
  #find(request: NativeRequest): Handler {
    const [method, url] = [request.getMethod(), request.getUrl()];
    const fits = (route: Route): boolean => route.method === null || route.method === method;
    const exact = this.#routes.find((route) => route.path === url && fits(route));
    const found = exact ?? this.#routes.find((route) => route.path === '/*' && fits(route));
    if (!found) throw new Error(`No route for ${url}`);
    return found.handle;
  }
}
