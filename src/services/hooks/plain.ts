import type { Integration } from './integration.js';
import { bodyHmac } from './signatures.js';
import { cut } from './wording.js';

/** Most of a payload that a message shows, in characters. */
const SHOWN = 8000;

/** Anything that sends JSON: the message shows it as it is. */
export const json: Integration = {
  name: 'json',
  displayName: 'JSON',
  docs: 'https://www.rfc-editor.org/rfc/rfc8259',
  events: null,
  signature: bodyHmac('x-hub-signature-256', 'sha256='),
  eventOf: () => '',
  message: (_event, payload) => {
    const text = cut(payload.toJson(), SHOWN);
    const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
    const fence = '`'.repeat(longest + 1);
    return { topic: 'JSON', content: `${fence}json\n${text}\n${fence}` };
  },
};

/**
 * What Zapier's app for Zulip sends, or a Zap by "Webhooks by Zapier": fields `topic` (older: `subject`) and `content`.
 */
export const zapier: Integration = {
  name: 'zapier',
  displayName: 'Zapier',
  docs: 'https://zapier.com/apps/webhook/integrations',
  events: null,
  asksForBot: (payload) => payload.get('type').textOr('') === 'auth',
  eventOf: () => '',
  message: (_event, payload) => ({
    topic: payload.get('topic').textOr(payload.get('subject').textOr('Zapier')),
    content: payload.get('content').text(),
  }),
};
