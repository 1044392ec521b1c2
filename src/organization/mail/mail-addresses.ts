import { createHash, timingSafeEqual } from 'node:crypto';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { ReadingOptions } from '../../services/incoming-mail/mail-content.js';

/*
 * Addresses that take mail (endpoints-channels.md#channel-mail). None is stored: an address says what it is for and
 * proves that this server made it, so that every node knows them all, and they cost nothing.
 */

/** How long an answer to a mail about messages is taken, days. */
export const REPLY_DAYS = 30;
const DAY_MS = 86_400_000;

/** What tokens begin with. */
const CHANNEL = 'ch';
const REPLY = 'mm';

/** Digits of the proof: 96 bits. */
const PROOF_DIGITS = 24;
/** A local part has at most 64 characters (RFC 5321), of which the token and an option may take 50. */
const MAX_NAME = 14;
/** Longer addresses are none of ours. */
const MAX_ADDRESS = 320;

/** What a mail to an address becomes. */
export type MailTarget =
  | {
      readonly kind: 'channel';
      readonly channelId: number;
      /** Who asked for the address; the messages need this user's rights where the sender is no person. */
      readonly creatorId: number;
      readonly senderId: number;
      readonly options: MailOptions;
    }
  | {
      readonly kind: 'reply';
      readonly userId: number;
      /** Newest of the messages that the answered mail was about. */
      readonly messageId: number;
      readonly isExpired: boolean;
    };

/** What the options in an address say. */
export interface MailOptions extends ReadingOptions {
  /** Begin the message with the sender of the mail. */
  readonly showSender: boolean;
}

/** As without any option. */
export const NO_OPTIONS: MailOptions = {
  showSender: false,
  includeQuotes: false,
  includeFooter: false,
  preferHtml: false,
};

const OPTIONS = new Map<string, Partial<MailOptions>>([
  ['show-sender', { showSender: true }],
  ['include-quotes', { includeQuotes: true }],
  ['include-footer', { includeFooter: true }],
  ['prefer-html', { preferHtml: true }],
  ['prefer-text', { preferHtml: false }],
]);

/** MailAddresses makes and reads the addresses of one organization. */
export class MailAddresses {
  private readonly before: string;
  private readonly after: string;

  /** @param pattern an address with `%s` in the place of what differs */
  constructor(
    pattern: string,
    private readonly keys: LinkKeys,
  ) {
    const [before = '', after = ''] = pattern.toLowerCase().split('%s');
    this.before = before;
    this.after = after;
  }

  /** The address by which a user posts to a channel as some sender. */
  ofChannel(channel: ChannelDocument, creatorId: number, senderId: number): string {
    const token = this.proven(CHANNEL, [channel.stream_id, creatorId, senderId]);
    return this.addressOf(`${nameOf(channel)}.${token}.show-sender`);
  }

  /** The address by which a user answers to a mail about messages. @param sentAt milliseconds since 1970 */
  ofReply(userId: number, messageId: number, sentAt: number): string {
    const lastDay = Math.floor(sentAt / DAY_MS) + REPLY_DAYS;
    return this.addressOf(this.proven(REPLY, [userId, messageId, lastDay]));
  }

  /** What an address is for; undefined for one that this server never made. */
  read(address: string, now: number): MailTarget | undefined {
    const given = address.toLowerCase();
    if (given.length > MAX_ADDRESS || !given.startsWith(this.before)) return undefined;
    if (!given.endsWith(this.after) || given.length < this.before.length + this.after.length) {
      return undefined;
    }
    const local = given.slice(this.before.length, given.length - this.after.length);
    // Some mail programs drop what follows a plus sign; addresses of older servers have them.
    const parts = local.split(/[.+]/);
    const token = parts.filter((part) => !OPTIONS.has(part)).at(-1) ?? '';
    const reply = this.numbersIn(REPLY, token);
    if (reply) {
      const [userId, messageId, lastDay] = reply;
      return { kind: 'reply', userId, messageId, isExpired: now >= (lastDay + 1) * DAY_MS };
    }
    const channel = this.numbersIn(CHANNEL, token);
    if (!channel) return undefined;
    const [channelId, creatorId, senderId] = channel;
    const chosen = parts.map((part) => OPTIONS.get(part) ?? {});
    const options = Object.assign({}, NO_OPTIONS, ...chosen) as MailOptions;
    return { kind: 'channel', channelId, creatorId, senderId, options };
  }

  private addressOf(local: string): string {
    return `${this.before}${local}${this.after}`;
  }

  /** Numbers with the proof that this server wrote them. */
  private proven(prefix: string, numbers: readonly number[]): string {
    const text = prefix + numbers.map((number) => number.toString(36)).join('-');
    return `${text}-${this.proofOf(text)}`;
  }

  private numbersIn(prefix: string, token: string): readonly [number, number, number] | undefined {
    const form = /^([a-z0-9]{1,12})-([a-z0-9]{1,10})-([a-z0-9]{1,10})-([0-9a-f]{24})$/.exec(token);
    if (!form || !token.startsWith(prefix)) return undefined;
    const text = token.slice(0, -PROOF_DIGITS - 1);
    const proof = Buffer.from(form[4]!);
    if (!timingSafeEqual(proof, Buffer.from(this.proofOf(text)))) return undefined;
    const [first, second, third] = text
      .slice(prefix.length)
      .split('-')
      .map((digits) => parseInt(digits, 36));
    return [first!, second!, third!];
  }

  /** Of lower case, since some mail servers change it. */
  private proofOf(text: string): string {
    // No nonce of a link looks like this.
    const key = this.keys.key(`mail:${text}`);
    return createHash('sha256').update(key).digest('hex').slice(0, PROOF_DIGITS);
  }
}

/** What people see of the channel in its address; a name that ASCII cannot write is left out. */
function nameOf({ name }: ChannelDocument): string {
  const written = name.normalize('NFKD').replace(/\p{M}/gu, '');
  if (!/^[\x20-\x7e]*$/.test(written)) return 'channel';
  const slug = written
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME);
  return slug.replace(/^-+|-+$/g, '') || 'channel';
}
