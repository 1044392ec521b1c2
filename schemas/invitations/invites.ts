import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import {
  Empty,
  endpoint,
  Id,
  IdList,
  nullable,
  oneOf,
  optional,
  required,
  withDefault,
} from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { GENERAL, LATER, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_INVITATION_PAIRS, MAX_WELCOME_MESSAGE_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { LongText, text } from '../text.js';
import { Role } from '../users/user-document.js';

/** Fields of invitations and reusable links, with the initial properties of the account. */
const STORED_TERMS = {
  referrer_id: Type.Integer(),
  invited_as: Role,
  stream_ids: Type.Array(Type.Integer()),
  group_ids: Type.Array(Type.Integer()),
  include_realm_default_subscriptions: Type.Boolean(),
  /** Null means the organization's text, empty means none. */
  welcome_message_custom_text: nullable(Type.String()),
  /** UNIX seconds; of the last mail, where it was sent again. */
  invited: Type.Integer(),
  /** Milliseconds since 1970; null never expires. */
  expires_at: nullable(Type.Integer()),
  /** Random; the key of the link is derived from it and a secret outside the store. */
  nonce: Type.String(),
  /** Digest of that key, by which it is found. */
  key_hash: Type.String(),
};

/** Stored invitation to one address; deleted when it is accepted or revoked. */
export const InvitationDocument = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  ...STORED_TERMS,
  notify_referrer_on_join: Type.Boolean(),
});
export type InvitationDocument = Static<typeof InvitationDocument>;

/** Stored reusable link; has ids of its own, apart from invitations (endpoints-invitations.md#invitations). */
export const MultiuseInvitationDocument = Type.Object({
  id: Type.Integer(),
  ...STORED_TERMS,
  /** Kept after revocation, so that revoking twice differs from an unknown link. */
  revoked: Type.Boolean(),
});
export type MultiuseInvitationDocument = Static<typeof MultiuseInvitationDocument>;

/** Number of invitations sent in one day of UTC, for the daily limit. */
export const InvitationTallyDocument = Type.Object({
  /** `2026-01-31`. */
  day: Type.String(),
  sent: Type.Integer(),
});
export type InvitationTallyDocument = Static<typeof InvitationTallyDocument>;

/** The stored documents of `invitation`. */
export const invitationCollection = collection('invitation', InvitationDocument);

/** The stored documents of `invitation_tally`. */
export const invitationTallyCollection = collection('invitation_tally', InvitationTallyDocument);

/** The stored documents of `multiuse_invitation`. */
export const multiuseInvitationCollection = collection(
  'multiuse_invitation',
  MultiuseInvitationDocument,
);

/** An invitation as its inviter and administrators see it (endpoints-invitations.md#invitations). */
export const InviteObject = Type.Object(
  {
    id: Type.Integer(),
    invited_by_user_id: Type.Integer(),
    /** UNIX seconds. */
    invited: Type.Integer(),
    /** UNIX seconds; null never expires. */
    expiry_date: nullable(Type.Integer()),
    invited_as: Role,
    is_multiuse: Type.Boolean(),
    email: Type.Optional(Type.String()),
    link_url: Type.Optional(Type.String()),
    notify_referrer_on_join: Type.Boolean(),
  },
  { ...exact, title: 'Invitation' },
);

const TERMS = {
  /** Null never expires; absent means the server's default. Levels 117 and 126. */
  invite_expires_in_minutes: optional(nullable(Type.Integer())),
  invite_as: withDefault(oneOf(100, 200, 300, 400, 600), 400),
};

const MORE_TERMS = {
  include_realm_default_subscriptions: withDefault(Type.Boolean(), false),
  welcome_message_custom_text: optional(nullable(text(MAX_WELCOME_MESSAGE_LENGTH))),
};

