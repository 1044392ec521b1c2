import { bound } from './bound.js';
import type { Callback } from './platform.js';

/* Timers, as `Platform` says, under the names of the globals that they replace. */

export function setTimeout(callback: Callback, ms: number): NodeJS.Timeout {
  return bound().timers.setTimeout(callback, ms);
}

export function clearTimeout(timer: NodeJS.Timeout | undefined): void {
  bound().timers.clearTimeout(timer);
}

export function setInterval(callback: Callback, ms: number): NodeJS.Timeout {
  return bound().timers.setInterval(callback, ms);
}

export function clearInterval(timer: NodeJS.Timeout | undefined): void {
  bound().timers.clearInterval(timer);
}

export function setImmediate(callback: Callback): NodeJS.Immediate {
  return bound().timers.setImmediate(callback);
}

export function clearImmediate(immediate: NodeJS.Immediate | undefined): void {
  bound().timers.clearImmediate(immediate);
}

export function queueMicrotask(callback: () => void): void {
  bound().timers.queueMicrotask(callback);
}

export function timeoutSignal(ms: number): AbortSignal {
  return bound().timers.timeoutSignal(ms);
}

/** Resolves once pending input and output was served, as `setImmediate` of `node:timers/promises`. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Of a pause: what ends it, and whether it keeps the process alive (so it does unless that is false). */
export interface PauseOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

/**
 * Resolves after so many milliseconds, as `setTimeout` of `node:timers/promises`.
 * @throws Error named `AbortError` as soon as the signal is aborted
 */
export function pause(
  ms: number,
  value?: undefined,
  { signal, ref = true }: PauseOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(abortError(signal?.reason));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    }, ms);
    if (!ref) timer.unref();
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** As Node's own. */
function abortError(cause: unknown): Error {
  const error = new Error('The operation was aborted', { cause });
  return Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' });
}
