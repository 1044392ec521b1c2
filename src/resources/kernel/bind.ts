import type { UserDocument } from '../../../schemas/users/user-document.js';
import { organizationDeactivated, unauthorized } from '../../errors/index.js';
import { monotonicTime } from '../../platform/time.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { inNextRound } from '../../turns/next-round.js';
import { checkRight } from '../../organization/access/endpoint-access.js';
import { PartedChange, type Parts } from '../../organization/state/parted-change.js';
import { OPERATOR, type Actor } from '../../organization/state/audited.js';
import type { Runtime } from '../../organization/state/runtime.js';
import { CommittedRefusal, type DecodedRequest, type Reply, type Route } from './route.js';
import type { AnyHandler, CallerRequest } from './handler.js';

/**
 * How long a forwarded request may wait for what was deferred, milliseconds: less than the silence after which
 * its node asks whether the leader still answers.
 */
const FORWARDED_DEFER_MS = 50;

/**
 * Makes a route of a handler: runs it as one transaction and replies once everything the reply depends on
 * is durable, so that no client sees anything that a crash could undo.
 */
export function bind(runtime: Runtime, one: AnyHandler): Route {
  const { endpoint } = one;
  const route = boundTo(runtime, one);
  if (endpoint.right === undefined && !one.permit) return route;
  return {
    ...route,
    permit: (user, asked) => {
      checkRight(runtime.org, endpoint, user);
      one.permit?.(runtime.org, user, asked);
    },
  };
}

function boundTo(runtime: Runtime, one: AnyHandler): Route {
  const { endpoint } = one;
  const isRead = endpoint.method === 'GET';
  const execute = (
    request: DecodedRequest,
    loaded: unknown,
    begun?: number,
  ): Reply | Promise<Reply> => {
    if (one.parts) return executeParts(runtime, one.parts, request, loaded);
    const reply = runtime.transact((tx) => {
      // What is pinned, `run` releases itself.
      if (one.discard && !one.isPinned) tx.onceTakenBack(() => void one.discard!(loaded));
      return one.run(tx, current(runtime, request), loaded);
    }, actorOf(request));
    if (request.isForwarded) return onceAllDurable(runtime, reply);
    return onceDurable(runtime, reply, begun);
  };
  if (one.job) return { endpoint, call: (request) => executeJob(runtime, one, request) };
  if (!one.prepare) return { endpoint, call: (request) => execute(request, undefined) };
  const executePrepared = (
    request: DecodedRequest,
    loaded: unknown,
    begun?: number,
  ): Reply | Promise<Reply> => {
    try {
      // Not awaited, so that `discard` does not run for an unconfirmed commit, which may still become durable.
      return execute(request, loaded, begun);
    } catch (error) {
      one.discard?.(loaded);
      throw error;
    }
  };
  return {
    endpoint,
    // Parts are transactions, whose first one commits with the plain requests that were read together with it.
    goesOn: one.parts === undefined,
    call: (request) => {
      // What only reads may have read it long before it answers.
      const begun = isRead ? monotonicTime() : undefined;
      const loaded = one.prepare!(runtime.org, current(runtime, request));
      // What need not wait commits with the plain requests that were read together with it.
      if (!(loaded instanceof Promise)) return executePrepared(request, loaded);
      const executeLate = (late: unknown) => executePrepared(request, late, begun);
      if (!one.isPinned) return loaded.then(executeLate);
      return loaded.then((late: unknown) => inTurn(request, () => executeLate(late)));
    },
  };
}

/** Does work when its turn has come among requests that change something. */
function inTurn(request: DecodedRequest, work: () => Reply | Promise<Reply>): Promise<Reply> {
  return new Promise((resolve) => {
    const account = request.caller?.user.user_id ?? null;
    inNextRound(() => resolve(new Promise((done) => done(work()))), account);
  });
}

/** Waits for work that has transactions of its own, and for what it changed to be durable. */
async function executeJob(
  runtime: Runtime,
  handler: AnyHandler,
  request: DecodedRequest,
): Promise<Reply> {
  const begun = handler.endpoint.method === 'GET' ? monotonicTime() : undefined;
  const reply = await handler.job!(runtime.org, current(runtime, request));
  // Throws where the caller was deactivated meanwhile.
  current(runtime, request);
  return onceDurable(runtime, reply, begun);
}

