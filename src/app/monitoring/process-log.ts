import { pino } from 'pino';
import type { LogLevel } from '../../config/config.js';

/** Log that waits for a place that takes none, bytes; what comes then is dropped. */
const MAX_UNWRITTEN_LOG = 1024 * 1024;

/**
 * Logs go to stderr, as JSON lines, or readable where that is a terminal.
 * @param fields on every line
 */
export async function createLog(level: LogLevel, fields: object = {}): Promise<pino.Logger> {
  // A full disk under a log file, or a reader that has gone, ends no service: lines are lost.
  process.stdout.on('error', () => undefined);
  if (!process.stderr.isTTY) {
    const plain = pino.destination({ dest: 2, sync: true, maxLength: MAX_UNWRITTEN_LOG });
    plain.on('error', () => undefined);
    // Each line is written at once. `flushSync` would retry a failed write endlessly, and the process would not end.
    plain.flushSync = () => undefined;
    return pino({ level }, plain).child(fields);
  }
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' })).child(
    fields,
  );
}

/** A fault that nobody expected ends the process. */
export function endOnFault(log: pino.Logger): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected fault, the process ends');
    process.exit(1);
  });
}
