import type { QueueAccess } from '../../resources/queues/event-queues.js';
import type { OtherNodesNow } from '../../resources/queues/other-nodes.js';
import type { SocketTickets } from '../../resources/queues/socket-tickets.js';
import type { Authenticator } from '../../resources/kernel/route.js';
import type { Exchange } from '../reply/exchange.js';

/** What the event routes need of the organization whose queues they serve. */
export interface EventRouteParts {
  readonly events: QueueAccess;
  readonly tickets: SocketTickets;
  /** The leader has the tickets; absent or null where this node leads. */
  readonly otherNodes?: OtherNodesNow;
  readonly authenticator: Pick<Authenticator, 'caller' | 'lacksTwoFactor'>;
  readonly now: () => number;
  /** Ends an exchange with an error. */
  readonly fail: (exchange: Exchange, error: unknown) => void;
}
