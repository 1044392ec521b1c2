#!/usr/bin/env node
import { pino } from 'pino';
import type { App } from './app/app-options.js';
import { forgetSecret } from './app/key-secret.js';
import { ConfigError, helpText, readCommand, type Config, type LogLevel } from './config.js';
import { changesOf } from './journal/entry.js';
import { SOFTWARE_VERSION } from './organization/state/software.js';
import { assertServerFits, currentRuntime } from './runtime-support.js';
import { runExport, runImport, runNewHistory } from './store/transfer/command.js';

/** Status of `parley verify` when the store cannot be read at all; 1 says that something is damaged. */
const UNVERIFIED = 3;

/** Longest time between a signal and the exit, milliseconds. */
const SHUTDOWN_MS = 9_000;

/** Log that waits for a place that takes none, bytes; what comes then is dropped. */
const MAX_UNWRITTEN_LOG = 1024 * 1024;

/** Logs go to stderr, as JSON lines, or readable where that is a terminal. */
async function createLog(level: LogLevel): Promise<pino.Logger> {
  // A full disk under a log file, or a reader that has gone, ends no service: lines are lost.
  process.stdout.on('error', () => undefined);
  if (!process.stderr.isTTY) {
    const plain = pino.destination({ dest: 2, sync: true, maxLength: MAX_UNWRITTEN_LOG });
    plain.on('error', () => undefined);
    return pino({ level }, plain);
  }
  const { default: pretty } = await import('pino-pretty');
  return pino({ level }, pretty({ destination: 2, sync: true, ignore: 'pid,hostname' }));
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

async function serve(config: Config, warnings: readonly string[]): Promise<void> {
  const log = await createLog(config.log);
  for (const warning of warnings) log.warn({}, warning);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'unexpected fault, the process ends');
    process.exit(1);
  });
  assertServerFits(currentRuntime());
  // Loaded only where it is used, like the document below: the server is large, other commands are not.
  const { createApp } = await import('./app/app.js');
  const app = createApp(config, {
    log,
    announce: (line) => process.stdout.write(`${line}\n`),
    fatal: (error) => {
      log.fatal({ err: error }, 'this process may not go on');
      process.exit(1);
    },
  });
  stopOnSignals(app, log);
  await app.start();
}

async function main(): Promise<void> {
  const warnings: string[] = [];
  const command = readCommand(process.argv.slice(2), process.env, (one) => warnings.push(one));
  if (command.kind !== 'serve') warnings.forEach(report);
  switch (command.kind) {
    case 'help':
      process.stdout.write(helpText());
      return;
    case 'version':
      process.stdout.write(`parley ${SOFTWARE_VERSION}\n`);
      return;
    case 'openapi': {
      const { openApiDocument } = await import('../schemas/openapi/document.js');
      process.stdout.write(`${JSON.stringify(openApiDocument(command.url), null, 2)}\n`);
      return;
    }
    case 'serve':
      return serve(command.config, warnings);
    case 'forget-secret':
      return forgetSecret(command.store, report);
    case 'restore-messages': {
      const { runRestoreMessages } = await import('./app/restore-messages.js');
      return runRestoreMessages(command.store, command.places, report);
    }
    case 'verify': {
      const { runVerify } = await import('./app/verify.js');
      const print = (line: string): void => void process.stdout.write(`${line}\n`);
      process.exitCode = await runVerify(command.store, print);
      return;
    }
    case 'new-history':
      return runNewHistory(command.store, report);
    case 'grant':
    case 'revoke': {
      const { changeUserRight } = await import('./app/user-rights.js');
      const change = { ...command, granted: command.kind === 'grant' };
      return changeUserRight(command.store, change, report);
    }
    case 'export':
      return runExport(command, {
        software: SOFTWARE_VERSION,
        stdout: process.stdout,
        report,
        readChanges: changesOf,
      });
    case 'import':
      return runImport(command, { stdin: process.stdin, report });
  }
}

/** Standard output may be the export itself. */
function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

main().catch((error: unknown) => {
  const usage = error instanceof ConfigError;
  const text = error instanceof Error ? error.message : String(error);
  const failed = process.argv[2] === 'serve' ? 'Cannot start' : 'Failed';
  process.stderr.write(usage ? `${text}\nSee parley serve --help\n` : `${failed}: ${text}\n`);
  // To a script, a store that cannot be read is something else than one that is damaged.
  process.exit(usage ? 2 : process.argv[2] === 'verify' ? UNVERIFIED : 1);
});
