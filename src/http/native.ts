import { createRequire } from 'node:module';
import type * as Library from 'uWebSockets.js';
import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';
import type { TlsFiles } from './tls/tls-files.js';
import { cannotListen } from './cannot-listen.js';

/**
 * Largest head of a request that may arrive in several pieces, as networks divide it: what Node's own server and common
 * proxies take. The library's own bound is 4096. Each connection may hold as many bytes of a head that is not complete.
 */
const MAX_HEAD_BYTES = 16 * 1024;

// The library reads it when it is loaded.
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(MAX_HEAD_BYTES);
const uWS = createRequire(import.meta.url)('uWebSockets.js') as typeof Library;
/** The server of the native library. */
export interface NativeApp extends Omit<TemplatedApp, 'publish' | 'ws'> {
  ws<T>(path: string, behavior: SocketBehavior<T>): unknown;
}
/** A request; valid during the native callback only. */
export type NativeRequest = HttpRequest;
/** A response; must not be touched once it was sent or aborted. */
export interface NativeResponse extends Pick<
  HttpResponse,
  | 'close'
  | 'cork'
  | 'endWithoutBody'
  | 'getRemoteAddressAsText'
  | 'getWriteOffset'
  | 'onAborted'
  | 'onData'
  | 'onWritable'
  | 'pause'
  | 'resume'
> {
  writeStatus(line: Utf8Text): NativeResponse;
  /** @param name ASCII alone, as names of headers are */
  writeHeader(name: string | NativeText, value: Utf8Text): NativeResponse;
  write(text: Utf8Text): boolean;
  end(body: Utf8Text, closeConnection?: boolean): NativeResponse;
  /** @param totalSize bytes */
  tryEnd(body: Utf8Text, totalSize: number): [boolean, boolean];
  upgrade<T>(
    data: T,
    key: Utf8Text,
    protocol: Utf8Text,
    extensions: Utf8Text,
    context: us_socket_context_t,
  ): void;
}
/** A WebSocket. */
export interface NativeSocket<T> extends Pick<
  WebSocket<T>,
  'close' | 'getBufferedAmount' | 'getUserData'
> {
  /**
   * @param compress where the socket has agreed on it
   * @returns 1 sent, 0 buffered, 2 dropped
   */
  send(message: Utf8Text, isBinary: boolean, compress?: boolean): number;
  end(code: number, reason: Utf8Text): void;
}
/** What is done with the WebSockets of a path. */
export interface SocketBehavior<T> extends Omit<
  WebSocketBehavior<T>,
  'open' | 'message' | 'drain' | 'close' | 'upgrade'
> {
  readonly upgrade?: (
    response: NativeResponse,
    request: NativeRequest,
    context: UpgradeContext,
  ) => void;
  readonly open?: (socket: NativeSocket<T>) => void;
  readonly message?: (socket: NativeSocket<T>, message: ArrayBuffer, isBinary: boolean) => void;
  readonly drain?: (socket: NativeSocket<T>) => void;
  readonly close?: (socket: NativeSocket<T>) => void;
}
/** The context that an upgrade to a WebSocket passes back. */
export type UpgradeContext = us_socket_context_t;
/** A socket that accepts connections. */
export type ListenSocket = us_listen_socket;

/** What the installed build offers beyond its type declarations. */
declare module 'uWebSockets.js' {
  export const LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  /** Sets what the documentation does not name. */
  export function _cfg(key: string): void;

  interface TemplatedApp {
    listen(
      host: string,
      port: number,
      options: number,
      done: (socket: us_listen_socket | false) => void,
    ): TemplatedApp;
  }
}

declare const IS_ASCII: unique symbol;

/**
 * Text as it goes to the native layer: bytes, or a string of ASCII alone. No other string may go there: some builds
 * send one whose characters all lie below U+0100 as Latin-1, and half a surrogate pair as three bytes that are no UTF-8
 * (native-binaries.md#text). {@link utf8Text} makes it; the compiler refuses strings that did not pass there.
 */
export type Utf8Text = (string & { readonly [IS_ASCII]: true }) | ArrayBuffer | Uint8Array;

/** Hands text to the native layer: as UTF-8, half of a surrogate pair as U+FFFD. */
export function utf8Text(text: string | ArrayBuffer | Uint8Array): Utf8Text {
  if (typeof text !== 'string') return text;
  // Nearly all texts are ASCII: to find that out takes 0.2 to 0.6 µs of a reply of a kilobyte, for which the library
  // takes 12; to make bytes of each would take 0.5 to 1.1.
  return Buffer.byteLength(text) === text.length
    ? (text as string & { readonly [IS_ASCII]: true })
    : Buffer.from(text);
}

/**
 * Text that goes to the native layer at every request, such as a header's name: a call with the bytes takes
 * 50 to 110 ns, with a string up to twice as long.
 */
export type NativeText = ArrayBuffer;

/** The bytes of a constant text. */
export function nativeText(text: string): NativeText {
  // A copy of its own: small buffers share the memory of a pool.
  return new Uint8Array(Buffer.from(text)).buffer;
}

/** The library's word for that replies do not name it: 17 bytes that no client reads. */
const UNNAMED = '999999990007';

/**
 * Creates a native application, with TLS where the files for it are given.
 * @throws Error where they cannot be used
 */
export function createApp(tls: TlsFiles | null = null): NativeApp {
  uWS._cfg(UNNAMED);
  if (tls === null) return uWS.App();
  return uWS.SSLApp({ cert_file_name: tls.certificate, key_file_name: tls.key });
}

/**
 * Compresses each message of a socket by itself, where `send` is told to: 5 µs for half a kilobyte. A window for each socket
 * makes no less of it (native-binaries.md#compression).
 */
export function eachByItself(): number {
  return uWS.SHARED_COMPRESSOR;
}

/** Lets other processes of the same account listen on the port too; the system spreads connections over them. */
const SHARED_PORT = 0;

/**
 * Listens on one address. The port is exclusive unless it is `shared`: otherwise two servers could share it
 * unnoticed, each with half of the requests.
 * @throws Error when the port is in use or the address is not local
 */
export function listen(app: NativeApp, host: string, port: number, shared = false): ListenSocket {
  let socket: ListenSocket | false = false;
  const options = shared ? SHARED_PORT : uWS.LIBUS_LISTEN_EXCLUSIVE_PORT;
  app.listen(host, port, options, (opened) => {
    socket = opened;
  });
  if (!socket) throw cannotListen(host, port);
  return socket;
}

/** The actual port of a listen socket (which differs from the requested one when that was 0). */
export function portOf(socket: ListenSocket): number {
  return uWS.us_socket_local_port(socket);
}

/** Stops accepting connections; those already open stay. */
export function closeListenSocket(socket: ListenSocket): void {
  uWS.us_listen_socket_close(socket);
}

/** Values of some headers by lower-case name, several lines joined by commas; empty where absent. */
export function joinedHeaders<K extends string>(
  request: NativeRequest,
  names: readonly K[],
): Readonly<Record<K, string>> {
  const values = Object.fromEntries(names.map((name) => [name, ''])) as Record<K, string>;
  // `getHeader` returns the first line only, and clients come before proxies.
  request.forEach((name, value) => {
    if (!Object.hasOwn(values, name)) return;
    const known = values[name as K];
    values[name as K] = known === '' ? value : `${known}, ${value}`;
  });
  return values;
}
