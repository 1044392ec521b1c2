import { WEBHOOK_SECRET } from '../../../organization/users/bot-config.js';
import { INTEGRATIONS } from '../../../services/hooks/integrations.js';

/** `realm_incoming_webhook_bots` (register.md#sections): the integrations, with what a bot for one can be given. */
export const incomingWebhookBots = [...INTEGRATIONS.values()].map(
  ({ name, displayName, events, signature }) => ({
    name,
    display_name: displayName,
    all_event_types: events,
    ...(signature
      ? { config_options: [{ key: WEBHOOK_SECRET, label: 'Secret', validator: 'check_string' }] }
      : {}),
    url_options: [],
  }),
);
