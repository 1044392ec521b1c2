import t from 'tap';
import { Value } from 'typebox/value';
import * as descriptors from '../../../../schemas/realm/realm-domains.js';
import {
  realmDomainsAdd,
  realmDomainsChange,
  realmDomainsRemove,
} from '../../../../schemas/realm/realm-domains.js';
import { realmDomainHandlers } from '../../../../src/resources/realm/realm-domains.js';
import { SECTIONS } from '../../../../src/resources/queues/register/sections.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  override readonly handlers = realmDomainHandlers();

  add(domain: string, allow_subdomains = false) {
    return this.do('add-realm-domain', { domain, allow_subdomains }, this.owner);
  }

  /** What a snapshot shows. */
  get section(): unknown {
    return SECTIONS.realm_domains!({ org: this.org } as never).realm_domains;
  }
}

// [c:domain-owners]
void t.test('owners change them, everybody may read them', async (t) => {
  t.equal(descriptors.getRealmDomains.access, 'user');
  t.equal(descriptors.addRealmDomain.access, 'owner');
  t.equal(descriptors.updateRealmDomain.access, 'owner');
  t.equal(descriptors.removeRealmDomain.access, 'owner');
});

// [c:domain-created]
void t.test('new_domain has the ID and the domain', async (t) => {
  const world = new World();
  const since = world.position;
  t.strictSame(await world.add(' Acme.ORG ', true), { new_domain: [1, 'acme.org'] });
  t.strictSame(await world.add('x-1.acme.com'), { new_domain: [2, 'x-1.acme.com'] });
  const list = [
    { domain: 'acme.org', allow_subdomains: true },
    { domain: 'x-1.acme.com', allow_subdomains: false },
  ];
  t.strictSame(await world.do('get-realm-domains', {}, world.owner), { domains: list });
  t.strictSame(world.section, list);
  const events = world.received(world.hamlet, since);
  t.strictSame(
    events,
    list.map((realm_domain) => ({ type: 'realm_domains', op: 'add', realm_domain })),
  );
  t.ok(Value.Check(realmDomainsAdd, events[0]));
});

void t.test('a domain that is malformed or known is refused, and emits nothing', async (t) => {
  const world = new World();
  await world.add('acme.org');
  const since = world.position;
  const faults: [string, RegExp][] = [
    ['', /^Invalid domain: Domain can't be empty\.$/],
    ['localhost', /^Invalid domain: Domain must have at least one dot/],
    ['.acme.org', /^Invalid domain: Domain cannot start or end with a dot/],
    ['acme.org.', /^Invalid domain: Domain cannot start or end with a dot/],
    ['acme..org', /^Invalid domain: Consecutive "\." are not allowed\.$/],
    ['-acme.org', /^Invalid domain: Subdomains cannot start or end with a '-'\.$/],
    ['ac_me.org', /^Invalid domain: Domain can only have letters/],
    ['a b.org', /^Invalid domain: Domain can only have letters/],
    [`${'x'.repeat(64)}.org`, /^Invalid domain: Subdomain is too long$/],
    [`${'x.'.repeat(130)}org`, /^Invalid domain: Domain is too long$/],
    ['ACME.org', /^The domain acme\.org is already a part of your organization\.$/],
  ];
  for (const [domain, message] of faults) {
    await t.rejects(world.add(domain), { status: 400, code: 'BAD_REQUEST', message });
  }
  t.equal(world.position, since);
});

// [c:domain-subdomains]
void t.test('subdomains may be allowed later; nothing is said when nothing changes', async (t) => {
  const world = new World();
  await world.add('acme.org');
  const since = world.position;
  const change = (domain: string, allow_subdomains: boolean) =>
    world.do('update-realm-domain', { domain, allow_subdomains }, world.owner);
  t.strictSame(await change('Acme.org', true), {});
  t.strictSame(await change('acme.org', true), {});
  const events = world.received(world.hamlet, since);
  t.strictSame(events, [
    {
      type: 'realm_domains',
      op: 'change',
      realm_domain: { domain: 'acme.org', allow_subdomains: true },
    },
  ]);
  t.ok(Value.Check(realmDomainsChange, events[0]));
  await t.rejects(change('other.org', true), { message: 'No entry found for domain other.org.' });
});

// [c:domain-last-removed]
void t.test('removing the last one turns emails_restricted_to_domains off', async (t) => {
  const world = new World();
  await world.add('acme.org');
  await world.add('acme.com');
  world.setRealm({ emails_restricted_to_domains: true });
  const since = world.position;
  const remove = (domain: string) => world.do('remove-realm-domain', { domain }, world.owner);
  await t.rejects(remove('acme.net'), { message: 'No entry found for domain acme.net.' });
  t.strictSame(await remove('ACME.org'), {});
  t.ok(world.org.realm.current.emails_restricted_to_domains);
  t.strictSame(await remove('acme.com'), {});
  t.notOk(world.org.realm.current.emails_restricted_to_domains);
  const events = world.received(world.hamlet, since);
  t.strictSame(events, [
    { type: 'realm_domains', op: 'remove', domain: 'acme.org' },
    { type: 'realm_domains', op: 'remove', domain: 'acme.com' },
    { type: 'realm', op: 'update', property: 'emails_restricted_to_domains', value: false },
  ]);
  t.ok(Value.Check(realmDomainsRemove, events[0]));
  t.strictSame(await world.add('acme.org'), { new_domain: [3, 'acme.org'] }, 'ids are not reused');
});

void t.test('more than 1000 domains are refused', async (t) => {
  const world = new World();
  world.transact((tx) => {
    for (let id = 1; id <= 1000; id++) {
      tx.org.domains.insert({ id, domain: `d${id}.org`, allow_subdomains: false });
    }
  });
  await t.rejects(world.add('one.more.org'), { message: /at most 1000 domains/ });
});

void t.test('an address is allowed by its domain, or as a subdomain if these are', async (t) => {
  const world = new World();
  await world.add('acme.org', true);
  await world.add('acme.com');
  const { domains } = world.org;
  for (const right of ['a@acme.org', 'a@ACME.ORG', 'a@x.y.acme.org', 'a@acme.com']) {
    t.ok(domains.allows(right), right);
  }
  for (const wrong of ['a@x.acme.com', 'a@notacme.org', 'a@org', 'a@acme.org.evil.net']) {
    t.notOk(domains.allows(wrong), wrong);
  }
});
