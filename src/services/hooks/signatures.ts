import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a signature is made of. */
export interface Signed {
  /** A header by its lower-case name; empty where absent. */
  readonly header: (name: string) => string;
  readonly body: Buffer;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Whether a request carries the signature that the secret makes. */
export type SignatureCheck = (secret: string, signed: Signed) => boolean;

/** How old a signature with a time may be, seconds: what Stripe's libraries allow. */
const MAX_AGE_SECONDS = 300;

/** A header that holds the HMAC-SHA256 of the body in hexadecimal digits, behind a prefix. */
export function bodyHmac(name: string, prefix = ''): SignatureCheck {
  return (secret, { header, body }) => {
    const right = prefix + hmac(secret, body);
    return isSame(header(name).trim().toLowerCase(), right);
  };
}

/** A header that holds the HMAC-SHA256 of the body in base64. */
export function bodyHmacBase64(name: string): SignatureCheck {
  return (secret, { header, body }) =>
    isSame(header(name).trim(), createHmac('sha256', secret).update(body).digest('base64'));
}

/** A header that holds the HMAC-SHA1 of the body in hexadecimal digits, behind a prefix: what some never replaced. */
export function bodyHmacSha1(name: string, prefix: string): SignatureCheck {
  return (secret, { header, body }) => {
    const right = prefix + createHmac('sha1', secret).update(body).digest('hex');
    return isSame(header(name).trim().toLowerCase(), right);
  };
}

/** A header that holds the secret itself. */
export function sharedToken(name: string): SignatureCheck {
  return (secret, { header }) => isSame(header(name), secret);
}

/** In the body: a time and a random word, whose HMAC-SHA256 in hexadecimal digits stands beside them. */
export function mailgunToken(secret: string, { body, now }: Signed): boolean {
  const { timestamp, token, signature } = signatureIn(body);
  if (!isRecent(timestamp, now)) return false;
  return isSame(signature.toLowerCase(), hmac(secret, Buffer.from(timestamp + token)));
}

/** The part of a body of JSON that signs it; empty texts where it has none. */
function signatureIn(body: Buffer): Record<'timestamp' | 'token' | 'signature', string> {
  let signed: Partial<Record<string, unknown>> = {};
  try {
    signed = (JSON.parse(body.toString('utf8')) as { signature?: typeof signed }).signature ?? {};
  } catch {
    // It is no JSON, which is said later.
  }
  const word = (name: string): string => {
    const value = signed[name];
    return typeof value === 'string' ? value : '';
  };
  return { timestamp: word('timestamp'), token: word('token'), signature: word('signature') };
}

/** A header with several signatures, `v1=…,v1=…`, of which one must be right: secrets are changed that way. */
export function anyBodyHmac(name: string): SignatureCheck {
  return (secret, { header, body }) => {
    const right = `v1=${hmac(secret, body)}`;
    return partsOf(header(name)).some((one) => isSame(one, right));
  };
}

/** A header `t=…,v1=…` that signs the time with the body, so that nobody can send it again later. */
export function timedBodyHmac(name: string): SignatureCheck {
  return (secret, { header, body, now }) => {
    const parts = partsOf(header(name));
    const time = parts.find((one) => one.startsWith('t='))?.slice(2) ?? '';
    if (!isRecent(time, now)) return false;
    const right = `v1=${hmac(secret, Buffer.concat([Buffer.from(`${time}.`), body]))}`;
    return parts.some((one) => isSame(one, right));
  };
}

/** Whether a text is a time, in seconds since 1970, that a signature may have now. */
function isRecent(time: string, now: number): boolean {
  return /^\d{1,12}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= MAX_AGE_SECONDS;
}

/** Signatures in a header that anybody may send: nobody has more than a few valid secrets. */
const MAX_PARTS = 10;

function partsOf(value: string): string[] {
  return value.split(',', MAX_PARTS).map((part) => part.trim());
}

function hmac(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** Compares in a time that does not depend on how much is right. */
function isSame(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
