import { Empty, endpoint, optional } from '../../../schemas/endpoint.js';
import {
  CLIENT_CAPABILITIES,
  registerQueue,
  type ClientCapability,
} from '../../../schemas/queues/register.js';
import { ShortText } from '../../../schemas/text.js';
import { BY_SESSION } from '../../../schemas/accounts/sessions.js';
import { notLoggedIn } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import type { SessionCookies } from '../../resources/accounts/session-cookies.js';
import { EncodedReply, type Caller, type Route } from '../../resources/kernel/route.js';
import { newToken } from '../../services/auth/random-token.js';
import { escapedJson, JsonText } from '../../services/web-app/expression.js';
import { OLDEST_LEVEL, type WebApp } from '../../services/web-app/web-app.js';
import { mapInStretches } from '../../turns/event-loop-yield.js';
import { leadToTwoFactor, TWO_FACTOR_PATH } from '../../resources/pages/parts.js';
import type { SessionGate } from '../auth/session-gate.js';
import type { Exchange } from '../reply/exchange.js';
import { encodePieces, encodeYielding } from '../reply/large-reply.js';
import type { RequestContext } from '../request-context.js';
import { decoderOf } from '../request/decoder.js';
import { acceptsCoding } from '../reply/compression.js';
import type { HttpServer, SpecialRoute } from '../server.js';
import { ChunkReader } from './chunks.js';
import { LOGIN_PATH, PRESENCE_DAYS, valuesOf, type Sent } from './web-app-values.js';

/** Dependencies of the web app's page. */
interface WebAppParts {
  readonly webApp: WebApp;
  readonly org: Organization;
  readonly gate: SessionGate;
  readonly sessions: SessionCookies;
  readonly server: Pick<HttpServer, 'fail'>;
  /** `POST /register`. */
  readonly register: Route;
  /** `POST /json/logout`. */
  readonly logOut: Route;
}

const HTML = 'text/html; charset=utf-8';

const homePage = endpoint({
  operation: 'web-app',
  method: 'GET',
  path: '/',
  access: 'human',
  summary: 'The page of the web app',
  params: { state_data: optional(ShortText) },
  response: Empty,
  errors: [],
  events: [],
});

const logOutForm = endpoint({
  operation: 'web-app-log-out',
  method: 'POST',
  path: '/accounts/logout/',
  access: 'human',
  beforeTwoFactor: true,
  summary: 'The form by which the web app logs out',
  params: { csrfmiddlewaretoken: optional(ShortText) },
  response: Empty,
  errors: [],
  events: [],
});

/** What the app asks before it loads its page again, since its server is then there; anonymous. */
const compatibility = endpoint({
  operation: 'web-app-compatibility',
  method: 'GET',
  path: '/compatibility',
  access: 'anonymous',
  summary: 'Whether the server is there',
  params: {},
  response: Empty,
  errors: [],
  events: [],
});

/** Capabilities that an app of an older level does not have. */
const CAPABILITY_LEVELS: Partial<Record<ClientCapability, number>> = {
  individual_emoji_changes: 491,
};

/** How an app of a level registers its queue, as its own server does for it. */
function registrationOf(level: number): Map<string, string> {
  const capabilities = CLIENT_CAPABILITIES.filter(
    (name) => (CAPABILITY_LEVELS[name] ?? OLDEST_LEVEL) <= level,
  );
  return new Map<string, string>([
    ...['apply_markdown', 'client_gravatar', 'slim_presence'].map(
      (name) => [name, 'true'] as const,
    ),
    ['include_subscribers', 'partial'],
    ['presence_history_limit_days', String(PRESENCE_DAYS)],
    [
      'client_capabilities',
      JSON.stringify(Object.fromEntries(capabilities.map((name) => [name, true]))),
    ],
  ]);
}

/** Pages of the app at the root, for who is logged in; others are led to the login. */
export function webAppRoutes(parts: WebAppParts): SpecialRoute[] {
  const identify = (exchange: Exchange): Caller => {
    const caller = parts.gate.callerOutside(exchange);
    if (caller) return caller;
    throw notLoggedIn(LOGIN_PATH);
  };
  const identifyForPage = (exchange: Exchange): Caller => {
    const caller = identify(exchange);
    if (leadToTwoFactor(parts.org, caller.user)) throw notLoggedIn(TWO_FACTOR_PATH);
    return caller;
  };
  return [
    {
      endpoint: homePage,
      atRoot: true,
      identify: identifyForPage,
      respond: (exchange, request) => {
        const sent = {
          language: exchange.header('accept-language'),
          isFirefoxAndroid: /Android.*Firefox\//.test(exchange.userAgent),
        };
        givePage(parts, exchange, request, sent).catch((error: unknown) =>
          parts.server.fail(exchange, error),
        );
      },
    },
    {
      endpoint: compatibility,
      atRoot: true,
      respond: (exchange) => exchange.replyText200('{"result":"success","msg":""}'),
    },
    {
      endpoint: logOutForm,
      atRoot: true,
      identify,
      takesSession: true,
      writes: true,
      respond: (exchange, request) => {
        Promise.resolve(parts.logOut.call(request))
          .then(() => exchange.replyRaw(302, HTML, { Location: LOGIN_PATH }, ''))
          .catch((error: unknown) => parts.server.fail(exchange, error));
      },
    },
  ];
}

