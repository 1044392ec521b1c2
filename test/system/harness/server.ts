import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import '../../cheap-comparisons.js';
import { OPTIMIZE_LATE } from '../../late-optimization.js';

/** The program as it was compiled together with these tests. */
export const PROGRAM = fileURLToPath(new URL('../../../server/main.js', import.meta.url));
const READY = /^Parley is listening on (http:\/\/[\d.]+:(\d+))$/m;
const FOLLOWS = /^Parley follows on/m;
const LISTENING = /^Parley (?:is listening|follows|stands by|waits) on http:\/\/[\d.]+:(\d+)/m;
/** A start takes a second of the processor; more is for machines where many wait for it. */
const START_MS = 60_000;
const STOP_MS = 15_000;
/** Output kept for messages about a server that failed. */
const KEPT_OUTPUT = 20_000;

export const OWNER_EMAIL = 'owner@example.org';
export const OWNER_PASSWORD = 'iris-lamp-harbor-92';

/**
 * `PARLEY_TEST_THROUGH=follower`: each server of a test is a leader with a follower beside it on the same store,
 * and the test talks to the follower.
 */
const THROUGH_FOLLOWER = process.env['PARLEY_TEST_THROUGH'] === 'follower';

/**
 * The refusal of an id behind everything that is durable: one node alone knows that it never gave it, and of several
 * another may have, before the store lost it.
 */
export const NEVER_GIVEN = THROUGH_FOLLOWER ? 'BAD_EVENT_QUEUE_ID' : 'BAD_REQUEST';

/**
 * `PARLEY_TEST_STORE`: URL of a Redis server where each server of a test keeps its organization that is not told
 * which store to use.
 */
const STORE = process.env['PARLEY_TEST_STORE'] ?? '';

/** Whether each server of a test is to be a process, or several. */
export const NEEDS_PROCESSES = THROUGH_FOLLOWER || STORE !== '';

/** The store that goes with a folder, unless a test names another. */
export function storeOf(folder: string): string {
  if (STORE === '') return `embedded:${folder}`;
  const organization = createHash('sha256').update(folder).digest('hex').slice(0, 16);
  return `${STORE}?organization=test-${organization}`;
}

export interface ServerOptions {
  /** Rate limits; off unless asked for. */
  readonly rateLimit?: 'on' | 'off';
  /** Further flags of `serve`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Store URL instead of an embedded store in the folder, where the secret of keys then lies alone. */
  readonly store?: string;
  /** Another host to run on: the address to listen and to be called at, and what a command there begins with. */
  readonly at?: { readonly front: string; readonly within: readonly string[] };
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds from the request to end (or from the start) to the end. */
  readonly ms: number;
}

/**
 * The environment without settings of the person who runs the tests, and without those of the test
 * runner, which would watch every module the server loads.
 */
function cleanEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PARLEY_|TAP|_TAP|NODE_OPTIONS$)/.test(name)),
  );
}

/**
 * Starts the program; whoever calls this ends it. With `NODE_OPTIONS` of its own it runs as for an operator: it is
 * measured.
 */
export function launch(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd?: string,
  stdin: 'ignore' | 'pipe' = 'ignore',
  within: readonly string[] = [],
): ChildProcess {
  const options = env['NODE_OPTIONS'] === undefined ? OPTIMIZE_LATE : [];
  const [program, ...words] = [...within, process.execPath, ...options, PROGRAM, ...args];
  return spawn(program!, words, {
    env: { ...cleanEnvironment(), ...env },
    cwd,
    stdio: [stdin, 'pipe', 'pipe'],
  });
}

/** Runs the program until it ends by itself; kills it after `START_MS`. */
export async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Exit> {
  const began = Date.now();
  const child = launch(args, env, cwd);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  return { code, signal, stdout, stderr, ms: Date.now() - began };
}

/** An empty folder for a store, removed when the test ends. */
export function storeFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  // A process of it may be writing its last.
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  return folder;
}

/**
 * A server process of its own, serving a store. Where tests run through a follower it is the follower together
 * with its leader: both end together, and their output is one.
 */
export class RunningServer {
  private ownStdout = '';
  private ownStderr = '';
  private port_ = 0;
  private ended = false;
  /** The process that leads, where this one is a follower of its own. */
  private leader: RunningServer | undefined;

  private constructor(
    readonly folder: string,
    readonly options: ServerOptions,
    private readonly child: ChildProcess,
  ) {}

  /** Starts a server on an empty store; it ends with the test. */
  static async start(t: Test, options: ServerOptions = {}): Promise<RunningServer> {
    return RunningServer.serve(t, storeFolder(t), options);
  }

  /** Starts a server on a given store and waits until it says where it listens. */
  static async serve(t: Test, folder: string, options: ServerOptions = {}): Promise<RunningServer> {
    const leader = THROUGH_FOLLOWER ? await RunningServer.leading(t, folder, options) : undefined;
    const server = RunningServer.spawn(folder, options);
    server.leader = leader;
    t.teardown(() => server.kill());
    if (leader) await server.printed(FOLLOWS);
    await (leader ? server.listening() : server.ready());
    return server;
  }

