import * as descriptors from '../../../schemas/channels/channel-administration.js';
import { badRequest } from '../../errors.js';
import { visibleChannel } from '../../organization/access/channel-rights.js';
import { channelTopics } from '../../organization/channels/channel-topics.js';
import { activeSubscribers, channelView } from '../../organization/views/channel-view.js';
import { canReadChannel, canSeeChannel } from '../../organization/access/permissions.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Questions about one channel (endpoints-channels.md#read-channels). */
export function channelReadingHandlers(): AnyHandler[] {
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
      visibleChannel(org, user, params.stream_id);
      throw badRequest('Sending messages to channels by email is not supported by this server.');
    }),
  ];
}
