import type { ReplyOf } from '../../../schemas/endpoint.js';
import { updateMessage } from '../../../schemas/messages/message-editing.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, serviceUnavailable } from '../../errors/index.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import {
  type EditPlan,
  type EditRequest,
  messagesToMove,
  checkEdit,
} from '../../organization/messages/editing/check-edit.js';
import {
  isBetweenChannels,
  stateKeyOf,
} from '../../organization/messages/editing/edited-fields.js';
import { editMessage, type EditParts } from '../../organization/messages/editing/edit-message.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { PinnedMessages } from '../../organization/state/message-index/message-documents.js';
import type { MovingMessages } from '../../organization/state/message-index/moving-messages.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { handlePinned, type AnyHandler, type CallerRequest } from '../kernel/handler.js';

type Request = CallerRequest<typeof updateMessage>;

/** Documents read at a time: some milliseconds, after which other requests are served. */
const BATCH = 100;

/** Messages gathered between two looks at the clock, which takes as long as one of them. */
const ITEMS_PER_LOOK = 16;

/** How often others may change the messages before they are loaded and not gathered. */
const MAX_CHANGES = 3;

/** Maximal number of messages of one move: one transaction changes them, and one event lists them. */
const MAX_MOVED_MESSAGES = 50_000;

/** `PATCH /messages/{message_id}`. */
export function messageEditingHandler(parts: EditParts): AnyHandler {
  return handlePinned(
    updateMessage,
    (org, request) => load(org, request, parts),
    (tx, request, loaded) => change(tx, request, loaded, parts),
    ({ pinned }) => pinned.release(),
  );
}

/** What an edit needs of the store, and of many messages that move. */
interface Loaded {
  readonly pinned: PinnedMessages;
  readonly moving: MovingMessages | null;
}

/**
 * Loads and pins the messages that would change, so that they stay current until the transaction, whose turn comes
 * later.
 */
async function load(org: Organization, request: Request, { markdown }: EditParts): Promise<Loaded> {
  const { user, params } = request;
  const { message_id: id, propagate_mode } = params;
  checkChangeable(org, user, id);
  const pinned = org.messages.pin();
  let moving: MovingMessages | null = null;
  try {
    await fill(org, pinned, [id]);
    if (propagate_mode !== 'change_one') {
      // Checked before a large topic is loaded for a caller who will be refused.
      const message = pinned.documents.get(id);
      const plan = message && checkEdit(org, markdown, message, editRequest(user, params));
      const leavesChannel = plan?.move ? isBetweenChannels(plan.move) : false;
      moving = await fillTopic(org, pinned, request, leavesChannel);
    }
  } catch (error) {
    pinned.release();
    throw error;
  }
  return { pinned, moving };
}

/**
 * Loads until no message is missing, because others may send or move messages to the topic meanwhile.
 * @returns the messages, gathered for the move; null for few, and where others change them again and again
 */
async function fillTopic(
  org: Organization,
  pinned: PinnedMessages,
  { user, params }: Request,
  leavesChannel: boolean,
): Promise<MovingMessages | null> {
  const pause = new EventLoopYield();
  const begin = () => org.messages.moving(leavesChannel, pinned, stateKeyOf);
  let moving = begin();
  let isRested = false;
  for (let changes = 0; ;) {
    const ids = messagesToMove(org, user, params.message_id, params.propagate_mode);
    if (ids.length > MAX_MOVED_MESSAGES) {
      throw badRequest(`Too many messages (maximum ${MAX_MOVED_MESSAGES}).`);
    }
    if (!moving.areCurrent() || !moving.areFirstOf(ids)) {
      moving = begin();
      changes += 1;
    }
    const further = ids.slice(moving.ids.length);
    const missing = further.filter((id) => !pinned.documents.has(id));
    for (let i = 0; i < missing.length; i += BATCH) {
      await fill(org, pinned, missing.slice(i, i + BATCH), missing.length <= BATCH);
      if (pause.isDue) await pause.take();
    }
    if (missing.length > 0) continue;
    if (ids.length <= BATCH || changes > MAX_CHANGES) return null;
    if (further.length > 0) {
      await gather(moving, further, pinned, pause);
    } else {
      if (isRested) return moving;
      // The transaction of many messages takes long enough without what was loaded in the same round.
      isRested = true;
      await pause.take();
    }
  }
}

/** Gathers messages that are loaded, up to one that others change meanwhile. */
async function gather(
  moving: MovingMessages,
  ids: readonly number[],
  { documents }: PinnedMessages,
  pause: EventLoopYield,
): Promise<void> {
  for (let i = 0; i < ids.length; i++) {
    const document = documents.get(ids[i]!);
    if (!document || !moving.areCurrent()) return;
    moving.add(document);
    if (i % ITEMS_PER_LOOK === 0 && pause.isDue) await pause.take();
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
    pinned.documents.set(id, org.messages.resident(id) ?? document);
  }
}

function change(
  tx: Transaction,
  request: Request,
  { pinned, moving }: Loaded,
  parts: EditParts,
): ReplyOf<typeof updateMessage> {
  const { org } = tx;
  const { user, params } = request;
  const { message_id: id } = params;
  checkChangeable(org, user, id);
  const message = documentOf(org, pinned, id);
  const plan = checkEdit(org, parts.markdown, message, editRequest(user, params));
  const ids = plan.move ? messagesToMove(org, user, id, plan.move.mode) : [id];
  const gathered = moving && areThese(moving, ids, plan) ? moving : null;
  const edit = {
    plan,
    ids,
    messages: gathered?.documents ?? ids.map((one) => documentOf(org, pinned, one)),
    gathered,
    notices: {
      oldThread: params.send_notification_to_old_thread,
      newThread: params.send_notification_to_new_thread,
    },
  };
  // What follows changes none of what was loaded, and would have to look for each message in it.
  pinned.release();
  return { detached_uploads: editMessage(tx, edit, parts) };
}

/** Whether what was gathered is what moves now. */
function areThese(moving: MovingMessages, ids: readonly number[], { move }: EditPlan): boolean {
  if (!move || moving.leavesChannel !== isBetweenChannels(move)) return false;
  return moving.ids.length === ids.length && moving.areFirstOf(ids) && moving.areCurrent();
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
