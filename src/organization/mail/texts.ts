import type {
  MailContent,
  OutgoingMailDocument,
} from '../../../schemas/mail/outgoing-mail-document.js';
import { html, type Html } from '../../services/text/html.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Mail } from '../../services/mail.js';
import type { Organization } from '../state/organization.js';
import { dimmed, mailButton, mailDocument, mailParagraphs } from './layout.js';

/** The content of a mail before its layout: paragraphs around at most one link. */
interface Words {
  readonly subject: string;
  readonly before: readonly string[];
  readonly link?: { readonly label: string; readonly url: string };
  readonly after: readonly string[];
}

/** The link in a mail, if any. */
export function linkOf(org: Organization, keys: LinkKeys, content: MailContent): string | null {
  if (!('nonce' in content)) return null;
  const uid = content.kind === 'password_reset' ? content.user_id : undefined;
  return linkUrl(org.site.url, LINK_KINDS[content.kind], keys.key(content.nonce), uid);
}

type Linking = Extract<MailContent, { nonce: string }>['kind'];
const LINK_KINDS: Readonly<Record<Linking, LinkKind>> = {
  invitation: 'do_confirm',
  sign_up: 'do_confirm',
  confirm_new_email: 'confirm_new_email',
  password_reset: 'password_reset',
};

/**
 * Renders a mail of the outbox.
 * @param from the sender's address
 * @throws Error for one about messages, which takes more than its document
 */
export function composeMail(
  org: Organization,
  keys: LinkKeys,
  document: OutgoingMailDocument,
  from: string,
): Mail {
  const words = wordsOf(org, keys, document.content);
  return {
    ...envelopeOf(org, document, from),
    subject: oneLine(words.subject),
    text: asText(words),
    html: asHtml(org.realm.current.name, words).text,
  };
}

/** A mail that says that mails arrive. It is no part of the outbox. */
export function testMail(org: Organization, to: string, from: string): Mail {
  const { name } = org.realm.current;
  const words: Words = {
    subject: `A test mail of ${name}`,
    before: [`Mails of ${name} (${org.site.url}) arrive here. Nothing is to be done.`],
    after: [],
  };
  const now = org.now();
  return {
    ...envelopeOf(org, { id: now, to, created_at: now }, from),
    subject: oneLine(words.subject),
    text: asText(words),
    html: asHtml(name, words).text,
  };
}

/** What a mail has whatever it says. */
export type Envelope = Pick<Mail, 'from' | 'to' | 'messageId' | 'date'>;

/** @param from the sender's address */
export function envelopeOf(
  org: Organization,
  { id, to, created_at }: Pick<OutgoingMailDocument, 'id' | 'to' | 'created_at'>,
  from: string,
): Envelope {
  const { name, uuid } = org.realm.current;
  const host = from.slice(from.lastIndexOf('@') + 1);
  return {
    from: { name: oneLine(name), address: from },
    to,
    messageId: `<mail-${id}-${uuid}@${host}>`,
    date: created_at,
  };
}

