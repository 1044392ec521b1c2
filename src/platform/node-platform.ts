/**
 * The platform of production: Node. Globals are looked up with each call, since tests put others in their place.
 * Modules that few processes need are loaded with their first use: each takes milliseconds of a start.
 */
import type * as ChildProcess from 'node:child_process';
import { randomFillSync, randomInt, randomUUID } from 'node:crypto';
import type * as Dns from 'node:dns/promises';
import fs from 'node:fs';
import promises from 'node:fs/promises';
import type * as Http from 'node:http';
import type * as Http2 from 'node:http2';
import type * as Https from 'node:https';
import { createRequire } from 'node:module';
import type * as Net from 'node:net';
import { availableParallelism, totalmem } from 'node:os';
import type * as PerfHooks from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type * as WorkerThreads from 'node:worker_threads';
import {
  FILE_FUNCTIONS,
  PROMISED_FILE_FUNCTIONS,
  type Files,
  type Network,
  type Platform,
} from './platform.js';

const load = createRequire(import.meta.url);
const childProcess = (): typeof ChildProcess => load('node:child_process') as typeof ChildProcess;
const dns = (): typeof Dns => load('node:dns/promises') as typeof Dns;
const http = (): typeof Http => load('node:http') as typeof Http;
const http2 = (): typeof Http2 => load('node:http2') as typeof Http2;
const https = (): typeof Https => load('node:https') as typeof Https;
const net = (): typeof Net => load('node:net') as typeof Net;
const perfHooks = (): typeof PerfHooks => load('node:perf_hooks') as typeof PerfHooks;
const threads = (): typeof WorkerThreads => load('node:worker_threads') as typeof WorkerThreads;

type Call = (...args: unknown[]) => unknown;

/** A function with all its forms, of a module that is loaded with the first call. */
function later<T>(find: () => T): T {
  return ((...args: unknown[]) => (find() as Call)(...args)) as T;
}

/** Random bytes that nobody has yet: the system is asked once for some 200 tokens, which takes 15 µs each time. */
const unused = Buffer.alloc(4096);
let next = unused.length;

function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  if (size > unused.length) return randomFillSync(bytes);
  if (next + size > unused.length) {
    randomFillSync(unused);
    next = 0;
  }
  unused.copy(bytes, 0, next, next + size);
  // Not readable in memory for longer than those who got it keep it.
  unused.fill(0, next, next + size);
  next += size;
  return bytes;
}

const files = {
  ...Object.fromEntries(FILE_FUNCTIONS.map((name) => [name, fs[name]])),
  ...Object.fromEntries(PROMISED_FILE_FUNCTIONS.map((name) => [name, promises[name]])),
} as unknown as Files;

const network: Network = {
  connect: later(() => net().connect),
  createServer: later(() => net().createServer),
  httpRequest: later(() => http().request),
  httpGet: later(() => http().get),
  httpsRequest: later(() => https().request),
  createHttpServer: later(() => http().createServer),
  httpAgent: (options) => new (http().Agent)(options),
  httpsAgent: (options) => new (https().Agent)(options),
  connectHttp2: later(() => http2().connect),
  lookup: (host) => dns().lookup(host, { all: true }),
  resolver: (options) => new (dns().Resolver)(options),
  fetch: (input, init) => globalThis.fetch(input, init),
};

export const nodePlatform: Platform = {
  time: {
    wallTime: () => Date.now(),
    monotonicTime: () => performance.now(),
    machineTime: () => process.hrtime.bigint(),
    uptime: () => process.uptime(),
    monitorEventLoopDelay: (options) => perfHooks().monitorEventLoopDelay(options),
  },
  figures: {
    residentBytes: () => process.memoryUsage.rss(),
    heapBytes: () => getHeapStatistics().used_heap_size,
    cpuUsage: (before) => process.cpuUsage(before),
    limits: () => fs.readFileSync('/proc/self/limits', 'latin1'),
    freeBytes: (folder) => {
      const { bavail, bsize } = fs.statfsSync(folder);
      return bavail * bsize;
    },
    machineBytes: () => totalmem(),
    processors: () => availableParallelism(),
  },
  timers: {
    setTimeout: (callback, ms) => globalThis.setTimeout(callback, ms),
    clearTimeout: (timer) => globalThis.clearTimeout(timer),
    setInterval: (callback, ms) => globalThis.setInterval(callback, ms),
    clearInterval: (timer) => globalThis.clearInterval(timer),
    setImmediate: (callback) => globalThis.setImmediate(callback),
    clearImmediate: (immediate) => globalThis.clearImmediate(immediate),
    queueMicrotask: (callback) => globalThis.queueMicrotask(callback),
    timeoutSignal: (ms) => AbortSignal.timeout(ms),
  },
  randomness: {
    random: () => Math.random(),
    randomBytes,
    randomFillSync: (buffer) => void randomFillSync(buffer),
    randomInt: (least, end) => randomInt(least, end),
    randomUUID: () => randomUUID(),
  },
  files,
  processes: {
    fork: later(() => childProcess().fork),
    kill: (pid, signal) => process.kill(pid, signal),
    exit: (status) => process.exit(status),
  },
  threads: {
    startThread: (program, options) => new (threads().Worker)(program, options),
    parentPort: () => threads().parentPort,
    workerData: (): unknown => threads().workerData,
  },
  network,
};
