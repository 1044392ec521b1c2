import Type from 'typebox';
import { Empty, endpoint, optional, required } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_HOOK_BYTES, MAX_HOOK_EVENTS } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { MessageText, ShortText, text } from '../text.js';

const Kinds = Type.Array(text(100), { maxItems: MAX_HOOK_EVENTS });

/** endpoints-bots.md#incoming-webhooks. */
export const receiveWebhook = endpoint({
  operation: 'receive-webhook',
  method: 'POST',
  path: '/external/{integration}',
  access: 'user',
  summary: 'Receive a webhook of another service',
  params: {
    integration: required(text(100)),
    api_key: optional(text(100)),
    stream: optional(ShortText),
    topic: optional(MessageText),
    only_events: optional(Kinds),
    exclude_events: optional(Kinds),
  },
  keyInQuery: true,
  rawBody: {
    maxBytes: MAX_HOOK_BYTES,
    headers: [
      'circleci-signature',
      'heroku-webhook-hmac-sha256',
      'linear-signature',
      'sentry-hook-resource',
      'sentry-hook-signature',
      'stripe-signature',
      'x-buildkite-event',
      'x-buildkite-token',
      'x-discourse-event',
      'x-discourse-event-signature',
      'x-discourse-instance',
      'x-dropbox-signature',
      'x-event-key',
      'x-gitea-event',
      'x-gitea-signature',
      'x-github-event',
      'x-gitlab-event',
      'x-gitlab-token',
      'x-gogs-event',
      'x-gogs-signature',
      'x-grafana-alerting-signature',
      'x-hook-secret',
      'x-hook-signature',
      'x-hub-signature',
      'x-hub-signature-256',
      'x-netlify-event',
      'x-pagerduty-signature',
      'x-shopify-hmac-sha256',
      'x-shopify-topic',
      'x-sonar-webhook-hmac-sha256',
    ],
  },
  // Of events that make no message, so that the service goes on sending.
  response: Type.Object({
    msg: Type.Optional(Type.String()),
    code: Type.Optional(Type.Literal('UNSUPPORTED_WEBHOOK_EVENT_TYPE')),
    webhook_name: Type.Optional(Type.String()),
    event_type: Type.Optional(Type.String()),
    full_name: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    id: Type.Optional(Type.Integer()),
    challenge: Type.Optional(Type.String()),
  }),
  errors: [
    'STREAM_DOES_NOT_EXIST',
    'INVALID_JSON',
    'MISSING_HTTP_EVENT_HEADER',
    'ANOMALOUS_WEBHOOK_PAYLOAD',
  ],
  refusals: [404],
  note:
    'The body is what the service sends, as JSON, or as a form with the JSON in its field `payload`; parameters are in the ' +
    'query only. Bots with `webhook_secret` in their `config_data` take only requests that are signed with it.',
  example: { integration: 'json' },
  events: ['message', 'user_topic', 'muted_topics'],
});

/** endpoints-bots.md#incoming-webhooks. */
export const probeWebhook = endpoint({
  operation: 'probe-webhook',
  method: 'GET',
  path: '/external/{integration}',
  access: 'user',
  summary: 'Ask whether webhooks of another service are received',
  params: {
    integration: required(text(100)),
    api_key: optional(text(100)),
    challenge: optional(text(200)),
  },
  keyInQuery: true,
  response: Empty,
  errors: [],
  refusals: [404],
  note: 'Services ask it, with GET or HEAD, before they take an address; no message is made.',
  example: { integration: 'json' },
  events: [],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  integration: [
    'Service that sends: a `name` of `realm_incoming_webhook_bots` of the register reply.',
    'json',
  ],
  api_key: [
    'API key of the bot. HTTP Basic authentication will do as well.',
    'abcdefghijklmnopqrstuvwxyz123456',
  ],
  'receive-webhook.stream': [
    'Channel that gets the messages, by name or id; the owner of the bot gets them where it is not given.',
    'general',
  ],
  challenge: [
    'Word that Dropbox wants back, which is then the whole reply, as plain text.',
    '3eZbrw1aBm2r',
  ],
  'receive-webhook.topic': [
    'Topic of the messages in place of the integration’s own.',
    'deployments',
  ],
  only_events: [
    'Kinds of events that make messages, `*` for any letters; all where it is not given.',
    ['push', 'pull_request*'],
  ],
  exclude_events: ['Kinds of events that make none, `*` for any letters.', ['star']],
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'receive-webhook.msg': ['Empty, or why the event makes no message.', ''],
  'receive-webhook.code':
    'There where the event is of a kind that makes no message; `msg` says so too.',
  webhook_name: ['Name of the integration.', 'GitHub'],
  'receive-webhook.event_type': ['Kind of the event.', 'watch'],
  'receive-webhook.full_name': ['Name of the bot, where the service asks for it.', 'Build bot'],
  'receive-webhook.email': ['Its address.', 'build-bot@chat.example.org'],
  'receive-webhook.id': ['Its number.', 12],
  challenge: ['What the service sent to see whether somebody answers here.', '3eZbrw1aBm2r'],
});
