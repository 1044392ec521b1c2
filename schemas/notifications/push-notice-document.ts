import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { oneOf } from '../endpoint.js';
import { PUSH_SERVICES } from '../personal/push.js';
import { TRIGGERS } from './missed-messages-document.js';

/** What a push says; its text is made when it is sent. */
export const PushContent = Type.Union([
  Type.Object({
    kind: Type.Literal('message'),
    message_id: Type.Integer(),
    trigger: oneOf(...TRIGGERS),
  }),
  /** Notices of these messages are taken away: they were read. */
  Type.Object({ kind: Type.Literal('remove'), message_ids: Type.Array(Type.Integer()) }),
  Type.Object({ kind: Type.Literal('test') }),
  /** The encrypted registration of a device goes to the bouncer. */
  Type.Object({ kind: Type.Literal('register'), device_id: Type.Integer() }),
  /** A device that is no longer the user's. */
  Type.Object({
    kind: Type.Literal('forget'),
    service: Type.Enum([...PUSH_SERVICES]),
    token: Type.String(),
  }),
]);
export type PushContent = Static<typeof PushContent>;

/**
 * A push that waits to be sent, committed together with what it is about, and deleted when every device of it was
 * served or given up.
 */
export const OutgoingPushDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  content: PushContent,
  /** Registrations that it has yet to reach. */
  tokens: Type.Array(Type.Integer()),
  /** Devices with encrypted registrations that it has yet to reach; absent: none. */
  devices: Type.Optional(Type.Array(Type.Integer())),
  /** Milliseconds since 1970. */
  created_at: Type.Integer(),
  attempts: Type.Integer(),
  /** Earliest time of the next attempt, milliseconds since 1970. */
  next_attempt_at: Type.Integer(),
});
export type OutgoingPushDocument = Static<typeof OutgoingPushDocument>;

/** The stored documents of `outgoing_push`. */
export const outgoingPushCollection = collection('outgoing_push', OutgoingPushDocument);

/** Messages of which a user's devices show a notice, the newest last: it is taken away when they are read. */
export const PushedMessagesDocument = Type.Object({
  user_id: Type.Integer(),
  messages: Type.Array(Type.Integer()),
});
export type PushedMessagesDocument = Static<typeof PushedMessagesDocument>;

/** The stored documents of `pushed_messages`. */
export const pushedMessagesCollection = collection('pushed_messages', PushedMessagesDocument);
