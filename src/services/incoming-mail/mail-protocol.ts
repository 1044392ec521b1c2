/** Messages between the SMTP listener and the part that posts mails as messages. */

/** Largest mail, bytes: about 18 MiB of files, which grow by a third on their way. */
export const MAX_MAIL_BYTES = 25 * 1024 * 1024;

/** A reply of SMTP: 250, 4xx where coming again may help, 5xx where it does not. */
export interface MailReply {
  readonly code: number;
  readonly text: string;
}

/** Who the mail is from and to, as the client said it. */
export interface MailEnvelope {
  /** Empty for reports about mails. */
  readonly from: string;
  readonly to: readonly string[];
}

/** Takes mails. */
export interface MailSink {
  /** Whether an address belongs to this server and accepts mail. */
  check(address: string): Promise<MailReply>;
  /** Takes a mail for good, or refuses it; one reply for each recipient, in their order. The bytes are given away. */
  receive(envelope: MailEnvelope, raw: Buffer): Promise<readonly MailReply[]>;
}
