import type { BrowserHeaders } from '../auth/cross-site.js';
import { joinedHeaders, nativeText, type NativeRequest } from '../native.js';
import type { ForwardedHeaders } from './trusted-proxies.js';

const NO_NAMES: readonly string[] = [];

/** Methods whose requests change nothing except acknowledgements. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Base path of the API for browsers with a session. */
export const SESSION_API = '/json';
const SESSION_BASE = `${SESSION_API}/`;

export const ACCEPT = nativeText('accept');
const AUTHORIZATION = nativeText('authorization');
const CONTENT_LENGTH = nativeText('content-length');
const TRANSFER_ENCODING = nativeText('transfer-encoding');
const CONTENT_TYPE = nativeText('content-type');
const ORIGIN = nativeText('origin');
const FETCH_SITE = nativeText('sec-fetch-site');
const FETCH_MODE = nativeText('sec-fetch-mode');

/** Method and path of a request that the native layer has recognised. */
export interface Recognised {
  readonly method: string;
  readonly path: string;
}

/**
 * RequestHead is the head of a request, copied because the native request is invalid after its callback.
 * Each header costs a call into native code, so only what every request needs is read at once; others while the
 * callback runs.
 */
export class RequestHead {
  /** As sent; methods are case-sensitive. */
  readonly method: string;
  /** Still percent-encoded, without the query, repeated slashes merged. */
  readonly path: string;
  /** Still percent-encoded, without the question mark. */
  readonly query: string;
  readonly authorization: string;
  /** Null where no browser sent the request. */
  readonly browser: BrowserHeaders | null;
  /** Headers of proxies; null without any, or where no proxy is trusted. */
  readonly forwarded: ForwardedHeaders | null;
  /** Empty where there is no body. */
  readonly contentType: string;
  /** The first coding of the body other than `identity`, such as `gzip`; empty without one. */
  readonly contentCoding: string;
  /** Announced length, bytes; 0 without a body and where the length is unknown. */
  readonly contentLength: number;
  readonly hasBody: boolean;
  /**
   * Whether the client sends the body after an answer to the head (`Expect: 100-continue`). The native layer answers
   * 100 by itself; a refusal that is made while the head is served goes out in the same segment.
   */
  readonly holdsBody: boolean;
  /** Whether the request only reads. */
  readonly isReading: boolean;
  /** Names of further headers that go with the request to another node, lower case; they are kept for that. */
  passedOn: readonly string[] = NO_NAMES;
  /** Whether another HTTP implementation may see another end of the body than the native layer does. */
  readonly isAmbiguous: boolean;

  /** Set while the entry function runs. */
  private native: NativeRequest | null;
  private codings: string | undefined;
  private agent: string | undefined;
  private accepted: string | undefined;
  /** Headers by lower-case name, where they are needed after the entry function. */
  private kept: Map<string, string> | undefined;

  /**
   * @param behindProxy keep the headers of proxies
   * @param recognised null where method and path are to be read
   */
  constructor(request: NativeRequest, behindProxy: boolean, recognised: Recognised | null) {
    this.native = request;
    this.method = recognised === null ? request.getCaseSensitiveMethod() : recognised.method;
    this.path = recognised === null ? withSingleSlashes(request.getUrl()) : recognised.path;
    this.query = request.getQuery() ?? '';
    this.authorization = request.getHeader(AUTHORIZATION);
    this.isReading = this.method === 'GET' || READING.has(this.method);
    this.forwarded = behindProxy ? forwardedHeaders(request) : null;
    if (this.isReading && !announcesBody(request)) {
      this.browser = browserOf(request, request.getHeader(ORIGIN), request.getHeader(FETCH_SITE));
      this.contentLength = 0;
      this.hasBody = false;
      this.holdsBody = false;
      this.contentType = '';
      this.contentCoding = '';
      this.isAmbiguous = false;
      return;
    }
    const all = bodyHeaders(request);
    this.browser = browserOf(request, all.origin ?? '', all.fetchSite ?? '');
    this.contentLength = Number(all.contentLength ?? '');
    this.hasBody = this.contentLength !== 0 || (all.transferEncoding ?? '') !== '';
    this.holdsBody = this.hasBody && all.expectsContinue;
    this.contentType = this.hasBody ? request.getHeader(CONTENT_TYPE) : '';
    this.contentCoding = all.contentCoding;
    this.isAmbiguous = all.isAmbiguous;
    this.codings = all.acceptEncoding ?? '';
  }

  /** Value of a header; empty once the entry function has returned, unless the headers were kept. */
  header(name: string): string {
    return this.native?.getHeader(name) ?? this.kept?.get(name) ?? '';
  }

  /** Sends further headers along where the request goes to another node. @param names lower case */
  passOn(names: readonly string[]): void {
    this.keepHeaders();
    this.passedOn = this.passedOn.length === 0 ? names : [...this.passedOn, ...names];
  }

