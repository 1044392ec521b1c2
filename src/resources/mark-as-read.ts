import * as schemas from '../../schemas/mark-as-read.js';
import { MAX_MESSAGES_PER_FETCH } from '../../schemas/limits.js';
import { badRequest } from '../errors.js';
import { visibleChannel } from '../organization/channel-rights.js';
import { MessageAccess } from '../organization/messages/access.js';
import { changeFlags, editableFlag, flagOperation } from '../organization/messages/change-flags.js';
import { readChannel, readEverything, readTopic } from '../organization/messages/mark-as-read.js';
import { compileNarrow } from '../organization/messages/narrow.js';
import { PageReader, type IdPage } from '../organization/messages/read-page.js';
import type { Organization } from '../organization/organization.js';
import { storedTopicName } from '../organization/sending/message-text.js';
import type { Transaction } from '../organization/transaction.js';
import { handle, handlePrepared, type AnyHandler, type CallerRequest } from './handler.js';
import { readAnchor, resolveAnchor } from './messages-anchor.js';
import type { Reply } from './route.js';

type NarrowRequest = CallerRequest<typeof schemas.updateMessageFlagsForNarrow>;

/** Changes of read state beyond single messages (endpoints.md section B.6). */
export function markAsReadHandlers(): AnyHandler[] {
  return [
    handlePrepared(schemas.updateMessageFlagsForNarrow, messagesOf, changeThem),
    handle(schemas.markAllAsRead, (tx, { user }) => ({ complete: readEverything(tx, user) })),
    handle(schemas.markStreamAsRead, (tx, { user, params }) => {
      readChannel(tx, user, visibleChannel(tx.org, user, params.stream_id));
      return {};
    }),
    handle(schemas.markTopicAsRead, (tx, { user, params }) => {
      const channel = visibleChannel(tx.org, user, params.stream_id);
      readTopic(tx, user, channel, storedTopicName(params.topic_name));
      return {};
    }),
  ];
}

/** @throws ApiError for an unknown flag or operation, a bad narrow or anchor, or too many messages */
async function messagesOf(org: Organization, { user, params }: NarrowRequest): Promise<IdPage> {
  flagOperation(params.op);
  editableFlag(params.flag);
  const { num_before: before, num_after: after, include_anchor: includeAnchor } = params;
  if (before + after > MAX_MESSAGES_PER_FETCH) {
    throw badRequest(`Too many messages requested (maximum ${MAX_MESSAGES_PER_FETCH}).`);
  }
  if (!includeAnchor && before > 0 && after > 0) {
    throw badRequest('The anchor can only be excluded at an end of the range');
  }
  const access = new MessageAccess(org, user);
  const anchor = await resolveAnchor(access, readAnchor(params), params.narrow);
  const reader = new PageReader(access, compileNarrow(access, params.narrow));
  return reader.idPage({ anchor, includeAnchor, before, after });
}

function changeThem(tx: Transaction, { user, params }: NarrowRequest, page: IdPage): Reply {
  const op = flagOperation(params.op);
  const flag = editableFlag(params.flag);
  // Some may have been moved out of sight or deleted while others were looked for.
  const access = new MessageAccess(tx.org, user);
  const ids = page.ids.filter((id) => access.canSee(id));
  const change = changeFlags(tx, user, ids, op, flag);
  return {
    processed_count: ids.length,
    updated_count: change.changed.length,
    first_processed_id: ids[0] ?? null,
    last_processed_id: ids[ids.length - 1] ?? null,
    found_oldest: page.foundOldest,
    found_newest: page.foundNewest,
    ...(op === 'remove' && flag === 'read'
      ? { ignored_because_not_subscribed_channels: change.ignoredChannels }
      : {}),
  };
}
