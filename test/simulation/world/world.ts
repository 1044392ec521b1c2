import type { Parameters } from '../../system/harness/client.js';
import type { Reply, SimClient } from '../clients/client.js';
import type { SimNode } from '../node/node.js';
import type { Loss } from '../checks/store-check.js';
import type { ServiceHost } from '../services/service-host.js';
import type { ReplicatedStore } from '../redis/replicated-store.js';
import type { RedisServer } from '../redis/server.js';
import type { Network } from './network.js';
import type { Random } from './random.js';
import type { Scheduler } from './scheduler.js';
import type { Trace } from './trace.js';

/** What the clients of a run do, drawn by its seed. */
export interface Habits {
  readonly transports: readonly ('poll' | 'socket' | 'stream')[];
  /** How often each kind of work is chosen, by its name. */
  readonly work: Readonly<Record<string, number>>;
  /** Probability that a reader sleeps after a poll. */
  readonly sleeps: number;
  /** Probability that a reader does not read for a while what a socket or stream brings. */
  readonly naps: number;
  /** Probability that a message has no `local_id`, and is not sent again. */
  readonly once: number;
  /** Probability that a writer sends a request again while the first is under way. */
  readonly doubles: number;
  /** Probability that a writer sends or reads several messages at once. */
  readonly bursts: number;
  /** Longest pause of a writer between two requests, milliseconds. */
  readonly pauseMs: number;
}

/** Faults that meet: they have the same victim and duration, where they have one. */
interface Meeting {
  victim: SimNode | null;
  /** Milliseconds. */
  ms: number | null;
}

/** The simulation begins on the 1st of January 2030. */
export const START = Date.UTC(2030, 0, 1);

/** Faults after this many only tell the same again. */
const MOST_FAULTS = 20;

