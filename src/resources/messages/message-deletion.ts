import type { ReplyOf } from '../../../schemas/endpoint.js';
import { deleteMessage, deleteTopic } from '../../../schemas/messages/message-deletion.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { visibleChannel } from '../../organization/access/channel-rights.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import {
  checkMayDelete,
  removeMessages,
} from '../../organization/messages/deletion/remove-messages.js';
import { recordAction } from '../../organization/state/audit.js';
import type { MessageSummary } from '../../organization/state/message-index/message-index.js';
import type { Organization } from '../../organization/state/organization.js';
import { canReadChannel } from '../../organization/access/permissions.js';
import { storedTopicName } from '../../services/text/stored-text.js';
import type { TopicDeletions } from '../../organization/messages/deletion/topic-deletions.js';
import type { Transaction } from '../../organization/state/transaction.js';
import {
  handleJob,
  handlePrepared,
  type AnyHandler,
  type CallerRequest,
} from '../kernel/handler.js';

type DeleteRequest = CallerRequest<typeof deleteMessage>;

/** `DELETE /messages/{message_id}` and `POST /streams/{stream_id}/delete_topic`. */
export function messageDeletionHandlers(deletions: TopicDeletions): readonly AnyHandler[] {
  return [
    handlePrepared(
      deleteMessage,
      // Checked here and again in the transaction: a message that another request deleted in between
      // existed when this request came, and its refusal says so.
      (org, request) => Promise.resolve(deletable(org, request)),
      removeOne,
    ),
    handleJob(deleteTopic, async (org, { user, params }) => {
      const channel = openChannel(org, user, params.stream_id);
      return {
        complete: await deletions.delete(channel, storedTopicName(params.topic_name), user),
      };
    }),
  ];
}

/** A message the caller may delete. @throws ApiError when the caller does not see it, or may not delete it */
function deletable(org: Organization, { user, params }: DeleteRequest): MessageSummary {
  const message = org.messages.peek(params.message_id);
  if (!message || !new MessageAccess(org, user).canSee(message.id)) {
    throw badRequest('Invalid message(s)');
  }
  // Archived channels can be read, not changed.
  if (org.channels.byRecipient(message.recipient_id)?.is_archived) {
    throw badRequest('Invalid message(s)');
  }
  checkMayDelete(org, user, message);
  return message;
}

function removeOne(tx: Transaction, request: DeleteRequest): ReplyOf<typeof deleteMessage> {
  const { org } = tx;
  const { message_id: id } = request.params;
  if (!org.messages.has(id)) throw badRequest('Message already deleted');
  const { recipient_id: recipientId, sender_id } = deletable(org, request);
  if (sender_id !== request.user.user_id) {
    // Not what it said, nor where: an owner need not be among those who could read it.
    const fields = [{ name: 'sender_id', old: String(sender_id), new: null }];
    recordAction(tx, { kind: 'message', id, name: '', action: 'removed', fields });
  }
  const topic = org.messages.index.topicNameOf(id)!;
  removeMessages(tx, { recipientId, ids: [id], topic, actor: request.user });
  return {};
}

/** @throws ApiError `Invalid channel ID`, also for one that the caller may not read, or an archived one */
function openChannel(org: Organization, user: UserDocument, streamId: number): ChannelDocument {
  const channel = visibleChannel(org, user, streamId);
  if (channel.is_archived || !canReadChannel(org, user, channel)) {
    throw badRequest('Invalid channel ID');
  }
  return channel;
}
