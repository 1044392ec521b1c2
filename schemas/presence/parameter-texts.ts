import { parameterTexts } from '../parameter-texts.js';

/** Parameters about presence. */
export const presenceTexts = parameterTexts({
  'get-user-presence.user_id_or_email':
    'Whose presence: the id of an account, or its API e-mail address.',
  status: 'What the client sees of its person: `active` or `idle`.',
  last_update_id:
    'The `presence_last_update_id` of the reply before, or -1: only what changed since comes back, in the modern form. Since level 263.',
  history_limit_days:
    'Days without activity after which users are left out of the reply; 0: no users. Since level 288.',
  ping_only: 'Whether the reply leaves out the presence of others.',
  new_user_input:
    'Whether the person used the client since the last call; presence itself goes by `status`.',
});
