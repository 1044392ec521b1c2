import { ApiError } from '../../errors/index.js';
import type { BlobStore } from '../../services/blob-store.js';
import type { MailContent, ReadingOptions } from '../../services/incoming-mail/mail-content.js';
import type { MailCounts, MailOutcome } from '../../services/incoming-mail/mail-counts.js';
import { UnreadableMailError, type MailReader } from '../../services/incoming-mail/mail-reader.js';
import type { MailEnvelope, MailReply } from '../../services/incoming-mail/mail-protocol.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { NO_OPTIONS, type MailAddresses, type MailTarget } from '../mail/mail-addresses.js';
import { compose } from '../messages/sending/outgoing-message.js';
import { sendUnchecked } from '../messages/sending/send-message.js';
import { checkMaySend } from '../messages/sending/sending-rules.js';
import type { Claimant } from '../../turns/fair-limiter.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import type { Runtime } from '../state/runtime.js';
import { noticesToAll } from '../views/languages.js';
import { storedContent } from '../../services/text/stored-text.js';
import { addAttachment, attachmentKey } from '../uploads/attachments.js';
import { storeUpload, type StoredUpload } from '../uploads/store-upload.js';
import { AddressGoneError, routeOf, type MailRoute } from './mail-route.js';
import { messageText, topicOf } from './mail-text.js';
import { createHash } from 'node:crypto';
import { MAX_RECEIVED_MAILS } from '../../../schemas/limits.js';

/** A mail that passed more servers is in a loop; the usual number is five. */
const MAX_HOPS = 30;
const CLIENT = 'Email';

const TAKEN: MailReply = { code: 250, text: 'Accepted' };
const UNKNOWN: MailReply = { code: 550, text: 'No such address here' };
const LATER: MailReply = { code: 451, text: 'Not possible at the moment, try again later' };

/** Bounds how many mails become messages. */
export interface MailPace {
  /** Counts a mail. @throws ApiError `RATE_LIMIT_HIT` */
  consume(target: MailTarget): void;
}

/** Dependencies of {@link IncomingMail}. */
interface IncomingMailOptions {
  readonly addresses: MailAddresses;
  readonly reader: Pick<MailReader, 'read'>;
  readonly markdown: Markdown;
  readonly blobs: Pick<BlobStore, 'put'>;
  /** Removes files that no document names. */
  readonly removeFiles: (keys: readonly string[]) => void;
  readonly pace: MailPace;
  readonly counts: Pick<MailCounts, 'add'>;
  readonly log: {
    info(context: object, message: string): void;
    warn(context: object, message: string): void;
  };
  /** Called with errors of the server. */
  readonly failed: (error: Error) => void;
}

/** A mail for one of its recipients. */
interface Delivery {
  readonly target: MailTarget;
  readonly content: MailContent;
  readonly text: string;
  readonly digest: string;
}

/**
 * IncomingMail makes messages of mails (endpoints-channels.md#channel-mail), on the node that leads. A mail is taken
 * once its message is durable, and the same mail again makes no second one; whatever may pass is refused for a while,
 * so that the sender's mail server comes again.
 */
export class IncomingMail {
  constructor(
    private readonly runtime: Pick<Runtime, 'org' | 'transact' | 'told'>,
    private readonly options: IncomingMailOptions,
  ) {}

  /** Whether an address takes mail now. */
  check(address: string): MailReply {
    const { org } = this;
    const target = this.options.addresses.read(address, org.now());
    if (!target) return UNKNOWN;
    try {
      routeOf(org, target);
      return TAKEN;
    } catch (error) {
      return this.replyTo(error, target).reply;
    }
  }

  /** Whether this organization issued an address, even where its channel or message is gone. */
  isOurs(address: string): boolean {
    return this.options.addresses.read(address, this.org.now()) !== undefined;
  }

