import type { NativeRequest } from '../../../src/http/native.js';

const END_OF_HEAD = '\r\n\r\n';

/** The head of a request or reply. */
export interface Head {
  /** Bytes of the head, and of the body behind it. */
  readonly size: number;
  readonly bodySize: number;
  /** Three words: of a request its method, target and version, of a reply its version, status and reason. */
  readonly first: readonly string[];
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Values of all headers that set a cookie. */
  readonly cookies: readonly string[];
  readonly path: string;
  readonly query: string | undefined;
}

/** The head at the beginning of these bytes; null where it is not there as a whole. */
export function headIn(bytes: Buffer): Head | null {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end === -1) return null;
  const [line = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers = new Map<string, string>();
  const cookies: string[] = [];
  for (const each of lines) {
    const colon = each.indexOf(':');
    const [name, value] = [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
    headers.set(name, value);
    if (name === 'set-cookie') cookies.push(value);
  }
  const first = line.split(' ');
  const [path = '', query] = (first[1] ?? '').split('?', 2);
  const bodySize = Number(headers.get('content-length') ?? 0);
  return { size: end + END_OF_HEAD.length, bodySize, first, headers, cookies, path, query };
}

/** A request as the native layer gives it. */
export function requestOf({ first, headers, path, query }: Head): NativeRequest {
  const [method = ''] = first;
  return {
    getMethod: () => method.toLowerCase(),
    getCaseSensitiveMethod: () => method,
    getUrl: () => path,
    getQuery: () => query,
    getHeader: (name: string | ArrayBuffer) =>
      headers.get(typeof name === 'string' ? name : Buffer.from(name).toString()) ?? '',
    forEach: (each: (name: string, value: string) => void) => {
      for (const [name, value] of headers) each(name, value);
    },
  } as unknown as NativeRequest;
}
