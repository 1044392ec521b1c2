/** The program `parley`: reads which command is meant, and carries it out. */
import { exit } from '../platform/processes.js';
import { workerPlace, type WorkerPlace } from '../host/workers/messages.js';
import { Printer, type Failure, type Outcome } from '../host/output.js';
import type { Filled } from '../app/filled.js';
import { asksForJson, readCommand } from './command-line.js';
import type { Command } from './spec.js';
import { ConfigError, type Config } from '../config/config.js';
import type { Environment } from '../config/values.js';
import { SOFTWARE_VERSION } from '../organization/state/software.js';

/** Status of `parley verify` when the store cannot be read at all; 1 says that something is damaged. */
const UNVERIFIED = 3;
/** Status of a command line that is wrong. */
const WRONG_USAGE = 2;
/** Status of a command whose reader went away: that of a process that SIGPIPE ended, in the form of shells. */
const ENDED_BY_READER = 141;

/** In the place of a name: each organization of the data folder. */
const EVERY_ONE = 'all';

/** In this process, or in several that this one starts. */
async function serve(config: Config, warnings: readonly string[], printer: Printer): Promise<void> {
  if (config.workers === 1) {
    const { serve: serveAlone } = await import('../app/serve.js');
    return serveAlone(config, warnings, printer);
  }
  const { supervise } = await import('../host/workers/supervise.js');
  return supervise(config, warnings, {
    row: printer.row,
    failed: ({ text, status }) => {
      printer.failure(failureOf(text, status, 'serve'));
      exit(status);
    },
  });
}

/** Serves as one of several processes, with the options that their supervisor was given. */
async function serveAsWorker(place: WorkerPlace): Promise<void> {
  const { runWorker } = await import('../app/worker.js');
  return runWorker(place, () => {
    const command = readCommand(process.argv.slice(2), process.env);
    if (command.kind === 'serve') return command.config;
    throw new ConfigError('A worker serves');
  });
}

/** Carries out a command. @returns what it came to; nothing where it told all meanwhile */
async function carryOut(
  command: Exclude<Command, { kind: 'serve' }>,
  printer: Printer,
): Promise<Outcome | null> {
  const { note, say } = printer;
  switch (command.kind) {
    case 'help':
      return { value: { help: command.text }, text: command.text };
    case 'version':
      return { value: { version: SOFTWARE_VERSION }, text: `parley ${SOFTWARE_VERSION}` };
    case 'openapi': {
      const { openApiDocument } = await import('../../schemas/openapi/document.js');
      const value = openApiDocument(command.url);
      return { value, text: JSON.stringify(value, null, 2) };
    }
    case 'completion': {
      const { completionScript } = await import('./completion.js');
      const { shell } = command;
      const text = completionScript(shell);
      return { value: { shell, script: text }, text };
    }
    case 'admin': {
      const { runAdmin } = await import('../operator/admin/admin-client.js');
      const { whileOpened } = await import('../app/while-opened.js');
      return runAdmin({ ...command, whileOpened }, printer);
    }
    case 'organizations': {
      const { runOrganizations } = await import('../app/organizations-command.js');
      return runOrganizations(command.config, command.request);
    }
    case 'config check': {
      const { runConfigCheck } = await import('../operator/config-check.js');
      return runConfigCheck(command, printer);
    }
    case 'forget-secret': {
      const { forgetSecret } = await import('../operator/forget-secret.js');
      return { value: await forgetSecret(command.store, note) };
    }
    case 'restore-messages': {
      const { runRestoreMessages } = await import('../operator/restore-messages.js');
      return { value: await runRestoreMessages(command.store, command.places, note) };
    }
    case 'verify': {
      const { runVerify } = await import('../operator/verify/verify.js');
      return runVerify(command.store, command.files, say, command.state);
    }
    case 'new-history': {
      const { runNewHistory } = await import('../store/transfer/command.js');
      return { value: await runNewHistory(command.store, note) };
    }
    case 'grant':
    case 'revoke': {
      const { changeUserRight } = await import('../operator/user-rights.js');
      const { email, right } = command;
      const change = { email, right, granted: command.kind === 'grant' };
      return { value: await changeUserRight(command, change, note) };
    }
    case 'export': {
      const { runExport } = await import('../store/transfer/command.js');
      const { changesOf } = await import('../journal/entry-reading.js');
      const value = await runExport(command, {
        software: SOFTWARE_VERSION,
        stdout: process.stdout,
        report: note,
        readChanges: changesOf,
      });
      // Standard output has the export itself, in lines of JSON whose last one says how much there was.
      return command.path === null ? null : { value };
    }
    case 'foreign-export': {
      const { runZulipExport } = await import('../transfer/export/zulip-export.js');
      return { value: await runZulipExport(command, note) };
    }
    case 'backup': {
      if (command.of === EVERY_ONE) {
        const { runBackupOfAll } = await import('../operator/backup/backup-of-all.js');
        return runBackupOfAll(command, note);
      }
      const { runBackup } = await import('../operator/backup/backup.js');
      return { value: await runBackup(command, note) };
    }
    case 'restore':
      return restore(command, note);
    case 'foreign-import': {
      const { runForeignImport } = await import('../transfer/import/run-import.js');
      const { filled } = await import('../app/filled.js');
      const taken = async (config: Config): Promise<Filled> => {
        const outcome = await runForeignImport({ ...command, config }, note);
        return { ...outcome, isFilled: true, hasKeys: false };
      };
      return filled(command, taken, note);
    }
    case 'import': {
      const { runImport } = await import('../store/transfer/import-command.js');
      const { assertOneIsMeant, filled } = await import('../app/filled.js');
      const { config, into, path } = command;
      const read = async ({ store }: Pick<Config, 'store'>): Promise<Filled> => {
        const value = await runImport({ store, path }, { stdin: process.stdin, report: note });
        return { value, isFilled: true, hasKeys: true };
      };
      if (config) return filled({ config, into }, read, note);
      await assertOneIsMeant(command, into);
      return read(command);
    }
  }
}

