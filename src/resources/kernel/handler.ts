import type { EndpointDescriptor, ParamsOf } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import {
  inOnePart,
  type PartedChange,
  type Parts,
} from '../../organization/state/parted-change.js';
import type { Reply } from './route.js';

/** A request as a handler sees it; transport is out of sight. */
export interface HandlerRequest<D extends EndpointDescriptor> {
  readonly params: ParamsOf<D>;
  readonly clientName: string;
  readonly remoteAddress: string;
}

/** As above, with the caller; on `anonymous` endpoints there is none and the field must not be read. */
export interface CallerRequest<D extends EndpointDescriptor> extends HandlerRequest<D> {
  /** The caller's document at this moment. */
  readonly user: UserDocument;
}

/**
 * An endpoint's implementation (architecture.md#unit-of-work). `prepare` may wait (load messages, hash a
 * password) and changes nothing; `run` is synchronous, checks, changes and answers in one transaction.
 * Where the answer needs what only the store has and nothing changes, `prepare` may do all the work
 * and `run` pass it on.
 */
export interface Handler<D extends EndpointDescriptor = EndpointDescriptor, L = unknown> {
  readonly endpoint: D;
  prepare?(org: Organization, request: CallerRequest<D>): Promise<L>;
  run(tx: Transaction, request: CallerRequest<D>, loaded: L): Reply;
  /** As `run`, for what may be too large for one transaction; `run` then does all parts in one. */
  readonly parts?: (change: PartedChange, request: CallerRequest<D>, loaded: L) => Parts<Reply>;
  /** Undoes what `prepare` did outside memory (files it stored), where the transaction was refused. */
  discard?(loaded: L): unknown;
}

/** A handler whose types are its own business; what the composition root collects. */
export type AnyHandler = Handler<EndpointDescriptor, never>;

/** Declares a handler without a prepare step. */
export function handle<D extends EndpointDescriptor>(
  endpoint: D,
  run: (tx: Transaction, request: CallerRequest<D>) => Reply,
): AnyHandler {
  return { endpoint, run };
}

/** Declares a handler whose work is done in parts where it is large, others being served in between. */
export function handleInParts<D extends EndpointDescriptor, L = undefined>(
  endpoint: D,
  parts: (change: PartedChange, request: CallerRequest<D>, loaded: L) => Parts<Reply>,
  prepare?: (org: Organization, request: CallerRequest<D>) => Promise<L>,
): AnyHandler {
  const run = (tx: Transaction, request: CallerRequest<D>, loaded: L): Reply =>
    inOnePart(tx, (change) => parts(change, request, loaded));
  return { endpoint, prepare, run, parts } as unknown as AnyHandler;
}

/** Declares a handler that first loads, then runs; `discard` is for one that stores files first. */
export function handlePrepared<D extends EndpointDescriptor, L>(
  endpoint: D,
  prepare: (org: Organization, request: CallerRequest<D>) => Promise<L>,
  run: (tx: Transaction, request: CallerRequest<D>, loaded: L) => Reply,
  discard?: (loaded: L) => unknown,
): AnyHandler {
  return { endpoint, prepare, run, discard } as unknown as AnyHandler;
}
