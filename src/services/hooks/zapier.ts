import type { Integration } from './integration.js';

/** What a Zap sends by "Webhooks by Zapier": fields `topic` (older: `subject`) and `content`. */
export const zapier: Integration = {
  name: 'zapier',
  displayName: 'Zapier',
  events: null,
  eventOf: () => '',
  message: (_event, payload) => ({
    topic: payload.get('topic').textOr(payload.get('subject').textOr('Zapier')),
    content: payload.get('content').text(),
  }),
};
