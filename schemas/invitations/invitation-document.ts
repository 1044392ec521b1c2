import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { Role } from '../users/user-document.js';
import { collection } from '../collection.js';

/** Fields of invitations and reusable links, with the initial properties of the account. */
const TERMS = {
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
  ...TERMS,
  notify_referrer_on_join: Type.Boolean(),
});
export type InvitationDocument = Static<typeof InvitationDocument>;

/** Stored reusable link; has ids of its own, apart from invitations (endpoints-invitations.md#invitations). */
export const MultiuseInvitationDocument = Type.Object({
  id: Type.Integer(),
  ...TERMS,
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
