import type { ReplyOf } from '../../../schemas/endpoint.js';
import { updateMessage } from '../../../schemas/messages/message-editing.js';
import type { MessageDocument } from '../../../schemas/messages/message-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, serviceUnavailable } from '../../errors.js';
import { EventLoopYield } from '../../event-loop-yield.js';
import {
  type EditRequest,
  messagesToMove,
  checkEdit,
} from '../../organization/messages/editing/check-edit.js';
import { prepareToMove } from '../../organization/messages/editing/edited-fields.js';
import { editMessage, type EditParts } from '../../organization/messages/editing/edit-message.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { PinnedMessages } from '../../organization/state/message-index/message-documents.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { handlePrepared, type AnyHandler, type CallerRequest } from '../kernel/handler.js';

type Request = CallerRequest<typeof updateMessage>;

/** Documents read at a time: some milliseconds, after which other requests are served. */
const BATCH = 100;

/** Maximal number of messages of one move: one transaction changes them, and one event lists them. */
const MAX_MOVED_MESSAGES = 50_000;

/** `PATCH /messages/{message_id}`. */
export function messageEditingHandler(parts: EditParts): AnyHandler {
  return handlePrepared(
    updateMessage,
    (org, request) => load(org, request, parts),
    (tx, request, pinned) => change(tx, request, pinned, parts),
  );
}

/**
 * Loads and pins the messages that would change, so that they stay current until the transaction, which
 * follows at once.
 */
async function load(
  org: Organization,
  request: Request,
  { markdown }: EditParts,
): Promise<PinnedMessages> {
  const { user, params } = request;
  const { message_id: id, propagate_mode } = params;
  checkChangeable(org, user, id);
  const pinned = org.messages.pin();
  try {
    await fill(org, pinned, [id]);
    if (propagate_mode !== 'change_one') {
      // Checked before a large topic is loaded for a caller who will be refused.
      const message = pinned.documents.get(id);
      if (message) checkEdit(org, markdown, message, editRequest(user, params));
      await fillTopic(org, user, pinned, request);
    }
  } catch (error) {
    pinned.release();
    throw error;
  }
  setImmediate(() => pinned.release());
  return pinned;
}

/** Loads until no message is missing, because others may send or move messages to the topic meanwhile. */
async function fillTopic(
  org: Organization,
  user: UserDocument,
  pinned: PinnedMessages,
  { params }: Request,
): Promise<void> {
  const pause = new EventLoopYield();
  let isRested = false;
  for (;;) {
    const ids = messagesToMove(org, user, params.message_id, params.propagate_mode);
    if (ids.length > MAX_MOVED_MESSAGES) {
      throw badRequest(`Too many messages (maximum ${MAX_MOVED_MESSAGES}).`);
    }
    const missing = ids.filter((id) => !pinned.documents.has(id) && org.messages.has(id));
    if (missing.length === 0) {
      if (isRested || ids.length <= BATCH) return;
      // The transaction of many messages takes long enough without what was loaded in the same round.
      isRested = true;
      await pause.take();
      continue;
    }
    for (let i = 0; i < missing.length; i += BATCH) {
      await fill(org, pinned, missing.slice(i, i + BATCH), missing.length <= BATCH);
      if (pause.isDue) await pause.take();
    }
  }
}

async function fill(
  org: Organization,
  pinned: PinnedMessages,
  ids: readonly number[],
  cached = true,
): Promise<void> {
  const found = await org.messages.fetchAll(ids, cached);
  for (const [id, document] of found) {
    if (!org.messages.has(id)) continue;
    // A document written since the store read it is in memory.
    const newest = org.messages.resident(id) ?? document;
    pinned.documents.set(id, newest);
    prepareToMove(newest);
  }
}

function change(
  tx: Transaction,
  request: Request,
  pinned: PinnedMessages,
  parts: EditParts,
): ReplyOf<typeof updateMessage> {
  const { org } = tx;
  const { user, params } = request;
  const { message_id: id } = params;
  checkChangeable(org, user, id);
  const message = documentOf(org, pinned, id);
  const plan = checkEdit(org, parts.markdown, message, editRequest(user, params));
  const ids = plan.move ? messagesToMove(org, user, id, plan.move.mode) : [id];
  const edit = {
    plan,
    ids,
    messages: ids.map((one) => documentOf(org, pinned, one)),
    notices: {
      oldThread: params.send_notification_to_old_thread,
      newThread: params.send_notification_to_new_thread,
    },
  };
  // What follows changes none of what was loaded, and would have to look for each message in it.
  pinned.release();
  return { detached_uploads: editMessage(tx, edit, parts) };
}

/** @throws ApiError for a message that is not there, not visible, or in an archived channel */
function checkChangeable(org: Organization, user: UserDocument, id: number): void {
  const topic = org.messages.index.topicOf(id);
  // Archived channels can be read, not changed.
  const archived = topic && org.channels.byRecipient(topic.recipientId)?.is_archived;
  if (!topic || archived || !new MessageAccess(org, user).canSee(id)) {
    throw badRequest('Invalid message(s)');
  }
}

function documentOf(org: Organization, pinned: PinnedMessages, id: number): MessageDocument {
  const document = pinned.documents.get(id) ?? org.messages.resident(id);
  if (!document) throw serviceUnavailable('The topic is being changed');
  return document;
}

function editRequest(user: UserDocument, params: Request['params']): EditRequest {
  return {
    user,
    content: params.content,
    topic: params.topic,
    streamId: params.stream_id,
    propagateMode: params.propagate_mode,
    contentSha256: params.prev_content_sha256,
  };
}
