import Type from 'typebox';
import { Role } from '../users/user-document.js';
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
import { exact } from '../exact.js';
import { MAX_INVITATION_PAIRS, MAX_WELCOME_MESSAGE_LENGTH } from '../limits.js';
import { LongText, text } from '../text.js';
import { GENERAL } from '../example-values.js';

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
  access: 'member',
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
  access: 'member',
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
  access: 'member',
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
  access: 'member',
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
  access: 'member',
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
  access: 'member',
  summary: 'Revoke a reusable invitation link',
  params: { invite_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { invite_id: 1 },
  events: ['invites_changed'],
});
