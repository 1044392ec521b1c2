import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';
import { MissedMessagesDocument } from '../notifications/missed-messages-document.js';

const MissedMessages = MissedMessagesDocument.properties.messages;

/** Content of a mail; its text is made when it is sent. `nonce` identifies the link in it. */
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
  Type.Object({ kind: Type.Literal('welcome'), full_name: Type.String() }),
  /** Says that mails arrive. */
  Type.Object({ kind: Type.Literal('test') }),
  Type.Object({
    kind: Type.Literal('new_login'),
    full_name: Type.String(),
    /** Milliseconds since 1970. */
    at: Type.Integer(),
  }),
  Type.Object({
    kind: Type.Literal('account_deactivated'),
    full_name: Type.String(),
    actor_name: Type.String(),
    /** The administrator's comment; may be empty. */
    comment: Type.String(),
  }),
  Type.Object({
    kind: Type.Literal('organization_deactivated'),
    full_name: Type.String(),
    /** Null where the operator did it. */
    actor_name: nullable(Type.String()),
  }),
  Type.Object({
    kind: Type.Literal('password_reset'),
    nonce: Type.String(),
    user_id: Type.Integer(),
  }),
  /** Messages of one conversation; those that were read before it is sent are left out. */
  Type.Object({
    kind: Type.Literal('missed_messages'),
    user_id: Type.Integer(),
    messages: MissedMessages,
    /** Messages of any conversation that are not listed in any mail. */
    more: Type.Integer(),
  }),
  /** What somebody missed within a week; what is out of their reach, or was read, when it is sent is left out. */
  Type.Object({
    kind: Type.Literal('digest'),
    user_id: Type.Integer(),
    /** The messages that it shows have ids from this one on … */
    first_message: Type.Integer(),
    /** … to this one. */
    last_message: Type.Integer(),
    /** Each topic by some of its messages, in case that one is deleted or moved. */
    topics: Type.Array(Type.Array(Type.Integer())),
    /** New channels. */
    channels: Type.Array(Type.Integer()),
  }),
]);
export type MailContent = Static<typeof MailContent>;
/** A mail about messages. */
export type MissedMessagesMail = Extract<MailContent, { kind: 'missed_messages' }>;
/** A digest. */
export type DigestMail = Extract<MailContent, { kind: 'digest' }>;

/**
 * A queued mail, committed together with the change it is about. It is deleted when a mail server has
 * accepted it, or after the last attempt. Contains no key of any link.
 */
export const OutgoingMailDocument = Type.Object({
  id: Type.Integer(),
  to: Type.String(),
  content: MailContent,
  /** Milliseconds since 1970. */
  created_at: Type.Integer(),
  attempts: Type.Integer(),
  /** Earliest time of the next attempt, milliseconds since 1970. */
  next_attempt_at: Type.Integer(),
  /** Why the latest attempt failed, in the words of the mail server; absent: none did, or older software wrote this. */
  last_failure: Type.Optional(Type.String()),
});
export type OutgoingMailDocument = Static<typeof OutgoingMailDocument>;

/** The stored documents of `outgoing_mail`. */
export const outgoingMailCollection = collection('outgoing_mail', OutgoingMailDocument);
