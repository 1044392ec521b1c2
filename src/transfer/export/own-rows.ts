/** What people have of their own beside messages, as rows of a Zulip export. */
import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../../schemas/scheduling/scheduled-messages.js';
import type { DraftDocument } from '../../../schemas/personal/drafts.js';
import type { Organization } from '../../organization/state/organization.js';
import { REALM_ID } from '../../organization/uploads/attachments.js';
import type { StoreReads } from '../../store/port.js';
import { DELIVERY } from '../import/zulip/codes.js';
import type { Clients } from './clients.js';
import type { Recipients } from './recipients.js';
import type { Tables } from './tables.js';

const realm = REALM_ID;

export function addOwnThings(org: Organization, tables: Tables, recipients: Recipients): void {
  for (const { user_id, ...status } of org.statuses.values()) {
    tables.add('zerver_userstatus', { user_profile: user_id, timestamp: 0, client: 1, ...status });
  }
  for (const { user_id, taken } of org.onboarding.values()) {
    for (const onboarding_step of taken) {
      tables.add('zerver_onboardingstep', { user: user_id, onboarding_step, timestamp: 0 });
    }
  }
  for (const { user_id, ...view } of org.navigationViews.values()) {
    tables.add('zerver_navigationview', { ...view, user: user_id });
  }
  for (const { user_id, ...snippet } of org.savedSnippets.values()) {
    tables.add('zerver_savedsnippet', { ...snippet, user_profile: user_id, realm });
  }
  for (const { user_id, words } of org.alertWords.values()) {
    for (const word of words)
      tables.add('zerver_alertword', { user_profile: user_id, word, realm });
  }
  for (const { user_id, muted_user_id, timestamp } of org.mutedUsers.values()) {
    const row = { user_profile: user_id, muted_user: muted_user_id, date_muted: timestamp };
    tables.add('zerver_muteduser', row);
  }
  for (const { user_id, stream_id, topic, ...said } of org.userTopics.values()) {
    const recipient = org.channels.get(stream_id)!.recipient_id;
    const row = { user_profile: user_id, stream: stream_id, recipient, topic_name: topic };
    tables.add('zerver_usertopic', { ...row, ...said });
  }
  for (const { user_id, values } of org.profiles.values()) {
    for (const [field, { value, rendered_value = null }] of Object.entries(values)) {
      const row = { user_profile: user_id, field: Number(field), value, rendered_value };
      tables.add('zerver_customprofilefieldvalue', row);
    }
  }
  for (const draft of org.drafts.values()) {
    tables.add('zerver_draft', draftRow(org, draft, recipients));
  }
}

/** A draft to people of whom none is chosen yet has no recipient; `to` tells it from one to nowhere. */
function draftRow(
  org: Organization,
  draft: DraftDocument,
  recipients: Recipients,
): Record<string, unknown> {
  const { id, user_id, type, to, topic, content, timestamp } = draft;
  const row = { id, user_profile: user_id, topic, content, last_edit_time: timestamp };
  if (type === 'stream')
    return { ...row, recipient: org.channels.get(to[0]!)?.recipient_id ?? null };
  if (type === '' || to.length === 0)
    return { ...row, recipient: null, ...(type === '' ? {} : { to }) };
  return { ...row, recipient: recipients.between(to) };
}

/** What scheduled items need of the rest. */
interface ScheduledParts {
  readonly org: Organization;
  readonly reads: StoreReads;
  readonly tables: Tables;
  readonly recipients: Recipients;
  readonly clients: Clients;
}

const TABLE = 'zerver_scheduledmessage';

/** Scheduled messages and reminders, which are not in memory: one table there, of one sequence of numbers. */
export async function addScheduled(parts: ScheduledParts): Promise<void> {
  const { org, reads, tables, recipients, clients } = parts;
  const used = new Set<number>();
  for await (const batch of reads.scan('scheduled_message')) {
    for (const { document } of batch) {
      const item = document as unknown as ScheduledMessageDocument;
      used.add(item.context.id);
      tables.add(TABLE, scheduledRow(parts, item));
    }
  }
  let free = Math.max(0, ...used);
  for await (const batch of reads.scan('reminder')) {
    for (const { document } of batch) {
      const { value, context } = document as unknown as ReminderDocument;
      const user = org.users.get(context.user_id);
      if (!user) continue;
      tables.add(TABLE, {
        ...commonRow(value, context),
        id: used.has(context.id) ? (free += 1) : context.id,
        delivery_type: DELIVERY.reminder,
        sending_client: clients.idOf('Internal'),
        recipient: recipients.person(user),
        stream: null,
        subject: '',
        reminder_target_message: context.message_id,
        reminder_note: context.note,
        read_by_sender: false,
      });
      free = Math.max(free, context.id);
    }
  }
}

function scheduledRow(
  { org, recipients, clients }: ScheduledParts,
  { value, context }: ScheduledMessageDocument,
): Record<string, unknown> {
  const { to, topic, user_id, client, read_by_sender } = context;
  const row = {
    ...commonRow(value, context),
    delivery_type: DELIVERY.message,
    sending_client: clients.idOf(client),
    read_by_sender,
    subject: topic,
  };
  if (typeof to !== 'number')
    return { ...row, stream: null, recipient: recipients.between([...to, user_id]) };
  return { ...row, stream: to, recipient: org.channels.get(to)?.recipient_id ?? null };
}

function commonRow(
  value: string,
  context: ReminderDocument['context'] | ScheduledMessageDocument['context'],
): Record<string, unknown> {
  const { id, user_id, content, rendered_content, deliver_at, failure } = context;
  return {
    ...{ id, sender: user_id, content, rendered_content, realm },
    scheduled_timestamp: deliver_at,
    request_timestamp: deliver_at,
    delivered: false,
    delivered_message: null,
    failed: value === 'failed',
    failure_message: failure,
    has_attachment: false,
  };
}
