import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { randomBytes } from '../../platform/randomness.js';

/** Seconds for which an app shows a code (RFC 6238 section 5.2). */
const STEP_SECONDS = 30;
/** Steps before and after the present one whose codes are right: clocks differ, and people type slowly. */
const TOLERANCE = 1;
const DIGITS = 6;
/** Bytes of a secret: the size of the hash (RFC 4226 section 4). */
const SECRET_BYTES = 20;
/** RFC 4648; no digit looks like a letter of it. */
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
/** 80 bits: too many to guess, from the digest too. */
const RECOVERY_BYTES = 10;
/** As many as people print on one page. */
export const RECOVERY_CODES = 10;

/** OneTimeCodes derives the secrets of authenticator apps; a reader of the store alone learns none. */
export class OneTimeCodes {
  constructor(private readonly secret: Buffer) {}

  /** The secret that somebody's app and the server share. */
  secretOf(userId: number, nonce: string): Buffer {
    const hmac = createHmac('sha256', this.secret).update(`one-time codes:${userId}:${nonce}`);
    return hmac.digest().subarray(0, SECRET_BYTES);
  }
}

/** The time step of a code that is right now; null for a wrong one. @param now milliseconds since 1970 */
export function stepOfCode(secret: Buffer, code: string, now: number): number | null {
  const given = code.replace(/\s/g, '');
  if (!/^\d{6}$/.test(given)) return null;
  const present = Math.floor(now / 1000 / STEP_SECONDS);
  let found: number | null = null;
  for (let step = present - TOLERANCE; step <= present + TOLERANCE; step++) {
    if (timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(given))) found ??= step;
  }
  return found;
}

/** The code of a time step (RFC 6238 with SHA-1, as all apps have it). */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const number = digest.readUInt32BE(digest[19]! & 0xf) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** What apps read from a picture or a link. @param account as the app lists it */
export function otpauthUrl(issuer: string, account: string, secret: Buffer): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}

/** The form in which people type a secret into an app. */
export function base32(bytes: Buffer): string {
  return grouped(bytes).toUpperCase();
}

/** New recovery codes, in the form that people write down. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    grouped(randomBytes(RECOVERY_BYTES)).match(/.{4}/g)!.join('-'),
  );
}

/** The digest by which a recovery code is found, however it was typed. */
export function recoveryHash(code: string): string {
  const plain = code.toLowerCase().replace(/[^a-z2-7]/g, '');
  return createHash('sha256').update(plain).digest('base64url');
}

/** Five bits a letter; the lengths here are multiples of five bytes. */
function grouped(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (five) => BASE32[parseInt(five, 2)]!);
}
