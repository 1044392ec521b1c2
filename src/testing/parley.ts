/** A server within the process of a test. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Client } from '../client/index.js';
import type { Params } from '../client/index.js';
import { createApp, type RunningApp } from '../app/app.js';
import type { AppLog } from '../host/monitoring/log.js';
import { configFrom } from '../config/config.js';
import { OPTIONS } from '../config/options.js';
import { valueReader } from '../config/values.js';
import { mkdtemp, rm, rmSync } from '../platform/files.js';
import { Passwords } from '../services/auth/passwords.js';
import type {
  Account,
  Faults,
  Inbox,
  Parley,
  ParleyOptions,
  RestartOptions,
  TestClock,
} from './api.js';
import { atMost, clock, rounds, untilHolds, type Timed } from './clock.js';
import { RequestFaults } from './faults.js';
import { FeedInbox } from './inbox.js';
import { named, OWNER_ADDRESS, seed, userSeeds, type Seeded } from './seed.js';
import { MemoryBackup, TestStore } from './store.js';

/** Lines of the log that are kept. */
const LOG_LINES = 100;
/** Time that a server which ends leaves to requests under way, beyond the two seconds it keeps for itself. Milliseconds. */
const STOP_MS = 2100;
/** How long the time stands still for clients that have to come back. Milliseconds of the machine. */
const COME_BACK_MS = 250;
/** How long it stands still for what is being stored. */
const STORED_MS = 1000;
/** Rounds of the event loop in which what a deadline began is under way. */
const ROUNDS = 2;
/** Nobody else can take the role: renewals would only make the time go on in more steps. Milliseconds. */
const LEASE_MS = 86_400_000;
/** How long a program takes to start, on a busy machine. Milliseconds of the machine. */
const CONNECTED_MS = 10_000;
/** How long a store that is back is tried again. Milliseconds of the machine. */
const RECOVERED_MS = 5000;
/** Argon2 at its least: 8 KiB, once. A test's password is no secret, and a hash for production takes 30 ms. */
const CHEAP = { memoryKiB: 8, passes: 1, concurrency: 2, maxWaiting: 1024 };

/** What differs from the defaults of `parley serve`. */
const SETTINGS: Readonly<Record<string, string>> = {
  host: '127.0.0.1',
  'rate-limit': 'off',
  'keep-index': 'off',
  'link-previews': 'off',
  organization: 'Test',
  'owner-email': OWNER_ADDRESS,
};

export class RunningParley implements Parley, Timed {
  readonly log: string[] = [];
  readonly clock: TestClock = { now: () => clock.wall, advance: (by) => clock.advance(by) };
  readonly users: Record<string, Account> = {};
  readonly channels: Record<string, number> = {};
  readonly faults: Faults;
  private readonly requests = new RequestFaults((name) => this.account(name));
  readonly store = new TestStore();
  private readonly passwords = Passwords.create(CHEAP);
  private readonly inboxes = new Set<FeedInbox>();
  private app: RunningApp | undefined;
  private port = 0;
  /** Queues that were held when the time last went on. */
  private heldBefore = 0;
  private stopping: Promise<void> | undefined;

  private constructor(
    private readonly options: ParleyOptions,
    private readonly folder: string,
  ) {
    const { requests } = this;
    this.faults = {
      rateLimit: (match) => requests.rateLimit(match),
      unavailable: (match) => requests.unavailable(match),
      slow: (match) => requests.slow(match),
      loseReply: (match) => requests.loseReply(match),
      dropConnections: () => this.running.server.listener.dropConnections(),
      expireQueues: (name) => this.expireQueues(name),
      storeAway: () => void (this.store.isAway = true),
      storeBack: () => this.storeBack(),
    };
  }

