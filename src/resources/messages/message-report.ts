import { reportMessage } from '../../../schemas/messages/message-report.js';
import { badRequest } from '../../errors/index.js';
import {
  moderationChannel,
  reportToModerators,
} from '../../organization/messages/message-report.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handlePrepared, type AnyHandler } from '../kernel/handler.js';

/** Reports of messages to the moderators (endpoints-messages.md#one-message). */
export function messageReportHandler(markdown: Markdown): AnyHandler {
  return handlePrepared(
    reportMessage,
    async (org, { user, params }) => {
      const readable = new MessageAccess(org, user).canSee(params.message_id);
      return readable ? org.messages.fetchAll([params.message_id]) : new Map<number, never>();
    },
    (tx, { user, params }, loaded) => {
      const { org } = tx;
      const { message_id: id, report_type: type } = params;
      moderationChannel(org);
      const message = org.messages.resident(id) ?? loaded.get(id);
      if (!message || !new MessageAccess(org, user).canSee(id)) {
        throw badRequest('Invalid message(s)');
      }
      const description = params.description.trim();
      if (type === 'other' && description === '') throw badRequest('An explanation is required.');
      reportToModerators(tx, markdown, user, message, { type, description });
      return {};
    },
  );
}
