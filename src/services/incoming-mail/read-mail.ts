import { createHash } from 'node:crypto';
import type { Address, Attachment, Email } from 'postal-mime';
import { htmlToMarkdown } from './html-to-markdown.js';
import {
  OWN_MAIL_HEADER,
  type MailContent,
  type MailFile,
  type ReadingOptions,
} from './mail-content.js';
import { PostalMime } from './mail-letters.js';
import { checkShape } from './mail-shape.js';
import { withoutFooter, withoutQuotes, withQuotesEnded } from './quotes.js';

/** Most files of a mail that are taken. */
export const MAX_MAIL_FILES = 20;
/** Longer plain texts are cut: a message has 10,000 characters. UTF-16 units. */
const MAX_TEXT = 200_000;
/** Longest subject and sender that are kept, UTF-16 units. */
const MAX_HEADER = 1000;
/** Parts within parts, and bytes of all headers; a mail beyond cannot be read. */
const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024, maxRfc822NestingDepth: 3 };

/** The subject of a mail that is sent on. */
const FORWARDED = /^\s*[[(]?\s*(?:fwd?|wg|tr|rv)\s*:/i;

/** Proofs and reports for programs: nobody wants to open them. */
const NOT_FOR_PEOPLE =
  /^(?:application\/(?:pgp-(?:signature|encrypted)|(?:x-)?pkcs7-signature)|message\/(?:delivery-status|disposition-notification))$/;

/** Reads a mail. @throws Error for one beyond the limits, or that the libraries cannot read */
export async function readMail(
  raw: Uint8Array,
  readings: readonly ReadingOptions[],
): Promise<MailContent> {
  checkShape(raw);
  const mail = await PostalMime.parse(raw, LIMITS);
  const header = (name: string): string =>
    mail.headers.find((one) => one.key === name)?.value.trim() ?? '';
  const files = filesOf(mail.attachments);
  const submitted = header('auto-submitted').toLowerCase();
  const precedence = header('precedence').toLowerCase();
  const isReport = /^multipart\/report\b/i.test(header('content-type'));
  const isAutoReply =
    submitted.startsWith('auto-replied') ||
    /^auto[_-]reply/.test(precedence) ||
    header('x-autoreply') !== '' ||
    header('x-autorespond') !== '' ||
    isReport;
  return {
    id: idOf(mail.messageId ?? '') || createHash('sha256').update(raw).digest('base64url'),
    subject: lineOf(mail.subject ?? ''),
    from: lineOf(mail.from ? nameOf(mail.from) : ''),
    isAutoReply,
    isAutomatic:
      isAutoReply ||
      (submitted !== '' && submitted !== 'no') ||
      /^(?:bulk|junk|list)\b/.test(precedence) ||
      header('list-id') !== '',
    isOwn: header(OWN_MAIL_HEADER.toLowerCase()) !== '',
    hops: mail.headers.filter(({ key }) => key === 'received').length,
    texts: textsOf(mail, readings),
    files: files.slice(0, MAX_MAIL_FILES),
    omittedFiles: Math.max(0, files.length - MAX_MAIL_FILES),
  };
}

/** What a header `Message-ID` names; brackets with nothing in them are the same in different mails. */
function idOf(header: string): string {
  return /^[<>\s]*$/.test(header) ? '' : header.trim();
}

/** The text in each reading; each of the few that there are is made once. */
function textsOf(mail: Email, readings: readonly ReadingOptions[]): string[] {
  const made = new Map<string, string>();
  return readings.map((reading) => {
    const { includeQuotes, includeFooter, preferHtml } = reading;
    const key = [includeQuotes, includeFooter, preferHtml].join();
    const text = made.get(key) ?? textOf(mail, reading);
    made.set(key, text);
    return text;
  });
}

function textOf(mail: Email, reading: ReadingOptions): string {
  // What a mail that is sent on quotes is what it is about.
  const includeQuotes = reading.includeQuotes || FORWARDED.test(mail.subject ?? '');
  const trimmed = (text: string): string => {
    const own = reading.includeFooter ? text : withoutFooter(text);
    return (includeQuotes ? own : withoutQuotes(own)).trim();
  };
  const fromText = (): string =>
    withQuotesEnded(trimmed(cleaned((mail.text ?? '').slice(0, MAX_TEXT))));
  const fromHtml = (): string => {
    if (mail.html === undefined) return '';
    const text = trimmed(cleaned(htmlToMarkdown(mail.html, includeQuotes)));
    // A mail that is nothing but a quote is told whole.
    return text === '' ? trimmed(cleaned(htmlToMarkdown(mail.html, true))) : text;
  };
  return reading.preferHtml ? fromHtml() || fromText() : fromText() || fromHtml();
}

/** Text as a message may have it: lines end alike, and nothing controls whoever shows it. */
function cleaned(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/\p{Cs}/gu, '\ufffd')
    .replace(/\n{4,}/g, '\n\n\n')
    .trimEnd();
}

/** A header on one line. */
function lineOf(text: string): string {
  return cleaned(text.slice(0, MAX_HEADER)).replace(/\s+/g, ' ').trim();
}

function nameOf({ name, address }: Address): string {
  if (name === '' || name === address) return address ?? '';
  return address ? `${name} <${address}>` : name;
}

function filesOf(attachments: readonly Attachment[]): MailFile[] {
  return attachments.flatMap(({ filename, mimeType, content }, i) => {
    if (NOT_FOR_PEOPLE.test(mimeType) || typeof content === 'string') return [];
    const name = filename === null || filename.trim() === '' ? unnamed(mimeType, i) : filename;
    return [{ name, data: new Uint8Array(content) }];
  });
}

function unnamed(mimeType: string, index: number): string {
  const extension = /^(?:image|audio|video)\/([a-z0-9]{2,5})$/i.exec(mimeType)?.[1];
  return `attachment-${index + 1}${extension === undefined ? '' : `.${extension.toLowerCase()}`}`;
}