  /** Posts a mail to all its recipients. @param raw is given away @returns a reply for each */
  async receive({ from, to }: MailEnvelope, raw: Buffer): Promise<readonly MailReply[]> {
    // Counted before it is read: reading is what a mail costs most, and what cannot be read costs no less.
    const admitted = to.map((address) => this.admit(address));
    const targets = admitted.filter((one) => 'kind' in one);
    if (targets.length === 0) return admitted.filter((one) => 'code' in one);
    const bytes = raw.length;
    let content: MailContent;
    try {
      content = await this.options.reader.read(
        raw,
        targets.map(optionsOf),
        claimantOf(targets[0]!),
      );
    } catch (error) {
      this.options.log.warn({ err: error, bytes }, 'a mail could not be read');
      const isFinal = error instanceof UnreadableMailError;
      const reply = isFinal ? unreadable(error) : LATER;
      this.options.counts.add(isFinal ? 'refused_unreadable' : 'deferred', targets.length);
      return admitted.map((one) => ('kind' in one ? reply : one));
    }
    const replies: MailReply[] = [];
    let reading = 0;
    for (const [i, target] of admitted.entries()) {
      if ('code' in target) replies.push(target);
      else {
        const text = content.texts[reading++]!;
        const digest = digestOf(content.id, to[i]!);
        replies.push(await this.deliver({ target, content, text, digest }, from === ''));
      }
    }
    return replies;
  }

