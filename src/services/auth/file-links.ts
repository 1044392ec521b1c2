import { createHmac, timingSafeEqual } from 'node:crypto';

/** How long a signed address of a file works, in seconds (endpoints-files.md#files). */
const FILE_LINK_SECONDS = 60;

/**
 * Tokens that stand in an address for the right to fetch one file for a short time. Signed with the
 * secret that API keys are derived from; nothing is stored.
 */
export class FileLinks {
  constructor(private readonly secret: Buffer) {}

  /** @param now milliseconds since 1970 */
  sign(fileId: number, now: number): string {
    const claim = `${fileId}.${Math.floor(now / 1000) + FILE_LINK_SECONDS}`;
    return `${claim}.${this.signature(claim).toString('base64url')}`;
  }

  /** The file that a token is for, or undefined for one that is forged or too old. */
  fileOf(token: string, now: number): number | undefined {
    const [, claim, id, until, signature] = FORM.exec(token) ?? [];
    if (claim === undefined || signature === undefined) return undefined;
    const given = Buffer.from(signature, 'base64url');
    const right = this.signature(claim);
    if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
    return Number(until) * 1000 > now ? Number(id) : undefined;
  }

  private signature(claim: string): Buffer {
    return createHmac('sha256', this.secret).update(`file:${claim}`).digest();
  }
}

const FORM = /^((\d{1,15})\.(\d{1,15}))\.([A-Za-z0-9_-]{43})$/;