/** Runs each part as a transaction of its own; with a single part it replies synchronously where it can. */
function executeParts(
  runtime: Runtime,
  begin: NonNullable<AnyHandler['parts']>,
  request: DecodedRequest,
  loaded: unknown,
): Reply | Promise<Reply> {
  const actor = actorOf(request);
  let parts!: Parts<Reply>;
  const first = runtime.transact((tx) => {
    parts = begin(new PartedChange(tx), current(runtime, request), loaded);
    return parts.next();
  }, actor);
  if (first.done) return onceDurable(runtime, first.value);
  return finish(runtime, parts, actor).then((reply) => onceDurable(runtime, reply));
}

/**
 * Runs the further parts, each when the one before it is durable: readers wait for what has been changed, so they
 * wait for one part and not for all that one caller could queue up.
 */
async function finish(runtime: Runtime, parts: Parts<Reply>, actor: Actor): Promise<Reply> {
  const pause = EventLoopYield.of(actor.user ? runtime.org.accountOf(actor.user.user_id) : null);
  for (;;) {
    // A node that follows owes nothing, and reads in parts as the leader does.
    await runtime.durable;
    await pause.take();
    const step = runtime.transact((tx) => parts.next(tx), actor);
    if (step.done) return step.value;
  }
}

/**
 * The reply, once everything it depends on is durable.
 * @param begun when what it depends on may first have been read, by the monotonic clock; absent: in this step
 */
function onceDurable(runtime: Runtime, reply: Reply, begun?: number): Reply | Promise<Reply> {
  const durable = begun === undefined ? runtime.durable : runtime.durableSince(begun);
  return durable === null ? accepted(reply) : durable.then(() => accepted(reply));
}

/** The same with what was deferred: the node that forwarded the request waits until it has that too. */
function onceAllDurable(runtime: Runtime, reply: Reply): Reply | Promise<Reply> {
  if (runtime.journal.pending === 0) return accepted(reply);
  const durable = new Promise<Reply>((resolve, reject) =>
    runtime.writer.whenAllDurable(() => resolve(reply), reject, FORWARDED_DEFER_MS),
  );
  return durable.then(accepted);
}

/** @throws ApiError of a {@link CommittedRefusal} */
function accepted(reply: Reply): Reply {
  if (reply instanceof CommittedRefusal) throw reply.error;
  return reply;
}

/** Who acts by a request; the operator has an owner's rights, and is not that owner. */
function actorOf({ caller, isOperator }: DecodedRequest): Actor {
  if (isOperator === true) return OPERATOR;
  return { way: 'api', user: caller?.user ?? null };
}

/** A request with the caller's current document, which may have changed while the request waited. */
class CurrentRequest {
  constructor(
    private readonly request: DecodedRequest & { readonly files?: unknown },
    readonly user: UserDocument,
  ) {}

  get params(): DecodedRequest['params'] {
    return this.request.params;
  }

  get header(): ((name: string) => string) | undefined {
    return this.request.header;
  }

  get userAgent(): string | undefined {
    return this.request.userAgent;
  }

  get sessionId(): number | undefined {
    return this.request.caller?.sessionId;
  }

  setCookies(lines: readonly string[]): void {
    this.request.setCookies?.(lines);
  }

  get files(): unknown {
    return this.request.files;
  }

  // Getters, because both are costly and few handlers read them.
  get clientName(): string {
    return this.request.clientName;
  }

  get remoteAddress(): string {
    return this.request.remoteAddress;
  }

  async largeReply(): Promise<void> {
    await this.request.largeReply?.();
  }
}

function current(runtime: Runtime, request: DecodedRequest): CallerRequest<never> {
  const { caller } = request;
  if (!caller) return request as unknown as CallerRequest<never>;
  const user = runtime.org.users.get(caller.user.user_id);
  if (!user?.is_active) throw unauthorized('Account is deactivated');
  if (runtime.org.realm.isDeactivated && request.isOperator !== true) {
    throw organizationDeactivated();
  }
  return new CurrentRequest(request, user);
}
