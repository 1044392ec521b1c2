import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { ApiError } from '../../errors/index.js';

/** The caller, with the current user document, never one of an earlier request. */
export interface Caller {
  readonly user: UserDocument;
  /** The session of the browser that asks; absent where the caller has the key. */
  readonly sessionId?: number;
}

/** A request after routing, authentication, rate limiting and decoding. */
export interface DecodedRequest {
  /** Null only on `anonymous` endpoints. */
  readonly caller: Caller | null;
  /** Decoded by the endpoint's descriptor, so of type `ParamsOf<descriptor>`. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Name of the client program (conventions.md#callers). */
  readonly clientName: string;
  readonly remoteAddress: string;
  readonly header?: (name: string) => string;
  /** The `User-Agent` header. */
  readonly userAgent?: string;
  /** Gives the browser cookies with the reply: values of `Set-Cookie`. */
  setCookies?(lines: readonly string[]): void;
  /**
   * Resolves when a reply may be made that takes much memory until it is sent; absent: at once.
   * @throws ApiError 503 when too many are to be made
   */
  largeReply?(): Promise<void>;
  /** Another node forwarded it, where its client reads next. */
  readonly isForwarded?: boolean;
  /** A command of the operator, with the rights of its `caller`. */
  readonly isOperator?: boolean;
}

/** Fields of a success body beside `result` and `msg`. */
export type Reply = Readonly<Record<string, unknown>>;

/** What a request asks for, before the values of its parameters are read. */
export interface Asked {
  /** What its path names: numbers for integer parameters, decoded text for the others. */
  readonly path: Readonly<Record<string, string | number>>;
  /** Whether a parameter is given, under its name or another one of it, and not as null. */
  readonly gives: (name: string) => boolean;
}

/**
 * An endpoint bound to its handler. `call` returns the reply once everything it depends on is durable, or
 * throws/rejects with an `ApiError`; it returns synchronously where it can.
 */
export interface Route {
  readonly endpoint: EndpointDescriptor;
  call(request: DecodedRequest): Reply | Promise<Reply>;
  /** Where it is begun it is not done: it loads something, and goes on afterwards. */
  readonly goesOn?: boolean;
  /**
   * Checks the rights that a call needs whatever the values of its parameters are; absent where it needs none.
   * @throws ApiError
   */
  readonly permit?: (user: UserDocument, asked: Asked) => void;
}

/** Accepted credentials, in a form that is cheap to check again. */
export interface Session {
  readonly userId: number;
  /** Changes whenever the user's key changes. */
  readonly keyVersion: string;
  /** Real address at that time: after a change, the name in the credentials may belong to another account. */
  readonly email: string;
  /** The session of a browser, which may be ended; absent where the caller has the key. */
  readonly sessionId?: number;
}

/** A new session of an account. @param sessionId that of the browser */
export function sessionOf(user: UserDocument, sessionId?: number): Session {
  const { user_id, key_version, email } = user;
  const session = { userId: user_id, keyVersion: key_version, email };
  return sessionId === undefined ? session : { ...session, sessionId };
}

/** Authenticates callers for the HTTP layer. */
export interface Authenticator {
  /** Checks an e-mail and API key (authentication.md#basic). @throws ApiError `UNAUTHORIZED` */
  login(email: string, key: string): Session;
  /** The bot with an API key, where a request names nobody. @throws ApiError `UNAUTHORIZED` */
  byKey(key: string): Caller;
  /**
   * The caller of an earlier session; undefined where the credentials must be checked anew, because the
   * account's key or address has changed.
   * @throws ApiError `UNAUTHORIZED` when the user or the organization was deactivated
   */
  caller(session: Session): Caller | undefined;
  /** Whether somebody has yet to set up the second factor that the organization demands, and can do nothing else. */
  lacksTwoFactor(user: UserDocument): boolean;
}

/** A file part of a multipart body. */
export interface UploadedFile {
  /** Name of the form field; clients choose it freely (clients.md#python). */
  readonly field: string;
  /** Name the client gives; not a trusted path. */
  readonly name: string;
  /** Media type the client claims, or an empty text. */
  readonly mediaType: string;
  readonly data: Buffer;
}

/** A request with the files of a multipart body beside its parameters. */
export interface UploadRequest extends DecodedRequest {
  readonly files: readonly UploadedFile[];
}

/** The files of a request; empty for most. */
export function filesOf(request: object): readonly UploadedFile[] {
  return (request as Partial<UploadRequest>).files ?? [];
}

/**
 * The reply of a handler whose fields are JSON text already, in parts that large replies share; sent at
 * the client's pace.
 */
export class EncodedReply {
  /**
   * @param pieces the fields, each after a comma
   * @param fields further fields before them; encoded later, so they must not change
   */
  constructor(
    readonly pieces: readonly (Buffer | string)[],
    readonly fields: Readonly<Record<string, unknown>> = {},
    /** Those of the pieces that other replies have too: they are compressed once. */
    readonly shared: ReadonlySet<Buffer> = new Set(),
  ) {}
}

/** The reply of a handler that is no JSON, where others say what it is to be: a short text, and headers. */
export class PlainReply {
  constructor(
    readonly text: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

/** The reply of a handler whose fields are JSON text already, in parts of its own. */
export class TextReply {
  /** @param parts the fields, each after a comma; short ones are joined */
  constructor(readonly parts: readonly string[]) {}
}

/**
 * The reply of a handler that carried out a part of a request and refuses the rest: unlike a thrown error
 * it does not undo that part. The client gets the error once the part is durable.
 */
export class CommittedRefusal {
  constructor(readonly error: ApiError) {}
}
