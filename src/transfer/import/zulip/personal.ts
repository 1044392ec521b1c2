/** What people of a Zulip export chose and wrote for themselves. */
import { MAX_SNIPPETS } from '../../../../schemas/limits.js';
import { PROFILE_FIELD_TYPE } from '../../../../schemas/users/profile-fields.js';
import { ApiError } from '../../../errors/index.js';
import { addSnippet } from '../../../organization/personal/saved-snippets.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { JsonRow } from '../json-rows.js';
import { topicOf } from '../message-documents.js';
import type { Omissions } from '../import-job.js';
import { addProfile } from '../profiles.js';
import {
  integer,
  integerOrNull,
  parsed,
  rowsIn,
  secondsIn,
  textIn,
  type LeftOut,
  type RealmFile,
} from './realm-file.js';

/** Visibility of a topic that somebody muted. */
const MUTED = 1;

const NO_PERSON = 'of people who are missing';
const NO_PLACE = 'of people or channels that are missing';

/** Adds what is each one's own, once people, channels and custom profile fields are there. */
export function addChoices(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  omissions: Omissions,
): void {
  file.each('zerver_usertopic', omissions, (row) => {
    return addUserTopic(tx, row, integerOrNull(row, 'visibility_policy'), 'last_updated');
  });
  // Before topics could be followed.
  file.each('zerver_mutedtopic', omissions, (row) => addUserTopic(tx, row, MUTED, 'date_muted'));
  file.each('zerver_muteduser', omissions, (row) => addMutedUser(tx, row));
  addAlertWords(tx, file, omissions);
  file.each('zerver_savedsnippet', omissions, (row) => addOwnSnippet(tx, row));
  addProfiles(tx, file, markdown, omissions);
}

function addUserTopic(
  { org }: Transaction,
  row: JsonRow,
  visibility_policy: number | null,
  time: string,
): LeftOut {
  const [user_id, stream_id] = [integer(row, 'user_profile'), integer(row, 'stream')];
  if (!org.users.has(user_id) || !org.channels.has(stream_id)) return NO_PLACE;
  // 0 is as everybody has it.
  if (visibility_policy === 0) return null;
  if (visibility_policy !== 1 && visibility_policy !== 2 && visibility_policy !== 3) {
    return 'of a policy that is unknown here';
  }
  const topic = topicOf(textIn(row, 'topic_name'));
  const last_updated = secondsIn(row, time);
  org.userTopics.insert({ user_id, stream_id, topic, visibility_policy, last_updated });
  return null;
}

function addMutedUser({ org }: Transaction, row: JsonRow): LeftOut {
  const [user_id, muted_user_id] = [integer(row, 'user_profile'), integer(row, 'muted_user')];
  if (!org.users.has(user_id) || !org.users.has(muted_user_id)) return NO_PERSON;
  const timestamp = secondsIn(row, 'date_muted');
  org.mutedUsers.insert({ user_id, muted_user_id, timestamp });
  return null;
}

function addAlertWords({ org }: Transaction, file: RealmFile, omissions: Omissions): void {
  const words = new Map<number, string[]>();
  file.each('zerver_alertword', omissions, (row) => {
    const userId = integer(row, 'user_profile');
    if (!org.users.has(userId)) return NO_PERSON;
    words.set(userId, [...(words.get(userId) ?? []), textIn(row, 'word')]);
    return null;
  });
  // Formerly a column of people.
  for (const row of file.rows('zerver_userprofile')) {
    const own = parsed(textIn(row, 'alert_words'));
    const userId = integer(row, 'id');
    if (!Array.isArray(own) || own.length === 0 || words.has(userId)) continue;
    words.set(
      userId,
      own.filter((word) => typeof word === 'string'),
    );
  }
  for (const [user_id, own] of words) org.alertWords.insert({ user_id, words: own });
}

function addOwnSnippet(tx: Transaction, row: JsonRow): LeftOut {
  const userId = integer(row, 'user_profile');
  if (!tx.org.users.has(userId)) return NO_PERSON;
  try {
    const { id } = addSnippet(tx, userId, textIn(row, 'title'), textIn(row, 'content'));
    tx.org.savedSnippets.update(id, {
      date_created: secondsIn(row, 'date_created') || tx.seconds,
    });
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `that are empty, or above ${MAX_SNIPPETS} of a person`;
  }
}

function addProfiles(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  omissions: Omissions,
): void {
  const fields = tx.org.profileFields;
  file.settle('zerver_customprofilefieldvalue', omissions);
  for (const [userId, rows] of byUser(file.rows('zerver_customprofilefieldvalue'))) {
    if (!tx.org.users.has(userId)) {
      omissions.add(`${rowsIn('zerver_customprofilefieldvalue')} ${NO_PERSON}`, '', rows.length);
      continue;
    }
    const values = new Map<number, unknown>();
    for (const row of rows) {
      const field = fields.get(integer(row, 'field'));
      if (!field) {
        omissions.add('values of custom profile fields that were not taken', textIn(row, 'value'));
        continue;
      }
      const value = textIn(row, 'value');
      values.set(field.id, field.type === PROFILE_FIELD_TYPE.users ? parsed(value) : value);
    }
    addProfile(tx, markdown, userId, values, omissions);
  }
}

function byUser(rows: readonly JsonRow[]): Map<number, JsonRow[]> {
  const lists = new Map<number, JsonRow[]>();
  for (const row of rows) {
    const userId = integer(row, 'user_profile');
    const list = lists.get(userId) ?? [];
    if (list.length === 0) lists.set(userId, list);
    list.push(row);
  }
  return lists;
}
