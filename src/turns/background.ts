/**
 * Promises that nobody waits for. Each promise of the server is returned, awaited, or given to one of these, which ask
 * for the handler of its rejection: one without a handler ends the process. The rules of .oxlintrc.json find the
 * others.
 */

/**
 * Begins work that goes on by itself.
 * @param work a function, so that what it throws before there is a promise is handled as well: arguments of a call are
 *   made before the call. It returns undefined where it was over at once
 * @param failed called with whatever it throws or rejects with
 */
export function inBackground(
  work: () => Promise<unknown> | undefined,
  failed: (error: unknown) => void,
): void {
  try {
    work()?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/**
 * Calls `done` or `failed` when a promise is settled. Neither may make a promise, whose rejection would have no
 * handler: `no-misused-promises` refuses that. What they throw is a fault of the program, as in every callback.
 */
export function onceSettled<T>(
  work: Promise<T>,
  done: (value: T) => void,
  failed: (error: unknown) => void,
): void {
  work.then(done, failed); // oxlint-disable-line promise/catch-or-return
}

/** The handler of work that tells of its failures itself, or whose failures concern nobody. */
export function untold(): void {
  // Nobody waits for it.
}
