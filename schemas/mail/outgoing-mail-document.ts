import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** What a mail says; texts are made when it is sent. `nonce` names the link in it. */
export const MailContent = Type.Union([
  Type.Object({
    kind: Type.Literal('invitation'),
    nonce: Type.String(),
    referrer_name: Type.String(),
    referrer_email: nullable(Type.String()),
    expires_at: nullable(Type.Integer()),
  }),
  Type.Object({ kind: Type.Literal('sign_up'), nonce: Type.String() }),
  Type.Object({
    kind: Type.Literal('confirm_new_email'),
    nonce: Type.String(),
    old_email: Type.String(),
    new_email: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('email_changed'),
    full_name: Type.String(),
    new_email: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('account_deactivated'),
    full_name: Type.String(),
    actor_name: Type.String(),
    /** What the administrator wrote; may be empty. */
    comment: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('password_reset'),
    nonce: Type.String(),
    user_id: Type.Integer(),
  }),
]);
export type MailContent = Static<typeof MailContent>;

/**
 * A mail that was committed together with what it tells, and is not known to be sent: it is removed
 * once a server has taken it, or when it is given up. Holds no key of any link.
 */
export const OutgoingMailDocument = Type.Object({
  id: Type.Integer(),
  to: Type.String(),
  content: MailContent,
  /** Milliseconds since 1970. */
  created_at: Type.Integer(),
  attempts: Type.Integer(),
  /** Not to be tried before, milliseconds since 1970. */
  next_attempt_at: Type.Integer(),
});
export type OutgoingMailDocument = Static<typeof OutgoingMailDocument>;

/** The stored documents of `outgoing_mail`. */
export const outgoingMailCollection = collection('outgoing_mail', OutgoingMailDocument);
