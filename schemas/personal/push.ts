import Type from 'typebox';
import { Empty, endpoint, Id, oneOf, optional, required } from '../endpoint.js';
import { checkedText, ShortText, text } from '../text.js';
import { MAX_PUSH_TOKEN_LENGTH } from '../limits.js';

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
