import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../../../schemas/scheduling/scheduled-messages.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Organization } from '../../../organization/state/organization.js';
import {
  loadOwned,
  ownedNow,
  type Loaded,
} from '../../../organization/state/scheduled/loaded-items.js';
import { reminderRecord } from '../../../organization/scheduling/reminders.js';
import { scheduledMessageRecord } from '../../../organization/scheduling/scheduled-messages.js';

/** A user's scheduled messages and reminders, read from the store before the snapshot is made. */
export interface LoadedSchedule {
  readonly scheduledMessages: Loaded<ScheduledMessageDocument>;
  readonly reminders: Loaded<ReminderDocument>;
}

const NONE: LoadedSchedule = { scheduledMessages: new Map(), reminders: new Map() };

/** Reads the documents that the requested sections need. */
export async function loadSchedule(
  { scheduledMessages, reminders }: Organization,
  { user_id }: UserDocument,
  wants: (section: string) => boolean,
): Promise<LoadedSchedule> {
  const messages = wants('scheduled_messages') && scheduledMessages.index.countOf(user_id) > 0;
  const reminds = wants('reminders') && reminders.index.countOf(user_id) > 0;
  if (!messages && !reminds) return NONE;
  return {
    scheduledMessages: messages
      ? await loadOwned(scheduledMessages, user_id)
      : NONE.scheduledMessages,
    reminders: reminds ? await loadOwned(reminders, user_id) : NONE.reminders,
  };
}

/** `scheduled_messages` (register.md#sections): undelivered, failed ones included, by delivery time. */
export function scheduledMessagesSection(
  org: Organization,
  { user_id }: UserDocument,
  loaded: LoadedSchedule,
): Record<string, unknown> {
  const documents = ownedNow(org.scheduledMessages, user_id, loaded.scheduledMessages);
  return {
    scheduled_messages: documents.map((document) => scheduledMessageRecord(org, document)),
  };
}

/** `reminders` (register.md#sections), by delivery time. */
export function remindersSection(
  org: Organization,
  { user_id }: UserDocument,
  loaded: LoadedSchedule,
): Record<string, unknown> {
  const documents = ownedNow(org.reminders, user_id, loaded.reminders);
  return { reminders: documents.map((document) => reminderRecord(org, document)) };
}
