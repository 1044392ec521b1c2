/** Work that waits for the next round of the event loop. */
let waiting: (() => void)[] = [];

/**
 * Runs work in the next round of the event loop, in order, all of a round together (one timer each would
 * cost more than the rest). The work must not throw.
 *
 * Requests that change something begin here. The native layer reads everything that came in one segment
 * before it returns, and closes the connection when a second request arrives there while the first waits
 * for its reply. The first is then aborted before it has any effect, so its client may repeat it.
 */
export function inNextRound(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(runAll);
}

function runAll(): void {
  const works = waiting;
  waiting = [];
  for (const work of works) work();
}