/** specification-endpoints.md#send-invitations. */
export const sendInvites = endpoint({
  operation: 'send-invites',
  method: 'POST',
  path: '/invites',
  access: 'human-member',
  right: 'can_invite_users_group',
  summary: 'Invite people by e-mail',
  params: {
    invitee_emails: required(LongText),
    ...TERMS,
    stream_ids: required(IdList),
    group_ids: withDefault(IdList, []),
    ...MORE_TERMS,
    notify_referrer_on_join: withDefault(Type.Boolean(), true),
  },
  pairs: [
    { of: ['invitee_emails', 'stream_ids'], max: MAX_INVITATION_PAIRS },
    { of: ['invitee_emails', 'group_ids'], max: MAX_INVITATION_PAIRS },
  ],
  response: Empty,
  errors: ['INVITATION_FAILED', 'UNAUTHORIZED_PRINCIPAL'],
  example: {
    invitee_emails: 'horatio@example.com, laertes@example.com',
    stream_ids: [GENERAL],
  },
  events: ['invites_changed'],
  level: 416,
});

/** specification-endpoints.md#create-invitation-link. */
export const createInviteLink = endpoint({
  operation: 'create-invite-link',
  method: 'POST',
  path: '/invites/multiuse',
  access: 'human-member',
  right: 'create_multiuse_invite_group',
  summary: 'Create a reusable invitation link',
  params: {
    ...TERMS,
    stream_ids: withDefault(IdList, []),
    group_ids: withDefault(IdList, []),
    ...MORE_TERMS,
  },
  response: Type.Object({ invite_link: Type.String() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { invite_expires_in_minutes: 1440, stream_ids: [GENERAL] },
  events: ['invites_changed'],
  level: 416,
});

/** endpoints-invitations.md#invitations. */
export const getInvites = endpoint({
  operation: 'get-invites',
  method: 'GET',
  path: '/invites',
  access: 'human-member',
  summary: 'Get the invitations that are open: your own, or as an administrator all',
  params: {},
  response: Type.Object({ invites: Type.Array(InviteObject) }),
  errors: [],
  events: [],
});

/** endpoints-invitations.md#invitations. */
export const revokeInvite = endpoint({
  operation: 'revoke-invite',
  method: 'DELETE',
  path: '/invites/{invite_id}',
  access: 'human-member',
  summary: 'Revoke an e-mail invitation',
  params: { invite_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { invite_id: 1 },
  events: ['invites_changed'],
});

/** endpoints-invitations.md#invitations. */
export const resendInvite = endpoint({
  operation: 'resend-invite',
  method: 'POST',
  path: '/invites/{invite_id}/resend',
  access: 'human-member',
  summary: 'Send an e-mail invitation again',
  params: { invite_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL', 'INVITATION_FAILED'],
  example: { invite_id: 1 },
  events: ['invites_changed'],
});

/** endpoints-invitations.md#invitations. */
export const revokeInviteLink = endpoint({
  operation: 'revoke-invite-link',
  method: 'DELETE',
  path: '/invites/multiuse/{invite_id}',
  access: 'human-member',
  summary: 'Revoke a reusable invitation link',
  params: { invite_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { invite_id: 1 },
  events: ['invites_changed'],
});

/** events-people.md#people: what there is to know is to be fetched by `GET /invites`. */
export const invitesChanged = Type.Object({ type: Type.Literal('invites_changed') }, exact);

/** The event of invitations: something changed (events-people.md#people). */
export const invitesEvents = events(invitesChanged);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  invite_id: 'Id of an invitation; ids of mailed invitations and of reusable links are separate.',
  invitee_emails:
    'Addresses to invite, joined by commas or line ends; `Name <address>` is understood.',
  invite_expires_in_minutes:
    'Minutes until the invitation ends; null for never. Without it the server’s default, 14400 (10 days). Since level 126, null since 117.',
  invite_as:
    'Role of the new account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. Nobody invites above their own role.',
  stream_ids: 'Channels the new account is subscribed to; each must be one the caller can see.',
  group_ids: 'User groups the new account becomes a member of. Since level 322.',
  include_realm_default_subscriptions:
    'Whether the organization’s default channels are added to `stream_ids`. Since level 261.',
  notify_referrer_on_join:
    'Whether the inviter is notified by a direct message when the invitation is used. Since level 267.',
  welcome_message_custom_text:
    'Second greeting of the Welcome Bot, in Markdown, at most 8000 code points: null for the organization’s, empty for none. Honored for administrators. Since level 416.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
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
