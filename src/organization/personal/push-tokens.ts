import type { PushService } from '../../../schemas/personal/push-document.js';
import { MAX_PUSH_TOKEN_LENGTH, MAX_PUSH_TOKENS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors.js';
import { isLooseBase64 } from '../../services/text/base64.js';
import type { Transaction } from '../state/transaction.js';

/**
 * What tokens are written in: hexadecimal or base64 of either alphabet for APNs; FCM joins such parts by
 * colons and other marks.
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

/** Adds a token; one that is known moves to the caller. Nobody is told. @throws ApiError */
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
  if (known) pushTokens.delete(known.id);
  const own = pushTokens.of(userId).filter((one) => one.service === service);
  if (own.length >= MAX_PUSH_TOKENS) pushTokens.delete(own[0]!.id);
  const id = counters.next('push_token');
  pushTokens.insert({ id, user_id: userId, service, token, appid });
}

/** @throws ApiError `Token does not exist`, also for somebody else's */
export function removePushToken(
  tx: Transaction,
  userId: number,
  service: PushService,
  token: string,
): void {
  const known = tx.org.pushTokens.byToken(service, token);
  // What is stored may go, also if it would not be taken today.
  if (!known) assertToken(service, token);
  if (known?.user_id !== userId) throw badRequest('Token does not exist');
  tx.org.pushTokens.delete(known.id);
}
