/**
 * What `@parley-chat/server/testing` has: types alone, so that they are shipped as they are, with those of the client
 * package (scripts/package.js). docs/guides/testing-a-bot.md shows how they are used.
 */
import type { Client, Event, Params } from '../client/index.js';

/** A span of time: milliseconds, or a number with `ms`, `seconds`, `minutes`, `hours`, `days` or `weeks`. */
export type Duration = number | string;

/** A person of the organization. */
export interface UserSeed {
  /** Also the full name, by which messages mention the person; the address is `NAME@example.org`. */
  readonly name: string;
  /** Default: member. */
  readonly role?: 'owner' | 'administrator' | 'moderator' | 'member' | 'guest';
  /** For clients that log in by one; default: there is none. */
  readonly password?: string;
}

export interface ChannelSeed {
  readonly name: string;
  /** Default: public. */
  readonly private?: boolean;
  /** Names of users and bots; default: all. */
  readonly subscribers?: readonly string[];
}

/** A message that is there when the test begins. */
export interface MessageSeed {
  /** Name of a user or bot. */
  readonly from: string;
  /** Name of a channel, or of those who get a direct message. */
  readonly to: string | readonly string[];
  /** Of a message to a channel; default: `test`. */
  readonly topic?: string;
  readonly content: string;
}

/** The organization that a test begins with. There is always a person named `owner`, who may do everything. */
export interface ParleyOptions {
  readonly users?: readonly (string | UserSeed)[];
  /** Names of generic bots of the owner. */
  readonly bots?: readonly string[];
  readonly channels?: readonly (string | ChannelSeed)[];
  /** In the order in which they were sent. */
  readonly messages?: readonly MessageSeed[];
  /** Flags of `parley serve` without their dashes, such as `{ 'rate-limit': 'on' }`, which is off otherwise. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** An account, for clients of any language. */
export interface Account {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly apiKey: string;
}

/** Which requests a fault is for; each field that is absent: any. */
export interface RequestMatch {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Without `/api/v1`: `/messages`. */
  readonly path?: string | RegExp;
  /** Name of the user or bot who asks. */
  readonly from?: string;
  /** How many requests; default: one. */
  readonly times?: number;
}

/** A fault that waits for its requests. */
export interface Fault {
  /** How many requests met it so far. */
  readonly met: number;
  /** Ends it, however many requests it was for. */
  end(): void;
}

export interface Faults {
  /** The next requests get 429 `RATE_LIMIT_HIT`. Nothing is done. */
  rateLimit(match?: RequestMatch & { readonly retryAfter?: number }): Fault;
  /** The next requests get 503. Nothing is done. */
  unavailable(match?: RequestMatch): Fault;
  /** The next requests are carried out, and their replies come so much later, by the clock of the test. */
  slow(match: RequestMatch & { readonly by: Duration }): Fault;
  /** The next requests are carried out, and the connection closes in the place of the reply. */
  loseReply(match?: RequestMatch): Fault;
  /** All connections close, waiting polls and sockets, too; the server goes on. */
  dropConnections(): void;
  /** The queues of an account are gone, as after a week away: its client must register again. @returns how many */
  expireQueues(name: string): Promise<number>;
  /**
   * The store does not answer, so requests get 503, until {@link storeBack}. What was under way then may have been
   * done, as after any 503 of an outage; what comes later is not.
   */
  storeAway(): void;
  /** @returns when the server serves again */
  storeBack(): Promise<void>;
}

export interface TestClock {
  now(): Date;
  /**
   * The time goes on by so much at once. What is due meanwhile happens in its order: heartbeats, expiry of queues,
   * scheduled messages and reminders, presence, retention. Clients that poll come back in between.
   * All servers of the process share the clock, which also goes on by itself; clients have their own time.
   */
  advance(by: Duration): Promise<void>;
}

/** What the server had stored at one time. */
export interface Backup {
  readonly takenAt: Date;
}

export interface RestartOptions {
  /** What was stored afterwards is lost: the server starts with what it had then. Default: nothing is lost. */
  readonly from?: Backup;
  /** The server ends as a process does that is killed, without a word to its clients. */
  readonly crash?: boolean;
}

/** The events of one account, from when they were asked for. */
export interface Inbox extends AsyncIterable<Event> {
  /** All that came so far. */
  readonly seen: readonly Event[];
  /** How often the queue was lost, and another one registered. */
  readonly lost: number;
  /**
   * The next event of a type, or that a function accepts, among those that no call returned or passed over yet.
   * @param within real milliseconds; default 5000. @throws Error that lists what came instead
   */
  next<T extends Event['type']>(type: T, within?: number): Promise<Extract<Event, { type: T }>>;
  next(accepts: (event: Event) => boolean, within?: number): Promise<Event>;
  close(): void;
}

/** A Parley server in this process. */
export interface Parley {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly clock: TestClock;
  readonly faults: Faults;
  /** By name, bots and the owner, too. */
  readonly users: Readonly<Record<string, Account>>;
  /** Ids by name. */
  readonly channels: Readonly<Record<string, number>>;
  /** Warnings and errors of the server, the newest hundred. */
  readonly log: readonly string[];
  /** A client of an account. @throws Error for a name that nobody has */
  as(name: string): Client;
  /** The events of an account from now on. @param register as of `POST /register` */
  events(name: string, register?: Params<'POST /register'>): Promise<Inbox>;
  /**
   * Resolves when a client of the account polls or listens: a program that was started is ready.
   * @param within real milliseconds; default 10,000. @throws Error when none does
   */
  connected(name: string, within?: number): Promise<void>;
  /** What the Python and JavaScript clients read: `ZULIP_SITE`, `ZULIP_EMAIL`, `ZULIP_API_KEY`. */
  env(name: string): Readonly<Record<string, string>>;
  /** The same as the text of a file `.env`. */
  dotenv(name: string): string;
  /** The same as the text of a file `zuliprc`. */
  zuliprc(name: string): string;
  backup(): Backup;
  /** Another server on what this one stored, at the same address. */
  restart(options?: RestartOptions): Promise<void>;
  /** Ends it. Nothing is left: no port, timer, file or connection. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts a server in this process, in memory, on a free port.
 * @throws Error for a seed that contradicts itself, or that the server refuses
 */
export type StartParley = (options?: ParleyOptions) => Promise<Parley>;
