/** The lists of a Slack export, and its messages day by day. */
import { join } from 'node:path';
import { existsSync, readdir } from '../../../platform/files.js';
import { ArchiveError } from '../archive.js';
import type { Omissions } from '../import-job.js';
import { rowsOf, type JsonRow } from '../json-rows.js';

/** Most messages of one day, which memory holds at once. */
const MAX_DAY = 500_000;

/** What messages are called in reports. */
export const MESSAGES = 'messages';

/** Name of the file with the messages of a day. */
export const DAY = /^(\d{4}-\d\d-\d\d)\.json$/;

/** A message with the conversation that it is in. */
export interface SlackMessage {
  /** Name of the folder: of a channel, or id of a conversation. */
  readonly folder: string;
  /** Seconds with six decimals, as text: Slack's id of it. */
  readonly ts: string;
  readonly row: JsonRow;
}

/** A channel, or people who write to each other. */
export interface SlackConversation {
  /** Name of its folder. */
  readonly folder: string;
  readonly id: string;
  readonly row: JsonRow;
  readonly kind: 'public' | 'private' | 'direct';
}

/** Rows of a list; none where the export lacks it. @param onStrange called for what stands there and is no row */
export async function listOf(
  folder: string,
  name: string,
  onStrange: () => void,
): Promise<JsonRow[]> {
  const path = join(folder, name);
  if (!existsSync(path)) return [];
  const rows: JsonRow[] = [];
  for await (const { row } of rowsOf(path, { onStrange, isList: true })) rows.push(row);
  return rows;
}

/** Names of the folders of an export, by their composed form: macOS decomposes names when it unpacks an archive. */
export async function foldersOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const folders = entries.filter((one) => one.isDirectory());
  return new Map(folders.map(({ name }) => [name.normalize(), name]));
}

/** Folders by day, the oldest first. */
export async function daysOf(
  folder: string,
  conversations: readonly string[],
): Promise<[string, string[]][]> {
  const days = new Map<string, string[]>();
  // No name of a list leads elsewhere: only folders that are there are looked into.
  const there = new Set((await foldersOf(folder)).values());
  for (const name of conversations) {
    if (!there.has(name)) continue;
    for (const file of await readdir(join(folder, name))) {
      const day = DAY.exec(file)?.[1];
      if (day === undefined) continue;
      const list = days.get(day) ?? [];
      if (list.length === 0) days.set(day, list);
      list.push(name);
    }
  }
  return [...days].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** All messages of a day, in the order in which they were sent. @throws ArchiveError */
export async function messagesOf(
  folder: string,
  day: string,
  conversations: readonly string[],
  omissions: Omissions,
): Promise<SlackMessage[]> {
  const messages: SlackMessage[] = [];
  for (const name of conversations) {
    const file = `${name}/${day}.json`;
    const onStrange = (): void => omissions.missStrange(file);
    const former = new Map<unknown, JsonRow>();
    for await (const { row } of rowsOf(join(folder, file), { onStrange, isList: true })) {
      const { ts } = row;
      const first = former.get(ts);
      if (first && JSON.stringify(first) === JSON.stringify(row)) {
        omissions.add('messages that the archive has twice', `${name} ${String(ts)}`);
        continue;
      }
      former.set(ts, row);
      omissions.found(MESSAGES);
      // It has no place among the others: nothing settles it.
      if (typeof ts !== 'string' || !/^\d{1,10}\.\d{1,6}$/.test(ts)) continue;
      messages.push({ folder: name, ts, row });
      if (messages.length > MAX_DAY) {
        throw new ArchiveError(`${day} has more than ${MAX_DAY} messages`);
      }
    }
  }
  return messages.sort((a, b) => Number(a.ts) - Number(b.ts) || (a.folder < b.folder ? -1 : 1));
}

/** A text of a row; empty where there is none. */
export function text(row: JsonRow, field: string): string {
  const value = row[field];
  return typeof value === 'string' ? value : '';
}

/** A part of a row that is one of its own; empty where there is none. */
export function part(row: JsonRow, field: string): JsonRow {
  return rows([row[field]])[0] ?? {};
}

/** Those of a list that are rows. */
export function rows(list: unknown): readonly JsonRow[] {
  if (!Array.isArray(list)) return [];
  return (list as unknown[]).filter((one): one is JsonRow => {
    return typeof one === 'object' && one !== null && !Array.isArray(one);
  });
}
