import type { ReplyOf } from '../../../schemas/endpoint.js';
import { probeWebhook, receiveWebhook } from '../../../schemas/hooks/external.js';
import { MAX_FIELDS } from '../../../schemas/limits.js';
import { BOT_TYPE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  anomalousPayload,
  badRequest,
  invalidJson,
  missingEventHeader,
  tooManyFields,
  unauthorized,
  unsupportedCharset,
  unsupportedEvent,
  malformedPayload,
} from '../../errors/index.js';
import {
  readChannel,
  participants,
  type Recipient,
  compose,
} from '../../organization/messages/sending/outgoing-message.js';
import { sendMessage } from '../../organization/messages/sending/send-message.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { newTopicName, outsidersTopic, storedContent } from '../../services/text/stored-text.js';
import {
  type HookMessage,
  type HookRequest,
  type Integration,
  isKnown,
  isSelected,
} from '../../services/hooks/integration.js';
import { INTEGRATIONS } from '../../services/hooks/integrations.js';
import { AnomalousPayload, Payload } from '../../services/hooks/payload.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, type AnyHandler, type CallerRequest } from '../kernel/handler.js';
import { apiEmail } from '../../organization/views/user-view.js';
import { WEBHOOK_SECRET } from '../../organization/users/bot-config.js';
import { CommittedRefusal, filesOf, PlainReply } from '../kernel/route.js';
import { tellOfUnknownEvent } from '../../organization/hooks/unknown-events.js';
import { isUtf8 } from 'node:buffer';
import { foreignCharset, urlEncodedText } from '../../services/text/form-bytes.js';
import { describeExcess, parseBounded } from '../../services/text/json-text.js';

/** Of a service that has none, `json` shows what it sends. */
const NO_INTEGRATION = `There is no such integration here. There are: ${[...INTEGRATIONS.keys()].join(', ')}.`;

/** Words that services want back: letters and digits, so that they say nothing to anybody else. */
const ECHO = /^[\w-]{1,200}$/;

/** Most of the name of a kind of event that is told, in characters: names of services have some 50. */
const MAX_EVENT_KIND = 100;

type HookCall = CallerRequest<typeof receiveWebhook>;

/** `POST /external/{integration}` (endpoints-bots.md#incoming-webhooks). */
export function externalHandler(markdown: Markdown): AnyHandler {
  return handle(receiveWebhook, (tx, request) => {
    const integration = integrationNamed(request.params.integration);
    checkBot(request.user);
    const raw = rawRequestOf(request);
    const asked = integration.echoed?.header ?? '';
    const echo = asked === '' ? '' : raw.header(asked);
    if (ECHO.test(echo)) return new PlainReply('', { [asked]: echo });
    checkSignature(tx, integration, request.user, raw);
    const payload = payloadOf(integration, raw);
    if (integration.asksForBot?.(payload)) return botOf(tx.org, request.user);
    const challenge = payload.get(...(integration.challenge ?? [])).word;
    if (integration.challenge && challenge !== '') return { challenge };
    const event = selectedEvent(integration, request, { header: raw.header, payload });
    if (event === null) return {};
    const message = genuine(integration, () => integration.message(event, payload, raw.header));
    if (message) {
      post(tx, markdown, integration, request, message);
      return {};
    }
    const kind = event.slice(0, MAX_EVENT_KIND);
    if (!isKnown(integration, event))
      tellOfUnknownEvent(tx, markdown, request.user, integration, kind);
    return new CommittedRefusal(unsupportedEvent(integration.displayName, kind));
  });
}

/** `GET /external/{integration}`: services ask whether somebody answers there, Trello with HEAD. */
export const probeHandler: AnyHandler = handle(probeWebhook, (_tx, { user, params }) => {
  const { echoed } = integrationNamed(params.integration);
  checkBot(user);
  const { challenge = '' } = params;
  return echoed?.header === null && ECHO.test(challenge) ? new PlainReply(challenge) : {};
});

/** @throws ApiError for an unknown one */
function integrationNamed(name: string): Integration {
  const integration = INTEGRATIONS.get(name);
  if (!integration) throw badRequest(NO_INTEGRATION, 404);
  return integration;
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
  // With a secret set, an unsigned request is refused: anybody could have sent it.
  if (!signature) throw unauthorized(`${displayName} does not sign its webhooks.`);
  if (!signature(secret, { header, body, now })) {
    throw unauthorized('The signature of the webhook is missing or wrong.');
  }
}

