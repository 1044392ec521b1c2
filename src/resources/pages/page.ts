import type { Clock } from '../../../actors/clock.js';
import { inEvenTime } from '../../turns/even-time.js';
import type { ApiError } from '../../errors/index.js';
import type { Language } from '../../languages/languages.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { Runtime, Transactor } from '../../organization/state/runtime.js';
import { LINK, type Actor } from '../../organization/state/audited.js';
import type { Html } from '../../services/text/html.js';
import type { Reply } from '../kernel/route.js';

/** A request for a page, without transport. */
export interface WebPageRequest {
  /** Decoded path parameters. */
  readonly values: Readonly<Record<string, string>>;
  /** Fields of query and form; the form takes precedence. */
  readonly fields: ReadonlyMap<string, string>;
  /** As it was sent, without the question mark. */
  readonly query?: string;
  /** The `Cookie` header, for pages that read it; else empty. */
  readonly cookies?: string;
  readonly userAgent?: string;
  /** Whether the browser says that a page of this server sent it, as a login must come from one. */
  readonly isFromOwnPage?: boolean;
  /** What the browser asks for; null: none that there is. */
  readonly language: Language | null;
  readonly remoteAddress: string;
}

/** A page for browsers, and its JSON fields for programs. */
export interface Shown {
  readonly page: Html;
  readonly data: Reply;
  /** Whether it runs a script of ours, which calls the API. */
  readonly hasScript?: boolean;
  /** Where browsers go on, instead of the page. */
  readonly leadsTo?: string;
  /** Cookies to set. */
  readonly cookies?: readonly string[];
}

/** A redirect for browsers, and an error for programs. */
export interface Redirected {
  readonly location: string;
  readonly refusal: ApiError;
  /** Cookies to set. */
  readonly cookies?: readonly string[];
}

/**
 * A page outside the API (endpoints-invitations.md#sign-up): HTML for browsers, JSON for programs that ask for it.
 * No form of a page asks who is logged in, so one of another site can do nothing its sender could not. The chat's page
 * tells its script whether there is a session, a form that sets a password begins one, and a login by another service has
 * a cookie for its few minutes, which ties it to the browser that began it.
 */
export interface WebPage {
  readonly method: 'GET' | 'POST';
  /** From the root, with `{name}` for path parameters. */
  readonly path: string;
  /** A GET that uses up a link; a HEAD must not. */
  readonly usesLink?: boolean;
  /** Reads cookies. */
  readonly readsCookies?: boolean;
  /** Replies once everything the reply depends on is durable. @throws ApiError */
  call(request: WebPageRequest): Promise<Shown | Redirected>;
  /** The form again, with its error, for browsers; undefined for an error page. */
  again?(request: WebPageRequest, error: ApiError): Html | undefined;
}

/** Runs the transactions of pages, and waits until they are durable. */
export class PageRuntime {
  /** @param clock of work whose time must reveal nothing */
  constructor(
    private readonly runtime: Transactor & Pick<Runtime, 'tick'>,
    private readonly clock?: Pick<Clock, 'now' | 'setTimer'>,
  ) {}

  get org(): Organization {
    return this.runtime.org;
  }

  /** @throws whatever `work` throws; ApiError 503 while the store is failing */
  async transact<T>(work: (tx: Transaction) => T, actor: Actor = LINK): Promise<T> {
    const result = this.runtime.transact(work, actor);
    await this.runtime.journal.barrier();
    return result;
  }

  /**
   * Does something for an account, or nothing where there is none, in a time that does not tell which. Where the store
   * fails, both do.
   */
  async secretly(work: ((tx: Transaction) => void) | null): Promise<void> {
    const { runtime } = this;
    await inEvenTime(() => (work ? this.transact(work) : runtime.tick()), this.clock);
  }
}
