import { createHmac, timingSafeEqual } from 'node:crypto';

/** What the paths of pictures elsewhere begin with (message-formatting.md#outside-pictures). */
export const OUTSIDE_PATH = '/external_content/';
const FORM = /^([0-9a-f]{64})\/((?:[0-9a-f]{2}){1,8000})$/;

/**
 * Paths at which this server gives out pictures of other servers, so that those do not learn who looks at one.
 * Signed with the secret that API keys are derived from, so that only what stands in a message is fetched.
 */
export class PictureLinks {
  constructor(private readonly secret: Buffer) {}

  /** @param address of the picture, absolute */
  path(address: string): string {
    const digest = this.digest(address).toString('hex');
    return `${OUTSIDE_PATH}${digest}/${Buffer.from(address).toString('hex')}`;
  }

  /** The address of the picture that a path is for; undefined for one that is not signed. */
  addressOf(path: string): string | undefined {
    const [, given = '', hex = ''] = FORM.exec(path.slice(OUTSIDE_PATH.length)) ?? [];
    const address = Buffer.from(hex, 'hex').toString();
    if (given === '' || !path.startsWith(OUTSIDE_PATH)) return undefined;
    return timingSafeEqual(Buffer.from(given, 'hex'), this.digest(address)) ? address : undefined;
  }

  private digest(address: string): Buffer {
    return createHmac('sha256', this.secret).update(`picture:${address}`).digest();
  }
}
