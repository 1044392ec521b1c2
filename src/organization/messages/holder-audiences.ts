import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { Audience } from '../../journal/entry.js';
import type { Organization } from '../state/organization.js';
import { deletionNotices } from './deletion/deletion-audience.js';
import { MessageAccess } from './message-access.js';

/**
 * The audiences of what happens to one message without changing its text: a reaction, an action on its widget
 * (events-messages.md#messages). Subscribers and users who received the message, and those among the users involved
 * who did not receive it but can see it.
 */
export function holderAudiences(
  org: Organization,
  message: MessageDocument,
  involved: ReadonlySet<number>,
): Audience[] {
  if (message.stream_id === null) {
    const people = org.conversations.get(message.recipient_id)?.user_ids ?? [];
    return [{ to: 'users', users: people.filter((id) => org.users.active.has(id)) }];
  }
  const channel = org.channels.get(message.stream_id)!;
  const notified = deletionNotices(org, channel, [message.id], null).map(
    ({ audience }) => audience,
  );
  const others = [...involved].filter(
    (id) =>
      !notified.some((audience) => isInAudience(org, audience, id)) &&
      org.users.active.has(id) &&
      new MessageAccess(org, org.users.get(id)!).canSee(message.id),
  );
  if (others.length === 0) return notified;
  return [...notified, { to: 'users', users: others.sort((a, b) => a - b) }];
}

/** Whether an audience that was just built includes a user. */
export function isInAudience(org: Organization, audience: Audience, userId: number): boolean {
  if (audience.to === 'users') return audience.users.includes(userId);
  if (audience.except?.includes(userId)) return false;
  if (audience.to === 'all' || audience.also?.includes(userId)) return true;
  return org.subscriptions.isSubscribed(userId, audience.channel);
}
