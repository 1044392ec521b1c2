import { fieldTexts } from '../field-texts.js';

/** Fields of presences. */
export const presenceFields = fieldTexts({
  active_timestamp: ['When the user last did something in a client, UNIX seconds.', 1_750_000_000],
  idle_timestamp: [
    'When a client of the user was last there, with or without somebody at it, UNIX seconds.',
    1_750_000_000,
  ],
  'LegacyPresence.client': ['Name of the client.', 'website'],
  'LegacyPresence.status': ['`active` or `idle`.', 'active'],
  'LegacyPresence.timestamp': ['When that client was there, UNIX seconds.', 1_750_000_000],
  pushable: 'Whether the client can be reached by push notifications.',
  presence_last_update_id: [
    'Cursor of presences: the next request sends it as `last_update_id` and gets what changed since.',
    17,
  ],
  server_timestamp: ['Time of the server, UNIX seconds with a fraction.', 1_750_000_000.25],
  presences: [
    'Presences by user id, or in the legacy form by e-mail address.',
    { 4: { active_timestamp: 1_750_000_000, idle_timestamp: 1_750_000_000 } },
  ],
  'get-realm-presence.presences': [
    'Presences by e-mail address: `aggregated`, and one for each kind of client.',
    {
      'owner@example.com': {
        aggregated: { client: 'website', status: 'active', timestamp: 1_750_000_000 },
      },
    },
  ],
  'get-user-presence.presence':
    'Presence of the user in the modern form, and in the legacy form (`website`, `aggregated`). Since level 497.',
  website: 'What the user’s clients last reported.',
  aggregated: 'The same, but `offline` where the last report is older than the offline threshold.',
  'website.status': ['`active` or `idle`.', 'active'],
  'aggregated.status': ['`active`, `idle` or `offline`.', 'active'],
  'website.timestamp': ['When the clients reported it, UNIX seconds.', 1_750_000_000],
  'aggregated.timestamp': ['When the clients reported it, UNIX seconds.', 1_750_000_000],
  'presence.presence': [
    'Presence of the user by client, in the slim form.',
    { website: { client: 'website', status: 'active', timestamp: 1_750_000_000, pushable: false } },
  ],
  'presence.status': 'Whether somebody was at the client.',
});
