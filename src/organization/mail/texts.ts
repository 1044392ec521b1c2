import type {
  MailContent,
  OutgoingMailDocument,
} from '../../../schemas/mail/outgoing-mail-document.js';
import type { Say } from '../../languages/catalogs.js';
import type { Language } from '../../languages/languages.js';
import { texts } from '../../languages/texts.js';
import { html, type Html } from '../../services/text/html.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Mail } from '../../services/mail.js';
import type { Organization } from '../state/organization.js';
import { languageOfOrganization, languageOfUser } from '../views/languages.js';
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
  const language = languageOf(org, document);
  const words = wordsOf(org, texts('mails', language), keys, document.content);
  return {
    ...envelopeOf(org, document, from),
    subject: oneLine(words.subject),
    text: asText(words),
    html: asHtml(org.realm.current.name, language, words).text,
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

/** The language of who gets a mail: theirs, or the organization's where they have no account. */
function languageOf(org: Organization, { to, content }: OutgoingMailDocument): Language {
  let address = to;
  // These go to an address that the account does not have yet, or no longer has.
  if (content.kind === 'confirm_new_email') address = content.old_email;
  if (content.kind === 'email_changed') address = content.new_email;
  const user = org.users.byRealEmail(address);
  return user ? languageOfUser(org, user.user_id) : languageOfOrganization(org);
}

function wordsOf(
  org: Organization,
  say: Say<'mails'>,
  keys: LinkKeys,
  content: MailContent,
): Words {
  const organization = org.realm.current.name;
  const site = org.site.url;
  const named = { organization };
  const place = { organization, url: site };
  const url = linkOf(org, keys, content) ?? '';
  switch (content.kind) {
    case 'invitation': {
      const { referrer_name: referrer, referrer_email, expires_at } = content;
      const who = referrer_email ? `${referrer} (${referrer_email})` : referrer;
      const expiry =
        expires_at === null
          ? say('link.forever')
          : say('link.until', { time: minuteOf(expires_at) });
      return {
        subject: say('invitation.subject', { referrer, organization }),
        before: [say('invitation.body', { ...place, referrer: who })],
        link: { label: say('link.register'), url },
        after: [expiry, say('invitation.unexpected')],
      };
    }
    case 'sign_up':
      return {
        subject: say('sign-up.subject', named),
        before: [say('sign-up.body', place)],
        link: { label: say('link.register'), url },
        after: [say('sign-up.after')],
      };
    case 'confirm_new_email': {
      const { old_email, new_email } = content;
      return {
        subject: say('new-address.subject', named),
        before: [say('new-address.body', { url: site, old: old_email, new: new_email })],
        link: { label: say('new-address.confirm'), url },
        after: [say('new-address.after')],
      };
    }
    case 'email_changed':
      return {
        subject: say('address-changed.subject', named),
        before: [
          say('hello', { name: content.full_name }),
          say('address-changed.body', { url: site, new: content.new_email }),
        ],
        after: [say('address-changed.after')],
      };
    case 'welcome':
      return {
        subject: say('welcome.subject', named),
        before: [say('hello', { name: content.full_name }), say('welcome.body', place)],
        after: [],
      };
    case 'test':
      return { subject: say('test.subject', named), before: [say('test.body', place)], after: [] };
    case 'new_login':
      return {
        subject: say('new-login.subject', named),
        before: [
          say('hello', { name: content.full_name }),
          say('new-login.body', { url: site, time: minuteOf(content.at) }),
        ],
        after: [say('new-login.after')],
      };
    case 'account_deactivated':
      return {
        subject: say('deactivated.subject', named),
        before: [
          say('hello', { name: content.full_name }),
          say('deactivated.body', { actor: content.actor_name, url: site }),
          ...(content.comment === '' ? [] : [say('deactivated.comment'), content.comment]),
        ],
        after: [],
      };
    case 'organization_deactivated': {
      const { actor_name: actor } = content;
      return {
        subject: say('organization-deactivated.subject', named),
        before: [
          say('hello', { name: content.full_name }),
          actor === null
            ? say('organization-deactivated.by-operator', place)
            : say('organization-deactivated.body', { ...place, actor }),
        ],
        after: [say('organization-deactivated.after')],
      };
    }
    case 'missed_messages':
    case 'digest':
      throw new Error('A mail about messages is made of the messages');
    case 'password_reset':
      return {
        subject: say('password.subject', named),
        before: [say('password.body', { url: site })],
        link: { label: say('password.set'), url },
        after: [say('password.after')],
      };
  }
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

function asHtml(
  organization: string,
  language: Language,
  { subject, before, link, after }: Words,
): Html {
  return mailDocument({
    language,
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
