/** The commands of the admin socket, as an operator runs them: at a running server, or at a stopped embedded store. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { readFile } from '../../platform/files.js';
import { connect } from '../../platform/network.js';
import type { Config } from '../../config/config.js';
import { adminPath } from '../../host/data-folder/places.js';
import type { Outcome, Output } from '../../host/output.js';
import type { ShownActor } from './actor-commands.js';
import type { AdminRequest } from './admin-request.js';
import { chartLines } from '../../../actors/state-chart.js';
import type { AdminLine } from './admin-socket.js';
import { ROWS_AT_ONCE } from './request-line.js';
import type { ExportFolder } from './export-folder.js';
import { usersFrom } from './csv.js';
import { topText, type TopRow } from './top-text.js';
import { recordText, tableText } from './table.js';

/** What the command line asks for. */
interface AdminRun {
  readonly config: Config;
  readonly request: AdminRequest;
  /** Does work while a process leads with a store that nobody serves. @throws Error where none may */
  readonly whileOpened: <Result>(config: Config, work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Asks the node that leads; a store that nobody serves is opened for the one command, by the same code.
 * @returns what the server answered; null where rows were the answer
 * @throws Error with what the operator should read
 */
export async function runAdmin(
  { config, request, whileOpened }: AdminRun,
  { row: tell, note }: Pick<Output, 'row' | 'note'>,
): Promise<Outcome | null> {
  const asked = await withFile(await withPassword(request));
  const folder = await folderFor(request);
  const askAt = async (socket: Socket): Promise<Outcome | null> => {
    const row = (one: unknown): void => {
      if (folder) folder.take(one);
      else tell({ value: one, text: rowText(one) });
    };
    const result = asked.rows
      ? await askInParts(socket, () => open(adminPath(config)), asked, row)
      : await ask(socket, asked, row);
    for (const name of (await folder?.finish(config, note)) ?? []) note(`not there: ${name}`);
    if (result === null) return null;
    const isRefused = Number((result as { refused?: number }).refused) > 0;
    return { value: result, text: shown(request.command, result), status: isRefused ? 1 : 0 };
  };
  const socket = await open(adminPath(config));
  if (socket) return askAt(socket);
  return whileOpened(config, async () => {
    const own = await open(adminPath(config));
    if (!own) throw new Error(`${config.store} was opened, but has no admin socket`);
    return askAt(own);
  });
}

/**
 * Asks the node that leads for one answer.
 * @returns the answer; undefined where no node that leads has its admin socket here
 * @throws Error with what the operator should read
 */
export async function askLeader(
  place: Pick<Config, 'store' | 'state'>,
  request: AdminRequest,
): Promise<unknown> {
  return askAt(adminPath(place), request);
}

/**
 * Asks whoever listens at a socket for one answer.
 * @returns the answer; undefined where nobody listens
 * @throws Error with what the operator should read
 */
export async function askAt(path: string, request: AdminRequest): Promise<unknown> {
  const socket = await open(path);
  return socket ? ask(socket, request, () => undefined) : undefined;
}

/** Whether somebody listens at a socket. */
export async function isOpen(path: string): Promise<boolean> {
  const socket = await open(path);
  socket?.destroy();
  return socket !== null;
}

/** Reads the password that `--password-stdin` announces. @throws Error where there is none */
async function withPassword(request: AdminRequest): Promise<AdminRequest> {
  if (request.flags['password-stdin'] !== true) return request;
  const [password] = (await once(createInterface(process.stdin), 'line')) as [string];
  return { ...request, flags: { ...request.flags, password } };
}

/** Reads the table that `users import` names. @throws Error with the place of a fault */
async function withFile(request: AdminRequest): Promise<AdminRequest> {
  if (request.command !== 'users import') return request;
  const [path = ''] = request.args;
  try {
    return { ...request, rows: usersFrom(await readFile(path)) };
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The folder that `users export` names, made anew. @throws Error where there is one */
async function folderFor({ command, args }: AdminRequest): Promise<ExportFolder | null> {
  if (command !== 'users export') return null;
  const { ExportFolder } = await import('./export-folder.js');
  return ExportFolder.create(args[1] ?? '');
}

/** The socket of the node that leads; null where nobody listens. @throws Error without the right to open it */
async function open(path: string): Promise<Socket | null> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return null;
    if (code !== 'EACCES') throw error;
    throw new Error(`${path} is open only to the account that the server runs as`, {
      cause: error,
    });
  }
}

/** @param row told each row of an answer that goes on. @throws Error with the refusal of the server */
async function ask(
  socket: Socket,
  request: AdminRequest,
  row: (row: unknown) => void,
): Promise<unknown> {
  socket.write(`${JSON.stringify(request)}\n`);
  for await (const text of createInterface(socket)) {
    const line = JSON.parse(text) as AdminLine;
    if (line.kind === 'error') throw new Error(line.message);
    if (line.kind === 'done') return line.result;
    row(line.row);
  }
  throw new Error('The server ended before it answered');
}

/**
 * Imports a table in requests of some rows each, one after the other.
 * @param next another connection @returns the counts of all
 */
async function askInParts(
  first: Socket,
  next: () => Promise<Socket | null>,
  request: AdminRequest,
  row: (row: unknown) => void,
): Promise<Record<string, number>> {
  const { rows = [] } = request;
  const counts: Record<string, number> = {};
  for (let start = 0; start === 0 || start < rows.length; start += ROWS_AT_ONCE) {
    const socket = start === 0 ? first : await next();
    if (!socket) throw new Error('The server ended before it answered');
    const part = { ...request, rows: rows.slice(start, start + ROWS_AT_ONCE) };
    const told = (await ask(socket, part, row)) as Record<string, number>;
    for (const [name, count] of Object.entries(told)) counts[name] = (counts[name] ?? 0) + count;
  }
  return counts;
}

/** A list as a table, an actor with its chart, anything else as its fields. */
function shown(command: string, result: unknown): string {
  // A file for others, whoever asks.
  if (command === 'support-bundle') return JSON.stringify(result, null, 2);
  if (command === 'actors show') return actorText(result as ShownActor);
  if (Array.isArray(result)) return tableText(result as Record<string, unknown>[]);
  return recordText(result as Record<string, unknown>);
}

/** An actor with its snapshot, and the chart of its machine with its state marked. */
function actorText({ snapshot, chart, ...facts }: ShownActor): string {
  // What somebody chose as a name moves no cursor.
  const text = JSON.stringify(snapshot, null, 2).replace(/[^\P{Cc}\n]/gu, '?');
  return [recordText(facts), '', text, '', ...chartLines(chart, facts.state)].join('\n');
}

/** In place of what the terminal showed; elsewhere one after the other. */
function screen(text: string): string {
  return process.stdout.isTTY ? `\u001b[2J\u001b[H${text}` : text;
}

/** A journal entry, or the result of a row of a table, on one line. */
function rowText(row: unknown): string {
  if ('operations' in (row as object)) return screen(topText(row as TopRow));
  if (!('events' in (row as object)))
    return Object.values(row as object)
      .join('  ')
      .trimEnd();
  const { seq, events, changes } = row as {
    seq: number;
    events: readonly { type: string; to: string }[];
    changes: readonly string[];
  };
  const told = events.map(({ type, to }) => `${type} (to ${to})`);
  return [seq, ...told, ...changes].join('  ');
}
