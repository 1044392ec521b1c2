/** The program `parley`: reads which command is meant, and carries it out. */
import { exit } from '../platform/processes.js';
import { workerPlace, type WorkerPlace } from '../app/workers/messages.js';
import { readCommand } from './command-line.js';
import { ConfigError, type Config } from '../config/config.js';
import { SOFTWARE_VERSION } from '../organization/state/software.js';

/** Status of `parley verify` when the store cannot be read at all; 1 says that something is damaged. */
const UNVERIFIED = 3;
/** Status of a command whose reader went away: that of a process that SIGPIPE ended, in the form of shells. */
const ENDED_BY_READER = 141;

/** In this process, or in several that this one starts. */
async function serve(config: Config, warnings: readonly string[]): Promise<void> {
  if (config.workers === 1) {
    const { serve: serveAlone } = await import('../app/serve.js');
    return serveAlone(config, warnings);
  }
  const { supervise } = await import('../app/workers/supervise.js');
  return supervise(config, warnings);
}

/** Serves as one of several processes, with the options that their supervisor was given. */
async function serveAsWorker(place: WorkerPlace): Promise<void> {
  const { runWorker } = await import('../app/workers/worker.js');
  return runWorker(place, () => {
    const command = readCommand(process.argv.slice(2), process.env);
    if (command.kind === 'serve') return command.config;
    throw new ConfigError('A worker serves');
  });
}

async function carryOut(): Promise<void> {
  const place = workerPlace(process.env);
  if (place) return serveAsWorker(place);
  const warnings: string[] = [];
  const command = readCommand(process.argv.slice(2), process.env, (one) => warnings.push(one));
  if (command.kind !== 'serve') warnings.forEach(report);
  switch (command.kind) {
    case 'help':
      process.stdout.write(command.text);
      return;
    case 'version':
      process.stdout.write(`parley ${SOFTWARE_VERSION}\n`);
      return;
    case 'openapi': {
      const { openApiDocument } = await import('../../schemas/openapi/document.js');
      process.stdout.write(`${JSON.stringify(openApiDocument(command.url), null, 2)}\n`);
      return;
    }
    case 'completion': {
      const { completionScript } = await import('./completion.js');
      process.stdout.write(completionScript(command.shell));
      return;
    }
    case 'admin': {
      const { runAdmin } = await import('../app/admin/admin-client.js');
      return runAdmin(command, (text) => void process.stdout.write(`${text}\n`));
    }
    case 'config check': {
      const { runConfigCheck } = await import('../app/config-check.js');
      const print = (line: string): void => void process.stdout.write(`${line}\n`);
      process.exitCode = await runConfigCheck(command, print, report);
      return;
    }
    case 'serve':
      return serve(command.config, warnings);
    case 'forget-secret': {
      const { forgetSecret } = await import('../app/data-folder/key-secret.js');
      return forgetSecret(command.store, report);
    }
    case 'restore-messages': {
      const { runRestoreMessages } = await import('../app/history/restore-messages.js');
      return runRestoreMessages(command.store, command.places, report);
    }
    case 'verify': {
      const { runVerify } = await import('../app/history/verify.js');
      const print = (line: string): void => void process.stdout.write(`${line}\n`);
      process.exitCode = await runVerify(command.store, command.files, print);
      return;
    }
    case 'new-history': {
      const { runNewHistory } = await import('../store/transfer/command.js');
      return runNewHistory(command.store, report);
    }
    case 'grant':
    case 'revoke': {
      const { changeUserRight } = await import('../app/user-rights.js');
      const change = { ...command, granted: command.kind === 'grant' };
      return changeUserRight(command, change, report);
    }
    case 'export': {
      const { runExport } = await import('../store/transfer/command.js');
      const { changesOf } = await import('../journal/entry-reading.js');
      return runExport(command, {
        software: SOFTWARE_VERSION,
        stdout: process.stdout,
        report,
        readChanges: changesOf,
      });
    }
    case 'foreign-export': {
      const { runZulipExport } = await import('../app/export/zulip-export.js');
      return runZulipExport(command, report);
    }
    case 'backup': {
      const { runBackup } = await import('../app/backup/backup.js');
      return runBackup(command, report);
    }
    case 'restore': {
      const { runRestore } = await import('../app/backup/restore.js');
      process.exitCode = await runRestore(command, report);
      return;
    }
    case 'foreign-import': {
      const { runForeignImport } = await import('../app/import/run-import.js');
      process.exitCode = await runForeignImport(command, report);
      return;
    }
    case 'import': {
      const { runImport } = await import('../store/transfer/command.js');
      return runImport(command, { stdin: process.stdin, report });
    }
  }
}

/** What is wrong with a file, by its name first: `/x/y: no such file or directory (ENOENT)`. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const [, what] = /^[A-Z]+: (.*?), \w+(?: '|$)/.exec(error.message) ?? [];
  const isFile = code !== undefined && path !== undefined && what !== undefined;
  return isFile ? `${path}: ${what} (${code})` : error.message;
}

/** Standard output may be the export itself. */
function report(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Says why the command failed, and ends with the status that scripts know it by. */
function fail(error: unknown): never {
  const usage = error instanceof ConfigError;
  const text = messageOf(error);
  const isServe = process.argv[2] === 'serve';
  const failed = isServe ? 'Cannot start' : 'Failed';
  report(usage ? `${text}\nSee parley ${isServe ? 'serve ' : ''}--help` : `${failed}: ${text}`);
  // To a script, a store that cannot be read is something else than one that is damaged.
  exit(usage ? 2 : process.argv[2] === 'verify' ? UNVERIFIED : 1);
}

/** Runs the command of this process; ends the process when it fails. */
export function run(): void {
  // A server goes on, whatever becomes of its output. The reader of a command's output may have enough of it (`|
  // head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (process.argv[2] === 'serve') return;
    if (error.code === 'EPIPE') exit(ENDED_BY_READER);
    fail(new Error(`the output cannot be written (${error.code ?? error.message})`));
  });
  carryOut().catch(fail);
}
