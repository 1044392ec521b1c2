import type { RealmDomainDocument } from '../../../../schemas/realm/realm-domain-document.js';
import { Collection, type Recorder, release } from '../collection.js';

/** A domain as clients see it, without its number. */
type RealmDomainView = Omit<RealmDomainDocument, 'id'>;

export function realmDomainView({
  domain,
  allow_subdomains,
}: RealmDomainDocument): RealmDomainView {
  return { domain, allow_subdomains };
}

/** Domains from which people may register while `emails_restricted_to_domains` is on. */
export class RealmDomainCollection extends Collection<number, RealmDomainDocument> {
  private readonly idByDomain = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('realm_domain', recorder, (domain) => domain.id);
  }

  /** The domain with this name, compared without case. */
  byDomain(domain: string): RealmDomainDocument | undefined {
    const id = this.idByDomain.get(domain.toLowerCase());
    return id === undefined ? undefined : this.get(id);
  }

  /** All domains as clients see them, in the order of their addition. */
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
