import { type Store } from '../store/port.js';
import { tooFewReplicas } from '../store/too-few-replicas.js';
import { every, type Background } from './upkeep/background-service.js';
import type { AppLog } from '../host/monitoring/log.js';
import { StoreAwayLog } from '../host/monitoring/store-away-log.js';

/** Interval of looks at what the store said of its replicas; it is asked with each commit and renewal of the lease. */
const CHECK_MS = 500;

/**
 * Tells the operator of replicas that are missing before a change waits for them. What waits is told of as for any store.
 * @param isFailing whether commits wait
 */
export function replicasLog(
  { log, store }: { readonly log: Pick<AppLog, 'error' | 'info'>; readonly store: Store },
  isFailing: () => boolean,
): Background {
  const lines = new StoreAwayLog(log, 'too few replicas: the next change will wait');
  const looks = every(CHECK_MS, () => {
    const missing = tooFewReplicas(store);
    if (missing && !isFailing()) lines.away(missing);
    else if (lines.over() && !missing) log.info({}, 'enough replicas have the newest change again');
  });
  return {
    start: () => looks.start(),
    stop: () => {
      looks.stop();
      lines.over();
    },
    nextDue: () => looks.nextDue(),
  };
}
