import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';

/** Who is calling: the live user document, never a copy from an earlier request. */
export interface Caller {
  readonly user: UserDocument;
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
}

/** Fields of a success body beside `result` and `msg`. */
export type Reply = Readonly<Record<string, unknown>>;

/**
 * An endpoint bound to its handler. `call` answers with the reply once everything it rests on is
 * durable, or throws/rejects with an `ApiError`; it answers synchronously where it can.
 */
export interface Route {
  readonly endpoint: EndpointDescriptor;
  call(request: DecodedRequest): Reply | Promise<Reply>;
}

/** Credentials that were accepted once; cheap to check again. */
export interface Session {
  readonly userId: number;
  /** Changes whenever the user's key changes. */
  readonly keyVersion: string;
  /** Real address at that time: with another one, the name that was sent may be somebody else's. */
  readonly email: string;
}

/** How the HTTP layer asks who is calling. */
export interface Authenticator {
  /**
   * Checks an e-mail and API key (authentication.md#basic).
   * @throws ApiError `UNAUTHORIZED`
   */
  login(email: string, key: string): Session;
  /**
   * The caller behind a session accepted earlier; undefined where the credentials behind it must be
   * checked anew, because the account's key or address is another by now.
   * @throws ApiError `UNAUTHORIZED` when the user or the organization was deactivated
   */
  caller(session: Session): Caller | undefined;
}
