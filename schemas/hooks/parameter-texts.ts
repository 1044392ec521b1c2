import { parameterTexts } from '../parameter-texts.js';

/** Parameters of webhooks of other services. */
export const hookTexts = parameterTexts({
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