  /** Starts the leader of a follower. Where a test measures a process, it is the follower. */
  private static async leading(
    t: Test,
    folder: string,
    options: ServerOptions,
  ): Promise<RunningServer> {
    const { PARLEY_TEST_LOOP_REPORT: _report, ...env } = options.env ?? {};
    const leader = RunningServer.spawn(folder, { ...options, env });
    t.teardown(() => leader.kill());
    await leader.ready();
    return leader;
  }

  /** Starts without waiting; see {@link ready}. */
  static spawn(folder: string, options: ServerOptions = {}): RunningServer {
    const store = options.store ?? storeOf(folder);
    const { front, within } = options.at ?? {};
    const args = [
      '--port',
      '0',
      '--store',
      store,
      ...(front === undefined ? [] : ['--host', front]),
    ];
    args.push('--rate-limit', options.rateLimit ?? 'off', ...(options.args ?? []));
    const env = {
      PARLEY_OWNER_EMAIL: OWNER_EMAIL,
      PARLEY_OWNER_PASSWORD: OWNER_PASSWORD,
      PARLEY_LOG: 'warn',
      ...options.env,
    };
    const isElsewhere = !store.startsWith('embedded:');
    if (isElsewhere) mkdirSync(folder, { recursive: true });
    const child = launch(
      ['serve', ...args],
      env,
      isElsewhere ? folder : undefined,
      'ignore',
      within,
    );
    const server = new RunningServer(folder, options, child);
    child.stdout?.on('data', (chunk: Buffer) => {
      server.ownStdout = (server.ownStdout + chunk.toString()).slice(-KEPT_OUTPUT);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      server.ownStderr = (server.ownStderr + chunk.toString()).slice(-KEPT_OUTPUT);
    });
    child.on('exit', () => (server.ended = true));
    return server;
  }

  get stdout(): string {
    return (this.leader?.stdout ?? '') + this.ownStdout;
  }

  get stderr(): string {
    return (this.leader?.stderr ?? '') + this.ownStderr;
  }

  get port(): number {
    return this.port_;
  }

  get url(): string {
    return `http://${this.options.at?.front ?? '127.0.0.1'}:${this.port}`;
  }

  /** The address that mails name: where `--url` is missing, that of the process that sends them. */
  get mailedUrl(): string {
    return this.leader?.url ?? this.url;
  }

  /** URL of its store. */
  get store(): string {
    return this.options.store ?? storeOf(this.folder);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get running(): boolean {
    return !this.ended && this.leader?.running !== false;
  }

  /** Waits for the line that tells the address. @throws Error with the output when it ends before */
  async ready(): Promise<void> {
    this.port_ = Number((await this.printed(READY))[2]);
  }

  /** As {@link ready}, for one that may have to wait for its role or its store. */
  async listening(): Promise<void> {
    this.port_ = Number((await this.printed(LISTENING))[1]);
  }

  /** Waits until the standard output matches. @throws Error with the output when it ends before */
  printed(pattern: RegExp): Promise<RegExpExecArray> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        child.stdout?.off('data', look);
        child.off('close', ended);
      };
      const fail = (why: string): void => {
        done();
        reject(new Error(`${why}: ${this.stdout}${this.stderr}`));
      };
      const look = (): void => {
        const match = pattern.exec(this.ownStdout);
        if (!match) return;
        done();
        resolve(match);
      };
      const ended = (code: number | null): void => fail(`the server ended with ${code}`);
      const timer = setTimeout(() => fail(`no ${String(pattern)} in time`), START_MS);
      child.stdout?.on('data', look);
      child.once('close', ended);
      look();
    });
  }

  /** Ends it in an orderly way. */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<Exit> {
    const began = Date.now();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    const [exit, leader] = await Promise.all([this.end(signal), this.leader?.stop(signal)]);
    clearTimeout(timer);
    const code = exit.code === 0 && leader ? leader.code : exit.code;
    return { ...exit, code, ms: Date.now() - began };
  }

  /** Waits until it ends by itself. */
  exit(): Promise<Exit> {
    return this.end(null);
  }

  /** Ends it as a crash would; harmless when it has ended. */
  async kill(): Promise<void> {
    await Promise.all([this.end('SIGKILL'), this.leader?.kill()]);
  }

  /** Stops the process where it is, as a machine does that is suspended. */
  pause(): void {
    this.child.kill('SIGSTOP');
    this.leader?.pause();
  }

  /** Lets a paused process go on. */
  resume(): void {
    this.leader?.resume();
    this.child.kill('SIGCONT');
  }

  /** Another process on the same store, after this one has ended. */
  async restart(t: Test): Promise<RunningServer> {
    return RunningServer.serve(t, this.folder, this.options);
  }

  /** Resident memory, bytes. */
  get residentBytes(): number {
    return this.statusBytes('VmRSS') + (this.leader?.residentBytes ?? 0);
  }

  /** Resident memory without the files that are mapped, of which the system takes back what it needs, bytes. */
  get anonymousBytes(): number {
    return this.statusBytes('RssAnon') + (this.leader?.anonymousBytes ?? 0);
  }

  private statusBytes(name: 'VmRSS' | 'RssAnon'): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? NaN) * 1024;
  }

  private async end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' | null): Promise<Exit> {
    const { child } = this;
    if (!this.ended) {
      const closed = once(child, 'close');
      if (signal) child.kill(signal);
      await closed;
    }
    return {
      code: child.exitCode,
      signal: child.signalCode,
      stdout: this.stdout,
      stderr: this.stderr,
      ms: 0,
    };
  }
}
