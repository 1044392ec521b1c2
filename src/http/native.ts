import uWS, {
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
  type us_socket_context_t,
} from 'uWebSockets.js';

/** The server of the native library. */
export type NativeApp = TemplatedApp;
/** A request; valid only within the native callback. */
export type NativeRequest = HttpRequest;
/** A response; must not be touched once it was sent or aborted. */
export type NativeResponse = HttpResponse;
/** What an upgrade to a WebSocket has to hand back. */
export type UpgradeContext = us_socket_context_t;
/** A socket that accepts connections. */
export type ListenSocket = us_listen_socket;

/** A part of a multipart body. The data belongs to the body's memory: copy what outlives the call. */
export interface NativePart {
  readonly data: ArrayBuffer;
  readonly name?: string;
  readonly type?: string;
  readonly filename?: string;
}

/** What the installed build offers beyond its type declarations. */
interface Undeclared {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
}

interface FullListen {
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: ListenSocket | false) => void,
  ): unknown;
}

/** A new native application, without TLS: that belongs to the proxy in front. */
export function createApp(): NativeApp {
  return uWS.App();
}

/**
 * Listens on one address. The port is exclusive: without that two servers could share it unnoticed,
 * and each would see half of the requests.
 * @throws Error when the port is taken or the address is not ours
 */
export function listen(app: NativeApp, host: string, port: number): ListenSocket {
  const exclusive = (uWS as unknown as Undeclared).LIBUS_LISTEN_EXCLUSIVE_PORT;
  let socket: ListenSocket | false = false;
  (app as unknown as FullListen).listen(host, port, exclusive, (opened) => {
    socket = opened;
  });
  if (!socket)
    throw new Error(
      `Cannot listen on ${host}:${port}: is the port in use, or the address not one of this machine?`,
    );
  return socket;
}

/** The port a listen socket really has (it differs from the one asked for when that was 0). */
export function portOf(socket: ListenSocket): number {
  return uWS.us_socket_local_port(socket);
}

/** Stops accepting connections; those already open stay. */
export function closeListenSocket(socket: ListenSocket): void {
  uWS.us_listen_socket_close(socket);
}

/** Splits a multipart body; the boundary must come unquoted and last in the content type. */
export function splitParts(body: Buffer, boundary: string): readonly NativePart[] {
  return uWS.getParts(body, `multipart/form-data; boundary=${boundary}`) ?? [];
}

/** The values of some headers by lower-case name, the lines of each joined by commas; empty where absent. */
export function joinedHeaders<K extends string>(
  request: NativeRequest,
  names: readonly K[],
): Readonly<Record<K, string>> {
  const values = Object.fromEntries(names.map((name) => [name, ''])) as Record<K, string>;
  // `getHeader` gives the first line only, and clients come before proxies.
  request.forEach((name, value) => {
    if (!Object.hasOwn(values, name)) return;
    const known = values[name as K];
    values[name as K] = known === '' ? value : `${known}, ${value}`;
  });
  return values;
}
