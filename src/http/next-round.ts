/** What waits for the next round of the event loop. */
let waiting: (() => void)[] = [];

/**
 * Runs work in the next round of the event loop, in the order in which it came, all of a round together
 * (one timer each would cost more than the rest). The work must not throw.
 *
 * A request that changes something begins here. The native layer reads all that came in one segment
 * before it returns, and ends the connection when a second request stands there while the first waits
 * for its reply. The first is then aborted before it has done anything, so its client may send it again.
 */
export function inNextRound(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(runAll);
}

function runAll(): void {
  const works = waiting;
  waiting = [];
  for (const work of works) work();
}
