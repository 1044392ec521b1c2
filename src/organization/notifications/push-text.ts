import { createHash } from 'node:crypto';
import type { OutgoingPushDocument } from '../../../schemas/notifications/push-notice-document.js';
import type { Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Say } from '../../languages/catalogs.js';
import { texts } from '../../languages/texts.js';
import type { PushNotice } from '../../services/push/push-service.js';
import { pushText } from '../../services/text/mail-text.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import { topicFor } from './conversations.js';
import { canSeeUser } from '../access/user-access.js';
import { languageOfUser, noticesTo } from '../views/languages.js';
import { shownTo, UNKNOWN_USER_AVATAR } from '../views/unknown-user.js';

/** Characters of a message that a notice shows. */
const MAX_TEXT = 200;
/** Messages of one notice that takes others away: bounded by what services take. */
export const MAX_REMOVED = 200;

/**
 * Makes a push of the outbox, of the message as it is now (notifications.md#pushes).
 * @returns null where there is nothing to tell any more: the message was read or deleted
 */
export async function composePush(
  org: Organization,
  document: OutgoingPushDocument,
): Promise<PushNotice | null> {
  const user = org.users.get(document.user_id);
  if (!user?.is_active || org.realm.isDeactivated) return null;
  const { content } = document;
  switch (content.kind) {
    case 'message': {
      const { message_id: id, trigger } = content;
      const message = (await org.messages.fetch([id])).get(id);
      if (!message || !new MessageAccess(org, user).isUnread(id)) return null;
      return messageNotice(org, document, user, message, trigger);
    }
    case 'remove':
      return removalNotice(org, document, user, content.message_ids);
    case 'test':
      return testNotice(org, document, user);
    case 'register':
    case 'forget':
      return null;
  }
}

/** The sender of a message as its receiver may see them. */
interface ShownSender {
  readonly user_id: number;
  readonly full_name: string;
  readonly email: string;
  readonly avatar_url: string;
}

/** What all notices to a user say of where they come from. */
function baseOf(org: Organization, { user_id }: UserDocument): Record<string, unknown> {
  const { url } = org.site;
  return { realm_uri: url, realm_url: url, realm_name: org.realm.current.name, user_id };
}

/** What apps on Android get beside that. */
function androidBase({ site: { url } }: Organization): Record<string, unknown> {
  return { server: new URL(url).host, realm_id: 1 };
}

function envelope(
  org: Organization,
  { id, created_at }: OutgoingPushDocument,
  user: UserDocument,
): Pick<PushNotice, 'id' | 'user' | 'realmUuid'> {
  const { uuid } = org.realm.current;
  return {
    id: uuidOf(`${uuid}:push:${id}:${created_at}`),
    user: { id: user.user_id, uuid: userUuid(org, user.user_id) },
    realmUuid: uuid,
  };
}

/** What services know a user by: the same for all time. */
export function userUuid(org: Organization, userId: number): string {
  return uuidOf(`${org.realm.current.uuid}:user:${userId}`);
}

function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = `a${hex.slice(17, 20)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}-${hex.slice(20, 32)}`;
}

function messageNotice(
  org: Organization,
  document: OutgoingPushDocument,
  user: UserDocument,
  message: MessageDocument,
  trigger: Trigger,
): PushNotice {
  const account = org.users.get(message.sender_id)!;
  const isSeen = canSeeUser(org, user, account);
  const shown = shownTo(org, user, account);
  const sender: ShownSender = {
    user_id: account.user_id,
    ...shown,
    avatar_url: isSeen
      ? `${org.site.url}/avatar/${account.user_id}`
      : `${org.site.url}${UNKNOWN_USER_AVATAR}`,
  };
  const place = placeOf(org, message, user, sender);
  const text = shortened(pushText(message.rendered_content));
  const base = {
    ...baseOf(org, user),
    sender_id: sender.user_id,
    sender_email: sender.email,
    ...place.data,
  };
  const subtitle = subtitleOf(noticesTo(org, user.user_id), place.isChannel, sender, trigger);
  return {
    ...envelope(org, document, user),
    collapse: `message-${message.id}`,
    isUrgent: true,
    apns: {
      alert: { title: place.title, ...(subtitle === '' ? {} : { subtitle }), body: text },
      sound: 'default',
      custom: { zulip: { ...base, message_ids: [message.id] } },
    },
    fcm: {
      ...androidBase(org),
      ...base,
      event: 'message',
      zulip_message_id: message.id,
      time: message.timestamp,
      content: text,
      sender_full_name: sender.full_name,
      sender_avatar_url: sender.avatar_url,
    },
    encrypted: {
      ...encryptedBase(org, user),
      type: 'message',
      message_id: message.id,
      content: text,
      sender_id: sender.user_id,
      sender_full_name: sender.full_name,
      sender_avatar_url: sender.avatar_url,
      time: message.timestamp,
      ...place.encrypted,
    },
  };
}