  /** What an address is for, once a mail to it is counted; or why it takes none now. */
  private admit(address: string): MailTarget | MailReply {
    const target = this.options.addresses.read(address, this.org.now());
    if (!target) {
      this.options.counts.add('refused_address');
      return UNKNOWN;
    }
    try {
      this.options.pace.consume(target);
      return target;
    } catch (error) {
      return this.counted(this.replyTo(error, target));
    }
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private async deliver(delivery: Delivery, isReport: boolean): Promise<MailReply> {
    const { target } = delivery;
    const refusal = refusalOf(delivery, isReport);
    if (refusal !== null) {
      const [outcome, text] = refusal;
      this.options.log.info({ ...about(target), reason: text }, 'a mail was refused');
      return this.counted({ reply: { code: 554, text }, outcome });
    }
    try {
      const message_id = await this.runtime.told(() => this.take(delivery));
      if (message_id === null) {
        this.options.log.info(about(target), 'a mail that was posted before was received again');
        return this.counted({ reply: TAKEN, outcome: 'repeated' });
      }
      this.options.log.info({ ...about(target), message_id }, 'a mail was posted as a message');
      return this.counted({ reply: TAKEN, outcome: 'accepted' });
    } catch (error) {
      return this.counted(this.replyTo(error, target));
    }
  }

  /** Posts a mail with its files. @returns the message; null where the same mail was posted before, or meanwhile */
  private async take(delivery: Delivery): Promise<number | null> {
    if (this.org.receivedMails.has(delivery.digest)) return null;
    const { sender } = routeOf(this.org, delivery.target);
    const { blobs, removeFiles } = this.options;
    const uploads: StoredUpload[] = [];
    try {
      for (const { name, data } of delivery.content.files) {
        const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
        const file = { name, data: bytes };
        uploads.push(await storeUpload(this.org, blobs, sender, file, removeFiles));
      }
      const message_id = this.runtime.transact((tx) => {
        // A commit without an answer may still become durable, and keeps its files until it is refused for good.
        tx.onceTakenBack(() => this.drop(uploads));
        return this.post(tx, delivery, uploads);
      });
      if (message_id === null) this.drop(uploads);
      return message_id;
    } catch (error) {
      this.drop(uploads);
      throw error;
    }
  }

  private counted({ reply, outcome }: Verdict): MailReply {
    this.options.counts.add(outcome);
    return reply;
  }

  /** @returns the message; null where the same mail was posted meanwhile @throws ApiError */
  private post(
    tx: Transaction,
    { target, content, text, digest }: Delivery,
    uploads: readonly StoredUpload[],
  ): number | null {
    const { org } = tx;
    if (org.receivedMails.has(digest)) return null;
    const { sender, rights, to, options }: MailRoute = routeOf(org, target);
    for (const { release } of uploads) release();
    const files = uploads.map(({ file }) => addAttachment(tx, sender, file));
    const say = noticesToAll(org);
    const recipient =
      'recipient' in to
        ? to.recipient
        : ({
            kind: 'channel',
            channel: to.channel,
            topic: topicOf(say, to.channel, content.subject),
          } as const);
    const unrendered = {
      sender,
      recipient,
      content: storedContent(messageText(say, content, text, options.showSender, files)),
      clientName: CLIENT,
      readBySender: true,
    };
    const outgoing = compose(org, this.options.markdown, unrendered, rights);
    checkMaySend(org, rights, recipient, outgoing.rendered.mentions);
    const id = sendUnchecked(tx, outgoing);
    remember(tx, digest);
    return id;
  }

  private drop(uploads: readonly StoredUpload[]): void {
    if (uploads.length === 0) return;
    for (const { release } of uploads) release();
    this.options.removeFiles(uploads.map(({ file }) => attachmentKey(file)));
  }

  /** The reply to the sender's mail server: a temporary failure where a retry may help, else the reason. */
  private replyTo(error: unknown, target: MailTarget): Verdict {
    const { log, failed } = this.options;
    if (isFinal(error)) {
      log.info({ ...about(target), reason: error.message }, 'a mail was refused');
      const outcome = error instanceof AddressGoneError ? 'refused_address' : 'refused_rights';
      return { reply: { code: 550, text: error.message }, outcome };
    }
    const fault = error instanceof Error ? error : new Error(String(error));
    log.warn({ ...about(target), err: fault }, 'a mail was deferred');
    if (!(error instanceof ApiError)) failed(fault);
    return { reply: LATER, outcome: 'deferred' };
  }
}

/** The SMTP reply to a mail, and how the mail is counted. */
interface Verdict {
  readonly reply: MailReply;
  readonly outcome: MailOutcome;
}

/** Whether coming again does not help. */
function isFinal(error: unknown): error is Error {
  if (error instanceof AddressGoneError) return true;
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}

/** On whose account a mail is read: whoever answers for the address that it names first. */
function claimantOf(target: MailTarget): Claimant {
  return target.kind === 'channel'
    ? { source: `user ${target.creatorId}`, account: `channel ${target.channelId}` }
    : { source: `user ${target.userId}`, account: `answers to ${target.userId}` };
}

function unreadable({ message }: UnreadableMailError): MailReply {
  return { code: 554, text: `The mail cannot be read: ${message}` };
}

function optionsOf(target: MailTarget): ReadingOptions {
  return target.kind === 'channel' ? target.options : NO_OPTIONS;
}

type Refusal = readonly [outcome: MailOutcome, text: string];

/** Why a mail becomes no message whoever it is for; null where it does. */
function refusalOf({ target, content, text }: Delivery, isReport: boolean): Refusal | null {
  if (content.isOwn || content.hops > MAX_HOPS) {
    return ['refused_circle', 'The mail is in a loop'];
  }
  const isAutomatic = target.kind === 'reply' ? content.isAutomatic : content.isAutoReply;
  if (isAutomatic || isReport) {
    return ['refused_automatic', 'Automatic replies and delivery reports are not accepted'];
  }
  if (text === '' && content.files.length === 0) {
    return ['refused_empty', 'The mail has neither text nor files'];
  }
  return null;
}

/** What operators read of a target: no part of its address, with which anybody could write there. */
function about(target: MailTarget): object {
  return target.kind === 'channel'
    ? { channel: target.channelId, sender: target.senderId }
    : { sender: target.userId, answers: target.messageId };
}

/** How many of the oldest records are deleted at once when there is no room for another. */
const FORGOTTEN_AT_ONCE = 100;

/** The digest that recognizes a mail to an address when it is delivered again. */
function digestOf(id: string, address: string): string {
  const hash = createHash('sha256').update(address.toLowerCase()).update('\0');
  return hash.update(id).digest('base64url');
}

/** Records a mail; beyond the bound the oldest records are deleted. */
function remember(tx: Transaction, digest: string): void {
  const { receivedMails } = tx.org;
  if (receivedMails.size >= MAX_RECEIVED_MAILS) {
    const byAge = [...receivedMails.values()].sort((a, b) => a.received_at - b.received_at);
    for (const old of byAge.slice(0, FORGOTTEN_AT_ONCE)) receivedMails.delete(old.digest);
  }
  receivedMails.insert({ digest, received_at: tx.now });
}
