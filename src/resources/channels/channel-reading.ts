import * as descriptors from '../../../schemas/channels/channel-administration.js';
import { badRequest } from '../../errors/index.js';
import { visibleChannel } from '../../organization/access/channel-rights.js';
import { activeSubscribers, channelView } from '../../organization/views/channel-view.js';
import { canReadChannel, canSeeChannel } from '../../organization/access/permissions.js';
import { MailAddresses } from '../../organization/mail/mail-addresses.js';
import { checkChannel } from '../../organization/messages/sending/sending-rules.js';
import { emailGatewayBot } from '../../organization/messages/sending/notification-bot.js';
import type { HandlerParts } from '../handler-parts.js';
import { botOf } from '../users/bots.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { Intervals } from '../../organization/state/message-index/intervals.js';
import type { PostingList } from '../../organization/state/message-index/posting-lists.js';
import type { Organization } from '../../organization/state/organization.js';

/** Reading one channel: its object, id, subscribers and topics (endpoints-channels.md#read-channels). */
export function channelReadingHandlers({ linkKeys }: Pick<HandlerParts, 'linkKeys'>): AnyHandler[] {
  return [
    handle(descriptors.getChannel, ({ org }, { user, params }) => ({
      stream: channelView(org, visibleChannel(org, user, params.stream_id)),
    })),
    handle(descriptors.getChannelId, ({ org }, { user, params }) => {
      const channel = org.channels.byName(params.stream.trim());
      if (!channel || !canSeeChannel(org, user, channel)) {
        throw badRequest(`Invalid channel name '${params.stream}'`);
      }
      return { stream_id: channel.stream_id };
    }),
    handle(descriptors.getSubscribers, ({ org }, { user, params }) => {
      const { stream_id } = visibleChannel(org, user, params.stream_id);
      return { subscribers: activeSubscribers(org, stream_id).sort((a, b) => a - b) };
    }),
    handle(descriptors.getChannelTopics, ({ org }, { user, params }) => {
      const channel = visibleChannel(org, user, params.stream_id);
      if (!canReadChannel(org, user, channel)) throw badRequest('Invalid channel ID');
      const options = { emptyTopicName: params.allow_empty_topic_name };
      return { topics: channelTopics(org, user, channel, options) };
    }),
    handle(descriptors.getChannelEmailAddress, ({ org }, { user, params }) => {
      const channel = visibleChannel(org, user, params.stream_id);
      const { mailPattern } = org.site;
      if (!mailPattern) {
        throw badRequest('Sending messages to channels by email is not supported by this server.');
      }
      const sender = mailSender(org, user, params.sender_id);
      checkChannel(org, sender.is_system_bot ? user : sender, channel);
      const addresses = new MailAddresses(mailPattern, linkKeys);
      return { email: addresses.ofChannel(channel, user.user_id, sender.user_id) };
    }),
  ];
}

/**
 * Who posts what comes to the address: the caller, a bot that they may change, or else the bot for mails.
 * @throws ApiError
 */
function mailSender(org: Organization, user: UserDocument, senderId?: number): UserDocument {
  const gateway = emailGatewayBot(org);
  if (senderId === undefined || senderId === gateway.user_id) return gateway;
  if (senderId === user.user_id) return user;
  const bot = botOf(org, user, senderId);
  if (!bot.is_active) throw badRequest('No such bot');
  return bot;
}

/** A topic of a channel, as one user sees it. */
interface ChannelTopic {
  readonly name: string;
  /** Newest of its messages that the user may read. */
  readonly max_id: number;
}

/** Topics with messages that the user may read, newest first (endpoints-channels.md#read-channels). */
function channelTopics(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  options: { readonly emptyTopicName: boolean },
): ChannelTopic[] {
  const visible = new MessageAccess(org, user).visible(channel.recipient_id);
  const found: ChannelTopic[] = [];
  for (const { name, list } of org.messages.index.topics(channel.recipient_id)) {
    const max_id = newestWithin(list, visible);
    if (max_id === undefined) continue;
    const shown = name === '' && !options.emptyTopicName ? EMPTY_TOPIC_DISPLAY_NAME : name;
    found.push({ name: shown, max_id });
  }
  return found.sort((a, b) => b.max_id - a.max_id);
}

function newestWithin(list: PostingList, within: Intervals): number | undefined {
  for (let i = within.length - 1; i >= 0; i--) {
    const [from, to] = within[i]!;
    const place = list.lowerBound(to + 1) - 1;
    const id = place < 0 ? undefined : list.at(place);
    if (id !== undefined && id >= from) return id;
  }
  return undefined;
}
