import { methodNotAllowed, type ApiError } from '../../errors/index.js';
import { languageOfBrowser, type Language } from '../../languages/languages.js';
import type { WebPage, WebPageRequest, Redirected, Shown } from '../../resources/pages/page.js';
import { isSameOrigin } from '../auth/cross-site.js';
import type { Forwarder } from '../forwarding/forwarder.js';
import { collectBody, type BodyBudget } from '../request/body.js';
import { replyError, replySuccess } from '../reply/json-reply.js';
import type { Exchange, ReplyHeaders } from '../reply/exchange.js';
import type { ErrorHandler } from '../error-handler.js';
import { asTexts, EMPTY_FORM, mergeParameters, type Form } from '../request/form.js';
import { formOf } from '../request/read-body.js';
import { inNextRound } from '../../turns/next-round.js';
import type { RequestLimiter } from '../limits/rate-limit.js';
import { addressKey } from '../../services/auth/address-key.js';
import { Router, type Hit, type PathMatch } from '../router.js';
import { html } from '../../services/text/html.js';
import { inBackground } from '../../turns/background.js';

/** Largest form of a page, bytes; these forms are short. */
const MAX_FORM_BYTES = 64 * 1024;

/**
 * Headers of pages: a page may fetch the server's style and icon and post its form to the server. Addresses
 * contain keys, so browsers send no referrer; nothing is cached or shown in frames of other sites.
 */
const PAGE_HEADERS: ReplyHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; " +
    "frame-ancestors 'none'",
  'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
  'X-Frame-Options': 'DENY',
};

