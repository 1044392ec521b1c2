import type { ReplyOf } from '../../../schemas/endpoint.js';
import * as schemas from '../../../schemas/messages/mark-as-read.js';
import { MAX_MESSAGES_PER_FETCH } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { visibleChannel } from '../../organization/access/channel-rights.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import {
  changeFlagsInParts,
  editableFlag,
  flagOperation,
} from '../../organization/messages/change-flags.js';
import {
  readChannel,
  readEverything,
  readTopic,
} from '../../organization/messages/mark-as-read.js';
import { compileNarrow } from '../../organization/messages/reading/narrow.js';
import { PageReader, type IdPage } from '../../organization/messages/reading/read-page.js';
import type { Organization } from '../../organization/state/organization.js';
import { storedTopicName } from '../../services/text/stored-text.js';
import type { PartedChange, Parts } from '../../organization/state/parted-change.js';
import { handleInParts, type AnyHandler, type CallerRequest } from '../kernel/handler.js';
import { readAnchor, resolveAnchor } from './messages-anchor.js';

type NarrowRequest = CallerRequest<typeof schemas.updateMessageFlagsForNarrow>;

/** Changes of read state beyond single messages (endpoints-flags.md#flags). */
export function markAsReadHandlers(): AnyHandler[] {
  return [
    handleInParts(schemas.updateMessageFlagsForNarrow, changeThem, messagesOf),
    handleInParts(schemas.markAllAsRead, function* (change, { user }) {
      return { complete: yield* readEverything(change, user) };
    }),
    handleInParts(schemas.markStreamAsRead, function* (change, { user, params }) {
      yield* readChannel(change, user, visibleChannel(change.org, user, params.stream_id));
      return {};
    }),
    handleInParts(schemas.markTopicAsRead, function* (change, { user, params }) {
      const channel = visibleChannel(change.org, user, params.stream_id);
      yield* readTopic(change, user, channel, storedTopicName(params.topic_name));
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
  const narrow = params.narrow ?? [];
  const anchor = await resolveAnchor(access, readAnchor(params), narrow);
  const reader = new PageReader(access, compileNarrow(access, narrow));
  return reader.idPage({ anchor, includeAnchor, before, after });
}

function* changeThem(
  change: PartedChange,
  { user, params }: NarrowRequest,
  page: IdPage,
): Parts<ReplyOf<typeof schemas.updateMessageFlagsForNarrow>> {
  const op = flagOperation(params.op);
  const flag = editableFlag(params.flag);
  // Some may have been deleted, or moved to where the user cannot see them, during the search.
  const access = new MessageAccess(change.org, user);
  const ids = page.ids.filter((id) => access.canSee(id));
  const result = yield* changeFlagsInParts(change, user, ids, op, flag);
  return {
    processed_count: ids.length,
    updated_count: result.changed.length,
    first_processed_id: ids[0] ?? null,
    last_processed_id: ids[ids.length - 1] ?? null,
    found_oldest: page.foundOldest,
    found_newest: page.foundNewest,
    ...(op === 'remove' && flag === 'read'
      ? { ignored_because_not_subscribed_channels: result.ignoredChannels }
      : {}),
  };
}
