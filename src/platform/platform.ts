/**
 * What the program takes from its machine: time, timers, randomness, files, processes, threads and the network, as
 * one object. Nothing else in `src` and `actors` takes them from Node; a lint rule says so (architecture.md#platform).
 * The program calls the functions of the modules beside this one (`time.ts`, `timers.ts` …), and they call what is
 * bound in `bound.ts`: Node, or what a simulation put in its place.
 *
 * Libraries open files and connections themselves. A simulation replaces each at the port of Parley before it: lmdb
 * and redis at `store/port.ts`, uWebSockets.js at the native edge of `http`, and nodemailer, smtp-server, ldapts,
 * openid-client, argon2, sharp and pino at what wraps them in `services` and `app`. rate-limiter-flexible, jose, and
 * lru-cache where entries expire, read the global clock.
 */
import type * as ChildProcess from 'node:child_process';
import type { ResolverOptions } from 'node:dns';
import type * as Dns from 'node:dns/promises';
import type * as Fs from 'node:fs';
import type * as FsPromises from 'node:fs/promises';
import type * as Http from 'node:http';
import type * as Http2 from 'node:http2';
import type * as Https from 'node:https';
import type * as Net from 'node:net';
import type * as PerfHooks from 'node:perf_hooks';
import type * as WorkerThreads from 'node:worker_threads';

/** Everything the program takes from its machine. */
export interface Platform {
  readonly time: Time;
  readonly figures: Figures;
  readonly timers: Timers;
  readonly randomness: Randomness;
  readonly files: Files;
  readonly processes: Processes;
  readonly threads: Threads;
  readonly network: Network;
}

export interface Time {
  /** Milliseconds since the Unix epoch; may step in both directions. */
  wallTime(): number;
  /** Milliseconds since some moment of this process, with fractions; never steps. */
  monotonicTime(): number;
  /** Nanoseconds since some moment that all processes of the machine share; never steps. */
  machineTime(): bigint;
  /** Seconds since the process started. */
  uptime(): number;
  monitorEventLoopDelay: typeof PerfHooks.monitorEventLoopDelay;
}

/**
 * Figures of the process and of its machine. Each may throw where the system does not tell it: without `/proc`, or where
 * no file descriptor is free. `figures.ts` alone calls them.
 */
export interface Figures {
  /** Memory that the process occupies, bytes. */
  residentBytes(): number;
  /** Memory that the objects of this thread take, bytes. */
  heapBytes(): number;
  /** Microseconds of the processor that the process has used, since `before` where that is given. */
  cpuUsage(before?: NodeJS.CpuUsage): NodeJS.CpuUsage;
  /** The limits of the process, as `/proc/self/limits` of Linux has them. */
  limits(): string;
  /** Room on the disk of a folder, bytes. */
  freeBytes(folder: string): number;
  /** Memory of the machine, bytes. */
  machineBytes(): number;
  /** Processors that the process may use. */
  processors(): number;
}

/** What a timer calls: a function without arguments, or the `resolve` of a promise of nothing. */
export type Callback = (nothing: void) => void;

export interface Timers {
  setTimeout(callback: Callback, ms: number): NodeJS.Timeout;
  clearTimeout(timer: NodeJS.Timeout | undefined): void;
  setInterval(callback: Callback, ms: number): NodeJS.Timeout;
  clearInterval(timer: NodeJS.Timeout | undefined): void;
  /** Calls once pending input and output was served. */
  setImmediate(callback: Callback): NodeJS.Immediate;
  clearImmediate(immediate: NodeJS.Immediate | undefined): void;
  /** Calls after the work at hand, before anything else. */
  queueMicrotask(callback: () => void): void;
  /** A signal that is aborted after so many milliseconds; it keeps no process alive. */
  timeoutSignal(ms: number): AbortSignal;
}

export interface Randomness {
  /** A number from 0 to below 1 that anybody may guess. */
  random(): number;
  /** Bytes that nobody can guess; so are the results of those below. */
  randomBytes(size: number): Buffer;
  randomFillSync(buffer: Uint8Array): void;
  /** A number from `least` to below `end`. */
  randomInt(least: number, end: number): number;
  randomUUID(): string;
}

/** Functions of `node:fs` that the program uses: nearly all of them are told by `Sync` from those below. */
export const FILE_FUNCTIONS = [
  'accessSync',
  'chmodSync',
  'closeSync',
  'createReadStream',
  'createWriteStream',
  'existsSync',
  'fstatSync',
  'fsyncSync',
  'ftruncateSync',
  'linkSync',
  'lstatSync',
  'mkdirSync',
  'openSync',
  'readFileSync',
  'readSync',
  'readdirSync',
  'readlinkSync',
  'realpathSync',
  'renameSync',
  'rmSync',
  'statSync',
  'truncateSync',
  'unlinkSync',
  'writeFileSync',
  'writeSync',
] as const;
/** Functions of `node:fs/promises` that the program uses. */
export const PROMISED_FILE_FUNCTIONS = [
  'chmod',
  'copyFile',
  'link',
  'mkdir',
  'mkdtemp',
  'open',
  'opendir',
  'readFile',
  'readdir',
  'realpath',
  'rename',
  'rm',
  'stat',
  'unlink',
  'writeFile',
] as const;

export type Files = Pick<typeof Fs, (typeof FILE_FUNCTIONS)[number]> &
  Pick<typeof FsPromises, (typeof PROMISED_FILE_FUNCTIONS)[number]>;

export interface Processes {
  /** Starts another process of Node, with a channel to it. */
  fork: typeof ChildProcess.fork;
  /** Sends a signal; 0 only asks whether there is such a process. @throws Error where there is none, or it is another's */
  kill(pid: number, signal: NodeJS.Signals | 0): true;
  /** Ends this process at once. */
  exit(status: number): never;
}

export interface Threads {
  startThread(program: URL, options: WorkerThreads.WorkerOptions): WorkerThreads.Worker;
  /** The channel to what started this thread; null in the thread that the process began with. */
  parentPort(): WorkerThreads.MessagePort | null;
  /** What this thread was started with. */
  workerData(): unknown;
}

export interface Network {
  /** A connection to a port, or to the socket of another process. */
  connect: typeof Net.connect;
  createServer: typeof Net.createServer;
  httpRequest: typeof Http.request;
  httpGet: typeof Http.get;
  httpsRequest: typeof Https.request;
  createHttpServer: typeof Http.createServer;
  /** Connections that requests share, over TLS or not. */
  httpAgent(options: Http.AgentOptions): Http.Agent;
  httpsAgent(options: Https.AgentOptions): Https.Agent;
  connectHttp2: typeof Http2.connect;
  /** The addresses of a name by the machine's own way, which takes a thread until it knows. */
  lookup(host: string): Promise<{ readonly address: string; readonly family: number }[]>;
  /** Asks name servers. */
  resolver(options: ResolverOptions): Dns.Resolver;
  fetch: typeof globalThis.fetch;
}
