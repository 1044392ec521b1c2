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
import { integer, integerOrNull, parsed, secondsIn, textIn, type RealmFile } from './realm-file.js';

/** Visibility of a topic that somebody muted. */
const MUTED = 1;

/** Adds what is each one's own, once people, channels and custom profile fields are there. */
export function addChoices(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  omissions: Omissions,
): void {
  for (const row of file.rows('zerver_usertopic')) {
    addUserTopic(tx, row, integerOrNull(row, 'visibility_policy'), 'last_updated');
  }
  // Before topics could be followed.
  for (const row of file.rows('zerver_mutedtopic')) addUserTopic(tx, row, MUTED, 'date_muted');
  addMutedUsers(tx, file);
  addAlertWords(tx, file);
  addSnippets(tx, file, omissions);
  addProfiles(tx, file, markdown, omissions);
}

function addUserTopic(
  { org }: Transaction,
  row: JsonRow,
  visibility_policy: number | null,
  time: string,
): void {
  const [user_id, stream_id] = [integer(row, 'user_profile'), integer(row, 'stream')];
  if (!org.users.has(user_id) || !org.channels.has(stream_id)) return;
  if (visibility_policy !== 1 && visibility_policy !== 2 && visibility_policy !== 3) return;
  const topic = topicOf(textIn(row, 'topic_name'));
  const last_updated = secondsIn(row, time);
  org.userTopics.insert({ user_id, stream_id, topic, visibility_policy, last_updated });
}

function addMutedUsers({ org }: Transaction, file: RealmFile): void {
  for (const row of file.rows('zerver_muteduser')) {
    const [user_id, muted_user_id] = [integer(row, 'user_profile'), integer(row, 'muted_user')];
    if (!org.users.has(user_id) || !org.users.has(muted_user_id)) continue;
    const timestamp = secondsIn(row, 'date_muted');
    org.mutedUsers.insert({ user_id, muted_user_id, timestamp });
  }
}

function addAlertWords({ org }: Transaction, file: RealmFile): void {
  for (const [user_id, rows] of byUser(file.rows('zerver_alertword'))) {
    const words = rows.map((row) => textIn(row, 'word'));
    if (org.users.has(user_id)) org.alertWords.insert({ user_id, words });
  }
}

function addSnippets(tx: Transaction, file: RealmFile, omissions: Omissions): void {
  for (const row of file.rows('zerver_savedsnippet')) {
    const userId = integer(row, 'user_profile');
    if (!tx.org.users.has(userId)) continue;
    const title = textIn(row, 'title');
    try {
      const { id } = addSnippet(tx, userId, title, textIn(row, 'content'));
      tx.org.savedSnippets.update(id, {
        date_created: secondsIn(row, 'date_created') || tx.seconds,
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      omissions.add(`saved snippets that are empty, or above ${MAX_SNIPPETS} of a person`, title);
    }
  }
}

function addProfiles(
  tx: Transaction,
  file: RealmFile,
  markdown: Markdown,
  omissions: Omissions,
): void {
  const fields = tx.org.profileFields;
  for (const [userId, rows] of byUser(file.rows('zerver_customprofilefieldvalue'))) {
    if (!tx.org.users.has(userId)) continue;
    const values = new Map<number, unknown>();
    for (const row of rows) {
      const field = fields.get(integer(row, 'field'));
      // What is said of the field itself is said once.
      if (!field) continue;
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
