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

/** Somebody who came by a reusable link, or uninvited, shows that the address is theirs. */
export const SignUpConfirmation = Type.Object({
  kind: Type.Literal('sign_up'),
  ...SHARED,
  email: Type.String(),
  /** The reusable link they came by; null for an uninvited sign-up. */
  multiuse_id: nullable(Type.Integer()),
});

/** A user shows that their new address is theirs (endpoints-invitations.md#email-change). */
export const EmailChangeConfirmation = Type.Object({
  kind: Type.Literal('email_change'),
  ...SHARED,
  user_id: Type.Integer(),
  old_email: Type.String(),
  new_email: Type.String(),
  /** As below; absent in links of versions that did not store it. */
  credentials: Type.Optional(Type.String()),
});

/** A user sets a password without knowing the old one (endpoints-invitations.md#password-reset). */
export const PasswordResetConfirmation = Type.Object({
  kind: Type.Literal('password_reset'),
  ...SHARED,
  user_id: Type.Integer(),
  /** Digest of the credentials at that time: when they change, the link is void. */
  credentials: Type.String(),
});

/** A stored link that was mailed and is good for one use; gone once it was used. */
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
