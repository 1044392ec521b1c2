import type { AppLog } from './log.js';

const nothing = (): void => undefined;

/** The log of a command: errors alone, as lines for the operator. */
export function reportingLog(report: (line: string) => void): AppLog {
  return { info: nothing, warn: nothing, error: (_context, message) => report(message) };
}
