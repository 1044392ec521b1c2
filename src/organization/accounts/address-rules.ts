import { isDisposableAddress } from '../../services/disposable-addresses.js';
import { isEmailAddress } from './account-checks.js';
import type { Organization } from '../state/organization.js';

/**
 * Why an address may not be that of an account here, or null: its form, and what the organization
 * allows (endpoints-invitations.md#invitations, reasons of INVITATION_FAILED).
 */
export function addressFault(org: Organization, email: string): string | null {
  if (!isEmailAddress(email) || isReserved(org, email)) return 'Invalid address.';
  const { emails_restricted_to_domains, disallow_disposable_email_addresses } = org.realm.current;
  if (emails_restricted_to_domains) {
    if (email.slice(0, email.lastIndexOf('@')).includes('+')) {
      return 'Email addresses containing + are not allowed.';
    }
    return org.domains.allows(email) ? null : 'Outside your domain.';
  }
  if (disallow_disposable_email_addresses && isDisposableAddress(email)) {
    return 'Please use your real email address.';
  }
  return null;
}

/** Nobody may own an address that stands for the hidden one of somebody else. */
function isReserved(org: Organization, email: string): boolean {
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  return domain === org.site.botDomain.toLowerCase() && /^user\d+$/.test(local);
}

/** Why an address is taken, or null. */
export function takenFault(
  org: Organization,
  email: string,
): { readonly reason: string; readonly deactivated: boolean } | null {
  const owner = org.users.byRealEmail(email);
  if (!owner) return null;
  if (owner.is_active) return { reason: 'Already has an account.', deactivated: false };
  return { reason: 'Account has been deactivated.', deactivated: true };
}
