import type { ApiError } from '../../errors.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Runtime } from '../../organization/state/runtime.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { Html } from '../../services/text/html.js';
import type { Reply } from '../kernel/route.js';

/** A request for a page; transport is out of sight. */
export interface WebPageRequest {
  /** Decoded path parameters. */
  readonly values: Readonly<Record<string, string>>;
  /** Query and form, the form winning. */
  readonly fields: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
}

/** A page for people, and the same as the fields of a success for programs. */
export interface Shown {
  readonly page: Html;
  readonly data: Reply;
}

/** People go elsewhere; programs are told why. */
export interface Redirected {
  readonly location: string;
  readonly refusal: ApiError;
}

/**
 * A page outside the API (endpoints-invitations.md#sign-up): HTML for people, JSON for programs that ask for it.
 * No page knows who calls: there is no cookie, so a forged form can do nothing its sender could not.
 */
export interface WebPage {
  readonly method: 'GET' | 'POST';
  /** From the root, with `{name}` for path parameters. */
  readonly path: string;
  /** A GET that uses a link up, which a HEAD must not. */
  readonly usesLink?: boolean;
  /** Answers once everything the answer rests on is durable. @throws ApiError */
  call(request: WebPageRequest): Promise<Shown | Redirected>;
  /** The form again, for people, with what was wrong; undefined for a page that says only that. */
  again?(request: WebPageRequest, error: ApiError): Html | undefined;
}

/** Runs a page's transactions; waits until they are durable. */
export class PageRuntime {
  constructor(private readonly runtime: Runtime) {}

  get org(): Organization {
    return this.runtime.org;
  }

  /** @throws whatever `work` throws; ApiError 503 while the store is failing */
  async transact<T>(work: (tx: Transaction) => T): Promise<T> {
    const result = this.runtime.transact(work);
    await this.runtime.journal.barrier();
    return result;
  }

  /** Takes as long as a transaction that changes something. */
  async idle(): Promise<void> {
    await this.runtime.tick();
  }
}
