import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { End, Network } from '../world/network.js';
import type { Random } from '../world/random.js';
import type { Task } from '../world/scheduler.js';
import { commandOf, entriesOf, GROWING, WRITING } from './commands.js';
import { Database, ServerError, type Change } from './database.js';
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
}

/** A connection of a client. */
class Session {
  readonly queue: Request[] = [];
  isBlocked = false;

  constructor(readonly end: End) {}
}

/** A Redis server whose log is on disk before it answers (`appendfsync always`), with a replica that may lag. */
export class RedisServer {
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
  #life = 0;
  #isDown = true;

  constructor(
    private readonly network: Network,
    private readonly random: Random,
    /** Whether it has the commands of RedisJSON. */
    private readonly hasJson: boolean,
  ) {
    this.db = new Database(() => network.scheduler.now);
    this.replica = new Database(() => network.scheduler.now);
    this.start();
  }

  get isDown(): boolean {
    return this.#isDown;
  }

  start(): void {
    this.#isDown = false;
    this.network.listen(STORE, STORE_PORT, this.#accept);
  }

  /** It dies; what it has answered is on its disk, and what it has not may be. */
  stop(): void {
    this.#isDown = true;
    this.#life++;
    this.network.unlisten(STORE, STORE_PORT, this.#accept);
    for (const { timer } of this.#waiting.splice(0)) timer.cancel();
    for (const { end } of this.#sessions) end.close('reset');
    this.#sessions.clear();
  }

  /** It does nothing for so long, milliseconds; its connections stay. */
  standStill(ms: number): void {
    this.#busyUntil = Math.max(this.#busyUntil, this.network.scheduler.now + ms);
  }

  /** It dies, and the replica takes its place with what it has; it serves when it is started. */
  failOver(): void {
    this.stop();
    this.db = this.replica;
    this.#lagging = [];
    this.replica = new Database(() => this.network.scheduler.now);
    for (const key of this.db.keys()) copyKey(this.db, this.replica, key);
    this.onFailOver();
  }

  readonly #accept = (end: End): void => {
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
    const changes: Change[] = [];
    const work: Work = {
      db: this.db,
      now: this.network.scheduler.now,
      hasJson: this.hasJson,
      life: this.#life,
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
    if (changes.length > 0) this.#changed(changes, session.end.peer);
  }

  /** Why the server does not even begin with a command, by its state; null where it does. */
  #refusalOf(name: string, [digest]: readonly string[]): string | null {
    const script = name === 'EVALSHA' || name === 'EVAL' ? NAMES.get(digest!) : undefined;
    const writes = script ? script.name !== 'listings' : WRITING.has(name);
    const grows = script ? writes && !script.mayGrow : GROWING.has(name);
    const { refusal } = this;
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
    this.#waiting = this.#waiting.filter((one) => !this.#answered(one));
  }

  #replicate(changes: Change[]): void {
    this.#lagging.push(changes);
    const { replica } = this;
    this.network.scheduler.in(this.random.between(0, this.lagMs), () => {
      // A replica gets what its server had sent, also when that has died since.
      if (replica !== this.replica || this.#lagging.length === 0) return;
      for (const change of this.#lagging.shift()!) this.replica.apply(change);
    });
  }

  #wait(session: Session, number: number, name: string, args: readonly string[]): void {
    const look = name === 'XREAD' ? () => this.#read(args) : () => this.#pop(args);
    const ms = name === 'XREAD' ? Number(args[3]) : Number(args[1]) * 1000;
    session.isBlocked = true;
    const timer = this.network.scheduler.in(ms, () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      this.#answer(waiting, null);
    });
    const waiting: Waiting = { number, session, timer, look };
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

  #read([, count, , , , key, after]: readonly string[]): unknown {
    const found = entriesOf(this.db, key!, Number(after) + 1, Infinity, Number(count));
    return found.length > 0 ? [[key, found]] : undefined;
  }

  #pop([key]: readonly string[]): unknown {
    const item = this.db.get(key!, 'list')?.items[0];
    if (item === undefined) return undefined;
    const change: Change = { op: 'delete', key: key! };
    this.db.apply(change);
    this.#replicate([change]);
    return [key, item];
  }
}

/** A replica begins as a copy. */
function copyKey(from: Database, to: Database, key: string): void {
  const value = from.value(key)!;
  if (value.type === 'string' || value.type === 'ReJSON-RL' || value.type === 'list') {
    to.apply({ op: 'set', key, value });
  }
  if (value.type === 'hash') {
    to.apply({ op: 'fields', key, fields: Object.fromEntries(value.fields) });
  }
  if (value.type === 'stream') {
    for (const [id, text] of value.texts) to.apply({ op: 'add', key, id, text });
  }
  if (value.type === 'zset') {
    for (const [member, score] of value.scores) to.apply({ op: 'member', key, member, score });
  }
  const until = from.until(key);
  if (until !== undefined) to.apply({ op: 'expire', key, until });
}