  /** Keeps all headers, for a request that is decided after its entry function. */
  keepHeaders(): void {
    const kept = (this.kept ??= new Map<string, string>());
    const { native } = this;
    // Beyond ASCII the native layer gives another text of a header in a list than of the same one alone.
    native?.forEach((name) => {
      if (!kept.has(name)) kept.set(name, native.getHeader(name));
    });
  }

  /** Whether it is for `/json`, where the session of a browser is the only credential. */
  get bySession(): boolean {
    return this.path.startsWith(SESSION_BASE);
  }

  /** Whether a browser sent the request. */
  get isFromBrowser(): boolean {
    if (this.browser !== null || this.userAgent.startsWith('Mozilla/')) return true;
    return this.accept.includes('text/html');
  }

  /** The `Accept` header; like every header it must be read before the entry function returns. */
  get accept(): string {
    return (this.accepted ??= this.header('accept'));
  }

  /** The `User-Agent` header. */
  get userAgent(): string {
    return (this.agent ??= this.header('user-agent'));
  }

  /** The `Accept-Encoding` header. */
  get acceptEncoding(): string {
    return (this.codings ??= this.header('accept-encoding'));
  }

  /** The entry function returns: the native request is not valid any more. */
  protected endReading(): void {
    this.native = null;
  }
}

/** Clients join a server's address that ends in a slash with a path that begins with one. */
export function withSingleSlashes(path: string): string {
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') : path;
}

function announcesBody(request: NativeRequest): boolean {
  return request.getHeader(CONTENT_LENGTH) !== '' || request.getHeader(TRANSFER_ENCODING) !== '';
}

function browserOf(
  request: NativeRequest,
  origin: string,
  fetchSite: string,
): BrowserHeaders | null {
  if (origin === '' && fetchSite === '') return null;
  const fetchMode = request.getHeader(FETCH_MODE);
  return { origin, fetchSite, fetchMode, host: request.getHeader('host') };
}

function forwardedHeaders(request: NativeRequest): ForwardedHeaders | null {
  const found = joinedHeaders(request, [
    'x-forwarded-for',
    'x-forwarded-proto',
    'forwarded',
    'x-request-id',
  ]);
  const addresses = found['x-forwarded-for'];
  const protocols = found['x-forwarded-proto'];
  const { forwarded } = found;
  const requestId = found['x-request-id'];
  return addresses || protocols || forwarded || requestId
    ? { addresses, protocols, forwarded, requestId }
    : null;
}

/**
 * Headers of a request that may have a body, each the first line of its name. Not those whose values may matter beyond
 * ASCII: there the native layer gives another text of a header in a list than of the same one alone.
 */
class BodyHeaders {
  origin: string | undefined;
  fetchSite: string | undefined;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  acceptEncoding: string | undefined;
  contentCoding = '';
  expectsContinue = false;
  /**
   * Whether the head is ambiguous about the end of the body or about the host (RFC 9112 sections 3.2 and
   * 6.3). The native layer takes the first of several lines, and any transfer coding for `chunked`; a proxy
   * that decides otherwise would see other requests than this server.
   */
  isAmbiguous = false;
  private hosts = 0;

  /** @param name lower case */
  take(name: string, value: string): void {
    // Most names differ in length, which costs less to compare.
    switch (name.length) {
      case 4:
        if (name === 'host') this.isAmbiguous ||= ++this.hosts > 1;
        break;
      case 6:
        if (name === 'origin') this.origin ??= value;
        else if (name === 'expect') this.expectsContinue ||= value.toLowerCase() === '100-continue';
        break;
      case 14:
        if (name === 'content-length') this.takeLength(value);
        else if (name === 'sec-fetch-site') this.fetchSite ??= value;
        break;
      case 15:
        if (name === 'accept-encoding') this.acceptEncoding ??= value;
        break;
      case 16:
        if (name === 'content-encoding') this.takeContentCoding(value);
        break;
      case 17:
        if (name === 'transfer-encoding') this.takeCoding(value);
        break;
      default:
    }
  }

  private takeLength(value: string): void {
    this.isAmbiguous ||= value === '' || this.hasEnd;
    this.contentLength ??= value;
  }

  private takeCoding(value: string): void {
    this.isAmbiguous ||= value.toLowerCase() !== 'chunked' || this.hasEnd;
    this.transferEncoding ??= value;
  }

  private takeContentCoding(value: string): void {
    const codings = value.split(',').map((coding) => coding.trim().toLowerCase());
    this.contentCoding ||= codings.find((name) => name !== '' && name !== 'identity') ?? '';
  }

  /** Whether a line about the end of the body was there already. */
  private get hasEnd(): boolean {
    return this.contentLength !== undefined || this.transferEncoding !== undefined;
  }
}

/** By one call, which the check for ambiguity needs: a call for each that is needed would cost more. */
function bodyHeaders(request: NativeRequest): BodyHeaders {
  const all = new BodyHeaders();
  request.forEach((name, value) => all.take(name, value));
  return all;
}
