/** Drafts, where an export has them. */
import { MAX_DRAFTS, MAX_MESSAGE_LENGTH } from '../../../../schemas/limits.js';
import type { DraftDocument } from '../../../../schemas/personal/drafts.js';
import type { Organization } from '../../../organization/state/organization.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { topicOf } from '../message-documents.js';
import {
  integer,
  integerOrNull,
  largest,
  secondsIn,
  textIn,
  type RealmFile,
} from './realm-file.js';

type Address = Pick<DraftDocument, 'type' | 'to' | 'topic'>;

/** Adds drafts, once people, channels and conversations are there. */
export function addDrafts({ org }: Transaction, file: RealmFile, omissions: Omissions): void {
  const persons = new Map<number, number>();
  for (const row of file.rows('zerver_recipient')) {
    if (row['type'] === 1) persons.set(integer(row, 'id'), integer(row, 'type_id'));
  }
  org.counters.skip('draft', largest(file.rows('zerver_draft'), 'id'));
  file.each('zerver_draft', omissions, (row) => {
    const user_id = integer(row, 'user_profile');
    if (!org.users.has(user_id)) return 'of people who are missing';
    if (org.drafts.countOf(user_id) >= MAX_DRAFTS) return `above ${MAX_DRAFTS} of a person`;
    const address = addressOf(org, row, persons);
    if (!address) return 'to recipients who are missing';
    const content = textIn(row, 'content');
    if (content.length > MAX_MESSAGE_LENGTH) return `above ${MAX_MESSAGE_LENGTH} characters`;
    const timestamp = secondsIn(row, 'last_edit_time');
    org.drafts.insert({ id: integer(row, 'id'), user_id, ...address, content, timestamp });
    return null;
  });
}

/** Where a draft goes: nowhere yet, to a channel, to a conversation, or to people who have none yet (`to`). */
function addressOf(
  org: Organization,
  row: JsonRow,
  persons: ReadonlyMap<number, number>,
): Address | null {
  const recipient = integerOrNull(row, 'recipient');
  if (recipient === null) {
    if (!Array.isArray(row['to'])) return { type: '', to: [], topic: '' };
    const to = idsIn(row['to']);
    return to.every((id) => org.users.has(id)) ? { type: 'private', to, topic: '' } : null;
  }
  const channel = org.channels.byRecipient(recipient);
  if (channel) {
    return { type: 'stream', to: [channel.stream_id], topic: topicOf(textIn(row, 'topic')) };
  }
  const person = persons.get(recipient);
  const to = person === undefined ? org.conversations.get(recipient)?.user_ids : [person];
  return to ? { type: 'private', to: [...to], topic: '' } : null;
}

function idsIn(value: readonly unknown[]): number[] {
  return value.filter((id): id is number => Number.isSafeInteger(id));
}
