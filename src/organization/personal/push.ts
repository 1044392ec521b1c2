import { createHash } from 'node:crypto';
import type { EventFields } from '../../../schemas/events.js';
import type {
  DeviceDocument,
  PushService,
  PushTokenDocument,
} from '../../../schemas/personal/push.js';
import { MAX_DEVICES, MAX_PUSH_TOKEN_LENGTH, MAX_PUSH_TOKENS } from '../../../schemas/limits.js';
import { badRequest, serviceUnavailable } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import { NO_TARGETS, queuePush } from './outgoing-pushes.js';
import type { Transaction } from '../state/transaction.js';

/** Encryption key of a push registration, and its number. */
export interface PushKey {
  readonly push_key: string;
  readonly push_key_id: number;
}

/** Token of a push registration, encrypted for the service that delivers. */
export interface PushToken {
  readonly token_kind: PushService;
  readonly token_id: string;
  readonly bouncer_public_key: string;
  readonly encrypted_push_registration: string;
}

/** A user's devices by id, as the snapshot shows them (register.md#sections). */
export function deviceStates(org: Organization, userId: number): Record<string, unknown> {
  return Object.fromEntries(
    org.devices.of(userId).map((device) => [
      String(device.id),
      {
        push_key_id: device.push_key_id,
        push_token_id: device.push_token_id,
        pending_push_token_id: device.pending_token?.token_id ?? null,
        push_token_last_updated_timestamp: device.push_token_last_updated_timestamp,
        push_registration_error_code: device.registration_error ?? null,
      },
    ]),
  );
}

/** Adds a device without a push registration; at `MAX_DEVICES` it replaces the oldest. */
export function addDevice(tx: Transaction, userId: number): DeviceDocument {
  const { devices, counters } = tx.org;
  const own = devices.of(userId);
  if (own.length >= MAX_DEVICES) removeDevice(tx, userId, own[0]!.id);
  const device = devices.insert({
    id: counters.next('device'),
    user_id: userId,
    push_key: null,
    push_key_id: null,
    push_token_id: null,
    token_kind: null,
    bouncer_public_key: null,
    encrypted_push_registration: null,
    push_token_last_updated_timestamp: null,
  });
  emitDevice(tx, userId, { op: 'add', device_id: device.id });
  return device;
}

/** @throws ApiError for a device that is not the user's */
export function removeDevice(tx: Transaction, userId: number, deviceId: number): void {
  const { id } = existing(tx, userId, deviceId);
  tx.org.devices.delete(id);
  emitDevice(tx, userId, { op: 'remove', device_id: id });
}

/** Removes all devices and push tokens of an account whose API key ends: they are logged out. */
export function forgetDevices(tx: Transaction, userId: number): void {
  const { devices, pushTokens } = tx.org;
  for (const token of [...pushTokens.of(userId)]) drop(tx, token);
  for (const { id } of [...devices.of(userId)]) removeDevice(tx, userId, id);
}

/**
 * Registers a device for encrypted push notifications, or replaces the key or token of its registration
 * (endpoints-devices.md#push-devices). A token is pending until the bouncer has taken it; where there is none it is
 * registered at once, and clients get an event of each step.
 * @throws ApiError
 */
export function registerPush(
  tx: Transaction,
  userId: number,
  deviceId: number,
  key: PushKey | null,
  token: PushToken | null,
): void {
  const device = existing(tx, userId, deviceId);
  const hasToken = device.push_token_id !== null || Boolean(device.pending_token);
  const registered = device.push_key !== null && hasToken;
  if (!registered && !token) throw badRequest('No push registration exists to rotate key for.');
  if (!registered && !key) throw badRequest('No push registration exists to rotate token for.');
  const newKey =
    key && (key.push_key !== device.push_key || key.push_key_id !== device.push_key_id);
  const newToken = token && !sameToken(device, token);
  if (!newKey && !newToken) return;
  const { seconds } = tx;
  const keyFields = newKey ? { push_key: key.push_key, push_key_id: key.push_key_id } : {};
  const { encryptedPushes } = tx.org.site;
  const tokenFields = newToken
    ? {
        ...(encryptedPushes
          ? { pending_token: token }
          : { ...fieldsOf(token), pending_token: null }),
        registration_error: null,
        push_token_last_updated_timestamp: seconds,
      }
    : {};
  tx.org.devices.update(device.id, { ...keyFields, ...tokenFields });
  const event = { op: 'update', device_id: device.id } as const;
  const keyChange = newKey ? { push_key_id: key.push_key_id } : {};
  if (!newToken) {
    emitDevice(tx, userId, { ...event, ...keyChange });
    return;
  }
  emitDevice(tx, userId, {
    ...event,
    ...keyChange,
    pending_push_token_id: token.token_id,
    push_token_last_updated_timestamp: seconds,
    push_registration_error_code: null,
  });
  if (!encryptedPushes) {
    const { token_id } = token;
    emitDevice(tx, userId, { ...event, push_token_id: token_id, pending_push_token_id: null });
    return;
  }
  const content = { kind: 'register', device_id: device.id } as const;
  if (!queuePush(tx.org, userId, content, NO_TARGETS)) {
    throw serviceUnavailable('Too many notifications are waiting', 60);
  }
}

