/** One file of messages of a Zulip export, with what each message is to whom. */
import { basename } from 'node:path';
import { ArchiveError } from '../archive.js';
import { rowsOf, type JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import type { IdSet } from '../id-set.js';
import { FLAGS } from './flags.js';
import { integer, rowsIn } from './realm-file.js';
import { noteFields } from './zulip-fields.js';

/** Most messages of a file, which memory holds at once. Exports have a thousand. */
const MAX_MESSAGES = 20_000;

/** What a message is to people; ids as they come. */
export interface MessageFlags {
  readonly received: number[];
  readonly unread: number[];
  /** Who never got it and marked it as unread. */
  readonly recalled: number[];
  readonly starred: number[];
  readonly collapsed: number[];
  readonly mentioned: number[];
  readonly topic_wildcard: number[];
  readonly alerted: number[];
}

/** A message as the export has it. */
export interface MessageRow {
  readonly row: JsonRow;
  readonly flags: MessageFlags;
  /** Of a poll, a todo list or another widget; oldest first. */
  readonly submessages: JsonRow[];
}

/** What beside messages the files have, settled by others. */
const ELSEWHERE = new Set(['zerver_reaction']);

/**
 * Reads a file twice, because its tables may come in any order. Its rows are found; those of messages are to be settled.
 * @param isPerson whether somebody is here
 * @param taken ids of the messages of all files
 * @returns ascending by id
 */
export async function readMessageFile(
  path: string,
  isPerson: (userId: number) => boolean,
  taken: IdSet,
  omissions: Omissions,
): Promise<MessageRow[]> {
  const messages = new Map<number, MessageRow>();
  const onStrange = (table: string): void => omissions.missStrange(basename(path), table);
  for await (const { table, row } of rowsOf(path, { onStrange })) {
    if (!ELSEWHERE.has(table)) omissions.found(rowsIn(table));
    noteFields(table, row, omissions);
    if (table !== 'zerver_message') continue;
    const id = integer(row, 'id');
    if (taken.add(id)) messages.set(id, { row, flags: noFlags(), submessages: [] });
    else {
      omissions.settle(rowsIn(table));
      omissions.miss(`${rowsIn(table)} with the id of another`, String(id));
    }
    if (messages.size > MAX_MESSAGES) {
      throw new ArchiveError(`${path} has more than ${MAX_MESSAGES} messages`);
    }
  }
  for await (const { table, row } of rowsOf(path)) {
    if (table !== 'zerver_usermessage' && table !== 'zerver_submessage') continue;
    omissions.settle(rowsIn(table));
    const message = messages.get(integer(row, 'message'));
    const userId = integer(row, table === 'zerver_usermessage' ? 'user_profile' : 'sender');
    if (!message || !isPerson(userId)) {
      omissions.add(`${rowsIn(table)} of messages or people that are missing`, String(row['id']));
    } else if (table === 'zerver_submessage') {
      if (message.submessages.some((one) => one['id'] === row['id'])) {
        omissions.miss(`${rowsIn(table)} with the id of another`, String(row['id']));
      } else message.submessages.push(row);
    } else note(message.flags, userId, integer(row, 'flags_mask'));
  }
  return [...messages.values()].sort((a, b) => integer(a.row, 'id') - integer(b.row, 'id'));
}

function note(flags: MessageFlags, userId: number, mask: number): void {
  const isLater = (mask & FLAGS.historical) !== 0;
  if (!isLater) flags.received.push(userId);
  if ((mask & FLAGS.read) === 0) flags.unread.push(userId);
  if ((mask & FLAGS.read) === 0 && isLater) flags.recalled.push(userId);
  if ((mask & FLAGS.starred) !== 0) flags.starred.push(userId);
  if ((mask & FLAGS.collapsed) !== 0) flags.collapsed.push(userId);
  if ((mask & (FLAGS.mentioned | FLAGS.groupMentioned)) !== 0) flags.mentioned.push(userId);
  if ((mask & FLAGS.topicWildcard) !== 0) flags.topic_wildcard.push(userId);
  if ((mask & FLAGS.alerted) !== 0) flags.alerted.push(userId);
}

function noFlags(): MessageFlags {
  return {
    ...{ received: [], unread: [], recalled: [], starred: [], collapsed: [] },
    ...{ mentioned: [], topic_wildcard: [], alerted: [] },
  };
}
