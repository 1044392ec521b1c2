import type { RealmDomainDocument } from '../../../schemas/realm/realm-domains.js';
import { MAX_REALM_DOMAINS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { Transaction } from '../state/transaction.js';
import { emitRealmSetting } from '../views/realm-events.js';
import { realmDomainView } from '../state/collections/realm.js';

const MAX_DOMAIN_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** The fault of a domain in lower case, or null. */
function domainFault(domain: string): string | null {
  if (domain === '') return "Domain can't be empty.";
  if (!domain.includes('.')) return 'Domain must have at least one dot (.)';
  if (domain.startsWith('.') || domain.endsWith('.')) {
    return 'Domain cannot start or end with a dot (.)';
  }
  if (domain.length > MAX_DOMAIN_LENGTH) return 'Domain is too long';
  for (const label of domain.split('.')) {
    if (label === '') return 'Consecutive "." are not allowed.';
    if (label.length > MAX_LABEL_LENGTH) return 'Subdomain is too long';
    if (label.startsWith('-') || label.endsWith('-')) {
      return "Subdomains cannot start or end with a '-'.";
    }
    if (!/^[a-z0-9-]+$/.test(label)) return "Domain can only have letters, numbers, '.' and '-'s.";
  }
  return null;
}

/**
 * Allows a domain (specification-endpoints.md#add-domain).
 * @throws ApiError `Invalid domain: …`, or when it is allowed already
 */
export function addRealmDomain(
  tx: Transaction,
  raw: string,
  allow_subdomains: boolean,
): RealmDomainDocument {
  const { domains, counters } = tx.org;
  const domain = raw.trim().toLowerCase();
  const fault = domainFault(domain);
  if (fault !== null) throw badRequest(`Invalid domain: ${fault}`);
  if (domains.byDomain(domain)) {
    throw badRequest(`The domain ${domain} is already a part of your organization.`);
  }
  if (domains.size >= MAX_REALM_DOMAINS) {
    throw badRequest(`An organization can allow at most ${MAX_REALM_DOMAINS} domains.`);
  }
  const added = domains.insert({ id: counters.next('realm_domain'), domain, allow_subdomains });
  tx.emit('realm_domains', { to: 'all' }, { op: 'add', realm_domain: realmDomainView(added) });
  return added;
}

/** Changes whether subdomains are allowed; emits nothing where nothing changes. @throws ApiError */
export function changeRealmDomain(
  tx: Transaction,
  domain: string,
  allow_subdomains: boolean,
): void {
  const found = existing(tx, domain);
  if (found.allow_subdomains === allow_subdomains) return;
  const changed = tx.org.domains.update(found.id, { allow_subdomains });
  const realm_domain = realmDomainView(changed);
  tx.emit('realm_domains', { to: 'all' }, { op: 'change', realm_domain });
}

/**
 * Removes a domain. Removing the last one ends the restriction, because otherwise nobody could register
 * (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields).
 * @throws ApiError
 */
export function removeRealmDomain(tx: Transaction, raw: string): void {
  const { org } = tx;
  const { id, domain } = existing(tx, raw);
  org.domains.delete(id);
  tx.emit('realm_domains', { to: 'all' }, { op: 'remove', domain });
  if (org.domains.size > 0 || !org.realm.current.emails_restricted_to_domains) return;
  org.realm.update('realm', { emails_restricted_to_domains: false });
  emitRealmSetting(tx, 'emails_restricted_to_domains');
}

function existing(tx: Transaction, domain: string): RealmDomainDocument {
  const found = tx.org.domains.byDomain(domain);
  if (!found) throw badRequest(`No entry found for domain ${domain}.`);
  return found;
}