/** Faults that say what clients see: of one, of a message, or of what a round came to. */
const OF_CLIENTS = /^(c\d+: |\d+ is "|round \d+: (?!to serve)|w\d+-.* was sent twice)/;

/** Everything that there is in one run. */
export class World {
  nodes: readonly SimNode[] = [];
  clientHosts: readonly string[] = [];
  /** What takes mails, pushes and calls; none where the seed draws no services. */
  services: readonly ServiceHost[] = [];
  /** All that have an account. */
  clients: readonly SimClient[] = [];
  /** Whom a fault happened to last. */
  lastHit: SimNode | null = null;
  /** What faults that begin at the same moment share; null while one begins alone. */
  meeting: Meeting | null = null;
  /** The longest that most faults last, milliseconds. */
  longestMs = 0;
  /** How far the replica of the store is behind when it takes its place, milliseconds; null: it differs. */
  lagMs: number | null = null;
  /** Faults that found nothing that they could happen to. */
  missed = 0;
  /** What must not be, each once. */
  readonly faults: string[] = [];
  /** How often something happened. */
  readonly counts = new Map<string, number>();
  /** The most that was seen of something. */
  readonly maxima = new Map<string, number>();
  /** Positions that a store had answered and lost, by each time that it did. */
  readonly losses: Loss[] = [];
  /** Why the history must end, which somebody has seen more of than the store has; null where nobody has. */
  owed: string | null = null;
  /** Why somebody may yet be told of what is gone, which nobody knows to be gone; null where nobody may. */
  doubt: string | null = null;
  /** Ids of messages that are gone and may be given to others. */
  readonly givenAgain = new Set<number>();
  /** Histories that began after the store lost something. */
  histories = 0;
  /** The newest position that a client was told of. */
  newestTold = 0;
  /** Position from which ids count, by queue. */
  readonly origins = new Map<string, number>();
  private readonly messages = new Map<number, string>();
  /** Messages that their sender had to send under another queue, which does not know of the first time. */
  readonly mayBeTwice = new Set<string>();
  /** Why nothing can be told of this run any more; null while it can. */
  undecided: string | null = null;
  /** When a process ended or changed what it does last, milliseconds. */
  changedAt = -Infinity;
  /** Clients begin nothing new. */
  isResting = true;
  /** Rounds that have begun. */
  rounds = 0;
  /** The wall clock when the simulation began, milliseconds since 1970. */
  readonly start = START;

  /** What a round left undone is being done, without faults. */
  get isSettling(): boolean {
    return this.isResting && this.rounds > 0;
  }

  constructor(
    readonly scheduler: Scheduler,
    readonly network: Network,
    private readonly single: RedisServer,
    readonly random: Random,
    readonly habits: Habits,
    readonly trace: Trace,
    /** The store, where it has replicas that the product waits for. */
    readonly replicated: ReplicatedStore | null = null,
  ) {}

  /** The server that is the store, or is the master of those that are. */
  get store(): RedisServer {
    return this.replicated?.master ?? this.single;
  }

  /** Hosts of all servers that the store is on. */
  get storeHosts(): readonly string[] {
    return this.replicated?.hosts ?? [this.single.host];
  }

  /** Nothing more is to be found out. */
  get isOver(): boolean {
    return this.faults.length > 0 || this.undecided !== null;
  }

  /** A client was told of a position. */
  toldOf(position: number): void {
    this.newestTold = Math.max(this.newestTold, position);
  }

  /** Nobody is told of an entry that replicas do not have, if any are waited for. */
  mayTell(what: string, position: number): void {
    const { replicated } = this;
    if (!replicated || replicated.isKept(position)) return;
    this.fault(`${what} tells of ${position}, and replicas have ${replicated.kept}`);
  }

  /** Position of an event, or of a cursor, of a queue. */
  positionOf(queueId: string, id: number): number {
    return (this.origins.get(queueId) ?? NaN) + id;
  }

  /** A message has an id, which no other may have. */
  gave(id: number, content: string): void {
    if (this.givenAgain.has(id)) return;
    const other = this.messages.get(id);
    if (other !== undefined && other !== content)
      this.fault(`${id} is "${other}" and "${content}"`);
    this.messages.set(id, content);
  }

  /**
   * How often the store went back, or another history began for it: between the two, queues are made that end with the
   * former history, and with them what they remember of messages.
   */
  get setbacks(): number {
    return this.losses.length + this.histories;
  }

  /** Whether what was acknowledged with this position may be gone. */
  isLost(position: number): boolean {
    return this.losses.some(({ after, through }) => position > after && position <= through);
  }

  fault(what: string): void {
    const isOfClients = OF_CLIENTS.test(what);
    if (isOfClients && this.owed !== null) {
      this.tell('void', what);
      return;
    }
    if (isOfClients && this.doubt !== null) {
      this.undecided ??= `${what}, and ${this.doubt}`;
      return;
    }
    if (this.faults.length < MOST_FAULTS) this.faults.push(what);
    this.tell('FAULT', what);
  }

  tell(who: string, what: string): void {
    this.trace.add(this.scheduler.now, who, what);
  }

  counted(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  /** Keeps the most that was seen of something. */
  most(what: string, value: number): void {
    this.maxima.set(what, Math.max(this.maxima.get(what) ?? 0, value));
  }

  /** A client has its reply, or has given up. */
  answered(
    client: SimClient,
    what: string,
    node: string,
    reply: Reply | null,
    parameters: Parameters,
    fileName?: string,
  ): void {
    const code = reply && reply.status !== 200 ? ` ${String(reply.body.code)}` : '';
    const outcome = reply === null ? 'no reply' : `${reply.status}${code}`;
    if (reply?.position) {
      this.toldOf(reply.position);
      this.mayTell(`${client.host}: ${what} at ${node}`, reply.position);
    }
    const operation = what.replace(/\d+/g, 'N').replace(/(\/user_uploads\/N\/).*/, '$1file');
    this.counted(`${operation}: ${outcome}`);
    const { content: text = fileName } = parameters;
    const content = typeof text === 'string' ? ` "${text}"` : '';
    this.tell(client.host, `${what}${content} at ${node}: ${outcome}`);
    if (reply && reply.status >= 500 && reply.status !== 503) {
      this.fault(`${client.host}: ${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
  }
}
