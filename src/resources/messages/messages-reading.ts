import type { ReplyOf } from '../../../schemas/endpoint.js';
import { getMessage, getMessages } from '../../../schemas/messages/messages.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { MAX_MESSAGES_LENGTH, MAX_MESSAGES_PER_FETCH } from '../../../schemas/limits.js';
import { badRequest, incompatibleParameters, tooMuchText } from '../../errors/index.js';
import { inStretches } from '../../turns/event-loop-yield.js';
import { shownTopic } from '../../journal/renderers/message.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import { MessageViews, viewLength } from '../../organization/messages/reading/message-view.js';
import { compileNarrow, type MessageQuery } from '../../organization/messages/reading/narrow.js';
import {
  PageReader,
  type PageBudget,
  type MessagePageRequest,
} from '../../organization/messages/reading/read-page.js';
import type { Organization } from '../../organization/state/organization.js';
import { handlePrepared, type AnyHandler, type CallerRequest } from '../kernel/handler.js';
import { TextReply } from '../kernel/route.js';
import { readAnchor, resolveAnchor } from './messages-anchor.js';

type FetchRequest = CallerRequest<typeof getMessages>;
type FetchParams = FetchRequest['params'];

const INVALID_MESSAGE = 'Invalid message(s)';

/** `GET /messages` and `GET /messages/{id}`: all work is reading, so it is done before the transaction. */
export const messageReadingHandlers: readonly AnyHandler[] = [
  handlePrepared(getMessages, readMessages, (_tx, _request, reply) => reply),
  handlePrepared(getMessage, readMessage, (_tx, _request, reply) => reply),
];

async function readMessages(org: Organization, asked: FetchRequest): Promise<TextReply> {
  const { user, params } = asked;
  if (params.message_ids) return readListed(org, asked, params.message_ids);
  const anchor = readAnchor(params);
  const { before, after } = readCounts(params);
  const access = new MessageAccess(org, user);
  const query = compileNarrow(access, params.narrow);
  const request: MessagePageRequest = {
    anchor: await resolveAnchor(access, anchor, params.narrow),
    includeAnchor: params.include_anchor,
    before,
    after,
  };
  const page = await new PageReader(access, query, pageBudget(org, query, asked)).page(request);
  const fields: PageFields = {
    anchor: page.continueAt ?? request.anchor,
    found_anchor: page.foundAnchor,
    found_oldest: page.foundOldest,
    found_newest: page.foundNewest,
    history_limited: false,
  };
  return show(org, user, params, page.messages, query, fields);
}

/** What a reply says beside its messages. */
type PageFields = Omit<ReplyOf<typeof getMessages>, 'messages'>;

/** Bound of the content of all messages of a reply, and the size of a message with its highlights. */
function pageBudget(org: Organization, { search }: MessageQuery, asked: FetchRequest): PageBudget {
  return {
    large: async () => asked.largeReply?.(),
    total: MAX_MESSAGES_LENGTH,
    lengthOf: (message) => viewLength(org, message) + (search?.highlightedLength(message) ?? 0),
  };
}

/** @throws ApiError when they are too many, or leave out an anchor in their middle */
function readCounts(params: FetchParams): { before: number; after: number } {
  const { num_before: before, num_after: after } = params;
  if (before + after > MAX_MESSAGES_PER_FETCH) {
    throw badRequest(`Too many messages requested (maximum ${MAX_MESSAGES_PER_FETCH}).`);
  }
  if (!params.include_anchor && before > 0 && after > 0) {
    throw badRequest('The anchor can only be excluded at an end of the range');
  }
  return { before, after };
}

async function readListed(
  org: Organization,
  request: FetchRequest,
  ids: readonly number[],
): Promise<TextReply> {
  const { user, params } = request;
  const mixed = (['num_before', 'num_after', 'anchor'] as const).filter((name) => params[name]);
  if (mixed.length > 0) throw incompatibleParameters([...mixed, 'message_ids']);
  const access = new MessageAccess(org, user);
  const query = compileNarrow(access, params.narrow);
  const asked = params.narrow.length > 0 ? query : anyVisible(access);
  const messages = await new PageReader(access, asked, pageBudget(org, query, request)).among(ids);
  if (!messages) throw tooMuchText(MAX_MESSAGES_LENGTH);
  return show(org, user, params, messages, query, {});
}

/** A query for all messages the caller may see, because ids may name messages outside the combined feed. */
function anyVisible(access: MessageAccess): MessageQuery {
  return {
    sources: () => [],
    ofEverybody: null,
    testedAtOnce: 1,
    matches: (id) => access.canSee(id),
    text: null,
    matchesText: () => true,
    search: undefined,
  };
}

/** The reply with messages, whose texts are shared between viewers, and further fields. */
async function show(
  org: Organization,
  user: FetchRequest['user'],
  params: FetchParams,
  messages: readonly MessageDocument[],
  { search }: MessageQuery,
  fields: PageFields,
): Promise<TextReply> {
  // A new access object for current flags: the documents were awaited since the query.
  const views = new MessageViews(new MessageAccess(org, user), {
    applyMarkdown: params.apply_markdown,
    clientGravatar: params.client_gravatar,
    emptyTopicName: params.allow_empty_topic_name,
  });
  const parts = [',"messages":['];
  await inStretches(
    messages,
    (message) => {
      const topic =
        message.stream_id === null ? '' : shownTopic(message.topic, params.allow_empty_topic_name);
      const text = views.textOf(message, search?.highlight(message, topic));
      parts.push(parts.length === 1 ? text : `,${text}`);
    },
    user.user_id,
  );
  const further = JSON.stringify(fields);
  parts.push(further === '{}' ? ']' : `],${further.slice(1, -1)}`);
  return new TextReply(parts);
}

async function readMessage(
  org: Organization,
  { user, params }: CallerRequest<typeof getMessage>,
): Promise<ReplyOf<typeof getMessage>> {
  const { message_id: id } = params;
  if (!new MessageAccess(org, user).canSee(id)) throw badRequest(INVALID_MESSAGE);
  const message = (await org.messages.fetchAll([id])).get(id);
  // Checked again: it may have been moved or deleted while the document was read.
  const access = new MessageAccess(org, user);
  if (!message || !access.canSee(id)) throw badRequest(INVALID_MESSAGE);
  const views = new MessageViews(access, {
    applyMarkdown: params.apply_markdown,
    clientGravatar: false,
    emptyTopicName: params.allow_empty_topic_name,
  });
  return { message: views.of(message), raw_content: message.content };
}
