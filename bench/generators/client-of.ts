import type { Address, ConsumerJob, Seat } from '../exchange/jobs.js';
import type { Client, ClientEvents } from './client.js';
import { FayePoller, FayeSocket } from './faye-clients.js';
import { MqttSubscriber } from './mqtt.js';
import { NchanPoller, NchanSocket, NchanStream } from './nchan-clients.js';
import { ParleyPoller, ParleySocket, ParleyStream } from './parley-clients.js';
import { SocketIoPoller, SocketIoSocket } from './socket-io-clients.js';

const PARLEY = { poll: ParleyPoller, push: ParleySocket, stream: ParleyStream };
const NCHAN = { poll: NchanPoller, push: NchanSocket, stream: NchanStream };

/** Who receives, and how. */
export interface Receiver {
  readonly server: Address;
  /** Of the client among those of all generators. */
  readonly index: number;
  readonly seat: Seat;
  readonly events: ClientEvents;
}

/** A client of the kind that a job asks for. */
export function clientOf(
  { transport, dialect, addressing }: Pick<ConsumerJob, 'transport' | 'dialect' | 'addressing'>,
  { server, index, seat, events }: Receiver,
): Client {
  /** Where servers without queues have a channel of all, and one for each client. */
  const channel = addressing === 'all' ? '' : String(index);
  const isPoll = transport === 'poll';
  switch (dialect) {
    case 'parley':
      return new PARLEY[transport](server, index, seat, events);
    case 'socket.io':
      return new (isPoll ? SocketIoPoller : SocketIoSocket)(server, index, events);
    case 'faye':
      return new (isPoll ? FayePoller : FayeSocket)(server, index, events);
    case 'nchan':
      return new NCHAN[transport](server, index, channel, events);
    case 'mqtt':
      return new MqttSubscriber(server, index, channel, events);
  }
}
