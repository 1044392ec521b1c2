import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { End, Network } from '../world/network.js';
import type { Random } from '../world/random.js';
import type { Task } from '../world/scheduler.js';
import { commandOf, entriesOf, GROWING, WRITING } from './commands.js';
import { Database, ServerError, type Change } from './database.js';
import { Copying, Feed } from './replication.js';
import { SCRIPTS, type Work } from './scripts.js';

/** A command of a client; replies come in the order of the commands. */
export interface Request {
  readonly number: number;
  readonly command: readonly string[];
}

/** What a server answers. */
export interface Answer {
  readonly number: number;
  readonly reply?: unknown;
  readonly error?: string;
}

/** What a replica answers to who would change something. */
const REPLICA = "READONLY You can't write against a read only replica.";
/** What a server without memory answers. */
const FULL = "OOM command not allowed when used memory > 'maxmemory'.";

export const STORE = 'store';
export const STORE_PORT = 6379;
const SCRIPTS_FOLDER = 'src/store/redis/scripts';

/** Digest of each script as clients name it, with and without the mark of one that makes room. */
const NAMES = new Map(
  readdirSync(SCRIPTS_FOLDER).flatMap((file) => {
    const source = readFileSync(join(SCRIPTS_FOLDER, file), 'utf8');
    const freeing = source.replace(/^#!lua$/m, '#!lua flags=allow-oom');
    const name = basename(file, '.lua');
    const digest = (text: string): string => createHash('sha1').update(text).digest('hex');
    return [
      [digest(source), { name, mayGrow: freeing === source }],
      [digest(freeing), { name, mayGrow: true }],
    ] as const;
  }),
);

/** A call of one of the scripts of the store: its name and arguments; null for any other command. */
export function scriptCall([command, digest, keys, ...rest]: readonly string[]): {
  readonly name: string;
  readonly args: readonly string[];
} | null {
  const name = command === 'EVALSHA' ? NAMES.get(digest!)?.name : undefined;
  return name === undefined ? null : { name, args: rest.slice(Number(keys)) };
}

/** A command that waits for something to come. */
interface Waiting {
  readonly number: number;
  readonly session: Session;
  readonly timer: Task;
  /** The reply; undefined while there is none. */
  readonly look: () => unknown;
  /** The reply when its time is over. */
  readonly late: () => unknown;
}

/** A connection of a client. */
class Session {
  readonly queue: Request[] = [];
  isBlocked = false;
  /** How much the server had been told to write with the newest write of this connection. */
  wrote = 0;

  constructor(readonly end: End) {}
}

/** How a server is begun that others copy. */
export interface ServerOptions {
  readonly host: string;
  readonly version: string;
}

/**
 * A Redis server whose log is on disk before it answers (`appendfsync always`). One that stands alone has a replica that may
 * lag, which nobody waits for; those of a replicated store copy each other (replicated-store.ts).
 */
export class RedisServer {
  readonly host: string;
  readonly version: string;
  /** How many writes it has, of all that there were in its line of masters. */
  offset = 0;
  /** Told when a replica has said how much it has, or this one has more. */
  onCopied: () => void = () => undefined;
  /** It does not take what needs memory. */
  isFull = false;
  /** What it answers to all that changes something, or to everything while it loads; null: it does what it is told. */
  refusal: string | null = null;
  /** What each command takes at most, milliseconds; a sync of its log is the most of it. */
  slowMs = 0.5;
  /** How far the replica is behind, milliseconds. */
  lagMs = 2;
  /** Told of each change of the journal, in order, with the host that sent the command. */
  onChange: (change: Change, host: string) => void = () => undefined;
  /** Told when the replica has taken its place. */
  onFailOver: () => void = () => undefined;
  db: Database;
  replica: Database;
  #lagging: Change[][] = [];
  readonly #sessions = new Set<Session>();
  #waiting: Waiting[] = [];
  #busyUntil = 0;
  #stillUntil = 0;
  #life = 0;
  #isDown = true;
  readonly #feed: Feed | null;
  /** What it does as a replica; null for a master. */
  #copying: Copying | null = null;

  constructor(
    private readonly network: Network,
    private readonly random: Random,
    /** Whether it has the commands of RedisJSON. */
    private readonly hasJson: boolean,
    options?: ServerOptions,
  ) {
    this.db = this.#empty();
    this.replica = this.#empty();
    this.host = options?.host ?? STORE;
    this.version = options?.version ?? '8.0.0';
    this.#feed = options
      ? new Feed(this, network, () => this.#whenAwake(() => this.#look()))
      : null;
    this.start();
  }

  get isReplica(): boolean {
    return this.#copying !== null;
  }

  /** Whose copy it has, where it has one and is there; null for a master. */
  get copyOf(): string | null {
    return this.#copying?.hasCopy && !this.#isDown ? this.#copying.master : null;
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  start(): void {
    this.#isDown = false;
    this.network.listen(this.host, STORE_PORT, this.#accept);
    this.#feed?.start();
  }

  /**
   * It dies; what it has answered is on its disk, and what it has not may be.
   * @param silently its machine is gone: nobody is told
   */
  stop(silently = false): void {
    this.#isDown = true;
    this.#life++;
    this.network.unlisten(this.host, STORE_PORT, this.#accept);
    this.#dropClients(silently);
    this.#feed?.stop(silently);
    this.#copying?.stop(silently);
    if (this.#feed) this.#busyUntil = this.#stillUntil = 0;
  }

  /** It is a replica from now on: of whom it had been the master, nobody stays connected. */
  follow(master: RedisServer): void {
    this.#dropClients(false);
    this.#feed?.drop(false);
    this.#copying?.stop(false);
    this.#copying = new Copying(this, master.host, this.network, this.random, () => {
      this.#look();
      this.onCopied();
    });
  }

  /** It is a master from now on, with what it has. */
  lead(): void {
    this.#copying?.stop(false);
    this.#copying = null;
  }

  /** Another machine takes its place and its name, with nothing. */
  forget(): void {
    this.db = this.#empty();
    this.offset = 0;
  }

  #empty(): Database {
    return new Database(() => this.network.scheduler.now);
  }

  #dropClients(silently: boolean): void {
    for (const { timer } of this.#waiting.splice(0)) timer.cancel();
    const ends = [...this.#sessions].map(({ end }) => end);
    this.#sessions.clear();
    this.network.drop(ends, silently);
  }

  /** It does nothing for so long, milliseconds; its connections stay. */
  standStill(ms: number): void {
    this.#busyUntil = Math.max(this.#busyUntil, this.network.scheduler.now + ms);
    this.#stillUntil = this.#busyUntil;
  }

  /** Does something as soon as it does anything again. */
  #whenAwake(act: () => void): void {
    const life = this.#life;
    const { scheduler } = this.network;
    if (!this.#feed || scheduler.now >= this.#stillUntil) act();
    else scheduler.at(this.#stillUntil, () => life === this.#life && act());
  }

  /** It dies, and the replica takes its place with what it has; it serves when it is started. */
  failOver(): void {
    this.stop();
    this.db = this.replica;
    this.#lagging = [];
    this.replica = this.db.copy();
    this.onFailOver();
  }

  readonly #accept = (end: End): void => {
    // Sentinel names a master alone, and an address leads to one.
    if (this.isReplica) {
      end.close('reset');
      return;
    }
    const session = new Session(end);
    this.#sessions.add(session);
    end.onData = (payload) => {
      session.queue.push(payload as Request);
      this.#serve(session);
    };
    end.onClose = () => {
      this.#sessions.delete(session);
      this.#waiting = this.#waiting.filter((one) => {
        if (one.session === session) one.timer.cancel();
        return one.session !== session;
      });
    };
  };

  /** Commands of all clients one after the other, each as a whole. */
  #serve(session: Session): void {
    const life = this.#life;
    const { scheduler } = this.network;
    if (session.isBlocked) return;
    const request = session.queue.shift();
    if (!request) return;
    session.isBlocked = true;
    this.#busyUntil =
      Math.max(this.#busyUntil, scheduler.now) + this.random.between(0.02, this.slowMs);
    scheduler.at(this.#busyUntil, () => {
      if (life !== this.#life) return;
      session.isBlocked = false;
      this.#perform(session, request);
      this.#serve(session);
    });
  }

  #perform(session: Session, { number, command }: Request): void {
    const [name = '', ...args] = command;
    const refusal = this.#refusalOf(name, args);
    if (refusal !== null) {
      session.end.send({ number, error: refusal } satisfies Answer);
      return;
    }
    if (name === 'XREAD' || name === 'BLPOP') {
      this.#wait(session, number, name, args);
      return;
    }
    if (name === 'WAIT' || name === 'WAITAOF') {
      this.#waitForReplicas(session, number, name, args);
      return;
    }
    const changes: Change[] = [];
    const work: Work = {
      db: this.db,
      now: this.network.scheduler.now,
      hasJson: this.hasJson,
      life: `${this.host}-${this.#life}`,
      version: this.version,
      replication: () => this.#replication(),
      change: (change) => {
        this.db.apply(change);
        changes.push(change);
      },
    };
    try {
      const reply = this.#run(work, name, args);
      session.end.send({ number, reply } satisfies Answer);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      session.end.send({ number, error: error.message } satisfies Answer);
    }
    if (changes.length === 0) return;
    this.#changed(changes, session.end.peer);
    session.wrote = this.offset;
  }

  /** Why the server does not even begin with a command, by its state; null where it does. */
  #refusalOf(name: string, [digest]: readonly string[]): string | null {
    const script = name === 'EVALSHA' || name === 'EVAL' ? NAMES.get(digest!) : undefined;
    const writes = script ? script.name !== 'listings' : WRITING.has(name);
    const grows = script ? writes && !script.mayGrow : GROWING.has(name);
    const { refusal } = this;
    if (this.isReplica && writes) return REPLICA;
    if (this.isReplica && name.startsWith('WAIT')) {
      return `ERR ${name} cannot be used with replica instances.`;
    }
    if (refusal !== null && (writes || refusal.startsWith('LOADING'))) return refusal;
    return this.isFull && grows ? FULL : null;
  }

  #run(work: Work, name: string, args: readonly string[]): unknown {
    if (name !== 'EVALSHA' && name !== 'EVAL') return commandOf(name)(work, args);
    const [source = '', count, ...rest] = args;
    const script = NAMES.get(source);
    if (!script) throw new ServerError('NOSCRIPT No matching script');
    const keys = rest.slice(0, Number(count));
    return SCRIPTS[script.name]!(work, keys, rest.slice(Number(count)));
  }

  #changed(changes: Change[], host: string): void {
    for (const change of changes) this.onChange(change, host);
    this.#replicate(changes);
    this.#look();
  }

  #replication(): string {
    const list = this.#feed?.list ?? [];
    const lines = list.map(
      ([host, offset], i) =>
        `slave${i}:ip=${host},port=${STORE_PORT},state=online,offset=${offset},lag=0`,
    );
    const head = [`role:${this.isReplica ? 'slave' : 'master'}`, `connected_slaves:${list.length}`];
    return [...head, ...lines, `master_repl_offset:${this.offset}`, ''].join('\r\n');
  }

  /** What waits may be there. */
  #look(): void {
    this.#waiting = this.#waiting.filter((one) => !this.#answered(one));
  }

  #replicate(changes: Change[]): void {
    this.offset++;
    if (this.#feed) {
      this.#feed.send(changes);
      return;
    }
    this.#lagging.push(changes);
    const { replica } = this;
    this.network.scheduler.in(this.random.between(0, this.lagMs), () => {
      // A replica gets what its server had sent, also when that has died since.
      if (replica !== this.replica || this.#lagging.length === 0) return;
      for (const change of this.#lagging.shift()!) this.replica.apply(change);
    });
  }

  #wait(session: Session, number: number, name: string, args: readonly string[]): void {
    const [look, ms] = name === 'XREAD' ? this.#reading(args) : this.#popping(args);
    this.#block(session, number, ms, { look, late: () => null });
  }

  /** Answers with the true count of the replicas that have what the connection has written, at once or when the time is over. */
  #waitForReplicas(session: Session, number: number, name: string, args: readonly string[]): void {
    const [wanted, ms] = args.slice(-2).map(Number) as [number, number];
    const have = (): number => this.#feed?.countAt(session.wrote) ?? 0;
    // Its own log is on disk before it answers.
    const late = (): unknown => (name === 'WAITAOF' ? [1, have()] : have());
    const look = (): unknown => (have() >= wanted ? late() : undefined);
    this.#block(session, number, ms, { look, late });
  }

  #block(
    session: Session,
    number: number,
    ms: number,
    { look, late }: Pick<Waiting, 'look' | 'late'>,
  ): void {
    session.isBlocked = true;
    const timer = this.network.scheduler.in(ms, () => {
      this.#whenAwake(() => {
        if (!this.#waiting.includes(waiting)) return;
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        this.#answer(waiting, waiting.late());
      });
    });
    const waiting: Waiting = { number, session, timer, look, late };
    if (!this.#answered(waiting)) this.#waiting.push(waiting);
  }

  #answered(waiting: Waiting): boolean {
    const reply = waiting.look();
    if (reply === undefined) return false;
    waiting.timer.cancel();
    this.#answer(waiting, reply);
    return true;
  }

  #answer({ session, number }: Waiting, reply: unknown): void {
    session.isBlocked = false;
    session.end.send({ number, reply } satisfies Answer);
    this.#serve(session);
  }

  /** What XREAD waits for, and how long, milliseconds; without BLOCK it answers at once. */
  #reading(args: readonly string[]): [look: () => unknown, ms: number] {
    const [key, after] = args.slice(-2) as [string, string];
    const waits = args.includes('BLOCK');
    const look = (): unknown => {
      const found = entriesOf(this.db, key, Number.parseInt(after) + 1, Infinity, Number(args[1]));
      if (found.length > 0) return [[key, found]];
      return waits ? undefined : null;
    };
    return [look, waits ? Number(args[3]) : 0];
  }

  #popping([key, seconds]: readonly string[]): [look: () => unknown, ms: number] {
    return [() => this.#pop(key!), Number(seconds) * 1000];
  }

  #pop(key: string): unknown {
    const item = this.db.get(key, 'list')?.items[0];
    if (item === undefined) return undefined;
    const change: Change = { op: 'delete', key };
    this.db.apply(change);
    this.#replicate([change]);
    return [key, item];
  }
}
