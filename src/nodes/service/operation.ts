/** How a node is operated, for administrators who look at the console. */
import type { Config } from '../../config/config.js';
import { SOFTWARE_VERSION } from '../../organization/state/software.js';
import type { ScheduledBackups } from '../upkeep/scheduled-backups.js';
import type { NodeParts } from '../node-parts.js';
import { shortId } from '../../host/node-id.js';
import type { ConsoleSources, OperationPlan } from '../../resources/queues/console.js';

/** What the console asks of the process itself. */
export function processSources(
  { config, store, nodeId, recentLog, figureHistory }: NodeParts,
  backups: ScheduledBackups,
): Pick<ConsoleSources, 'firstSeq' | 'operation' | 'backups' | 'log' | 'history'> {
  return {
    firstSeq: () => store.firstSeq(),
    operation: () => operationOf(config),
    backups: () => backups.state(),
    log: (query) => recentLog.find(query, shortId(nodeId)),
    history: () => figureHistory.figures(),
  };
}

/** Without the backups that are there, which takes reading a folder. */
function operationOf({ options, backup }: Config): OperationPlan {
  const two = (number: number): string => String(number).padStart(2, '0');
  return {
    software_version: SOFTWARE_VERSION,
    options: [...options],
    backups: backup && {
      folder: backup.folder,
      time_of_day: backup.at && `${two(backup.at.hour)}:${two(backup.at.minute)}`,
      keep: backup.keep,
    },
  };
}