/** Headers of pages with a script of ours: it talks to this server alone, and shows its files. */
const SCRIPT_HEADERS: ReplyHeaders = {
  ...PAGE_HEADERS,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; " +
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

const HTML = 'text/html; charset=utf-8';
const NOTHING = Buffer.alloc(0);
const LANGUAGE = 'accept-language';
/** Headers that pages read. */
const HEADERS: readonly string[] = [LANGUAGE];
const HEADERS_AND_COOKIES: readonly string[] = [LANGUAGE, 'cookie'];
const NO_INTEGERS: ReadonlySet<string> = new Set();

/** Dependencies of the page server. */
export interface PageServerParts {
  /** Null switches rate limits off. */
  readonly limiter: RequestLimiter | null;
  readonly faults: ErrorHandler;
  readonly budget: BodyBudget;
  /** Origin of the public base URL. */
  readonly own: () => string;
  /** On a node that follows: where requests that write go. */
  readonly forward?: Forwarder;
  /** A page that shows only an error. */
  readonly errorPage: (error: ApiError, language: Language | null) => { readonly text: string };
}

/** A page that needs nothing but what it says: where there is no organization, whose name and language others show. */
function lastPage({ message }: ApiError): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${message}</title>
      </head>
      <body>
        <p role="alert">${message}</p>
      </body>
    </html> `.text;
}

/** Answers people where there is no organization. */
export function showLastPage(exchange: Exchange, refusal: ApiError): void {
  const headers = { ...PAGE_HEADERS, ...refusal.headers };
  exchange.replyRaw(refusal.status, HTML, headers, lastPage(refusal));
}

/** PageServer serves the pages outside the API: HTML, or JSON for programs that accept it. */
export class PageServer {
  private readonly router = new Router<WebPage>();

  /** @throws Error when two pages collide */
  constructor(
    pages: readonly WebPage[],
    private readonly parts: PageServerParts,
  ) {
    for (const page of pages) this.router.add(page.method, page.path, NO_INTEGERS, page);
  }

  /** The page at a raw path, for any method; undefined where there is none. */
  find(path: string): PathMatch<WebPage> | undefined {
    return this.router.find(path);
  }

  /** Answers with a page that shows only the error. */
  refuse(exchange: Exchange, error: ApiError): void {
    new Visit(exchange, false, this.parts).showRefusal(error);
  }

  /**
   * Serves a page.
   * @param accept the request's `Accept` header
   */
  serve(exchange: Exchange, match: PathMatch<WebPage>, accept: string): void {
    const visit = new Visit(exchange, isForProgram(accept), this.parts);
    visit.guarded(() => {
      const hit = match.select(exchange.method === 'HEAD' ? 'GET' : exchange.method);
      exchange.passOn(hit?.target.readsCookies === true ? HEADERS_AND_COOKIES : HEADERS);
      if (!hit || (exchange.method === 'HEAD' && hit.target.usesLink)) {
        throw methodNotAllowed(allowed(match));
      }
      const { limiter, forward } = this.parts;
      if (forward && (exchange.method === 'POST' || hit.target.usesLink)) {
        visit.forward(forward);
        return;
      }
      const address = addressKey(exchange.remoteAddress);
      if (limiter) exchange.rateLimit = limiter.addresses.consume(address);
      if (!exchange.hasBody) {
        visit.answerLater(hit, EMPTY_FORM);
        return;
      }
      collectBody(exchange, MAX_FORM_BYTES, this.parts.budget, {
        complete: (body) => visit.read(hit, body),
        refused: (error) => visit.refuse(error),
      });
    });
  }
}

/** Methods of a page; no HEAD where a GET consumes a link. */
function allowed(match: PathMatch<WebPage>): readonly string[] {
  const usesLink = match.select('GET')?.target.usesLink ?? false;
  return match.allowed().filter((method) => !usesLink || method !== 'HEAD');
}

/** Browsers do not ask for JSON. */
function isForProgram(accept: string): boolean {
  return /(^|[\s,])application\/json\s*($|[,;])/i.test(accept);
}

/** One request for a page. */
class Visit {
  constructor(
    private readonly exchange: Exchange,
    private readonly forProgram: boolean,
    private readonly parts: PageServerParts,
  ) {}

  guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Reads a form, and answers it. */
  read(hit: Hit<WebPage>, body: Buffer): Promise<void> | undefined {
    let reading: Promise<void> | undefined;
    this.guarded(() => {
      const form = formOf(this.exchange, body);
      if (form instanceof Promise) {
        const failed = (error: unknown): void => this.refuse(error);
        reading = form.then((read) => this.answerLater(hit, read), failed);
      } else this.answerLater(hit, form);
    });
    return reading;
  }

  /** Answers in the next round of the event loop (see `inNextRound`). */
  answerLater(hit: Hit<WebPage>, form: Form): void {
    inNextRound(() => {
      if (!this.exchange.settled) this.guarded(() => this.answer(hit, form));
    });
  }

  /** Sends a form or a link that is used to the leader. */
  forward(to: Forwarder): void {
    const { exchange } = this;
    const refuse = (error: unknown): void => this.refuse(error);
    const send = (body: Buffer): Promise<void> => to.relay(exchange, body, refuse);
    if (exchange.hasBody) {
      collectBody(exchange, MAX_FORM_BYTES, this.parts.budget, {
        complete: send,
        refused: refuse,
      });
    } else inBackground(() => send(NOTHING), refuse);
  }

  private answer({ target, values }: Hit<WebPage>, form: Form): void {
    const { exchange } = this;
    const request: WebPageRequest = {
      values: values as Readonly<Record<string, string>>,
      fields: asTexts(mergeParameters(exchange.query, form.fields)),
      query: exchange.query,
      cookies: target.readsCookies === true ? exchange.header('cookie') : '',
      userAgent: exchange.userAgent,
      isFromOwnPage: isSameOrigin(exchange, this.parts.own()) === true,
      language: languageOfBrowser(exchange.header(LANGUAGE)),
      remoteAddress: exchange.remoteAddress,
    };
    target
      .call(request)
      .then(async (outcome) => {
        await this.parts.faults.durableFor(exchange);
        this.show(outcome);
      })
      .catch((error: unknown) => this.refuse(error, { page: target, request }));
  }

  refuse(error: unknown, of?: { readonly page: WebPage; readonly request: WebPageRequest }): void {
    const { exchange } = this;
    const { faults } = this.parts;
    const refusal = faults.refusal(exchange, error);
    faults.refuse(exchange, refusal, (final) => this.showRefusal(final, of));
  }

  showRefusal(
    refusal: ApiError,
    of?: { readonly page: WebPage; readonly request: WebPageRequest },
  ): void {
    const { exchange } = this;
    if (this.forProgram) replyError(exchange, refusal);
    else {
      const headers = { ...PAGE_HEADERS, ...refusal.headers };
      exchange.replyRaw(refusal.status, HTML, headers, this.pageFor(refusal, of));
    }
  }

  private pageFor(
    refusal: ApiError,
    of: { readonly page: WebPage; readonly request: WebPageRequest } | undefined,
  ): string {
    try {
      const again = of?.page.again?.(of.request, refusal);
      if (again) return again.text;
    } catch {
      // The form cannot be shown again, for example because its link has expired meanwhile.
    }
    try {
      const language = languageOfBrowser(this.exchange.header(LANGUAGE));
      return this.parts.errorPage(refusal, language).text;
    } catch {
      return lastPage(refusal);
    }
  }

  private show(outcome: Shown | Redirected): void {
    const { exchange } = this;
    if (outcome.cookies) exchange.setCookies = outcome.cookies;
    if ('page' in outcome) {
      if (!this.forProgram && outcome.leadsTo !== undefined) {
        exchange.replyRaw(302, HTML, { ...PAGE_HEADERS, Location: outcome.leadsTo }, '');
      } else if (this.forProgram) {
        inBackground(
          () => replySuccess(exchange, outcome.data, []),
          (error) => this.refuse(error),
        );
      } else {
        const headers = outcome.hasScript === true ? SCRIPT_HEADERS : PAGE_HEADERS;
        exchange.replyRaw(200, HTML, headers, outcome.page.text);
      }
    } else if (this.forProgram) {
      replyError(exchange, outcome.refusal);
    } else {
      const headers = { ...PAGE_HEADERS, Location: outcome.location };
      exchange.replyRaw(302, HTML, headers, '');
    }
  }
}
