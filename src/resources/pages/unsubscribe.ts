import { linkExpired } from '../../organization/mail/confirmations.js';
import { UNSUBSCRIBE_PATH, userOfToken } from '../../organization/notifications/unsubscribe.js';
import { changeSubscription } from '../../organization/channels/subscription-change.js';
import { changeOwnSettings } from '../../organization/users/settings-change.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { html } from '../../services/text/html.js';
import { form, layout } from './layout.js';
import type { WebPage } from './page.js';
import { assertActive, type PageParts } from './parts.js';

/**
 * The link in mails about messages (notifications.md#mails). Following it asks first, because programs that look through mails
 * follow links too; mail programs that know how ask for the POST.
 */
export function unsubscribePages({ runtime, keys, presence }: PageParts): WebPage[] {
  const path = `${UNSUBSCRIBE_PATH}{token}`;
  const { org } = runtime;
  const userOf = (token: string): UserDocument => {
    assertActive(org);
    const user = userOfToken(org, keys, token);
    if (!user?.is_active) throw linkExpired();
    return user;
  };
  const switchOff = (tx: Transaction, user: UserDocument): void => {
    changeOwnSettings(tx, user, OFF, { presence, client: 'website' });
    for (const sub of org.subscriptions.ofUser(user.user_id).values()) {
      if (!sub.active || sub.email_notifications !== true) continue;
      changeSubscription(tx, user, {
        stream_id: sub.stream_id,
        property: 'email_notifications',
        value: false,
      });
    }
  };
  return [
    {
      method: 'GET',
      path,
      async call({ values }) {
        const user = userOf(values.token!);
        return {
          page: layout(
            org,
            'No more mails about messages',
            html`<p>${user.email} will get no more mails about messages that were missed.</p>
              ${form(`${UNSUBSCRIBE_PATH}${values.token!}`, [], 'Switch them off')}`,
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
        await runtime.transact((tx) => switchOff(tx, user));
        return {
          page: layout(
            org,
            'Mails about messages are switched off',
            html`<p>You can switch them on again in your settings.</p>`,
          ),
          data: { email: user.email },
        };
      },
    },
  ];
}

/** Everything that such mails come from, but for what was chosen for single channels. */
const OFF = {
  enable_offline_email_notifications: false,
  enable_stream_email_notifications: false,
  enable_followed_topic_email_notifications: false,
} as const;