/** The bouncer has taken the pending token of a device, or refused it. @param error null where it has taken it */
export function finishRegistration(
  tx: Transaction,
  { id, user_id, pending_token: token }: DeviceDocument,
  error: string | null,
): void {
  if (!token) return;
  const event = { op: 'update', device_id: id, pending_push_token_id: null } as const;
  if (error === null) {
    tx.org.devices.update(id, { ...fieldsOf(token), pending_token: null });
    emitDevice(tx, user_id, { ...event, push_token_id: token.token_id });
    // The app would show each message twice.
    for (const one of [...tx.org.pushTokens.of(user_id)]) {
      if (one.service === token.token_kind && tokenIdOf(one.token) === token.token_id)
        drop(tx, one);
    }
  } else {
    tx.org.devices.update(id, { pending_token: null, registration_error: error });
    emitDevice(tx, user_id, { ...event, push_registration_error_code: error });
  }
}

/** What encrypted registrations call a token. */
function tokenIdOf(token: string): string {
  return createHash('sha256').update(token).digest().subarray(0, 8).toString('base64');
}

/** A service knows the token of a device no more: the client has to register again. */
export function forgetDeviceToken(tx: Transaction, { id, user_id }: DeviceDocument): void {
  tx.org.devices.update(id, NO_TOKEN);
  emitDevice(tx, user_id, { op: 'update', device_id: id, push_token_id: null });
}

const NO_TOKEN = {
  push_token_id: null,
  token_kind: null,
  bouncer_public_key: null,
  encrypted_push_registration: null,
} as const;

function fieldsOf({ token_id, ...token }: PushToken) {
  return { push_token_id: token_id, ...token };
}

function sameToken({ pending_token, ...device }: DeviceDocument, token: PushToken): boolean {
  if (pending_token) {
    return (
      pending_token.token_id === token.token_id &&
      pending_token.token_kind === token.token_kind &&
      pending_token.bouncer_public_key === token.bouncer_public_key &&
      pending_token.encrypted_push_registration === token.encrypted_push_registration
    );
  }
  return (
    device.push_token_id === token.token_id &&
    device.token_kind === token.token_kind &&
    device.bouncer_public_key === token.bouncer_public_key &&
    device.encrypted_push_registration === token.encrypted_push_registration
  );
}

function existing(tx: Transaction, userId: number, deviceId: number): DeviceDocument {
  const device = tx.org.devices.get(deviceId);
  if (device?.user_id !== userId) throw badRequest('Invalid device_id');
  return device;
}

function emitDevice(tx: Transaction, userId: number, data: EventFields<'device'>): void {
  tx.emit('device', { to: 'users', users: [userId] }, data);
}

/**
 * Characters of tokens: hexadecimal or base64 of either alphabet for APNs; FCM joins such parts with
 * colons and other punctuation.
 */
const ALPHABET: Readonly<Record<PushService, RegExp>> = {
  apns: /^[A-Za-z0-9+/_-]+={0,2}$/,
  fcm: /^[A-Za-z0-9+/_:.,|~%=-]+$/,
};
const HEX = /^(?:[0-9a-f]{2})+$/i;
const APP_ID = /^[.a-zA-Z0-9-]+$/;

/** @throws ApiError (specification-endpoints.md#add-apns-token: empty or of invalid length, or invalid) */
function assertToken(service: PushService, token: string): void {
  if (token === '' || token.length > MAX_PUSH_TOKEN_LENGTH) {
    throw badRequest('Empty or invalid length token');
  }
  const isWritten = ALPHABET[service].test(token) && /[A-Za-z0-9]/.test(token);
  if (service === 'apns' && !(isWritten && (HEX.test(token) || isLooseBase64(token)))) {
    throw badRequest('Invalid APNS token');
  }
  if (!isWritten) throw badRequest('Invalid FCM token');
}

/** Adds a token; a known one moves to the caller. Emits nothing. @throws ApiError */
export function addPushToken(
  tx: Transaction,
  userId: number,
  service: PushService,
  token: string,
  appid: string | null,
): void {
  assertToken(service, token);
  if (appid !== null && !APP_ID.test(appid)) throw badRequest('Invalid app ID');
  const { pushTokens, counters } = tx.org;
  const known = pushTokens.byToken(service, token);
  if (known?.user_id === userId && known.appid === appid) return;
  if (known) drop(tx, known);
  const own = pushTokens.of(userId).filter((one) => one.service === service);
  if (own.length >= MAX_PUSH_TOKENS) drop(tx, own[0]!);
  const id = counters.next('push_token');
  pushTokens.insert({ id, user_id: userId, service, token, appid });
}

/** @throws ApiError `Token does not exist`, also for another user's token */
export function removePushToken(
  tx: Transaction,
  userId: number,
  service: PushService,
  token: string,
): void {
  const known = tx.org.pushTokens.byToken(service, token);
  // A stored token may be removed even if it would be refused today.
  if (!known) assertToken(service, token);
  if (known?.user_id !== userId) throw badRequest('Token does not exist');
  drop(tx, known);
}

/** Deletes a token, also where a service keeps a list of them. */
function drop({ org }: Transaction, { id, user_id, service, token }: PushTokenDocument): void {
  org.pushTokens.delete(id);
  if (org.site.pushes) queuePush(org, user_id, { kind: 'forget', service, token }, NO_TARGETS);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a text is base64 with its padding; the empty text is. */
export function isBase64(text: string): boolean {
  return BASE64.test(text);
}

/**
 * Whether a text is base64 as lenient decoders read it, which skip what is not of the alphabet (RFC 2045
 * section 6.8): such readers have always decided which push tokens are good.
 */
function isLooseBase64(text: string): boolean {
  return BASE64.test(text.replace(/[^A-Za-z0-9+/=]/g, ''));
}
