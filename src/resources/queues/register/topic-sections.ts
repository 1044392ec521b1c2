import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { shownTopic } from '../../../journal/renderers/message-object.js';
import type { Organization } from '../../../organization/state/organization.js';
import { mutedTopics, userTopics } from '../../../organization/topics/topic-policy.js';
import type { RegisterParams } from './queue-request.js';

type Capabilities = Pick<RegisterParams, 'client_capabilities'>;

/** `user_topics` (register.md#sections), the empty topic as the queue can show it. */
export function userTopicsSection(
  org: Organization,
  user: UserDocument,
  { client_capabilities: { empty_topic_name = false } }: Capabilities,
) {
  const topics = userTopics(org, user.user_id).map((one) => ({
    ...one,
    topic_name: shownTopic(one.topic_name, empty_topic_name),
  }));
  return { user_topics: topics };
}

/** `muted_topics`, the older form of those that are muted. */
export function mutedTopicsSection(
  org: Organization,
  user: UserDocument,
  { client_capabilities: { empty_topic_name = false } }: Capabilities,
) {
  const rows = mutedTopics(org, user.user_id).map(([channel, topic, muted]) => [
    channel,
    shownTopic(topic, empty_topic_name),
    muted,
  ]);
  return { muted_topics: rows };
}
