/** Scheduled messages and reminders of a Zulip export: what waits there to be sent, is sent here. */
import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../../../schemas/scheduling/scheduled-messages.js';
import { renderFor } from '../../../organization/messages/sending/outgoing-message.js';
import type { Organization } from '../../../organization/state/organization.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { ImportJob } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import type { JsonRow } from '../json-rows.js';
import { topicOf } from '../message-documents.js';
import { DELIVERY } from './codes.js';
import type { ZulipMessages } from './messages.js';
import {
  integer,
  integerOrNull,
  rowsIn,
  secondsIn,
  textIn,
  type LeftOut,
  type RealmFile,
} from './realm-file.js';

const TABLE = 'zerver_scheduledmessage';

/** Items that are written together. */
const TOGETHER = 500;

/** The state of an item, and what its machine goes by. */
function snapshotOf<C>(row: JsonRow, context: C) {
  const value = row['failed'] === true ? ('failed' as const) : ('pending' as const);
  return { machine: 'scheduled-message' as const, version: 2 as const, value, context };
}

/**
 * Takes them, once messages are there: a reminder is of one, and a scheduled message never has the number of one. To be
 * repeated, it adds none twice.
 */
export async function takeScheduled(
  { store, markdown, omissions }: ImportJob,
  target: ImportTarget,
  file: RealmFile,
  messages: ZulipMessages,
): Promise<void> {
  const rows = [...file.rows(TABLE)].sort((a, b) => integer(a, 'id') - integer(b, 'id'));
  const there = await known(store, rows);
  /** Of items whose number a message has. */
  let free = messages.newestId;
  for (let from = 0; from < rows.length; from += TOGETHER) {
    await target.apply((tx) => {
      for (const row of rows.slice(from, from + TOGETHER)) {
        const why = add(tx, row);
        if (why !== null) omissions.add(`${rowsIn(TABLE)} ${why}`, String(row['id']));
      }
    });
  }

  function add(tx: Transaction, row: JsonRow): LeftOut {
    const { org } = tx;
    const user_id = integer(row, 'sender');
    const sender = org.users.get(user_id);
    if (!sender) return 'of people who are missing';
    if (row['delivered'] === true) return 'that were sent already';
    const content = textIn(row, 'content');
    const common = {
      user_id,
      content,
      rendered_content: renderFor(org, markdown, sender, content).html,
      deliver_at: secondsIn(row, 'scheduled_timestamp'),
      failure: textIn(row, 'failure_message') || null,
    };
    if (integerOrNull(row, 'delivery_type') === DELIVERY.reminder)
      return addReminder(tx, row, common);
    const address = addressOf(org, row, messages);
    if (!address) return 'to recipients who are missing';
    const own = integer(row, 'id');
    const id = there.has(own) ? (free += 1) : own;
    org.counters.skip('message', id);
    const client = messages.clientOf(integerOrNull(row, 'sending_client'));
    const read_by_sender = row['read_by_sender'] === true;
    const context = { id, ...address, ...common, client, read_by_sender };
    org.scheduledMessages.set(tx, snapshotOf(row, context) satisfies ScheduledMessageDocument);
    return null;
  }

  function addReminder(tx: Transaction, row: JsonRow, common: Common): LeftOut {
    const message_id = integerOrNull(row, 'reminder_target_message') ?? 0;
    if (!there.has(message_id)) return 'of messages that are missing';
    const id = integer(row, 'id');
    tx.org.counters.skip('reminder', id);
    const context = { id, message_id, note: textIn(row, 'reminder_note'), ...common };
    tx.org.reminders.set(tx, snapshotOf(row, context) satisfies ReminderDocument);
    return null;
  }
}

type Common = Pick<
  ReminderDocument['context'],
  'user_id' | 'content' | 'rendered_content' | 'deliver_at' | 'failure'
>;

/** Which of the numbers that rows name are those of messages. */
async function known(store: ImportJob['store'], rows: readonly JsonRow[]): Promise<Set<number>> {
  const ids = rows.flatMap((row) => [
    integer(row, 'id'),
    integerOrNull(row, 'reminder_target_message') ?? 0,
  ]);
  const keys = ids.map((id) => ({ collection: 'message', id: String(id) }));
  const found = await store.getMany(keys);
  return new Set(ids.filter((_id, i) => found[i] !== undefined));
}

type Address = Pick<ScheduledMessageDocument['context'], 'type' | 'to' | 'topic'>;

function addressOf(org: Organization, row: JsonRow, messages: ZulipMessages): Address | null {
  const recipient = integer(row, 'recipient');
  const channel = org.channels.byRecipient(recipient);
  if (channel) {
    return { type: 'stream', to: channel.stream_id, topic: topicOf(textIn(row, 'subject')) };
  }
  const people = messages.peopleOf(recipient);
  if (!people) return null;
  const sender = integer(row, 'sender');
  const others = people.filter((id) => id !== sender);
  return { type: 'private', to: others.length === 0 ? [sender] : others, topic: '' };
}
