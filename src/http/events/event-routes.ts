import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { getEvents } from '../../../schemas/queues/events-poll.js';
import { openStream } from '../../../schemas/queues/event-stream.js';
import { openSocket } from '../../../schemas/queues/socket.js';
import {
  badEventQueueId,
  badRequest,
  unauthorized,
  unsupportedSocketVersion,
} from '../../errors/index.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';
import { assertNotWebhookBot } from '../auth/authentication.js';
import { sessionOf, type Caller, type Session } from '../../resources/kernel/route.js';
import type { QueueAccess, EventsParams } from '../../resources/queues/event-queues.js';
import { deflateOffer } from './deflate-offer.js';
import type { EventRouteParts } from './event-route-parts.js';
import { answerStream, answerStreamHead, EVENT_STREAM } from './event-stream.js';
import { pollText } from './event-frames.js';
import { answerPoll } from './long-poll.js';
import type { Exchange } from '../reply/exchange.js';
import {
  eachByItself,
  nativeText,
  utf8Text,
  type NativeRequest,
  type NativeResponse,
  type SocketBehavior,
} from '../native.js';
import { clientName } from '../request-context.js';
import type { RequestContext } from '../pipeline.js';
import { ACCEPT, SESSION_API, withSingleSlashes } from '../request/request-head.js';
import { API_BASE, type HttpServer, type SpecialRoute } from '../server.js';
import { cursorOf, usualPoll } from './usual-poll.js';
import { WebSocketConsumer } from './websocket.js';

/** Largest frame a client may send; a larger one closes the socket with 1009. */
const MAX_CLIENT_FRAME = 64 * 1024;
const FRAME_TOO_LARGE = utf8Text('Frame too large');
/** Largest frame of the native layer, bytes: far above ours, because it closes the connection without a close code. */
const NATIVE_MAX_FRAME = 1024 * 1024;
/** Seconds without any frame or pong after which a socket counts as dead. */
const SOCKET_IDLE_SECONDS = 120;
/** Unsent bytes at which the native layer drops frames; ours, which stops pushing, is far below. */
const NATIVE_BACKPRESSURE = 16 * 1024 * 1024;

const SUBPROTOCOL = 'parley.v1';
const UPGRADE = nativeText('upgrade');

/** `GET /events` as a long poll. */
export function pollRoute(parts: EventRouteParts): SpecialRoute {
  const { queues } = parts.events;
  return {
    endpoint: getEvents,
    fastPath: (exchange, caller) => {
      const usual = usualPoll(exchange.query);
      // The full pipeline answers for a queue that does not exist.
      if (!usual || exchange.method !== 'GET') return false;
      const queue = queues.get(usual.queueId);
      if (!queue) return false;
      assertNotWebhookBot(caller.user, getEvents);
      if (!parts.events.openNow(caller.user, queue, usual.cursor)) return false;
      if (queue.client === '') queues.nameClient(queue, clientName(exchange.userAgent, undefined));
      answerPoll(exchange, queues, queue, usual.dontBlock, '');
      return true;
    },
    respond: (exchange, request) => {
      const params = request.params as EventsParams;
      if (exchange.method === 'HEAD') {
        answerHead(parts.events, exchange, request.caller!.user, params);
        return;
      }
      withQueue(parts, exchange, request, (queue) =>
        answerPoll(exchange, queues, queue, params.dont_block, tailOf(request)),
      );
    },
  };
}

/**
 * Answers `HEAD` as a poll or stream that finds nothing, which takes nothing: no queue is registered, used or
 * acknowledged. What `GET` would refuse at once is refused.
 */
function answerHead(
  events: QueueAccess,
  exchange: Exchange,
  user: Caller['user'],
  params: EventsParams,
): void {
  const { queue_id: id = '' } = params;
  if (id === '') events.checkRequest(user, params);
  else if (!events.has(user, id)) throw badEventQueueId(id);
  if (exchange.accept.includes(EVENT_STREAM)) answerStreamHead(exchange);
  else exchange.replyText200(pollText(id, '', ''));
}

