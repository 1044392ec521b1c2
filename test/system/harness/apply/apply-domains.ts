import type { Body, Snapshot, WireEvent } from '../client.js';

/** The allowed domains, as a client keeps them from `realm_domains` events. */
export class DomainState {
  private domains: Body[] | undefined;

  constructor(snapshot: Snapshot) {
    this.domains = structuredClone(snapshot.realm_domains as Body[] | undefined);
  }

  /** @throws Error when an event does not fit what this client knows */
  apply(event: WireEvent): void {
    if (event.type !== 'realm_domains' || !this.domains) return;
    const changed = event.realm_domain as Body | undefined;
    const name = changed?.domain ?? event.domain;
    const known = this.domains.some((one) => one.domain === name);
    if (known === (event.op === 'add')) throw new Error(`${String(event.op)} of ${String(name)}`);
    if (event.op === 'add') this.domains.push(changed!);
    if (event.op === 'change') {
      this.domains = this.domains.map((one) => (one.domain === name ? changed! : one));
    }
    if (event.op === 'remove') this.domains = this.domains.filter((one) => one.domain !== name);
  }

  fields(): Body {
    return { realm_domains: this.domains };
  }
}
