import { linkExpired } from '../../organization/mail/confirmations.js';
import {
  unsubscribePath,
  userOfToken,
  type UnsubscribableMail,
} from '../../organization/notifications/unsubscribe.js';
import { changeSubscription } from '../../organization/channels/subscription-change.js';
import { changeOwnSettings } from '../../organization/users/settings-change.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { html } from '../../services/text/html.js';
import { form, layout, userReader } from './layout.js';
import type { WebPage } from './page.js';
import { assertActive, type PageParts } from './parts.js';

/** Mails that a link in them switches off. */
interface Kind {
  readonly mail: UnsubscribableMail;
  readonly switchOff: (tx: Transaction, user: UserDocument, parts: PageParts) => void;
}

const KINDS: readonly Kind[] = [
  { mail: 'missed_messages', switchOff: noMissedMessages },
  {
    mail: 'digest',
    switchOff: (tx, user, { presence }) =>
      changeOwnSettings(tx, user, { enable_digest_emails: false }, { presence, client: 'website' }),
  },
];

/**
 * The links in mails about messages (notifications.md#unsubscribe). Following one asks first, because programs that
 * look through mails follow links too; mail programs that know how ask for the POST.
 */
export function unsubscribePages(parts: PageParts): WebPage[] {
  return KINDS.flatMap((kind) => pagesOf(kind, parts));
}

function pagesOf({ mail, switchOff }: Kind, parts: PageParts): WebPage[] {
  const { runtime, keys } = parts;
  const path = `${unsubscribePath(mail)}{token}`;
  const { org } = runtime;
  const userOf = (token: string): UserDocument => {
    assertActive(org);
    const user = userOfToken(org, keys, mail, token);
    if (!user?.is_active) throw linkExpired();
    return user;
  };
  return [
    {
      method: 'GET',
      path,
      async call({ values }) {
        const user = userOf(values.token!);
        const { email } = user;
        const reader = userReader(org, user.user_id);
        const { say } = reader;
        const action = `${unsubscribePath(mail)}${values.token!}`;
        return {
          page: layout(
            reader,
            say(`unsubscribe.${mail}.title`),
            html`<p>${say(`unsubscribe.${mail}.what`, { email })}</p>
              ${form(action, [], say('unsubscribe.button'))}`,
          ),
          data: { email: user.email },
        };
      },
    },
    {
      method: 'POST',
      path,
      async call({ values }) {
        const user = userOf(values.token!);
        await runtime.transact((tx) => switchOff(tx, user, parts));
        const reader = userReader(org, user.user_id);
        const { say } = reader;
        const text = html`<p>${say('unsubscribe.on-again')}</p>`;
        return {
          page: layout(reader, say(`unsubscribe.${mail}.done`), text),
          data: { email: user.email },
        };
      },
    },
  ];
}

/** Switches off everything that mails about messages come from. */
function noMissedMessages(tx: Transaction, user: UserDocument, { presence }: PageParts): void {
  const off = {
    enable_offline_email_notifications: false,
    enable_stream_email_notifications: false,
    enable_followed_topic_email_notifications: false,
  };
  changeOwnSettings(tx, user, off, { presence, client: 'website' });
  for (const sub of tx.org.subscriptions.ofUser(user.user_id).values()) {
    if (!sub.active || sub.email_notifications !== true) continue;
    changeSubscription(tx, user, {
      stream_id: sub.stream_id,
      property: 'email_notifications',
      value: false,
    });
  }
}
