import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

const SHARED = {
  /** Random; the key of the link is derived from it and a secret outside the store. */
  nonce: Type.String(),
  /** Digest of that key, by which it is found. */
  key_hash: Type.String(),
  /** Milliseconds since 1970. */
  expires_at: Type.Integer(),
};

/** Confirms the address of a sign-up by a reusable link or without invitation. */
export const SignUpConfirmation = Type.Object({
  kind: Type.Literal('sign_up'),
  ...SHARED,
  email: Type.String(),
  /** Id of the reusable link; null for a sign-up without invitation. */
  multiuse_id: nullable(Type.Integer()),
  /** The link was shown and not mailed (endpoints-invitations.md#without-mail); absent: no. */
  is_unverified: Type.Optional(Type.Boolean()),
});

/** Confirms a user's new address (endpoints-invitations.md#email-change). */
export const EmailChangeConfirmation = Type.Object({
  kind: Type.Literal('email_change'),
  ...SHARED,
  user_id: Type.Integer(),
  old_email: Type.String(),
  new_email: Type.String(),
  /** As in {@link PasswordResetConfirmation}; absent in links of earlier versions. */
  credentials: Type.Optional(Type.String()),
});

/** Lets a user set a password without knowing the old one (endpoints-invitations.md#password-reset). */
export const PasswordResetConfirmation = Type.Object({
  kind: Type.Literal('password_reset'),
  ...SHARED,
  user_id: Type.Integer(),
  /** Digest of the credentials at that time: when they change, the link becomes invalid. */
  credentials: Type.String(),
  /** The owner who was shown the link and not mailed it; null where the operator was; absent: it was mailed. */
  made_by: Type.Optional(nullable(Type.Integer())),
});

/** A stored, mailed link for one use; deleted when it is used. */
export const ConfirmationDocument = Type.Union([
  SignUpConfirmation,
  EmailChangeConfirmation,
  PasswordResetConfirmation,
]);
export type ConfirmationDocument = Static<typeof ConfirmationDocument>;
/** What a link confirms. */
export type ConfirmationKind = ConfirmationDocument['kind'];
/** The confirmation of one kind. */
export type ConfirmationOf<K extends ConfirmationKind> = Extract<ConfirmationDocument, { kind: K }>;

/** The stored documents of `confirmation`. */
export const confirmationCollection = collection('confirmation', ConfirmationDocument);
