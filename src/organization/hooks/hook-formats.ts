import type { OutgoingHookDocument } from '../../../schemas/hooks/outgoing-hook-document.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { MAX_SUBMESSAGE_LENGTH } from '../../../schemas/limits.js';
import { HOOK_INTERFACE, type BotService } from '../../../schemas/users/bots.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { messageObject } from '../../journal/renderers/message.js';
import { messageContext } from '../messages/reading/message-view.js';
import { UnfitAnswerError } from '../../services/outside/bounded-body.js';
import type { Organization } from '../state/organization.js';
import { shownTo } from '../views/unknown-user.js';
import { apiEmail } from '../views/user-view.js';

/** What is posted to a bot's address. */
export interface HookPost {
  readonly mediaType: string;
  readonly body: string;
}

/** What a bot's address answered: a text to be said, or nothing. */
export interface HookAnswer {
  readonly text: string | null;
  /** The widget in place of the text, as `widget_content` of a message has it. */
  readonly widget?: string;
}

const PLAIN = { applyMarkdown: false, clientGravatar: false, emptyTopicName: true };

/**
 * What is posted in the form that the bot's owner chose (endpoints-bots.md#outgoing-webhooks); null for a message that
 * the form cannot carry: Slack's knows channels only.
 */
export function hookPost(
  org: Organization,
  bot: UserDocument,
  { token, interface: form }: BotService,
  { trigger }: OutgoingHookDocument,
  message: MessageDocument,
): HookPost | null {
  if (form === HOOK_INTERFACE.slack) return slackPost(org, bot, token, message);
  const body = JSON.stringify({
    bot_email: apiEmail(org, bot),
    bot_full_name: bot.full_name,
    data: message.content,
    message: {
      ...messageObject(message, messageContext(org, message, bot), PLAIN),
      rendered_content: message.rendered_content,
    },
    token,
    trigger,
  });
  return { mediaType: 'application/json', body };
}

function slackPost(
  org: Organization,
  bot: UserDocument,
  token: string,
  message: MessageDocument,
): HookPost | null {
  if (message.stream_id === null) return null;
  const sender = org.users.get(message.sender_id)!;
  const fields = new URLSearchParams({
    token,
    team_id: `T${org.realm.current.string_id}`,
    team_domain: new URL(org.site.url).hostname,
    channel_id: `C${message.stream_id}`,
    channel_name: org.channels.get(message.stream_id)?.name ?? '',
    thread_ts: String(message.timestamp),
    timestamp: String(message.timestamp),
    user_id: `U${message.sender_id}`,
    user_name: shownTo(org, bot, sender).full_name,
    text: message.content,
    trigger_word: 'mention',
    service_id: String(message.recipient_id),
  });
  return { mediaType: 'application/x-www-form-urlencoded', body: fields.toString() };
}

/** Reads an answer. @throws UnfitAnswerError for one that is no JSON object */
export function hookAnswer(form: number, text: string): HookAnswer {
  // Slack's own services answer with nothing where they have nothing to say.
  if (text.trim() === '') return { text: null };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnfitAnswerError('The answer is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnfitAnswerError('The answer is no JSON object');
  }
  const fields = value as Record<string, unknown>;
  if (fields.response_not_required === true) return { text: null };
  const isSlack = form === HOOK_INTERFACE.slack;
  const said = isSlack ? fields.text : (fields.content ?? fields.response_string);
  if (typeof said !== 'string' || said.trim() === '') return { text: null };
  const { widget_content } = fields;
  if (isSlack || widget_content === undefined || widget_content === null) return { text: said };
  const isText = typeof widget_content === 'string';
  const widget = isText ? widget_content : JSON.stringify(widget_content);
  if (widget.length > MAX_SUBMESSAGE_LENGTH) throw new UnfitAnswerError('The widget is too long');
  return { text: said, widget };
}