/** What all encrypted notices say of where they come from. */
function encryptedBase(org: Organization, { user_id }: UserDocument): Record<string, unknown> {
  return { realm_name: org.realm.current.name, realm_url: org.site.url, user_id };
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT).join('')}…` : text;
}

interface Place {
  readonly title: string;
  readonly isChannel: boolean;
  readonly data: Readonly<Record<string, unknown>>;
  /** The same in encrypted notices. */
  readonly encrypted: Readonly<Record<string, unknown>>;
}

function placeOf(
  org: Organization,
  { stream_id, topic, recipient_id }: MessageDocument,
  user: UserDocument,
  sender: ShownSender,
): Place {
  const channel = stream_id === null ? undefined : org.channels.get(stream_id);
  if (channel) {
    const { name } = channel;
    return {
      title: `#${name} > ${topicFor(topic, languageOfUser(org, user.user_id))}`,
      isChannel: true,
      data: { recipient_type: 'stream', stream: name, stream_id, topic },
      encrypted: {
        recipient_type: 'channel',
        channel_id: stream_id,
        channel_name: name,
        topic,
      },
    };
  }
  const { user_ids } = org.conversations.get(recipient_id)!;
  const encrypted = { recipient_type: 'direct', recipient_user_ids: user_ids };
  if (user_ids.length <= 2) {
    const data = { recipient_type: 'private' };
    return { title: sender.full_name, isChannel: false, data, encrypted };
  }
  const others = user_ids.filter((id) => id !== user.user_id);
  const unknown = texts('mails', languageOfUser(org, user.user_id))('conversation.unknown-user');
  const names = others.slice(0, 5).map((id) => org.users.get(id)?.full_name ?? unknown);
  return {
    title: `${names.join(', ')}${others.length > names.length ? ' …' : ''}`,
    isChannel: false,
    data: { recipient_type: 'private', pm_users: user_ids.join(',') },
    encrypted,
  };
}

function subtitleOf(
  say: Say<'notices'>,
  isChannel: boolean,
  { full_name: sender }: ShownSender,
  trigger: Trigger,
): string {
  if (trigger === 'mention') return say('push.mentioned-you', { sender });
  if (trigger === 'wildcard' || trigger === 'followed_topic_wildcard') {
    return say('push.mentioned-everyone', { sender });
  }
  return isChannel ? `${sender}:` : '';
}

function removalNotice(
  org: Organization,
  document: OutgoingPushDocument,
  user: UserDocument,
  ids: readonly number[],
): PushNotice {
  const removal = { ...baseOf(org, user), event: 'remove', zulip_message_ids: ids.join(',') };
  return {
    ...envelope(org, document, user),
    collapse: null,
    isUrgent: false,
    apns: { custom: { zulip: removal } },
    fcm: { ...androidBase(org), ...removal },
    encrypted: { ...encryptedBase(org, user), type: 'remove', message_ids: ids },
  };
}

function testNotice(
  org: Organization,
  document: OutgoingPushDocument,
  user: UserDocument,
): PushNotice {
  const base = baseOf(org, user);
  const { name } = org.realm.current;
  const say = noticesTo(org, user.user_id);
  return {
    ...envelope(org, document, user),
    collapse: null,
    isUrgent: true,
    apns: {
      alert: {
        title: say('push.test'),
        body: say('push.test-body', { organization: name, url: org.site.url }),
      },
      sound: 'default',
      custom: { zulip: { ...base, event: 'test' } },
    },
    fcm: {
      ...androidBase(org),
      ...base,
      event: 'test',
      time: Math.floor(document.created_at / 1000),
    },
    encrypted: {
      ...encryptedBase(org, user),
      type: 'test',
      time: Math.floor(document.created_at / 1000),
    },
  };
}
