import { confirmAddressChange } from '../../organization/accounts/email-change.js';
import { html } from '../../services/text/html.js';
import { layout, userReader, withStrong } from './layout.js';
import type { WebPage } from './page.js';
import { assertActive, type PageParts } from './parts.js';

/** The link in the mail to a new address: opening it changes the address (endpoints-invitations.md#email-change). */
export function emailChangePages({ runtime }: PageParts): WebPage[] {
  return [
    {
      method: 'GET',
      path: '/accounts/confirm_new_email/{key}',
      usesLink: true,
      async call({ values }) {
        const { org } = runtime;
        assertActive(org);
        const { email, user_id } = await runtime.transact((tx) =>
          confirmAddressChange(tx, values.key!),
        );
        const reader = userReader(org, user_id);
        return {
          page: layout(
            reader,
            reader.say('address.changed'),
            html`<p>${withStrong(reader, 'address.now', { email })}</p>`,
          ),
          data: { user_id, email },
        };
      },
    },
  ];
}
