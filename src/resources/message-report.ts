import { reportMessage } from '../../schemas/message-report.js';
import { badRequest } from '../errors.js';
import { moderationChannel, reportToModerators } from '../organization/message-report.js';
import { MessageAccess } from '../organization/messages/access.js';
import type { Markdown } from '../services/markdown/markdown.js';
import { handlePrepared, type AnyHandler } from './handler.js';

/** Reports of messages to the moderators (endpoints.md section B.4). */
export function messageReportHandler(markdown: Markdown): AnyHandler {
  return handlePrepared(
    reportMessage,
    async (org, { user, params }) => {
      const readable = new MessageAccess(org, user).canSee(params.message_id);
      return readable ? org.messages.fetch([params.message_id]) : new Map<number, never>();
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
