import type { RealmDomainDocument } from '../../schemas/documents/realm-domain.js';
import { MAX_REALM_DOMAINS } from '../../schemas/limits.js';
import { badRequest } from '../errors.js';
import { Collection, release, type Recorder } from './collection.js';
import type { Transaction } from './transaction.js';

/** Domains from which people may register while `emails_restricted_to_domains` is on. */
export class RealmDomainCollection extends Collection<number, RealmDomainDocument> {
  private readonly idByDomain = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('realm_domain', recorder, (domain) => domain.id);
  }

  /** By name, in any case. */
  byDomain(domain: string): RealmDomainDocument | undefined {
    const id = this.idByDomain.get(domain.toLowerCase());
    return id === undefined ? undefined : this.get(id);
  }

  /** All of them as clients see them, in the order they were added. */
  list(): RealmDomainView[] {
    return [...this.values()].sort((a, b) => a.id - b.id).map(realmDomainView);
  }

  /** Whether an address is of an allowed domain. */
  allows(email: string): boolean {
    const own = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (this.idByDomain.has(own)) return true;
    for (let dot = own.indexOf('.'); dot !== -1; dot = own.indexOf('.', dot + 1)) {
      if (this.byDomain(own.slice(dot + 1))?.allow_subdomains) return true;
    }
    return false;
  }

  protected override reindex(previous?: RealmDomainDocument, next?: RealmDomainDocument): void {
    if (previous && previous.domain !== next?.domain) {
      release(this.idByDomain, previous.domain, previous.id);
    }
    if (next) this.idByDomain.set(next.domain, next.id);
  }
}

/** A domain as the wire shows it: its number stays inside. */
export type RealmDomainView = Omit<RealmDomainDocument, 'id'>;

function realmDomainView({ domain, allow_subdomains }: RealmDomainDocument): RealmDomainView {
  return { domain, allow_subdomains };
}

const MAX_DOMAIN_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** What is wrong with a domain in lower case, or null. */
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
 * Allows a domain (seed, endpoint 20).
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

/** Changes whether subdomains are allowed; nobody is told where nothing changes. @throws ApiError */
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
 * Removes a domain. With the last one the restriction ends, or nobody could register at all
 * (endpoints.md section G.3).
 * @throws ApiError
 */
export function removeRealmDomain(tx: Transaction, raw: string): void {
  const { org } = tx;
  const { id, domain } = existing(tx, raw);
  org.domains.delete(id);
  tx.emit('realm_domains', { to: 'all' }, { op: 'remove', domain });
  if (org.domains.size > 0 || !org.realm.current.emails_restricted_to_domains) return;
  org.realm.update('realm', { emails_restricted_to_domains: false });
  const change = { op: 'update', property: 'emails_restricted_to_domains', value: false };
  tx.emit('realm', { to: 'all' }, change);
}

function existing(tx: Transaction, domain: string): RealmDomainDocument {
  const found = tx.org.domains.byDomain(domain);
  if (!found) throw badRequest(`No entry found for domain ${domain}.`);
  return found;
}
