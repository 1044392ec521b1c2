/** How a mail is read for one of its addresses, as the options of the address say. */
export interface ReadingOptions {
  /** Keep what the mail quotes of earlier ones. */
  readonly includeQuotes: boolean;
  /** Keep the text below the signature's dashes. */
  readonly includeFooter: boolean;
  /** Take the HTML part where there is also a plain one. */
  readonly preferHtml: boolean;
}

/** A file in a mail. */
export interface MailFile {
  readonly name: string;
  readonly data: Uint8Array;
}

/** What a mail says. */
export interface MailContent {
  /**
   * Identifies the mail when it is delivered again: its `Message-ID`, or a digest of all its bytes where it has none.
   */
  readonly id: string;
  /** One line; may be empty. */
  readonly subject: string;
  /** The header `From` as people read it: one line. */
  readonly from: string;
  /** A program answered to a mail by itself: an absence note, a report of a mail that was not delivered. */
  readonly isAutoReply: boolean;
  /** A program sent it, to an answer or on its own; or a list did. */
  readonly isAutomatic: boolean;
  /** This software sent it. */
  readonly isOwn: boolean;
  /** Mail servers that it came through. */
  readonly hops: number;
  /** The text, for each of the readings that were asked for; empty where the mail has none. */
  readonly texts: readonly string[];
  readonly files: readonly MailFile[];
  /** Files beyond the most that are taken. */
  readonly omittedFiles: number;
}

/** Marks mails of this software, so that none of them comes back as a message. */
export const OWN_MAIL_HEADER = 'X-Parley-Mail';

/** A mail to be read, as the thread is asked. */
export interface MailRequest {
  readonly raw: Uint8Array;
  readonly readings: readonly ReadingOptions[];
}

/** The answer of the thread: what the mail says, or why it cannot be read. */
export type MailAnswer = { readonly content: MailContent } | { readonly fault: string };
