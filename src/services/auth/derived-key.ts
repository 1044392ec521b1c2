import { createHmac } from 'node:crypto';

const KEY_LENGTH = 32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const BASE = BigInt(ALPHABET.length);
const WELL_FORMED = /^[A-Za-z0-9]{32}$/;

/** Whether a text has the form of a derived key: 32 characters of `[A-Za-z0-9]`. */
export function isWellFormedKey(key: string): boolean {
  return WELL_FORMED.test(key);
}

/** The key of a subject under a secret: HMAC-SHA256, written with letters and digits. */
export function derivedKey(secret: Buffer, subject: string): string {
  const digest = createHmac('sha256', secret).update(subject).digest('hex');
  // One large remainder instead of one per byte: every character is equally likely.
  let number = BigInt(`0x${digest}`);
  let key = '';
  for (let i = 0; i < KEY_LENGTH; i++) {
    key += ALPHABET[Number(number % BASE)];
    number /= BASE;
  }
  return key;
}