async function restore(
  command: Extract<Command, { kind: 'restore' }>,
  note: (line: string) => void,
): Promise<Outcome> {
  if (command.into.into === EVERY_ONE) {
    const { restoreAll } = await import('../app/restored-all.js');
    return restoreAll(command, note);
  }
  const { runRestore } = await import('../operator/backup/restore.js');
  // Nothing is written.
  if (command.check) return runRestore(command, note);
  const { filled } = await import('../app/filled.js');
  const taken = async (config: Config): Promise<Filled> => {
    const outcome = await runRestore({ ...command, config }, note);
    return { ...outcome, isFilled: outcome.value.imported !== null, hasKeys: true };
  };
  return filled(command, taken, note);
}

/** A command over one stored organization, with the places of that which is meant. */
async function chosen(command: Command): Promise<Command> {
  switch (command.kind) {
    case 'admin':
    case 'forget-secret':
    case 'grant':
    case 'new-history':
    case 'restore-messages':
    case 'revoke': {
      const { ofOrganization } = await import('../host/catalogue/chosen.js');
      return ofOrganization(command, async (...which) => {
        const { wakeBeforehand } = await import('../app/organizations-command.js');
        await wakeBeforehand(...which);
      });
    }
    case 'backup':
      return command.of === EVERY_ONE ? command : ofOne(command);
    case 'export':
    case 'foreign-export':
    case 'verify':
      return ofOne(command);
    default:
      return command;
  }
}

async function ofOne(command: Command): Promise<Command> {
  const { ofOrganization } = await import('../host/catalogue/chosen.js');
  return ofOrganization(command);
}

/** Carries out what the command line says. @returns the exit status; of `serve` once it serves */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  printer: Printer,
): Promise<number> {
  const warnings: string[] = [];
  const command = await chosen(readCommand(args, environment, (one) => warnings.push(one)));
  if (command.kind === 'serve') {
    await serve(command.config, warnings, printer);
    return 0;
  }
  warnings.forEach(printer.note);
  const outcome = await carryOut(command, printer);
  if (outcome === null) return 0;
  printer.outcome(outcome);
  return outcome.status ?? 0;
}

/** Says why a command failed. @returns the exit status */
export function sayFailure(error: unknown, args: readonly string[], printer: Printer): number {
  const name = nameOf(args);
  const status = statusOf(error, name);
  printer.failure(failureOf(messageOf(error), status, name));
  return status;
}

/** The command that is meant, e.g. `users` for `parley users list`. */
function nameOf(args: readonly string[]): string | undefined {
  return args.find((word) => !word.startsWith('-'));
}

/** What is wrong with a file, by its name first: `/x/y: no such file or directory (ENOENT)`. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const [, what] = /^[A-Z]+: (.*?), \w+(?: '|$)/.exec(error.message) ?? [];
  const isFile = code !== undefined && path !== undefined && what !== undefined;
  return isFile ? `${path}: ${what} (${code})` : error.message;
}

/** How a command failed, with the status that scripts know it by. */
function failureOf(message: string, status: number, command: string | undefined): Failure {
  const isServe = command === 'serve';
  const failed = isServe ? 'Cannot start' : 'Failed';
  const text =
    status === WRONG_USAGE
      ? `${message}\nSee parley ${isServe ? 'serve ' : ''}--help`
      : `${failed}: ${message}`;
  return { message, status, text };
}

/** To a script, a store that cannot be read is something else than one that is damaged. */
function statusOf(error: unknown, command: string | undefined): number {
  if (error instanceof ConfigError) return WRONG_USAGE;
  return command === 'verify' ? UNVERIFIED : 1;
}

/** Runs the command of this process; ends the process when it fails. */
export async function run(): Promise<void> {
  const args = process.argv.slice(2);
  const printer = new Printer(
    asksForJson(args),
    (text) => void process.stdout.write(text),
    (text) => void process.stderr.write(text),
  );
  // A server goes on, whatever becomes of its output. The reader of a command's output may have enough of it (`|
  // head`).
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (nameOf(args) === 'serve') return;
    if (error.code === 'EPIPE') exit(ENDED_BY_READER);
    const reason = new Error(`the output cannot be written (${error.code ?? error.message})`);
    exit(sayFailure(reason, args, printer));
  });
  const place = workerPlace(process.env);
  try {
    if (place) await serveAsWorker(place);
    else process.exitCode = await runCommand(args, process.env, printer);
  } catch (error) {
    exit(sayFailure(error, args, printer));
  }
}
