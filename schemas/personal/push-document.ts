import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** Push services of mobile platforms. */
export const PUSH_SERVICES = ['apns', 'fcm'] as const;
/** Name of a push service. */
export type PushService = (typeof PUSH_SERVICES)[number];

/** Stored token of the older registration, which identifies an app on a device to a push service. */
export const PushTokenDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  service: Type.Enum([...PUSH_SERVICES]),
  token: Type.String(),
  /** The app that registered; null where the service does not ask. */
  appid: nullable(Type.String()),
});
export type PushTokenDocument = Static<typeof PushTokenDocument>;

/** Token of an encrypted registration, as its client gave it. */
const DeviceToken = Type.Object({
  /** Id of the token at the push service; base64. */
  token_id: Type.String(),
  token_kind: Type.Enum([...PUSH_SERVICES]),
  bouncer_public_key: Type.String(),
  encrypted_push_registration: Type.String(),
});

/** Stored device of a user, with its end-to-end-encrypted push registration, if any. */
export const DeviceDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** Key that encrypts notifications; base64. */
  push_key: nullable(Type.String()),
  push_key_id: nullable(Type.Integer()),
  /** Id of the token at the push service; base64. */
  push_token_id: nullable(Type.String()),
  token_kind: nullable(Type.Enum([...PUSH_SERVICES])),
  bouncer_public_key: nullable(Type.String()),
  encrypted_push_registration: nullable(Type.String()),
  /** UNIX seconds. */
  push_token_last_updated_timestamp: nullable(Type.Integer()),
  /** A token that the bouncer has not taken yet; the one above serves until then. */
  pending_token: Type.Optional(nullable(DeviceToken)),
  /** Why the bouncer refused the newest token. */
  registration_error: Type.Optional(nullable(Type.String())),
});
export type DeviceDocument = Static<typeof DeviceDocument>;

/** The stored documents of `device`. */
export const deviceCollection = collection('device', DeviceDocument);

/** The stored documents of `push_token`. */
export const pushTokenCollection = collection('push_token', PushTokenDocument);
