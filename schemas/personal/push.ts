import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, nullable, oneOf, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_PUSH_TOKEN_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, ShortText, text } from '../text.js';

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

const TokenText = checkedText({ minLength: 1, maxLength: MAX_PUSH_TOKEN_LENGTH });
/** Keys and registrations in base64; far above any real one. */
const Sealed = text(10_000);

/** specification-endpoints.md#add-apns-token; deprecated since level 406. */
export const addApnsToken = endpoint({
  operation: 'add-apns-token',
  method: 'POST',
  path: '/users/me/apns_device_token',
  access: 'human',
  summary: 'Add an APNs device token (deprecated)',
  params: {
    token: required(TokenText),
    appid: required(ShortText, { description: 'The app that makes the request' }),
  },
  response: Empty,
  errors: [],
  example: {
    token: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
    appid: 'org.example.Chat',
  },
  events: [],
  level: 406,
});

/** endpoints-devices.md#push-devices. */
export const removeApnsToken = endpoint({
  operation: 'remove-apns-token',
  method: 'DELETE',
  path: '/users/me/apns_device_token',
  access: 'human',
  summary: 'Remove an APNs device token (deprecated)',
  params: { token: required(TokenText) },
  response: Empty,
  errors: [],
  example: {
    token: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
  },
  events: [],
  level: 406,
});

/** endpoints-devices.md#push-devices. */
export const addFcmToken = endpoint({
  operation: 'add-fcm-token',
  method: 'POST',
  path: '/users/me/android_gcm_reg_id',
  access: 'human',
  summary: 'Add an FCM registration token (deprecated)',
  params: { token: required(TokenText) },
  response: Empty,
  errors: [],
  example: { token: 'dGhlIHJlc3QgaXMgc2lsZW5jZQ' },
  events: [],
  level: 406,
});

/** endpoints-devices.md#push-devices. */
export const removeFcmToken = endpoint({
  operation: 'remove-fcm-token',
  method: 'DELETE',
  path: '/users/me/android_gcm_reg_id',
  access: 'human',
  summary: 'Remove an FCM registration token (deprecated)',
  params: { token: required(TokenText) },
  response: Empty,
  errors: [],
  example: { token: 'dGhlIHJlc3QgaXMgc2lsZW5jZQ' },
  events: [],
  level: 406,
});

/** endpoints-devices.md#push-devices. */
export const testNotification = endpoint({
  operation: 'send-test-notification',
  method: 'POST',
  path: '/mobile_push/test_notification',
  access: 'human',
  summary: 'Send a test notification to your devices (deprecated)',
  params: { token: optional(TokenText) },
  response: Empty,
  errors: ['INVALID_PUSH_DEVICE_TOKEN', 'PUSH_SERVICE_NOT_CONFIGURED'],
  events: [],
  level: 406,
});

/** endpoints-devices.md#push-devices. */
export const registerClientDevice = endpoint({
  operation: 'register-client-device',
  method: 'POST',
  path: '/register_client_device',
  access: 'user',
  summary: 'Register a device of yours',
  params: {},
  response: Type.Object({ device_id: Type.Integer() }),
  errors: [],
  events: ['device'],
  level: 468,
});

/** endpoints-devices.md#push-devices. */
export const removeClientDevice = endpoint({
  operation: 'remove-client-device',
  method: 'POST',
  path: '/remove_client_device',
  access: 'user',
  summary: 'Remove a device of yours',
  params: { device_id: required(Id) },
  response: Empty,
  errors: [],
  example: { device_id: 1 },
  events: ['device'],
  level: 468,
});

/** endpoints-devices.md#push-devices: what specification-endpoints.md#add-apns-token defers to. */
export const registerPush = endpoint({
  operation: 'register-push-device',
  method: 'POST',
  path: '/mobile_push/register',
  access: 'human',
  summary: 'Register a device for end-to-end-encrypted push notifications',
  params: {
    device_id: required(Id),
    push_key: optional(Sealed, {
      example: 'MXRoZSBrZXkgdGhhdCBlbmNyeXB0cyB0aGUgbm90aWNl',
      description: 'Base64 of a prefix byte and 32 key bytes',
    }),
    push_key_id: optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295 })),
    token_kind: optional(oneOf('apns', 'fcm')),
    token_id: optional(Sealed, { example: 'dG9rZW4tMDE=', description: 'Base64 of 8 bytes' }),
    bouncer_public_key: optional(Sealed),
    encrypted_push_registration: optional(Sealed),
  },
  response: Empty,
  errors: [],
  example: { device_id: 1 },
  events: ['device'],
  level: 468,
});

/** endpoints-devices.md#push-devices. */
export const testEncryptedNotification = endpoint({
  operation: 'send-encrypted-test-notification',
  method: 'POST',
  path: '/mobile_push/e2ee/test_notification',
  access: 'user',
  summary: 'Send an encrypted test notification to your devices',
  params: { device_id: optional(Id) },
  response: Empty,
  errors: ['NO_ACTIVE_PUSH_DEVICE', 'PUSH_SERVICE_NOT_CONFIGURED'],
  events: [],
  level: 468,
});

const type = Type.Literal('device');

/** events-personal.md#personal-data. */
export const deviceAdd = Type.Object(
  { type, op: Type.Literal('add'), device_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data. */
export const deviceRemove = Type.Object(
  { type, op: Type.Literal('remove'), device_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data; only what changed is there. */
export const deviceUpdate = Type.Object(
  {
    type,
    op: Type.Literal('update'),
    device_id: Type.Integer(),
    push_key_id: Type.Optional(nullable(Type.Integer())),
    push_token_id: Type.Optional(nullable(Type.String())),
    pending_push_token_id: Type.Optional(nullable(Type.String())),
    push_token_last_updated_timestamp: Type.Optional(nullable(Type.Integer())),
    push_registration_error_code: Type.Optional(nullable(Type.String())),
  },
  exact,
);

/** All events of devices. */
export const deviceEvents = events(deviceAdd, deviceRemove, deviceUpdate);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  token: 'Token that the platform’s push service gave the device.',
  device_id: 'Id of a client device, from `POST /register_client_device`.',
  push_key_id: 'Number by which the device recognizes the key a notification was encrypted with.',
  token_kind: 'Whose push service the token is of: `apns` or `fcm`.',
  bouncer_public_key: [
    'Key of the push service that the registration is sealed for.',
    'cHVibGljLWtleQ==',
  ],
  encrypted_push_registration: [
    'Token and its kind, encrypted for the push service, base64.',
    'c2VhbGVkLXJlZ2lzdHJhdGlvbg==',
  ],
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  device_id: ['Id of the client device.', 1],
  push_key_id: ['Id of the key that encrypts notifications for the device; null without one.', 1],
  push_token_id: ['Id of the token at the push service, base64; null without one.', 'dG9rZW4tMDE='],
  pending_push_token_id: ['Token that is being registered; null where none is.', null],
  push_token_last_updated_timestamp: [
    'When the token was last changed, UNIX seconds; null without one.',
    1_750_000_000,
  ],
  push_registration_error_code: ['Why the registration failed; null where it did not.', null],
});
