/** Peer: Socket.IO with the default options, over the transport the client chose. */
import { Server, type Socket } from 'socket.io';
import { createPeerServer, startPeer } from './publications.js';

const owners = new Map<string, Socket>();

const server = createPeerServer(({ text, client }) => {
  const event: unknown = JSON.parse(text);
  if (client === null) io.emit('event', event);
  else owners.get(String(client))?.emit('event', event);
});
const io = new Server(server);

io.on('connection', (socket) => {
  const owner = String(socket.handshake.query.client);
  owners.set(owner, socket);
  socket.on('disconnect', () => owners.delete(owner));
});

startPeer(server);
