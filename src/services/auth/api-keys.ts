import { timingSafeEqual, createHmac } from 'node:crypto';
import { randomBytes } from '../../platform/randomness.js';
import { createFile, systemFiles, type Files } from '../../platform/durable-files.js';

const SECRET_BYTES = 32;

/**
 * API keys that are derived, never stored: HMAC-SHA256 over the user and their key version, under a
 * secret outside the store. Whoever reads the store alone learns no key; a new version makes another.
 */
export class ApiKeys {
  constructor(private readonly secret: Buffer) {
    if (secret.length < SECRET_BYTES) throw new Error('The key secret is too short');
  }

  /** The key of a user at a key version. */
  derive(userId: number, keyVersion: string): string {
    return derivedKey(this.secret, `${userId}:${keyVersion}`);
  }

  /** Whether `key` is the user's key, compared in constant time. */
  verify(userId: number, keyVersion: string, key: string): boolean {
    const right = Buffer.from(this.derive(userId, keyVersion));
    const given = Buffer.from(key);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/**
 * Reads the secret keys are derived from, making it when there is none: 32 random bytes, readable by the server's
 * account only, on disk before it is used. It appears whole or not at all, also where two processes start at once.
 * @throws Error when the file cannot be read or written, or is not such a secret
 */
export async function loadSecret(path: string, files: Files = systemFiles): Promise<Buffer> {
  const existing = await readSecret(path, files);
  if (existing !== null) return existing;
  await createFile(path, randomBytes(SECRET_BYTES), files);
  return loadSecret(path, files);
}

/**
 * Reads the secret; null where there is no file.
 * @throws Error when the file cannot be read, or is not such a secret
 */
export async function readSecret(path: string, files: Files = systemFiles): Promise<Buffer | null> {
  const existing = await files.readFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw new Error(`${path} cannot be read (${String(codeOf(error))})`, { cause: error });
  });
  if (existing !== null && existing.length !== SECRET_BYTES) {
    throw new Error(`${path} is not a key secret: it must hold ${SECRET_BYTES} bytes`);
  }
  return existing;
}

/** Whether others than the owner of the file may do anything with it. */
export async function isShared(path: string): Promise<boolean> {
  const { mode } = await systemFiles.stat(path);
  return (mode & 0o077) !== 0;
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

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
