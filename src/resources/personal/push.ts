import * as descriptors from '../../../schemas/personal/push.js';
import type { ParamsOf } from '../../../schemas/endpoint.js';
import {
  badRequest,
  noActivePushDevice,
  pushNotConfigured,
  serviceUnavailable,
  unknownPushToken,
} from '../../errors/index.js';
import {
  addDevice,
  registerPush,
  removeDevice,
  type PushKey,
  type PushToken,
  addPushToken,
  removePushToken,
  isBase64,
} from '../../organization/personal/push.js';
import { encryptedDevicesOf, queuePush } from '../../organization/personal/outgoing-pushes.js';
import type { Organization } from '../../organization/state/organization.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** Nothing else would come of a test notice to a token. */
const ONLY_ENCRYPTED = 'This organization sends encrypted push notifications only.';

/** A prefix byte and a key of 32 bytes. */
const KEY_BYTES = 33;
const TOKEN_ID_BYTES = 8;

/** Push tokens and devices (specification-endpoints.md#add-apns-token; endpoints-devices.md#push-devices). */
export function pushHandlers(): AnyHandler[] {
  return [...tokens, ...devices];
}

const tokens: AnyHandler[] = [
  handle(descriptors.addApnsToken, (tx, { user, params }) => {
    addPushToken(tx, user.user_id, 'apns', params.token, params.appid);
    return {};
  }),
  handle(descriptors.removeApnsToken, (tx, { user, params }) => {
    removePushToken(tx, user.user_id, 'apns', params.token);
    return {};
  }),
  handle(descriptors.addFcmToken, (tx, { user, params }) => {
    addPushToken(tx, user.user_id, 'fcm', params.token, null);
    return {};
  }),
  handle(descriptors.removeFcmToken, (tx, { user, params }) => {
    removePushToken(tx, user.user_id, 'fcm', params.token);
    return {};
  }),
  handle(descriptors.testNotification, ({ org }, { user, params: { token } }) => {
    const own = org.pushTokens.of(user.user_id);
    const asked = own.filter((one) => token === undefined || one.token === token);
    // To all of no devices, as in the reference: that is no fault.
    if (asked.length === 0 && token === undefined) return {};
    if (asked.length === 0) throw unknownPushToken();
    if (!org.site.pushes) throw pushNotConfigured();
    if (org.realm.current.require_e2ee_push_notifications) throw badRequest(ONLY_ENCRYPTED);
    queueTest(org, user.user_id, { tokens: asked.map(({ id }) => id), devices: [] });
    return {};
  }),
];

const devices: AnyHandler[] = [
  handle(descriptors.registerClientDevice, (tx, { user }) => ({
    device_id: addDevice(tx, user.user_id).id,
  })),
  handle(descriptors.removeClientDevice, (tx, { user, params }) => {
    removeDevice(tx, user.user_id, params.device_id);
    return {};
  }),
  handle(descriptors.registerPush, (tx, { user, params }) => {
    const [key, token] = [keyOf(params), tokenOf(params)];
    if (key === 'partly' || token === 'partly' || (key === null && token === null)) {
      throw badRequest(
        'Missing parameters: must provide either all push key fields, all token fields, or both.',
      );
    }
    if (key && bytesOf(key.push_key) !== KEY_BYTES) throw badRequest('Invalid push_key');
    if (token && bytesOf(token.token_id) !== TOKEN_ID_BYTES) throw badRequest('Invalid token_id');
    registerPush(tx, user.user_id, params.device_id, key, token);
    return {};
  }),
  handle(descriptors.testEncryptedNotification, ({ org }, { user, params: { device_id } }) => {
    const active = org.devices
      .of(user.user_id)
      .some((one) => one.push_token_id !== null && (device_id ?? one.id) === one.id);
    if (!active) throw noActivePushDevice();
    if (!org.site.encryptedPushes) throw pushNotConfigured();
    const all = encryptedDevicesOf(org, user.user_id);
    const asked = all.filter((id) => (device_id ?? id) === id);
    queueTest(org, user.user_id, { tokens: [], devices: asked });
    return {};
  }),
];

function queueTest(
  org: Organization,
  userId: number,
  targets: Parameters<typeof queuePush>[3],
): void {
  if (queuePush(org, userId, { kind: 'test' }, targets)) return;
  throw serviceUnavailable('Too many notifications are waiting', 60);
}

type Registration = ParamsOf<typeof descriptors.registerPush>;

function keyOf({ push_key, push_key_id }: Registration): PushKey | null | 'partly' {
  if (push_key === undefined && push_key_id === undefined) return null;
  if (push_key === undefined || push_key_id === undefined) return 'partly';
  return { push_key, push_key_id };
}

function tokenOf(params: Registration): PushToken | null | 'partly' {
  const { token_kind, token_id, bouncer_public_key, encrypted_push_registration } = params;
  const fields = [token_kind, token_id, bouncer_public_key, encrypted_push_registration];
  if (fields.every((field) => field === undefined)) return null;
  if (
    token_kind === undefined ||
    token_id === undefined ||
    bouncer_public_key === undefined ||
    encrypted_push_registration === undefined
  ) {
    return 'partly';
  }
  return { token_kind, token_id, bouncer_public_key, encrypted_push_registration };
}

/** Bytes that a base64 text stands for; -1 where it is none. */
function bytesOf(text: string): number {
  return isBase64(text) ? Buffer.from(text, 'base64').length : -1;
}