  static async start(options: ParleyOptions = {}): Promise<RunningParley> {
    const parley = new RunningParley(
      options,
      await mkdtemp(join(tmpdir(), `parley-testing-${process.pid}-`)),
    );
    clock.use(parley);
    // A test that never stops it leaves no files either.
    process.on('exit', parley.removeFiles);
    try {
      await parley.listen();
      await parley.fill();
      return parley;
    } catch (error) {
      await parley.stop();
      throw error;
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  as(name: string): Client {
    const { email, apiKey } = this.account(name);
    return new Client(this.url, { email, apiKey });
  }

  async events(name: string, register: Params<'POST /register'> = {}): Promise<Inbox> {
    void this.running;
    const inbox = await FeedInbox.open(this.as(name).events({ register, transport: 'stream' }));
    this.inboxes.add(inbox);
    return inbox;
  }

  async connected(name: string, within = CONNECTED_MS): Promise<void> {
    const { id } = this.account(name);
    const isHeld = (): boolean =>
      this.running.role.served?.queues.of(id).some(({ consumer }) => consumer !== null) ?? false;
    if (!(await untilHolds(isHeld, within))) {
      throw new Error(`No client of ${name} polls or listens within ${within} ms`);
    }
  }

  env(name: string): Record<string, string> {
    const { email, apiKey } = this.account(name);
    return { ZULIP_SITE: this.url, ZULIP_EMAIL: email, ZULIP_API_KEY: apiKey };
  }

  dotenv(name: string): string {
    return Object.entries(this.env(name))
      .map(([variable, value]) => `${variable}=${value}\n`)
      .join('');
  }

  zuliprc(name: string): string {
    const { email, apiKey } = this.account(name);
    return `[api]\nemail=${email}\nkey=${apiKey}\nsite=${this.url}\n`;
  }

  backup(): MemoryBackup {
    return new MemoryBackup(this.store.memory, clock.wall);
  }

  async restart({ from, crash = false }: RestartOptions = {}): Promise<void> {
    if (crash) this.running.server.listener.dropConnections();
    await this.running.stop(STOP_MS);
    if (from) {
      if (!(from instanceof MemoryBackup)) throw new Error('That is no backup of a test server');
      this.store.memory = from.restore();
    }
    await this.listen();
  }

  stop(): Promise<void> {
    return (this.stopping ??= this.end());
  }

  async settle(): Promise<void> {
    const served = this.app?.role.served;
    if (!served) return;
    await rounds(ROUNDS);
    if (!this.store.isAway) await atMost(served.runtime.journal.barrier(), STORED_MS);
    await untilHolds(() => this.held >= this.heldBefore, COME_BACK_MS);
    this.heldBefore = this.held;
  }

  /** Queues whose clients poll or listen now. */
  private get held(): number {
    let held = 0;
    for (const { consumer } of this.app?.role.served?.queues.all() ?? [])
      if (consumer !== null) held += 1;
    return held;
  }

  private get running(): RunningApp {
    if (!this.app || this.stopping) throw new Error('The server has ended');
    return this.app;
  }

  private account(name: string): Account {
    return named(new Map(Object.entries(this.users)), name);
  }

  /** Starts a server on what is stored, at the address of the one before. */
  private async listen(): Promise<void> {
    const flags = { ...SETTINGS, ...this.options.settings };
    const unknown = Object.keys(flags).filter((name) => !OPTIONS.some(({ flag }) => flag === name));
    if (unknown.length > 0) throw new Error(`parley serve has no --${unknown.join(', --')}`);
    const places = { store: `embedded:${this.folder}`, port: String(this.port) };
    const config = configFrom(valueReader({ ...flags, ...places }, {}), {}, () => undefined);
    const app = createApp(
      // To a server whose time goes on at once everything is slow.
      { ...config, leaseMs: LEASE_MS, slowRequestMs: Infinity },
      {
        log: this.logger(),
        announce: () => undefined,
        fatal: (error) => this.note(`The server cannot go on: ${String(error)}`),
        instead: {
          store: this.store.open(),
          passwords: this.passwords,
          interposed: this.requests.interposed,
        },
      },
    );
    this.app = app;
    await app.start();
    this.port = app.port;
  }

  private async fill(): Promise<void> {
    const { served } = this.running.role;
    const { runtime, parts } = served!;
    const passwordHashes = new Map<string, string>();
    for (const { name, password } of userSeeds(this.options)) {
      if (password !== undefined) passwordHashes.set(name, await parts.passwords.hash(password));
    }
    const seeded: Seeded = runtime.transact((tx) =>
      seed(tx, this.options, { markdown: parts.markdown, passwordHashes }),
    );
    await runtime.journal.barrier();
    for (const [name, { user_id, email, key_version }] of seeded.users) {
      const apiKey = parts.keys.derive(user_id, key_version);
      this.users[name] = { id: user_id, name, email, apiKey };
    }
    for (const [name, { stream_id }] of seeded.channels) this.channels[name] = stream_id;
  }

  private async expireQueues(name: string): Promise<number> {
    const { id } = this.account(name);
    const { queues, runtime } = this.running.role.served!;
    const all = [...queues.of(id)];
    for (const queue of all) queues.end(queue, 'delete');
    await rounds(ROUNDS);
    await runtime.journal.barrier();
    return all.length;
  }

  private async storeBack(): Promise<void> {
    this.store.isAway = false;
    // The server tries again after a second at most.
    await clock.advance('1 second');
    if (!(await untilHolds(() => this.running.role.state() === 'ready', RECOVERED_MS))) {
      throw new Error('The server does not take changes again');
    }
  }

  private async end(): Promise<void> {
    try {
      for (const inbox of this.inboxes) inbox.close();
      await this.app?.stop(STOP_MS);
      // What the native layer closes is closed in its next rounds.
      await rounds(ROUNDS);
    } finally {
      clock.delete(this);
      process.off('exit', this.removeFiles);
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  private readonly removeFiles = (): void => rmSync(this.folder, { recursive: true, force: true });

  private logger(): AppLog {
    const note = (context: object, message: string): void => {
      const { err, ...facts } = context as { err?: unknown };
      const told = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : '';
      this.note(`${message}${told}${err === undefined ? '' : `: ${inspect(err)}`}`);
    };
    return {
      info: () => undefined,
      warn: note,
      error: note,
      isLevelEnabled: (level) => level === 'warn',
    };
  }

  private note(line: string): void {
    this.log.push(line);
    if (this.log.length > LOG_LINES) this.log.shift();
  }
}
