import type { EndpointDescriptor, ParamsOf, ReplyOf } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { checkRight } from '../../organization/access/endpoint-access.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import {
  inOnePart,
  type PartedChange,
  type Parts,
} from '../../organization/state/parted-change.js';
import type {
  Asked,
  CommittedRefusal,
  EncodedReply,
  PlainReply,
  Reply,
  TextReply,
} from './route.js';

/** A request as a handler sees it, without transport. */
interface HandlerRequest<D extends EndpointDescriptor> {
  readonly params: ParamsOf<D>;
  readonly clientName: string;
  readonly remoteAddress: string;
  /** A header by its lower-case name, of requests below `/json`. */
  readonly header?: (name: string) => string;
  readonly userAgent?: string;
  /** Gives the browser cookies with the reply: values of `Set-Cookie`. */
  setCookies?(lines: readonly string[]): void;
  /** Resolves when a large reply may be made (`DecodedRequest`); absent: at once. */
  largeReply?(): Promise<void>;
}

/** A request with the caller; on `anonymous` endpoints there is none and the field must not be read. */
export interface CallerRequest<D extends EndpointDescriptor> extends HandlerRequest<D> {
  /** The caller's current document. */
  readonly user: UserDocument;
  /** The session of the browser that asks; absent where the caller has the key. */
  readonly sessionId?: number;
}

/**
 * What a handler answers with: the fields of its descriptor's success body, the same as text, or a
 * refusal of what is left when a part was done.
 */
export type HandlerReply<D extends EndpointDescriptor> =
  | ReplyOf<D>
  | EncodedReply
  | PlainReply
  | TextReply
  | CommittedRefusal;

/**
 * An endpoint's implementation (architecture.md#unit-of-work). `prepare` may wait (load messages, hash a password),
 * returns at once where it need not, and changes nothing; `run` is synchronous, checks, changes and answers in one
 * transaction. Where the answer needs what only the store has and nothing changes, `prepare` may do all the work and
 * `run` pass it on. What changes things in transactions of its own is a `job` and nothing else.
 */
export interface Handler<
  D extends EndpointDescriptor = EndpointDescriptor,
  L = unknown,
  R = Reply,
> {
  readonly endpoint: D;
  prepare?(org: Organization, request: CallerRequest<D>): Promise<L> | L;
  run(tx: Transaction, request: CallerRequest<D>, loaded: L): R;
  /** As `run`, for what may be too large for one transaction; `run` then does all parts in one. */
  readonly parts?: (change: PartedChange, request: CallerRequest<D>, loaded: L) => Parts<R>;
  /** Instead of `prepare` and `run`: the work, for longer than one transaction may take. */
  job?(org: Organization, request: CallerRequest<D>): Promise<R>;
  /** Removes what `prepare` stored outside memory (files), or releases it, when the transaction was refused or taken back. */
  discard?(loaded: L): unknown;
  /** What `prepare` loaded stays current until the transaction, which waits for its turn then. */
  readonly isPinned?: true;
  /** See {@link permitting}. */
  readonly permit?: Permit;
}

/**
 * Checks what right a call needs about what its path names, or for the parameters that it gives, before their values are
 * read.
 * @throws ApiError
 */
export type Permit = (org: Organization, user: UserDocument, asked: Asked) => void;

/** A handler of any endpoint, for lists of handlers. */
export type AnyHandler = Handler;

/**
 * Forgets the types of one endpoint: from here on only its descriptor tells what goes in and out, and
 * the two kinds of answers that are no fields are told by `instanceof`.
 */
function untyped<D extends EndpointDescriptor, L>(
  handler: Handler<D, L, HandlerReply<D>>,
): AnyHandler {
  return handler.endpoint.right === undefined
    ? (handler as AnyHandler)
    : needingRight(handler as AnyHandler);
}

/**
 * Asks for the right of the descriptor in each step, though the request was refused without it: it may be lost between.
 * @throws Error for a kind of handler of which none has needed a right
 */
function needingRight(handler: AnyHandler): AnyHandler {
  const { endpoint } = handler;
  const { parts } = handler;
  if (handler.job) throw new Error(`${endpoint.operation} asks for no right`);
  type Request = CallerRequest<EndpointDescriptor>;
  const prepare = (org: Organization, request: Request): unknown => {
    checkRight(org, endpoint, request.user);
    return handler.prepare!(org, request);
  };
  return {
    ...handler,
    ...(handler.prepare && { prepare }),
    ...(parts && {
      parts: (change, request, loaded) => {
        checkRight(change.org, endpoint, request.user);
        return parts(change, request, loaded);
      },
    }),
    run: (tx, request, loaded) => {
      checkRight(tx.org, endpoint, request.user);
      return handler.run(tx, request, loaded);
    },
  };
}

/** Declares a handler without a prepare step. */
export function handle<D extends EndpointDescriptor>(
  endpoint: D,
  run: (tx: Transaction, request: CallerRequest<D>) => HandlerReply<D>,
): AnyHandler {
  return untyped({ endpoint, run });
}

/** Declares a handler that does large work in parts, between which other requests are served. */
export function handleInParts<D extends EndpointDescriptor, L = undefined>(
  endpoint: D,
  parts: (change: PartedChange, request: CallerRequest<D>, loaded: L) => Parts<HandlerReply<D>>,
  prepare?: (org: Organization, request: CallerRequest<D>) => Promise<L> | L,
): AnyHandler {
  const run = (tx: Transaction, request: CallerRequest<D>, loaded: L): HandlerReply<D> =>
    inOnePart(tx, (change) => parts(change, request, loaded));
  return untyped({ endpoint, prepare, run, parts });
}

/** Declares a handler with a prepare step; `discard` is for one that stores files in it. */
export function handlePrepared<D extends EndpointDescriptor, L>(
  endpoint: D,
  prepare: (org: Organization, request: CallerRequest<D>) => Promise<L>,
  run: (tx: Transaction, request: CallerRequest<D>, loaded: L) => HandlerReply<D>,
  discard?: (loaded: L) => unknown,
): AnyHandler {
  return untyped({ endpoint, prepare, run, discard });
}

/**
 * Declares a handler with a prepare step that pins what it loads, so that it stays current. The transaction then takes
 * its turn as those without a prepare step do: of hundreds that are prepared at once, all would run at once.
 * @param release of what was pinned, where the transaction was refused; `run` releases it itself
 */
export function handlePinned<D extends EndpointDescriptor, L>(
  endpoint: D,
  prepare: (org: Organization, request: CallerRequest<D>) => Promise<L>,
  run: (tx: Transaction, request: CallerRequest<D>, pinned: L) => HandlerReply<D>,
  release: (pinned: L) => void,
): AnyHandler {
  return untyped({ endpoint, prepare, run, discard: release, isPinned: true });
}

/**
 * Declares a handler whose work runs transactions of its own. What it changed stays, however it ends; a caller
 * who is deactivated meanwhile is told so in place of the answer.
 */
export function handleJob<D extends EndpointDescriptor>(
  endpoint: D,
  job: (org: Organization, request: CallerRequest<D>) => Promise<HandlerReply<D>>,
): AnyHandler {
  const run = (): never => {
    throw new Error(`${endpoint.operation} has no transaction around it`);
  };
  return untyped({ endpoint, job, run });
}

/**
 * A handler whose calls need a right that goes by what the path names, or by the parameters given: whoever lacks it
 * learns nothing of the parameters. The handler checks the right again, with the values.
 */
export function permitting(permit: Permit, handler: AnyHandler): AnyHandler {
  return { ...handler, permit };
}
