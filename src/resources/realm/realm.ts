import * as descriptors from '../../../schemas/realm/realm.js';
import { badRequest } from '../../errors/index.js';
import { changeRealm } from '../../organization/realm/realm-change.js';
import { deactivateOrganization } from '../../organization/realm/organization-end.js';
import { checkedRealm, permitRealmChange } from '../../organization/realm/realm-checks.js';
import { changeSettingsDefaults } from '../../organization/accounts/settings-defaults.js';
import { type SettingsDefaultsDocument } from '../../organization/state/collections/realm.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, permitting, type AnyHandler } from '../kernel/handler.js';
import { settingValues } from '../users/settings.js';
import { renderDescription } from '../channels/wanted-channels.js';

/** Dependencies of the organization's endpoints. */
interface RealmParts {
  readonly markdown: Markdown;
  /** Called after a change of the waiting period. */
  readonly waitingPeriodChanged: () => void;
  /** Ends all queues, when the organization is deactivated. */
  readonly endQueues: () => void;
}

/** The organization itself (endpoints-organization.md#change-organization). */
export function realmHandlers({
  markdown,
  waitingPeriodChanged,
  endQueues,
}: RealmParts): AnyHandler[] {
  return [
    permitting(
      (_org, user, { gives }) => permitRealmChange(user, gives),
      handle(descriptors.updateRealm, (tx, { user, params }) => {
        const change = checkedRealm(tx.org, user, params);
        const { description } = change;
        if (description !== undefined) {
          change.rendered_description = renderDescription(tx.org, markdown, description);
        }
        changeRealm(tx, change);
        if (change.waiting_period_threshold !== undefined) {
          tx.onceDurable(waitingPeriodChanged);
        }
        return {};
      }),
    ),
    handle(descriptors.deactivateRealm, (tx, { user, params: { deletion_delay_days } }) => {
      if (deletion_delay_days !== undefined) {
        throw badRequest("Deleting the organization's data is not supported by this server.");
      }
      deactivateOrganization(tx, user, endQueues);
      return {};
    }),
    handle(descriptors.updateSettingsDefaults, (tx, { params }) => {
      changeSettingsDefaults(tx, settingValues(params) as SettingsDefaultsDocument);
      return {};
    }),
  ];
}
