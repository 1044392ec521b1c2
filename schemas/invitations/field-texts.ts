import { fieldTexts } from '../field-texts.js';
import { LATER, OWNER } from '../example-values.js';

/** Fields of invitations. */
export const invitationFields = fieldTexts({
  'Invitation.id': ['Id of the invitation; reusable links have ids of their own.', 1],
  invited_by_user_id: ['Who invites, by user id.', OWNER],
  invited: ['When it was sent, or sent again, UNIX seconds.', 1_750_000_000],
  expiry_date: ['When it ends, UNIX seconds; null for never. Since level 117.', LATER],
  invited_as:
    'Role of the new account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
  is_multiuse: 'Whether it is a link that several people can use.',
  'Invitation.email': ['Address that was invited; left out for links.', 'horatio@example.com'],
  link_url: [
    'Address of a reusable link; left out for others.',
    'https://chat.example.com/join/d2hvLXMtdGhlcmU/',
  ],
  'Invitation.notify_referrer_on_join':
    'Whether the inviter is notified when somebody joins. Since level 267.',
  invites: 'Invitations that are open: the caller’s own, or all for administrators.',
  invite_link: ['Address of the new link.', 'https://chat.example.com/join/d2hvLXMtdGhlcmU/'],
});