function wordsOf(org: Organization, keys: LinkKeys, content: MailContent): Words {
  const { name } = org.realm.current;
  const url = linkOf(org, keys, content) ?? '';
  switch (content.kind) {
    case 'invitation': {
      const who = content.referrer_email
        ? `${content.referrer_name} (${content.referrer_email})`
        : content.referrer_name;
      return {
        subject: `${content.referrer_name} has invited you to join ${name}`,
        before: [`${who} wants you to join ${name}, a team chat at ${org.site.url}.`],
        link: { label: 'Complete registration', url },
        after: [expiry(content.expires_at), 'If you did not expect this, ignore this mail.'],
      };
    }
    case 'sign_up':
      return {
        subject: `Confirm your e-mail address to join ${name}`,
        before: [`Somebody, probably you, wants to join ${name} at ${org.site.url}.`],
        link: { label: 'Complete registration', url },
        after: ['The link works for one day. If it was not you, ignore this mail.'],
      };
    case 'confirm_new_email':
      return {
        subject: `Confirm your new e-mail address for ${name}`,
        before: [
          `Your account at ${org.site.url} is to change its address from ${content.old_email} to ${content.new_email}.`,
        ],
        link: { label: 'Confirm the new address', url },
        after: ['The link works for one day. If you did not ask for this, ignore this mail.'],
      };
    case 'email_changed':
      return {
        subject: `The e-mail address of your account at ${name} has changed`,
        before: [
          `Hello ${content.full_name},`,
          `the address of your account at ${org.site.url} is now ${content.new_email}; mail no longer goes to this one.`,
        ],
        after: ['If you did not do this, tell the administrators of your organization at once.'],
      };
    case 'welcome':
      return {
        subject: `Welcome to ${name}`,
        before: [
          `Hello ${content.full_name},`,
          `you have an account at ${name} now. Log in at ${org.site.url} in a browser, or give that address to one of the apps.`,
        ],
        after: [],
      };
    case 'new_login':
      return {
        subject: `New login to your account at ${name}`,
        before: [
          `Hello ${content.full_name},`,
          `somebody logged in to your account at ${org.site.url} on ${minuteOf(content.at)}.`,
        ],
        after: [
          'If it was you, there is nothing to do. If not, set another password and tell the administrators of your organization at once. Your settings say whether you get such mails.',
        ],
      };
    case 'account_deactivated':
      return {
        subject: `Your account at ${name} has been deactivated`,
        before: [
          `Hello ${content.full_name},`,
          `${content.actor_name} has deactivated your account at ${org.site.url}: you can no longer log in.`,
          ...(content.comment === ''
            ? []
            : ['The administrator left this comment:', content.comment]),
        ],
        after: [],
      };
    case 'organization_deactivated':
      return {
        subject: `${name} has been deactivated`,
        before: [
          `Hello ${content.full_name},`,
          `${content.actor_name ?? 'The operator of the server'} has deactivated ${name} at ${org.site.url}: nobody can log in any longer.`,
        ],
        after: ['Nothing was deleted. The operator of the server can reactivate it.'],
      };
    case 'missed_messages':
    case 'digest':
      throw new Error('A mail about messages is made of the messages');
    case 'password_reset':
      return {
        subject: `Set a new password for ${name}`,
        before: [
          `Somebody, probably you, asked for a new password for your account at ${org.site.url}.`,
        ],
        link: { label: 'Set a new password', url },
        after: [
          'The link works for one day, and your present password until then. If it was not you, ignore this mail.',
        ],
      };
  }
}

function expiry(at: number | null): string {
  if (at === null) return 'The link does not expire.';
  return `The link works until ${minuteOf(at)}.`;
}

/** A time to the minute, such as `2026-01-31, 10:00 UTC`. */
function minuteOf(at: number): string {
  const text = new Date(at).toISOString();
  return `${text.slice(0, 10)}, ${text.slice(11, 16)} UTC`;
}

/**
 * Makes a text safe for a header: user-defined names may contain line breaks, which would start another
 * header.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function asText({ before, link, after }: Words): string {
  const paragraphs = [...before, ...(link ? [`${link.label}:\n${link.url}`] : []), ...after];
  return `${paragraphs.join('\n\n')}\n`;
}

function asHtml(organization: string, { subject, before, link, after }: Words): Html {
  return mailDocument({
    organization,
    subject,
    body: html`${mailParagraphs(before)}${
      link &&
      html`${mailButton(link.url, link.label)}
        <p>${dimmed(link.url)}</p> `
    }${mailParagraphs(after)}`,
  });
}

/** The purposes of links; each has a root path of its own (endpoints-invitations.md#sign-up). */
type LinkKind = 'do_confirm' | 'join' | 'confirm_new_email' | 'password_reset';

/**
 * The address of a link.
 * @param base public base URL without a trailing slash
 * @param uid user whose password is to be reset
 */
export function linkUrl(base: string, kind: LinkKind, key: string, uid?: number): string {
  switch (kind) {
    case 'do_confirm':
      return `${base}/accounts/do_confirm/${key}`;
    case 'join':
      return `${base}/join/${key}/`;
    case 'confirm_new_email':
      return `${base}/accounts/confirm_new_email/${key}`;
    case 'password_reset':
      return `${base}/accounts/password/reset/${uid}/${key}/`;
  }
}