/** @throws ApiError without the header that all events have, and without a payload */
function payloadOf(
  { eventHeader, needsNoHeader }: Integration,
  { header, body, mediaType }: RawRequest,
): Payload {
  const lacksHeader = eventHeader !== undefined && header(eventHeader) === '';
  if (lacksHeader && !needsNoHeader) throw missingEventHeader(eventHeader);
  const payload = readPayload(mediaType, body);
  if (!payload) throw invalidJson();
  if (lacksHeader && !needsNoHeader?.(payload)) throw missingEventHeader(eventHeader);
  return payload;
}

function botOf(org: Organization, bot: UserDocument): ReplyOf<typeof receiveWebhook> {
  return { full_name: bot.full_name, email: apiEmail(org, bot), id: bot.user_id };
}

/** Kind of the event, empty where there are none; null for one that was not selected. @throws ApiError */
function selectedEvent(
  integration: Integration,
  { params }: HookCall,
  request: HookRequest,
): string | null {
  const event = genuine(integration, () => integration.eventOf(request));
  const { only_events, exclude_events } = params;
  return event === '' || isSelected(event, only_events, exclude_events) ? event : null;
}

/** What is read of a payload. @throws ApiError for what the service would not send */
function genuine<T>({ displayName }: Integration, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AnomalousPayload) throw anomalousPayload(displayName);
    throw error;
  }
}

function post(
  tx: Transaction,
  markdown: Markdown,
  { name, displayName }: Integration,
  { user: sender, params }: HookCall,
  message: HookMessage,
): void {
  const unrendered = {
    sender,
    recipient: recipientOf(tx.org, sender, params, { topic: message.topic, fallback: displayName }),
    content: storedContent(message.content),
    clientName: `Webhook ${name}`,
    readBySender: false,
  };
  sendMessage(tx, compose(tx.org, markdown, unrendered));
}

/** The channel named in the URL of the hook, else the bot's owner. @throws ApiError */
function recipientOf(
  org: Organization,
  bot: UserDocument,
  { stream, topic }: HookCall['params'],
  own: { readonly topic: string; readonly fallback: string },
): Recipient {
  if (stream !== undefined && stream !== '') {
    const named = /^\d{1,15}$/.test(stream) ? Number(stream) : stream;
    const channel = readChannel(org, bot, named);
    const name =
      topic === undefined ? outsidersTopic(channel, own.topic, own.fallback) : newTopicName(topic);
    return { kind: 'channel', channel, topic: name };
  }
  const owner = bot.bot_owner_id === null ? undefined : org.users.get(bot.bot_owner_id);
  if (!owner?.is_active) throw badRequest('The bot has no owner who could get the message.');
  return { kind: 'direct', users: participants(bot, [owner]) };
}

/** A request whose body no layer has looked into. */
export interface RawRequest {
  readonly body: Buffer;
  /** Media type with its attributes, as sent. */
  readonly mediaType: string;
  /** A header by its lower-case name; empty where absent. */
  readonly header: (name: string) => string;
}

/** The body and headers of a request to an endpoint with `rawBody`. @throws ApiError without a body */
export function rawRequestOf(request: object): RawRequest {
  const [file] = filesOf(request);
  if (!file) throw malformedPayload();
  const { header = () => '' } = request as Partial<RawRequest>;
  return { body: file.data, mediaType: file.mediaType, header };
}

/**
 * The payload in a body: JSON, or a form with JSON in its field `payload`, or else the fields of the form. Undefined
 * for anything else, and for JSON nested more deeply than a parameter may be.
 * @throws ApiError for more fields, lists, objects or members than a request may have
 */
export function readPayload(mediaType: string, body: Buffer): Payload | undefined {
  if (/^application\/x-www-form-urlencoded\b/i.test(mediaType.trim())) {
    const foreign = foreignCharset(mediaType, body);
    if (foreign !== undefined) throw unsupportedCharset(foreign);
    const text = urlEncodedText(body);
    if (hasMoreFields(text, MAX_FIELDS)) throw tooManyFields(MAX_FIELDS);
    const fields = new URLSearchParams(text);
    const payload = fields.get('payload');
    return payload === null ? new Payload(Object.fromEntries(fields)) : parsed(payload);
  }
  return isUtf8(body) ? parsed(body.toString('utf8')) : undefined;
}

function hasMoreFields(form: string, limit: number): boolean {
  let at = -1;
  for (let fields = 1; fields <= limit; fields++) {
    at = form.indexOf('&', at + 1);
    if (at === -1) return false;
  }
  return true;
}

function parsed(text: string): Payload | undefined {
  const json = parseBounded(text);
  if (json?.excess) throw badRequest(`The payload has too many ${describeExcess(json.excess)}.`);
  return json && new Payload(json.value);
}
