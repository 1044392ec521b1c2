/** Peer: the `ws` package, broadcasting as its documentation shows, compression off (its default). */
import { WebSocketServer, type WebSocket } from 'ws';
import { createPeerServer, startPeer } from './publications.js';

const owners = new Map<string, WebSocket>();

const server = createPeerServer(({ text, client }) => {
  const frame = `{"type":"events","events":[${text}]}`;
  if (client === null) {
    for (const socket of sockets.clients) socket.send(frame);
  } else {
    owners.get(String(client))?.send(frame);
  }
});
const sockets = new WebSocketServer({ server });

sockets.on('connection', (socket, request) => {
  const owner = new URL(request.url ?? '', 'http://peer').searchParams.get('queue_id') ?? '';
  owners.set(owner, socket);
  socket.on('close', () => owners.delete(owner));
  // The bench's clients acknowledge; here nobody needs it.
  socket.on('message', () => undefined);
  socket.send('{"type":"hello"}');
});

startPeer(server);
