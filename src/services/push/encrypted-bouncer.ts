import nacl from 'tweetnacl';
import { randomBytes } from '../../platform/randomness.js';
import { BouncerError, type BouncerClient } from './bouncer-client.js';
import {
  allOf,
  failed,
  GONE,
  refused,
  RegistrationRefusedError,
  SENT,
  type EncryptedPush,
  type EncryptedTarget,
  type PushNotice,
  type PushOutcome,
  type SealedRegistration,
} from './push-service.js';

/** First byte of a key for XSalsa20 with Poly1305, the only cipher there is. */
const SECRETBOX = 0x31;
/** Codes of refusals that clients know and that stay. */
const FINAL: ReadonlySet<string> = new Set(['INVALID_BOUNCER_PUBLIC_KEY', 'REQUEST_EXPIRED']);

/** Encrypted notices through a push bouncer: it learns when a device gets one, and nothing of what it says. */
export class EncryptedBouncer implements EncryptedPush {
  constructor(private readonly client: BouncerClient) {}

  async register(registration: SealedRegistration, realmUuid: string): Promise<void> {
    const { token_id, bouncer_public_key, encrypted_push_registration } = registration;
    const fields = {
      realm_uuid: realmUuid,
      token_id,
      bouncer_public_key,
      encrypted_push_registration,
    };
    try {
      await this.client.postForm('e2ee/register', fields);
    } catch (error) {
      if (!(error instanceof BouncerError) || error.status !== 400) throw error;
      if (FINAL.has(error.code)) throw new RegistrationRefusedError(error.code);
      // Without a code it is the registration; all others are about the server's account.
      if (error.code !== '') throw error;
      throw new RegistrationRefusedError('INVALID_ENCRYPTED_PUSH_REGISTRATION');
    }
  }

  async send(
    notice: PushNotice,
    targets: readonly EncryptedTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>> {
    const plain = Buffer.from(JSON.stringify(notice.encrypted));
    const keyed = targets.map((target) => ({ target, data: encrypt(plain, target.key) }));
    const sealed = keyed.flatMap(({ target, data }) => (data === null ? [] : [{ target, data }]));
    const unknown = keyed.flatMap(({ target, data }) => (data === null ? [target] : []));
    const outcomes = new Map(
      allOf(unknown, refused('The key of the device is of no known cipher')),
    );
    if (sealed.length === 0) return outcomes;
    try {
      const push_requests = sealed.map(({ target, data }) => requestOf(notice, target, data));
      const body = { realm_uuid: notice.realmUuid, push_requests };
      const { delete_token_ids: ids } = await this.client.postJson('e2ee/notify', body);
      const gone = new Set<unknown>(Array.isArray(ids) ? ids : []);
      for (const { target } of sealed)
        outcomes.set(target.id, gone.has(target.tokenId) ? GONE : SENT);
    } catch (error) {
      const isFinal = error instanceof BouncerError && error.status === 400 && error.code === '';
      const outcome = isFinal ? refused(error.message) : failed(error);
      for (const { target } of sealed) outcomes.set(target.id, outcome);
    }
    return outcomes;
  }
}

/** Nonce and box in base64; null for a key of another cipher. */
function encrypt(plain: Uint8Array, key: string): string | null {
  const bytes = Buffer.from(key, 'base64');
  if (bytes[0] !== SECRETBOX || bytes.length !== 1 + nacl.secretbox.keyLength) return null;
  const nonce = randomBytes(nacl.secretbox.nonceLength);
  const box = nacl.secretbox(new Uint8Array(plain), nonce, new Uint8Array(bytes.subarray(1)));
  return Buffer.concat([nonce, box]).toString('base64');
}

function requestOf(
  { isUrgent, apns }: PushNotice,
  { service, tokenId, keyId }: EncryptedTarget,
  encrypted_data: string,
): object {
  const payload = { push_key_id: keyId, encrypted_data };
  if (service === 'fcm') {
    return { token_id: tokenId, payload, fcm_priority: isUrgent ? 'high' : 'normal' };
  }
  // What is shown is an alert that the app replaces; what is taken away wakes it in the background.
  const shows = apns.alert !== undefined;
  const http_headers = {
    apns_priority: isUrgent ? 10 : 5,
    apns_push_type: shows ? 'alert' : 'background',
  };
  const aps = shows
    ? { 'mutable-content': 1, alert: { title: 'New notification' }, sound: 'default' }
    : { 'content-available': 1 };
  return { token_id: tokenId, http_headers, payload: { ...payload, aps } };
}
