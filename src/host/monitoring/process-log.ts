import { format } from 'node:util';
import { pino } from 'pino';
import { exit } from '../../platform/processes.js';
import type { LogLevel } from '../../config/config.js';

/** Log that waits for a place that takes none, bytes; what comes then is dropped. */
const MAX_UNWRITTEN_LOG = 1024 * 1024;

/** Keeps what is logged, a line each. */
interface LineKeeper {
  add(line: string): void;
}

/**
 * Logs go to stderr, as JSON lines, or readable where that is a terminal.
 * @param fields on every line
 * @param recent keeps the last lines
 */
export async function createLog(
  level: LogLevel,
  fields: object = {},
  recent?: LineKeeper,
): Promise<pino.Logger> {
  // A full disk under a log file, or a reader that has gone, ends no service: lines are lost.
  process.stdout.on('error', () => undefined);
  if (!process.stderr.isTTY) {
    const plain = pino.destination({ dest: 2, sync: true, maxLength: MAX_UNWRITTEN_LOG });
    plain.on('error', () => undefined);
    // Each line is written at once. `flushSync` would retry a failed write endlessly, and the process would not end.
    plain.flushSync = () => undefined;
    return pino({ level }, keeping(plain, recent)).child(fields);
  }
  const { default: pretty } = await import('pino-pretty');
  const readable = pretty({ destination: 2, sync: true, ignore: 'pid,hostname' });
  return pino({ level }, keeping(readable, recent)).child(fields);
}

/** Writes each line to a stream, and has it kept. */
function keeping(stream: pino.DestinationStream, recent?: LineKeeper): pino.DestinationStream {
  if (!recent) return stream;
  return {
    write: (line) => {
      recent.add(line);
      stream.write(line);
    },
  };
}

/**
 * What libraries print and what Node warns of becomes lines of the log, which would otherwise be broken by lines that
 * no reader of JSON understands. lmdb prints each transaction that failed, although it reports it as well.
 */
function takeOverOutput(log: pino.Logger): void {
  const print = (...said: readonly unknown[]): void => {
    const [error] = said;
    if (error instanceof Error) log.warn({ err: error }, 'a library printed an error');
    else log.warn({ said: format(...said) }, 'a library printed a text');
  };
  Object.assign(console, { error: print, warn: print, log: print, info: print });
  // The listener of Node prints them.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'a warning'));
}

/** A fault that nobody expected ends the process; nothing else but the log writes where it writes. */
export function endOnFault(log: pino.Logger): void {
  takeOverOutput(log);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected fault, the process ends');
    exit(1);
  });
}
