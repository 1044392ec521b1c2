/**
 * The physical floor: the exchanges of the benched server on bare uWebSockets.js. Same bytes on the
 * wire; no authentication, validation, actors or storage. It keeps what it needs to lose nothing: the
 * newest few events, for a poller that was on its way.
 */
import uWS, { type HttpRequest, type HttpResponse, type WebSocket } from 'uWebSockets.js';
import { EventWriter } from '../exchange/sample.js';
import { FIRST_CURSOR, listening, targetOptions } from '../exchange/targets.js';

const options = targetOptions();
const writer = new EventWriter(options.sample);
const replyBody = 'x'.repeat(options.replyBytes);
const { headers } = options.sample;

interface Held {
  readonly response: HttpResponse;
  readonly queueId: string;
}

interface SocketData {
  readonly authorization: string;
}

/** Events kept for pollers that are between two polls. */
const KEPT = 256;
const MARK = /bench%3A(\d{6,})%3A|_seconds=(\d+)/;
const EVERYBODY = 'everybody';
const HELLO =
  '{"type":"hello","queue_id":"floor","last_event_id":1000000,"heartbeat_interval_seconds":45}';

const recent: { id: number; text: string }[] = [];
const held = new Set<Held>();
const streams = new Set<HttpResponse>();
const owners = new Map<string, WebSocket<SocketData>>();
let newestId = FIRST_CURSOR;

const app = uWS.App();

function answer(response: HttpResponse, body: string): void {
  response.writeStatus('200 OK');
  for (const [name, value] of headers) response.writeHeader(name, value);
  response.end(body);
}

function pollBody(events: string, queueId: string): string {
  return `{"result":"success","msg":"","events":[${events}],"queue_id":"${queueId}"}`;
}

function poll(response: HttpResponse, request: HttpRequest): void {
  if (request.getHeader('accept') === 'text/event-stream') return stream(response);
  const queueId = request.getQuery('queue_id') ?? '';
  const cursor = Number(request.getQuery('last_event_id'));
  const missed = cursor < newestId ? recent.filter((event) => event.id > cursor) : [];
  if (missed.length > 0 || request.getQuery('dont_block') === 'true') {
    answer(response, pollBody(missed.map((event) => event.text).join(), queueId));
    return;
  }
  const entry = { response, queueId };
  held.add(entry);
  response.onAborted(() => held.delete(entry));
}

function stream(response: HttpResponse): void {
  streams.add(response);
  response.onAborted(() => streams.delete(response));
  response.cork(() => {
    response
      .writeHeader('Content-Type', 'text/event-stream')
      .writeHeader('Cache-Control', 'no-store');
    response.write(`event: hello\ndata: ${HELLO}\n\n`);
  });
}

function toEverybody(mark: number): void {
  newestId += 1;
  const text = writer.write(mark, newestId);
  recent.push({ id: newestId, text });
  if (recent.length > KEPT) recent.shift();
  const waiting = [...held];
  held.clear();
  for (const { response, queueId } of waiting) {
    response.cork(() => answer(response, pollBody(text, queueId)));
  }
  const message = `id: ${newestId}\ndata: {"events":[${text}]}\n\n`;
  for (const response of streams) response.cork(() => response.write(message));
  app.publish(EVERYBODY, `{"type":"events","events":[${text}]}`);
}

function toOne(mark: number, authorization: string): void {
  newestId += 1;
  owners.get(authorization)?.send(`{"type":"events","events":[${writer.write(mark, newestId)}]}`);
}

/** A write: its body is read, its mark makes the event. */
function write(response: HttpResponse, request: HttpRequest): void {
  const authorization = request.getHeader('authorization');
  const personal = request.getMethod() === 'patch';
  const chunks: Buffer[] = [];
  response.onAborted(() => undefined);
  response.onData((chunk, isLast) => {
    chunks.push(Buffer.from(new Uint8Array(chunk)));
    if (!isLast) return;
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    const found = MARK.exec(body.toString('latin1'));
    response.cork(() => answer(response, replyBody));
    if (!found) return;
    // In a later turn: while this socket is corked, others are not, and each header of theirs would
    // be a system call.
    setImmediate(() => {
      if (personal) toOne(Number(found[2]) - 1, authorization);
      else toEverybody(Number(found[1]));
    });
  });
}

app
  .ws<SocketData>('/api/v1/events', {
    idleTimeout: 120,
    sendPingsAutomatically: true,
    upgrade: (response, request, context) => {
      response.upgrade(
        { authorization: request.getHeader('authorization') },
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    open: (socket) => {
      socket.subscribe(EVERYBODY);
      owners.set(socket.getUserData().authorization, socket);
      socket.send(HELLO);
    },
    close: (socket) => {
      owners.delete(socket.getUserData().authorization);
    },
    // Acknowledgements are read off the wire and dropped.
    message: () => undefined,
  })
  .get('/api/v1/events', poll)
  .post('/api/v1/*', write)
  .patch('/api/v1/*', write)
  .any('/*', (response) => answer(response, replyBody))
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) throw new Error('The floor cannot listen');
    process.stdout.write(`${listening(uWS.us_socket_local_port(socket))}\n`);
  });
