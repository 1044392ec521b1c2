import type { BrowserHeaders } from '../auth/cross-site.js';
import { joinedHeaders, nativeText, type NativeRequest } from '../native.js';
import type { ForwardedHeaders } from './trusted-proxies.js';

const NO_NAMES: readonly string[] = [];

/** Methods whose requests change nothing except acknowledgements. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export const ACCEPT = nativeText('accept');
const AUTHORIZATION = nativeText('authorization');
const CONTENT_LENGTH = nativeText('content-length');
const TRANSFER_ENCODING = nativeText('transfer-encoding');
const CONTENT_TYPE = nativeText('content-type');
const ORIGIN = nativeText('origin');
const FETCH_SITE = nativeText('sec-fetch-site');

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
  /** Still percent-encoded, without the query. */
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
  /** Announced length, bytes; 0 without a body and where the length is unknown. */
  readonly contentLength: number;
  readonly hasBody: boolean;
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
    this.path = recognised === null ? request.getUrl() : recognised.path;
    this.query = request.getQuery() ?? '';
    this.authorization = request.getHeader(AUTHORIZATION);
    this.browser = browserHeaders(request);
    this.forwarded = behindProxy ? forwardedHeaders(request) : null;
    const length = request.getHeader(CONTENT_LENGTH);
    this.contentLength = length === '' ? 0 : Number(length);
    this.hasBody = this.contentLength !== 0 || request.getHeader(TRANSFER_ENCODING) !== '';
    this.contentType = this.hasBody ? request.getHeader(CONTENT_TYPE) : '';
    this.isReading = this.method === 'GET' || READING.has(this.method);
    const mayHaveBody = this.hasBody || length !== '' || !this.isReading;
    this.isAmbiguous = mayHaveBody && hasAmbiguousBody(request);
  }

  /** Value of a header; empty once the entry function has returned, unless the headers were kept. */
  header(name: string): string {
    return this.native?.getHeader(name) ?? this.kept?.get(name) ?? '';
  }

  /** Keeps all headers, for a request that is decided after its entry function. */
  keepHeaders(): void {
    const kept = (this.kept ??= new Map<string, string>());
    this.native?.forEach((name, value) => {
      if (!kept.has(name)) kept.set(name, value);
    });
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

function browserHeaders(request: NativeRequest): BrowserHeaders | null {
  const origin = request.getHeader(ORIGIN);
  const fetchSite = request.getHeader(FETCH_SITE);
  if (origin === '' && fetchSite === '') return null;
  return { origin, fetchSite, host: request.getHeader('host') };
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
 * Whether the head is ambiguous about the end of the body or about the host (RFC 9112 sections 3.2 and
 * 6.3). The native layer takes the first of several lines, and any transfer coding for `chunked`; a proxy
 * that decides otherwise would see other requests than this server.
 */
function hasAmbiguousBody(request: NativeRequest): boolean {
  let lengths = 0;
  let codings = 0;
  let hosts = 0;
  let wrong = false;
  request.forEach((name, value) => {
    if (name === 'content-length') {
      lengths++;
      wrong ||= value === '';
    } else if (name === 'transfer-encoding') {
      codings++;
      wrong ||= value.toLowerCase() !== 'chunked';
    } else if (name === 'host') hosts++;
  });
  return wrong || lengths + codings > 1 || hosts > 1;
}
