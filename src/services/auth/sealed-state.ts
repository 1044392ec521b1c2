import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { randomBytes } from '../../platform/randomness.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A cookie has at most 4096 bytes; what is sealed here has a few hundred. */
const MAX_LENGTH = 4096;

/**
 * SealedState writes what a browser keeps for the server between two requests: encrypted and signed (AES-256-GCM),
 * under a key that follows from the secret that all nodes share, so any node reads what another wrote and nothing is
 * stored.
 */
export class SealedState {
  private readonly key: Buffer;

  /** @param purpose what is sealed for one purpose cannot be opened for another */
  constructor(
    secret: Buffer,
    private readonly purpose: string,
  ) {
    this.key = createHmac('sha256', secret).update(`sealed state: ${purpose}`).digest();
  }

  /** @param until milliseconds since 1970; afterwards it cannot be opened */
  seal(state: object, until: number): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(this.purpose));
    const text = JSON.stringify({ until, state });
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** What was sealed; null for what was not sealed here, and for what is too old. */
  open(text: string, now: number): unknown {
    if (text.length > MAX_LENGTH) return null;
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(this.purpose))
      .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      const whole = Buffer.concat([opened, decipher.final()]).toString('utf8');
      const { until, state } = JSON.parse(whole) as { until: number; state: unknown };
      return until > now ? state : null;
    } catch {
      return null;
    }
  }
}
