import type { UserDocument } from '../../../schemas/users/user-document.js';
import { ROLE } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { queueMail } from '../mail/delivery.js';
import type { Transaction } from '../state/transaction.js';
import { REALM_ID } from '../uploads/attachments.js';
import { emitRealmDeactivated } from '../views/realm-events.js';

/**
 * Deactivates the organization (endpoints-organization.md#deactivate-organization): `realm` deactivated to all, a mail
 * to each owner. Every request is refused from the transaction on, and all queues end once it is durable.
 * @param actor null for the operator
 * @param endQueues ends all queues
 * @throws ApiError where it is deactivated already
 */
export function deactivateOrganization(
  tx: Transaction,
  actor: UserDocument | null,
  endQueues: () => void,
): void {
  const { org } = tx;
  if (org.realm.isDeactivated) throw badRequest('This organization has been deactivated');
  org.realm.update('realm', { deactivated: true });
  emitRealmDeactivated(tx, REALM_ID);
  for (const user of org.users.values()) {
    if (!user.is_active || user.is_bot || user.role !== ROLE.owner) continue;
    queueMail(tx, user.email, {
      kind: 'organization_deactivated',
      full_name: user.full_name,
      actor_name: actor?.full_name ?? null,
    });
  }
  tx.onceDurable(endQueues);
}

/**
 * Activates the organization again: accounts and keys are as they were; clients register anew.
 * @throws ApiError where it is active
 */
export function reactivateOrganization(tx: Transaction): void {
  if (!tx.org.realm.isDeactivated) throw badRequest('The organization is active');
  tx.org.realm.update('realm', { deactivated: false });
}
