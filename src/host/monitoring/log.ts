import type { Log } from '../../http/error-handler.js';
import { RequestLog } from '../../http/request-log.js';

/** The part of a logger that the composition uses. */
export interface AppLog extends Log {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  debug?(context: object, message: string): void;
  /** Whether lines of a level are written; absent: all but debug. */
  isLevelEnabled?(level: 'debug' | 'warn'): boolean;
}

const nothing = (): void => undefined;

/** The log of a command: errors alone, as lines for the operator. */
export function reportingLog(report: (line: string) => void): AppLog {
  return { info: nothing, warn: nothing, error: (_context, message) => report(message) };
}

/** A log whose lines name the organization that they are about. */
export function logOf(log: AppLog, organization: string): AppLog {
  return {
    info: (context, message) => log.info({ organization, ...context }, message),
    warn: (context, message) => log.warn({ organization, ...context }, message),
    error: (context, message) => log.error({ organization, ...context }, message),
    ...(log.debug !== undefined && {
      debug: (context: object, message: string) =>
        log.debug!({ organization, ...context }, message),
    }),
    ...(log.isLevelEnabled !== undefined && {
      isLevelEnabled: (level: 'debug' | 'warn') => log.isLevelEnabled!(level),
    }),
  };
}

/**
 * Lines of requests.
 * @param slowMs a request that takes longer is logged
 */
export function requestLog(log: AppLog, slowMs: number, node: string): RequestLog {
  const sink = {
    debug: (context: object, message: string) => log.debug?.(context, message),
    info: (context: object, message: string) => log.info(context, message),
    warn: (context: object, message: string) => log.warn(context, message),
  };
  const isEach = log.isLevelEnabled?.('debug') ?? false;
  return new RequestLog(sink, isEach, slowMs, node);
}
