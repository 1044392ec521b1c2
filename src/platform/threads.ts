import type { MessagePort, Worker, WorkerOptions } from 'node:worker_threads';
import { bound } from './bound.js';

/* Threads, as `Platform` says. */

export function startThread(program: URL, options: WorkerOptions): Worker {
  return bound().threads.startThread(program, options);
}

export function parentPort(): MessagePort | null {
  return bound().threads.parentPort();
}

export function workerData(): unknown {
  return bound().threads.workerData();
}
