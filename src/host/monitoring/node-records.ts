import type { Config } from '../../config/config.js';
import type { AppOptions } from '../app-options.js';
import { figuresPath } from '../data-folder/places.js';
import { FigureHistory } from './figure-history.js';
import { RecentLog } from './recent-log.js';
import { secretsOf } from './without-secrets.js';

/** What a node keeps of itself for the console. */
interface NodeRecords {
  readonly recentLog: RecentLog;
  readonly figureHistory: FigureHistory;
}

/** @param folder of the process */
export function nodeRecords(
  config: Config,
  { log, recentLog = new RecentLog() }: Pick<AppOptions, 'log' | 'recentLog'>,
  folder: string,
): NodeRecords {
  recentLog.hide(secretsOf(config));
  const figureHistory = new FigureHistory(figuresPath(folder), (error) =>
    log.warn({ err: error }, 'figures of the last hours cannot be kept'),
  );
  return { recentLog, figureHistory };
}
