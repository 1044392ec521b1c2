import { setTimeout, clearTimeout } from '../../platform/timers.js';
import { serviceUnavailable } from '../../errors/index.js';
import { onceSettled } from '../../turns/background.js';

/**
 * How long a request waits until this node has reached a position, milliseconds. A node that follows is some
 * milliseconds behind; one that is seconds behind has lost its store, and others serve the request sooner.
 */
export const POSITION_WAIT_MS = 2000;

/**
 * Resolves where a position is reached in time; null where it is by now. Rejects with ApiError 503 where it is not.
 * @param isReached null: by now
 */
export function unlessBehind(isReached: Promise<boolean> | null): Promise<void> | null {
  return isReached && refuseUnless(isReached);
}

async function refuseUnless(isReached: Promise<boolean>): Promise<void> {
  if (!(await isReached)) {
    throw serviceUnavailable('The server is behind the position of the request');
  }
}

/** @throws ApiError 503 where it is not reached within {@link POSITION_WAIT_MS} */
export function reachedInTime(reached: Promise<void>): Promise<void> {
  const isInTime = new Promise<boolean>((resolve) => {
    const deadline = setTimeout(() => resolve(false), POSITION_WAIT_MS);
    const settle = (inTime: boolean): void => {
      clearTimeout(deadline);
      resolve(inTime);
    };
    onceSettled(
      reached,
      () => settle(true),
      () => settle(false),
    );
  });
  return refuseUnless(isInTime);
}
