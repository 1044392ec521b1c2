import type { ReplyOf } from '../../../schemas/endpoint.js';
import {
  checkMessagesMatchNarrow,
  getReadReceipts,
  renderMessage,
} from '../../../schemas/messages/message-lookup.js';
import { MAX_MESSAGES_LENGTH } from '../../../schemas/limits.js';
import { badRequest, tooMuchText } from '../../errors/index.js';
import { mapInStretches } from '../../turns/event-loop-yield.js';
import { shownTopic } from '../../journal/renderers/message.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import { compileNarrow } from '../../organization/messages/reading/narrow.js';
import { PageReader } from '../../organization/messages/reading/read-page.js';
import { readersOf } from '../../organization/messages/reading/read-receipts.js';
import { TextQuery } from '../../organization/messages/reading/search.js';
import type { Organization } from '../../organization/state/organization.js';
import { storedContent } from '../../services/text/stored-text.js';
import { renderFor } from '../../organization/messages/sending/outgoing-message.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, handlePrepared, type AnyHandler, type CallerRequest } from '../kernel/handler.js';

/** Rendering, matching a narrow and read receipts (endpoints-messages.md#one-message). */
export function messageLookupHandlers(markdown: Markdown): readonly AnyHandler[] {
  return [
    handle(renderMessage, (tx, { user, params }) => ({
      rendered: renderFor(tx.org, markdown, user, storedContent(params.content)).html,
    })),
    handlePrepared(checkMessagesMatchNarrow, matchNarrow, (_tx, _request, reply) => reply),
    handle(getReadReceipts, (tx, { user, params }) => {
      const { org } = tx;
      const { message_id: id } = params;
      if (!new MessageAccess(org, user).canSee(id)) throw badRequest('Invalid message(s)');
      if (!org.realm.current.enable_read_receipts) {
        throw badRequest('Read receipts are disabled in this organization.');
      }
      return { user_ids: readersOf(org, id, user) };
    }),
  ];
}

/** A query without words, which highlights nothing. */
const NO_WORDS = new TextQuery('');

async function matchNarrow(
  org: Organization,
  request: CallerRequest<typeof checkMessagesMatchNarrow>,
): Promise<ReplyOf<typeof checkMessagesMatchNarrow>> {
  const { user, params } = request;
  const access = new MessageAccess(org, user);
  const query = compileNarrow(access, params.narrow);
  const received = params.msg_ids.filter((id) => access.hasReceived(id));
  const search = query.search ?? NO_WORDS;
  const found = await new PageReader(access, query, {
    total: MAX_MESSAGES_LENGTH,
    lengthOf: (message) => search.highlightedLength(message),
    large: async () => request.largeReply?.(),
  }).among(received);
  if (!found) throw tooMuchText(MAX_MESSAGES_LENGTH);
  const messages = await mapInStretches(
    found,
    (message) => {
      const topic = message.stream_id === null ? '' : shownTopic(message.topic, false);
      return [String(message.id), search.highlight(message, topic)] as const;
    },
    org.accountOf(user.user_id),
  );
  return { messages: Object.fromEntries(messages) };
}
