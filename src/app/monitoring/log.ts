import type { Log } from '../../http/error-handler.js';

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
