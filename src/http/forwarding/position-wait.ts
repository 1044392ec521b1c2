import { setTimeout, clearTimeout } from '../../platform/timers.js';
import { serviceUnavailable } from '../../errors/index.js';
import { onceSettled } from '../../turns/background.js';

/**
 * How long a request waits until this node has reached a position, milliseconds. A node that follows is some
 * milliseconds behind; one that is seconds behind has lost its store, and others serve the request sooner.
 */
const POSITION_WAIT_MS = 2000;

/** Whether it is reached within {@link POSITION_WAIT_MS}; a node that stops following never reaches it. */
export function isReachedInTime(reached: Promise<void>): Promise<boolean> {
  return new Promise((resolve) => {
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
}

/** @throws ApiError 503 where it is not reached within {@link POSITION_WAIT_MS} */
export async function reachedInTime(reached: Promise<void>): Promise<void> {
  if (!(await isReachedInTime(reached))) {
    throw serviceUnavailable('The server is behind the position of the request');
  }
}
