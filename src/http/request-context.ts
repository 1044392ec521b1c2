import type { Caller, UploadedFile, UploadRequest } from '../resources/kernel/route.js';
import { withoutInvalidCharacters } from '../services/text/stored-text.js';
import type { BodyStream } from './request/body-stream.js';
import type { Exchange } from './reply/exchange.js';

/**
 * RequestContext is a decoded request as routes receive it. Client name and address are computed on use,
 * because together they cost as much as the rest of a poll: they are accessors of the class, so a spread
 * copy would lose them. Read the address while the request is being answered.
 */
export class RequestContext implements UploadRequest {
  constructor(
    private readonly exchange: Exchange,
    /** The `client` parameter. */
    private readonly client: string | undefined,
    readonly caller: Caller | null,
    readonly params: Readonly<Record<string, unknown>>,
    readonly files: readonly UploadedFile[],
    /** For `ignored_parameters_unsupported` of a success reply (see `successText`). */
    readonly ignored: readonly string[],
    /** The body, of an endpoint that reads it while it arrives; null without one. */
    readonly body: BodyStream | null = null,
  ) {}

  get clientName(): string {
    return clientName(this.exchange.userAgent, this.client);
  }

  get remoteAddress(): string {
    return this.exchange.remoteAddress;
  }

  /** A header by its lower-case name, of requests whose endpoint keeps them. */
  get header(): (name: string) => string {
    return (name) => this.exchange.header(name);
  }

  get userAgent(): string {
    return this.exchange.userAgent;
  }

  setCookies(lines: readonly string[]): void {
    this.exchange.setCookies = lines;
  }

  get isForwarded(): boolean {
    return this.exchange.isInternal;
  }

  largeReply(): Promise<void> {
    return this.exchange.largeReply();
  }
}

/** Longest client name in characters (conventions.md#callers). */
const MAX_LENGTH = 30;
/** Part of a given text that is read, UTF-16 units: enough for a name with as much to leave out. */
const MAX_READ = 200;

/**
 * The name of the client program: the `client` parameter if given, else the User-Agent up to the first `/`
 * or space, else `Unspecified` (conventions.md#callers). What no name may contain is removed: the name is stored and
 * shown to others.
 */
export function clientName(userAgent: string, parameter: string | undefined): string {
  return (
    (parameter !== undefined && shorten(parameter)) ||
    shorten(programOf(userAgent)) ||
    'Unspecified'
  );
}

const SLASH = 47;
const SPACE = 32;
const TILDE = 126;

function programOf(userAgent: string): string {
  let end = 0;
  for (; end < userAgent.length; end++) {
    const code = userAgent.charCodeAt(end);
    if (code === SLASH || code === SPACE) break;
  }
  return userAgent.slice(0, end);
}

function shorten(text: string): string {
  // Nearly every name: the expression below costs a tenth of a small request.
  if (isShortAndPrintable(text)) return text;
  const clean = withoutInvalidCharacters(text.slice(0, MAX_READ)).trim();
  return clean.length <= MAX_LENGTH ? clean : [...clean].slice(0, MAX_LENGTH).join('').trimEnd();
}

/** Whether the text is of the printable characters of ASCII, without spaces. */
function isShortAndPrintable(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= SPACE || code > TILDE) return false;
  }
  return true;
}