function tailOf({ ignored }: RequestContext): string {
  return ignored.length === 0 ? '' : `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
}

/** Opens the request's queue and continues, synchronously where nothing must be waited for. */
function withQueue(
  parts: EventRouteParts,
  exchange: Exchange,
  request: RequestContext,
  proceed: (queue: EventQueue) => void,
): void {
  const opened = parts.events.open(request.caller!.user, request.params as EventsParams);
  const named = (queue: EventQueue): void => {
    // A poll registered it, or the node restarted or took it over: the client name is not stored.
    if (queue.client === '') parts.events.queues.nameClient(queue, request.clientName);
    proceed(queue);
  };
  if (!(opened instanceof Promise)) {
    named(opened);
    return;
  }
  opened.then(named).catch((error: unknown) => parts.fail(exchange, error));
}

interface SocketData {
  /** The queues of the service at the upgrade: another service may run when the socket opens. */
  queues: Queues;
  queue: EventQueue;
  readonly now: () => number;
  readonly isCompressed: boolean;
  consumer: WebSocketConsumer | undefined;
}

/**
 * Admits requests by Basic authentication or by a ticket.
 * @param check throws for a request that is not to be admitted in any case: its ticket stays
 */
function ticketGate(
  server: HttpServer,
  endpoint: EndpointDescriptor,
  check: (exchange: Exchange) => void = () => undefined,
): ReturnType<HttpServer['gate']> {
  const redeemed = new WeakMap<Exchange, Session | null>();
  return server.gate(
    endpoint,
    (exchange, site) => ticketHolder(site.events, exchange, redeemed.get(exchange)),
    (exchange, site) => {
      check(exchange);
      const ticket = ticketOf(exchange);
      const nodes = ticket === null ? null : site.events.otherNodes?.();
      if (!nodes) return null;
      return nodes.redeemTicket(ticket!).then((session) => void redeemed.set(exchange, session));
    },
  );
}

/** Opens the request's queue for a consumer that stays, unless the session ended meanwhile. */
function withSession(
  parts: EventRouteParts,
  exchange: Exchange,
  request: RequestContext,
  proceed: (queue: EventQueue) => void,
): void {
  const { user, sessionId } = request.caller!;
  withQueue(parts, exchange, request, (queue) => {
    // The session may have ended while the queue was registered: revocation found no consumer to close yet.
    const now = parts.authenticator.caller(sessionOf(user, sessionId));
    if (!now || parts.authenticator.lacksTwoFactor(now.user)) throw unauthorized('Invalid API key');
    proceed(queue);
  });
}

/** Serves `GET /events` of all sites as server-sent events and as a WebSocket (socket.md); call before `listen`. */
export function servePush(server: HttpServer): void {
  const streamGate = ticketGate(server, openStream);
  const gate = ticketGate(server, openSocket, checkHandshake);
  const serveStream = (response: NativeResponse, request: NativeRequest): void => {
    const resumed = cursorHeader(request.getHeader('last-event-id'));
    streamGate(response, request, (exchange, requestContext, site) => {
      const parts = site.events;
      const params = requestContext.params as EventsParams;
      if (resumed !== null) params.last_event_id = resumed;
      withSession(parts, exchange, requestContext, (queue) =>
        answerStream(exchange, parts.events.queues, queue, parts.now),
      );
    });
  };
  // The native layer takes a handshake with a key of another length for a request like any other.
  const refuseHandshake = (response: NativeResponse, request: NativeRequest): void =>
    gate(response, request, () => undefined);
  server.recognise(getEvents, (request) => {
    if (request.getHeader(UPGRADE).toLowerCase() === 'websocket') return refuseHandshake;
    return request.getHeader(ACCEPT).includes(EVENT_STREAM) ? serveStream : null;
  });
  // By a session there is no socket: nothing that a browser does shows which page opened one.
  server.recognise(
    getEvents,
    (request) => (request.getHeader(ACCEPT).includes(EVENT_STREAM) ? serveStream : null),
    SESSION_API,
  );
  const sockets: SocketBehavior<SocketData> = {
    maxPayloadLength: NATIVE_MAX_FRAME,
    idleTimeout: SOCKET_IDLE_SECONDS,
    maxBackpressure: NATIVE_BACKPRESSURE,
    sendPingsAutomatically: true,
    compression: eachByItself(),
    upgrade: (response, request, context) => {
      const key = request.getHeader('sec-websocket-key');
      const offered = request.getHeader('sec-websocket-protocol');
      const extensions = request.getHeader('sec-websocket-extensions');
      const chosen = offered.split(',').some((name) => name.trim() === SUBPROTOCOL)
        ? SUBPROTOCOL
        : '';
      gate(response, request, (exchange, requestContext, site) => {
        const parts = site.events;
        withSession(parts, exchange, requestContext, (queue) => {
          const { queues } = parts.events;
          const { compression } = requestContext.params as { compression?: string };
          const offer = compression === undefined ? '' : deflateOffer(extensions);
          const isCompressed = offer !== '';
          const data = { queues, queue, now: parts.now, isCompressed, consumer: undefined };
          exchange.upgrade<SocketData>(data, [key, chosen, offer], context);
        });
      });
    },
    open: (socket) => {
      const data = socket.getUserData();
      const { queues, queue, now, isCompressed } = data;
      data.consumer = new WebSocketConsumer(socket, queues, queue, now, isCompressed);
      data.consumer.open();
    },
    message: (socket, message, isBinary) => {
      const { consumer } = socket.getUserData();
      if (message.byteLength > MAX_CLIENT_FRAME) socket.end(1009, FRAME_TOO_LARGE);
      else if (isBinary) consumer?.refuse('Frames must be text');
      else consumer?.received(message);
    },
    ping: (socket) => socket.getUserData().consumer?.pinged(),
    pong: (socket) => socket.getUserData().consumer?.pinged(),
    drain: (socket) => socket.getUserData().consumer?.drained(),
    close: (socket) => {
      server.connections.closed();
      socket.getUserData().consumer?.gone();
    },
  };
  const path = API_BASE + openSocket.path;
  server.register((app) => {
    app.ws(path, sockets);
    // The path with repeated slashes (requests.md#routing), which no pattern of the native layer can say.
    const upgrade: SocketBehavior<SocketData>['upgrade'] = (response, request, context) => {
      const url = request.getUrl();
      if (url.includes('//') && withSingleSlashes(url) === path) {
        void sockets.upgrade!(response, request, context);
      } else request.setYield(true);
    };
    app.ws('/*', { ...sockets, upgrade });
  });
}

/** A nonce of 16 bytes in base64 (RFC 6455, 4.1). */
const SOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/;

/** @throws ApiError 426, or 400, for a handshake that RFC 6455 forbids */
function checkHandshake(exchange: Exchange): void {
  if (exchange.header('sec-websocket-version') !== '13') throw unsupportedSocketVersion();
  if (!SOCKET_KEY.test(exchange.header('sec-websocket-key'))) {
    throw badRequest('Invalid Sec-WebSocket-Key');
  }
}

/** `Last-Event-ID`: the cursor of a client that comes back; null for none, or one that is no id of ours. */
function cursorHeader(text: string): number | null {
  return text === '' ? null : cursorOf(text, 0, text.length);
}

/** The `ticket` in the query; null without one. */
function ticketOf({ query }: Exchange): string | null {
  return query.includes('ticket=') ? new URLSearchParams(query).get('ticket') : null;
}

/**
 * The user of the `ticket` in the query; null without one, so that Basic authentication decides.
 * @param redeemed the ticket's session, where the leader has redeemed it
 */
function ticketHolder(
  parts: EventRouteParts,
  exchange: Exchange,
  redeemed: Session | null | undefined,
): Caller | null {
  const ticket = ticketOf(exchange);
  if (ticket === null) return null;
  const session = redeemed === undefined ? parts.tickets.redeem(ticket) : redeemed;
  const caller = session && parts.authenticator.caller(session);
  if (!caller) throw unauthorized('Invalid or expired ticket');
  return caller;
}
