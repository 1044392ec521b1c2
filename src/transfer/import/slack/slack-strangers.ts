/**
 * People who are in no list of a Slack export: those of another workspace with which channels and conversations are
 * shared, and those whom the list has lost. Rows name them by their ids, and messages by names, too.
 */
import { Omissions } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { daysOf, messagesOf, part, rows, type SlackConversation, text } from './slack-files.js';
import { nameIn } from './slack-said.js';

/** Names by ids; empty where no row has one. In the order in which rows name them. */
export type Strangers = ReadonlyMap<string, string>;

/** Ids of people, and not of programs (`B…`). */
const PERSON = /^[UW][A-Z0-9]{1,29}$/;

/** Reads all messages once, because accounts come before what is said to them. Memory holds a day, and the names. */
export async function strangersOf(
  folder: string,
  users: readonly JsonRow[],
  conversations: readonly SlackConversation[],
): Promise<Strangers> {
  const known = new Set(users.map((row) => text(row, 'id')));
  const found = new Map<string, string>();
  const note = (id: unknown, name = ''): void => {
    if (typeof id !== 'string' || known.has(id) || !PERSON.test(id)) return;
    if (!found.get(id)) found.set(id, name);
  };
  for (const { row } of conversations) for (const id of listOf(row, 'members')) note(id);
  const places = conversations.map((one) => one.folder);
  for (const [day, folders] of await daysOf(folder, places)) {
    // What is wrong with the files is said when they are taken.
    for (const { row } of await messagesOf(folder, day, folders, new Omissions())) {
      // The name that a row gives is that of its author.
      note(row['user'], nameIn(row));
      note(part(row, 'comment')['user']);
      note(part(row, 'file')['user']);
      for (const one of rows(row['reactions'])) for (const id of listOf(one, 'users')) note(id);
    }
  }
  return found;
}

function listOf(row: JsonRow, field: string): readonly unknown[] {
  const list = row[field];
  return Array.isArray(list) ? (list as unknown[]) : [];
}
