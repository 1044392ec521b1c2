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

/** Work for the end of the work of this round; null outside of it. */
let ending: (() => void)[] | null = null;

/**
 * Runs work once all that `inNextRound` runs now has run, or in the next round where it runs nothing now. So what
 * requests of one round changed commits together, and without another round in between, which would cost a call into
 * the system. The work must not throw.
 */
export function atEndOfRound(work: () => void): void {
  if (ending === null) setImmediate(work);
  else ending.push(work);
}

function runAll(): void {
  const works = waiting;
  waiting = [];
  const last: (() => void)[] = [];
  ending = last;
  try {
    for (const work of works) work();
  } finally {
    ending = null;
    for (const work of last) work();
  }
}
