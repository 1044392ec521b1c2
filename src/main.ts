#!/usr/bin/env node
import { pino } from 'pino';
import pretty from 'pino-pretty';
import { startApp, type App } from './app.js';
import { ConfigError, helpText, readCommand, type Config, type LogLevel } from './config.js';

/** Longest time between a signal and the exit, milliseconds. */
const SHUTDOWN_MS = 9_000;

/** Logs go to stderr, as JSON lines, or readable where that is a terminal. */
function createLog(level: LogLevel): pino.Logger {
  const destination = process.stderr.isTTY
    ? pretty({ destination: 2, sync: true, ignore: 'pid,hostname' })
    : pino.destination({ dest: 2, sync: true });
  return pino({ level }, destination);
}

function stopOnSignals(app: App, log: pino.Logger): void {
  let stopping = false;
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    // Whatever hangs, the process ends in time.
    setTimeout(() => process.exit(1), SHUTDOWN_MS + 500).unref();
    app.stop(SHUTDOWN_MS).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'the shutdown failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
}

async function serve(config: Config): Promise<void> {
  const log = createLog(config.log);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected fault, the process ends');
    process.exit(1);
  });
  const app = await startApp(config, {
    log,
    announce: (line) => process.stdout.write(`${line}\n`),
    fatal: (error) => {
      log.fatal({ err: error }, 'this process may not go on');
      process.exit(1);
    },
  });
  stopOnSignals(app, log);
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2), process.env);
  if (command.kind === 'help') process.stdout.write(helpText());
  else await serve(command.config);
}

main().catch((error: unknown) => {
  const usage = error instanceof ConfigError;
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(usage ? `${text}\nSee parley serve --help\n` : `Cannot start: ${text}\n`);
  process.exit(usage ? 2 : 1);
});
