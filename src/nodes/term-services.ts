import type { Journal } from '../journal/journal.js';
import type { QueueHomes } from '../journal/queues/queue-homes.js';
import type { NodeParts } from './node-parts.js';
import { replicasLog } from './replicas-log.js';
import type { OrganizationService } from './service/organization-service.js';
import { every, NOTHING, type Background } from './upkeep/background-service.js';
import type { IndexKeeper } from './upkeep/index-keeper.js';
import { figuresUpkeep, indexUpkeep, upkeepOf } from './upkeep/upkeep.js';

/** Followers learn as late who was active. A user is written once a day: mostly there is nothing to do. */
const ACTIVITY_MS = 1000;
const COMMIT_TIMEOUT_CHECK_MS = 500;
/** Interval of checks of the clock: how late a stored deadline may be after the clock was set forward. */
const CLOCK_CHECK_MS = 1000;
/** Interval of checks for followers that are gone. */
const NODE_CHECK_MS = 2000;

/** What of a term its services work on. */
interface Term {
  readonly journal: Journal;
  readonly homes: QueueHomes;
  readonly index: IndexKeeper;
  readonly endLeftQueues: () => void;
}

/** What runs by itself during a term of leadership: started in this order, stopped in reverse. */
export function termServices(
  parts: NodeParts,
  served: OrganizationService,
  { journal, homes, index, endLeftQueues }: Term,
): readonly Background[] {
  const { presence, topicDeletions, runtime } = served;
  return [
    {
      start: () => presence.restore(),
      stop: () => presence.stop(),
      nextDue: () => presence.nextDue(),
    },
    // A process that ended between the deactivation and the end of the queues left some.
    { ...NOTHING, start: () => endLeftQueues() },
    served.fullMembers,
    served.scheduled,
    {
      start: () => topicDeletions.restore(),
      stop: () => topicDeletions.stop(),
      nextDue: () => topicDeletions.nextDue(),
    },
    served.mail,
    served.outgoingHooks,
    served.notifications,
    ...(served.digests ? [served.digests] : []),
    served.exports,
    served.thumbnailer,
    ...(served.pagePreviews ? [served.pagePreviews] : []),
    indexUpkeep(index, parts),
    figuresUpkeep(served, parts),
    ...upkeepOf(runtime, served.uploads.own, served.backups, parts),
    every(ACTIVITY_MS, () => served.activity.run()),
    every(COMMIT_TIMEOUT_CHECK_MS, () => journal.checkCommitTimeout()),
    every(CLOCK_CHECK_MS, () => served.wheel.checkClock()),
    replicasLog(parts, () => journal.isFailing),
    every(NODE_CHECK_MS, () => homes.forgetLost()),
  ];
}
