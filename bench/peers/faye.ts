/** Peer: Faye (Bayeux) with its in-memory engine, over the transport the client chose. */
import faye from 'faye';
import { createPeerServer, startPeer } from './publications.js';

const bayeux = new faye.NodeAdapter({ mount: '/faye', timeout: 45 });
const publisher = bayeux.getClient();

const server = createPeerServer(({ text, client }) => {
  const channel = client === null ? '/events' : `/events/${client}`;
  publisher.publish(channel, JSON.parse(text));
});
bayeux.attach(server);
startPeer(server);
