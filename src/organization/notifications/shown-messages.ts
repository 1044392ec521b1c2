/* What mails show of messages, by the settings of the one who gets them. */
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Say } from '../../languages/catalogs.js';
import { localeOf } from '../../languages/languages.js';
import { html, Html } from '../../services/text/html.js';
import { mailText, type MailText } from '../../services/text/mail-text.js';
import { dimmed } from '../mail/layout.js';
import type { Organization } from '../state/organization.js';
import { languageOfUser } from '../views/languages.js';
import { shownTo } from '../views/unknown-user.js';

/** A message as the mail shows it. */
export interface ShownMessage extends MailText {
  readonly sender: string;
  readonly time: string;
}

/** Shows messages to one user, in their time zone, where they have one. */
export class MessageShower {
  private readonly format: Intl.DateTimeFormat;
  private readonly zone: string;

  constructor(
    private readonly org: Organization,
    private readonly user: UserDocument,
  ) {
    const zone = org.settings.value(user.user_id, 'timezone');
    this.zone = zone === '' ? ' UTC' : '';
    const language = languageOfUser(org, user.user_id);
    this.format = new Intl.DateTimeFormat(localeOf(language), {
      timeZone: zone === '' ? 'UTC' : zone,
      dateStyle: 'medium',
      timeStyle: 'short',
    });
  }

  show({ content, rendered_content, sender_id, timestamp }: MessageDocument): ShownMessage {
    const { org, user, format, zone } = this;
    return {
      ...mailText(content, rendered_content, org.site.url),
      sender: shownTo(org, user, org.users.get(sender_id)!).full_name,
      time: `${format.format(timestamp * 1000)}${zone}`,
    };
  }
}

/** The message in a mail's text. */
export function messageAsText({ sender, time, text }: ShownMessage): string {
  return `${sender} (${time})\n${text}`;
}

/** The message in a mail's HTML, which is made of the sanitizer's output. */
export function messageAsHtml({ sender, time, html: body }: ShownMessage): Html {
  return html`<p style="margin-bottom: 0"><strong>${sender}</strong> ${dimmed(time)}</p>
    <div>${new Html(body)}</div> `;
}

/** Whether mails show the user what messages say, by whom and where. */
export function showsContent(org: Organization, { user_id }: UserDocument): boolean {
  return (
    org.realm.current.message_content_allowed_in_email_notifications &&
    org.settings.value(user_id, 'message_content_in_email_notifications')
  );
}

/** Why a mail shows no content. */
export function whyHidden(org: Organization, say: Say<'mails'>): string {
  const allowed = org.realm.current.message_content_allowed_in_email_notifications;
  return say(allowed ? 'hidden.by-settings' : 'hidden.by-organization');
}

/**
 * What subjects begin with: the organization's name, by `realm_name_in_email_notifications_policy` (1 where there are
 * several organizations, 2 always, 3 never).
 */
export function subjectPrefix(org: Organization, { user_id }: UserDocument): string {
  const policy = org.settings.value(user_id, 'realm_name_in_email_notifications_policy');
  return policy === 2 ? `[${org.realm.current.name}] ` : '';
}

/** Headers by which mail programs offer to end such mails, with one click (RFC 8058). */
export function unsubscribeHeaders(url: string): Readonly<Record<string, string>> {
  return {
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}