async function givePage(
  parts: WebAppParts,
  exchange: Exchange,
  request: RequestContext,
  sent: Sent,
): Promise<void> {
  const { webApp } = parts;
  const isDeferred = request.params['state_data'] === 'deferred';
  const [state, page] = await Promise.all([
    isDeferred ? undefined : stateOf(parts, request),
    valuesOf(parts, request.caller!, sent),
  ]);
  const nonce = newToken(16);
  // The state takes its place when the page is a text: it has megabytes, and is escaped in stretches.
  const place = `"${newToken(16)}"`;
  const { default_page_params, page_params, translation, ...others } = page;
  const values = {
    ...others,
    default_page_params,
    page_params: {
      ...page_params,
      // The app needs the field, and null for what it fetches itself; there is no queue to end then.
      ...{ state_data: state ? new JsonText(place) : null, no_event_queue: isDeferred },
    },
    csp_nonce: nonce,
  };
  const text = webApp.render(values, translation);
  const [before = '', after = ''] = text.split(place);
  const body = [Buffer.from(before), ...(state ?? []), Buffer.from(after)];
  await sendPage(exchange, body, headersOf(nonce));
}

/** The reply of `POST /register`, as JSON text that is safe in the page. */
async function stateOf(
  { register, webApp }: WebAppParts,
  request: RequestContext,
): Promise<Buffer[]> {
  const { params } = decoderOf(registerQueue)(registrationOf(webApp.level), {});
  const { caller, remoteAddress } = request;
  const reply = await register.call({
    ...{ caller, params, clientName: 'website', remoteAddress },
    largeReply: () => request.largeReply(),
  });
  const account = caller!.user.user_id;
  const parts =
    reply instanceof EncodedReply
      ? [
          ...(await encodeYielding(reply.fields, account)),
          ...(await encodePieces(reply.pieces, account)),
        ]
      : await encodeYielding(reply, account);
  const whole = [Buffer.from('{"result":"success","msg":""'), ...parts, Buffer.from('}')];
  return mapInStretches(whole, safeInHtml, account);
}

/** Byte for byte, because a part may begin amid a character. */
const safeInHtml = (bytes: Buffer): Buffer =>
  Buffer.from(escapedJson(bytes.toString('latin1')), 'latin1');

/**
 * Headers of the page: scripts of the app's files, and those that the page itself has, alone; pictures and sounds that
 * messages show may be of other servers.
 */
function headersOf(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'unsafe-inline'; ` +
      "img-src 'self' data: blob: https:; media-src 'self' blob: https:; font-src 'self' data:; " +
      "connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; " +
      'frame-src https://www.youtube.com https://www.youtube-nocookie.com https://player.vimeo.com; ' +
      "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    'X-Frame-Options': 'DENY',
    Vary: 'Accept-Encoding, Accept-Language, Cookie',
  };
}

async function sendPage(
  exchange: Exchange,
  whole: readonly Buffer[],
  headers: Record<string, string>,
): Promise<void> {
  const { compressor } = exchange;
  const size = whole.reduce((sum, { length }) => sum + length, 0);
  const isCompressed =
    exchange.method !== 'HEAD' &&
    acceptsCoding(exchange.acceptEncoding, 'gzip') &&
    compressor.takes(size);
  const body = isCompressed ? [await compressor.gzip(Buffer.concat(whole))] : whole;
  const chunks = new ChunkReader(body);
  const held = exchange.hold(chunks.size);
  try {
    await exchange.replyChunks({
      mediaType: HTML,
      headers: isCompressed ? { ...headers, 'Content-Encoding': 'gzip' } : headers,
      size: chunks.size,
      read: (offset) => {
        held.progressed();
        return chunks.read(offset);
      },
    });
  } finally {
    held.ended();
    exchange.endMaking();
  }
}

/** The route of the logout, among those below `/json`. */
export function logOutRoute(routes: readonly Route[]): Route {
  return routes.find(({ endpoint: { operation } }) => operation === BY_SESSION.logOut.operation)!;
}
