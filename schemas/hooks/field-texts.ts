import { fieldTexts } from '../field-texts.js';

/** Fields of replies to webhooks. */
export const hookFields = fieldTexts({
  'receive-webhook.msg': ['Empty, or why the event makes no message.', ''],
  'receive-webhook.code':
    'There where the event is of a kind that makes no message; `msg` says so too.',
  webhook_name: ['Name of the integration.', 'GitHub'],
  'receive-webhook.event_type': ['Kind of the event.', 'watch'],
  'receive-webhook.full_name': ['Name of the bot, where the service asks for it.', 'Build bot'],
  'receive-webhook.email': ['Its address.', 'build-bot@chat.example.org'],
  'receive-webhook.id': ['Its number.', 12],
});
