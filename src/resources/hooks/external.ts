import { receiveWebhook } from '../../../schemas/hooks/external.js';
import { BOT_TYPE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  anomalousPayload,
  badRequest,
  invalidJson,
  missingEventHeader,
  notFound,
  unauthorized,
  unsupportedEvent,
} from '../../errors.js';
import { readChannel } from '../../organization/messages/sending/recipients.js';
import {
  compose,
  participants,
  sendMessage,
  type Recipient,
} from '../../organization/messages/sending/send-message.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { newTopicName, storedContent } from '../../organization/topics/topic-names.js';
import type { HookMessage, Integration } from '../../services/hooks/integration.js';
import { INTEGRATIONS } from '../../services/hooks/integrations.js';
import { AnomalousPayload } from '../../services/hooks/payload.js';
import { isSelected } from '../../services/hooks/selected-events.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, type AnyHandler, type CallerRequest } from '../kernel/handler.js';
import { WEBHOOK_SECRET } from '../../organization/users/bot-config.js';
import { readPayload } from './hook-body.js';
import { rawRequestOf, type RawRequest } from './raw-request.js';

type HookCall = CallerRequest<typeof receiveWebhook>;

/** `POST /external/{integration}` (endpoints-bots.md#incoming-webhooks). */
export function externalHandler(markdown: Markdown): AnyHandler {
  return handle(receiveWebhook, (tx, request) => {
    const integration = INTEGRATIONS.get(request.params.integration);
    if (!integration) throw notFound();
    checkBot(request.user);
    const raw = rawRequestOf(request);
    checkSignature(tx, integration, request.user, raw);
    const message = messageOf(integration, request, raw);
    if (message) post(tx, markdown, integration, request, message);
    return {};
  });
}

/** @throws ApiError for people and for bots that are not made for it: a key in an address is easily lost */
function checkBot(user: UserDocument): void {
  if (user.bot_type === BOT_TYPE.incomingWebhook || user.bot_type === BOT_TYPE.generic) return;
  throw badRequest('Webhooks need the API key of an incoming webhook bot or a generic bot.');
}

/** @throws ApiError `UNAUTHORIZED` where the bot has a secret with which the request is not signed */
function checkSignature(
  { org, now }: Transaction,
  { signature, displayName }: Integration,
  bot: UserDocument,
  { header, body }: RawRequest,
): void {
  const secret = org.bots.get(bot.user_id)?.config_data?.[WEBHOOK_SECRET];
  if (secret === undefined) return;
  // Whoever set a secret wants nothing that could have come from somebody else.
  if (!signature) throw unauthorized(`${displayName} does not sign its webhooks.`);
  if (!signature(secret, { header, body, now })) {
    throw unauthorized('The signature of the webhook is missing or wrong.');
  }
}

/**
 * The message; null for events that were not selected.
 * @throws ApiError for what the service would not send, and for events of which nobody needs a message
 */
function messageOf(
  integration: Integration,
  { params }: HookCall,
  { header, body, mediaType }: RawRequest,
): HookMessage | null {
  const { displayName, eventHeader } = integration;
  if (eventHeader !== undefined && header(eventHeader) === '') {
    throw missingEventHeader(eventHeader);
  }
  const payload = readPayload(mediaType, body);
  if (!payload) throw invalidJson();
  try {
    const event = integration.eventOf({ header, payload });
    if (event !== '' && !isSelected(event, params.only_events, params.exclude_events)) return null;
    const message = integration.message(event, payload);
    if (!message) throw unsupportedEvent(displayName, event.slice(0, 100));
    return message;
  } catch (error) {
    if (error instanceof AnomalousPayload) throw anomalousPayload(displayName);
    throw error;
  }
}

function post(
  tx: Transaction,
  markdown: Markdown,
  { name }: Integration,
  { user: sender, params }: HookCall,
  message: HookMessage,
): void {
  const unrendered = {
    sender,
    recipient: recipientOf(tx.org, sender, params, message.topic),
    content: storedContent(message.content),
    clientName: `Webhook ${name}`,
    readBySender: false,
  };
  sendMessage(tx, compose(tx.org, markdown, unrendered));
}

/** The channel that whoever set the hook up chose, else the bot's owner. @throws ApiError */
function recipientOf(
  org: Organization,
  bot: UserDocument,
  { stream, topic }: HookCall['params'],
  own: string,
): Recipient {
  if (stream !== undefined && stream !== '') {
    const named = /^\d{1,15}$/.test(stream) ? Number(stream) : stream;
    const channel = readChannel(org, bot, named);
    return { kind: 'channel', channel, topic: newTopicName(topic ?? own) };
  }
  const owner = bot.bot_owner_id === null ? undefined : org.users.get(bot.bot_owner_id);
  if (!owner?.is_active) throw badRequest('The bot has no owner who could get the message.');
  return { kind: 'direct', users: participants(bot, [owner]) };
}
