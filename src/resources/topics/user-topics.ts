import type { ReplyOf } from '../../../schemas/endpoint.js';
import { muteTopic, updateUserTopic, VISIBILITY } from '../../../schemas/topics/user-topics.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, incompatibleParameters, missingArgument } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import { canReadChannel } from '../../organization/access/permissions.js';
import { storedTopicName } from '../../services/text/stored-text.js';
import { setTopicPolicy } from '../../organization/topics/topic-policy.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { handle, type AnyHandler, type CallerRequest } from '../kernel/handler.js';

/** Following, muting and unmuting topics (endpoints-channels.md#change-channel). */
export function userTopicHandlers(): AnyHandler[] {
  return [handle(updateUserTopic, choose), handle(muteTopic, mute)];
}

function choose(
  tx: Transaction,
  { user, params }: CallerRequest<typeof updateUserTopic>,
): ReplyOf<typeof updateUserTopic> {
  const { visibility_policy: policy } = params;
  const topic = storedTopicName(params.topic);
  const channel = tx.org.channels.get(params.stream_id);
  const chosen = tx.org.userTopics.of(user.user_id, params.stream_id, topic) !== undefined;
  // Resetting is allowed for any topic with a policy, even if the user can no longer see it.
  const takesBack = chosen && policy === VISIBILITY.inherit;
  if (!channel || !(takesBack || canReadChannel(tx.org, user, channel))) {
    throw badRequest('Invalid channel ID');
  }
  setTopicPolicy(tx, user.user_id, channel, topic, policy);
  return {};
}

function mute(
  tx: Transaction,
  { user, params }: CallerRequest<typeof muteTopic>,
): ReplyOf<typeof muteTopic> {
  const { org } = tx;
  const channel = channelOf(org, user, params);
  const topic = storedTopicName(params.topic);
  const policy = org.userTopics.policy(user.user_id, channel.stream_id, topic);
  if (params.op === 'add') {
    setTopicPolicy(tx, user.user_id, channel, topic, VISIBILITY.muted);
    return {};
  }
  if (policy !== VISIBILITY.muted) throw badRequest('Topic is not muted');
  setTopicPolicy(tx, user.user_id, channel, topic, VISIBILITY.inherit);
  return {};
}

/** The channel of the request. @throws ApiError unless it is named in exactly one way and the user can read it */
function channelOf(
  org: Organization,
  user: UserDocument,
  { stream, stream_id }: CallerRequest<typeof muteTopic>['params'],
): ChannelDocument {
  if (stream !== undefined && stream_id !== undefined) {
    throw incompatibleParameters(['stream', 'stream_id']);
  }
  if (stream === undefined && stream_id === undefined) throw missingArgument('stream_id');
  const channel =
    stream_id === undefined ? org.channels.byName(stream!.trim()) : org.channels.get(stream_id);
  if (channel && canReadChannel(org, user, channel)) return channel;
  throw badRequest(
    stream_id === undefined ? `Invalid channel name '${stream!}'` : 'Invalid channel ID',
  );
}
