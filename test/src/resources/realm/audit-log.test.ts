/** Who changed which setting: what is recorded, of whom, for how long, and who reads it. */
import t from 'tap';
import { MAX_AUDIT_RECORDS } from '../../../../schemas/limits.js';
import { type AuditChange, getAuditLog } from '../../../../schemas/realm/audit-log.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import type { Transactor } from '../../../../src/organization/state/runtime.js';
import { expireAudit } from '../../../../src/nodes/upkeep/upkeep.js';
import { OPERATOR } from '../../../../src/organization/state/audited.js';
import { auditLogHandler } from '../../../../src/resources/realm/audit-log.js';
import { realmDomainHandlers } from '../../../../src/resources/realm/realm-domains.js';
import { unfollow } from '../../../fixtures/following/follow-every-entry.js';
import {
  LivingOrganization,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';

interface Record {
  readonly id: number;
  readonly timestamp: number;
  readonly user_id: number | null;
  readonly role: number | null;
  readonly way: string;
  readonly changes: readonly AuditChange[];
  readonly left_out: number;
}

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  override readonly handlers = [auditLogHandler, ...realmDomainHandlers()];

  /** What the log says, the newest first. */
  async log(params: Body = {}): Promise<Record[]> {
    const { records } = await this.do('get-audit-log', params, this.owner);
    return records as Record[];
  }

  /** Renames somebody, by themself or by somebody else. */
  rename(user: UserDocument, full_name: string, by: UserDocument): void {
    this.transact((tx) => tx.org.users.update(user.user_id, { full_name }), {
      way: 'api',
      user: by,
    });
  }
}

void t.test('owners read it, and a page leads to the next', async (t) => {
  t.equal(getAuditLog.access, 'owner');
  const world = new World();
  for (const name of ['a.org', 'b.org', 'c.org']) {
    await world.do('add-realm-domain', { domain: name, allow_subdomains: false }, world.owner);
  }
  const names = (page: readonly Record[]) => page.map(({ changes: [one] }) => one!.name);
  const first = await world.do('get-audit-log', { limit: 2 }, world.owner);
  t.same(names(first['records'] as Record[]), ['c.org', 'b.org']);
  t.equal(first['found_oldest'], false);
  const before = (first['records'] as Record[]).at(-1)!.id;
  const rest = await world.do('get-audit-log', { limit: 2, before }, world.owner);
  t.same(names(rest['records'] as Record[]), ['a.org', 'hamlet']);
  t.equal(rest['found_oldest'], true);
  t.same(
    (await world.log()).length,
    4,
    'the creation of the organization is not in it, an account is',
  );
});

void t.test('a record has who, when, and what it was before', async (t) => {
  const world = new World();
  const { owner } = world;
  await world.do('add-realm-domain', { domain: 'acme.org', allow_subdomains: false }, owner);
  world.clock.advance(60_000);
  await world.do('update-realm-domain', { domain: 'acme.org', allow_subdomains: true }, owner);
  await world.do('remove-realm-domain', { domain: 'acme.org' }, owner);
  const [removed, changed, added] = await world.log({ kind: 'domain' });
  const who = { user_id: owner.user_id, role: ROLE.owner, way: 'api', left_out: 0 };
  const what = { kind: 'domain', id: 1, name: 'acme.org' };
  t.strictSame(added, {
    id: added!.id,
    timestamp: START_SECONDS,
    ...who,
    changes: [{ ...what, action: 'created', fields: [] }],
  });
  t.strictSame(changed, {
    id: added!.id + 1,
    timestamp: START_SECONDS + 60,
    ...who,
    changes: [
      {
        ...what,
        action: 'changed',
        fields: [{ name: 'allow_subdomains', old: 'false', new: 'true' }],
      },
    ],
  });
  t.match(removed, { ...who, changes: [{ ...what, action: 'removed', fields: [] }] });
});

void t.test('changes of one transaction are one record; what ends as it was is none', async (t) => {
  const world = new World();
  const { hamlet, owner } = world;
  const since = (await world.log()).length;
  world.transact((tx) => {
    tx.org.users.update(hamlet.user_id, { full_name: 'Somebody', role: ROLE.moderator });
    tx.org.users.update(hamlet.user_id, { full_name: 'Hamlet' });
    tx.org.realm.update('realm', { name: 'Elsinore' });
    tx.org.channels.update(1, { name: 'general' });
  }, OPERATOR);
  const [record, ...rest] = await world.log();
  t.equal(rest.length, since);
  t.match(record, { user_id: null, role: null, way: 'operator' });
  t.strictSame(record!.changes, [
    {
      kind: 'user',
      id: hamlet.user_id,
      name: 'Hamlet',
      action: 'changed',
      fields: [
        { name: 'role', old: '400', new: '300' },
        { name: 'full_name', old: '"hamlet"', new: '"Hamlet"' },
      ],
    },
    {
      kind: 'organization',
      id: 0,
      name: 'Elsinore',
      action: 'changed',
      fields: [{ name: 'name', old: '"Example"', new: '"Elsinore"' }],
    },
  ]);
  world.transact((tx) => {
    tx.org.users.update(hamlet.user_id, { full_name: 'Yorick' });
    tx.org.users.update(hamlet.user_id, { full_name: 'Hamlet' });
  });
  t.equal((await world.log()).length, since + 1);
  t.throws(() =>
    world.transact((tx) => {
      tx.org.users.update(hamlet.user_id, { full_name: 'Yorick' });
      throw new Error('refused');
    }),
  );
  world.transact((tx) => tx.org.users.update(owner.user_id, { awaits_first_login: false }));
  t.equal((await world.log()).length, since + 1, 'refused, and no setting');
});

void t.test(
  'secrets have no value, lists what went and came, settings their defaults',
  async (t) => {
    const world = new World();
    const { hamlet, owner } = world;
    world.transact((tx) => {
      tx.org.users.update(hamlet.user_id, { password_hash: 'argon', key_version: 'v2' });
      tx.org.settings.insert({ user_id: hamlet.user_id, edited: [], enter_sends: true });
      tx.org.profiles.insert({ user_id: hamlet.user_id, values: { 1: { value: 'Danish' } } });
    });
    const [record] = await world.log();
    const text = JSON.stringify(record);
    t.notMatch(text, 'argon');
    t.notMatch(text, 'v2');
    t.notMatch(text, 'Danish');
    const secret = (name: string) => ({ name, old: null, new: null });
    t.match(record!.changes, [
      { kind: 'user', fields: [secret('password'), secret('api_key')] },
      { kind: 'user_settings', name: 'hamlet', fields: [{ name: 'enter_sends' }] },
      { kind: 'user', id: hamlet.user_id, fields: [secret('profile_data')] },
    ]);
    t.strictSame(record!.changes[1]!.fields, [{ name: 'enter_sends', old: 'false', new: 'true' }]);

    const members = [owner.user_id, 900, 901];
    const group = { ...world.org.groups.system('role:owners'), id: 50, name: 'x', members };
    world.transact((tx) => tx.org.groups.insert({ ...group, is_system_group: false }));
    world.transact((tx) => tx.org.groups.update(50, { members: [owner.user_id, 901, 902] }));
    const [changed] = await world.log({ kind: 'group', subject_id: 50 });
    t.strictSame(changed!.changes[0]!.fields, [{ name: 'members', old: '[900]', new: '[902]' }]);
    const owners = world.system('role:owners');
    const count = (await world.log()).length;
    world.transact((tx) => tx.org.groups.update(owners, { members: [] }));
    t.equal((await world.log()).length, count, 'members of system groups follow from roles');
  },
);

void t.test(
  'what somebody sets for themself alone is not recorded; what others set is',
  async (t) => {
    const world = new World();
    const { hamlet, owner } = world;
    const since = (await world.log()).length;
    const set = (enter_sends: boolean, user: UserDocument) =>
      world.transact(
        (tx) => {
          const settings = { user_id: hamlet.user_id, edited: [], enter_sends };
          if (enter_sends) tx.org.settings.insert(settings);
          else tx.org.settings.update(hamlet.user_id, settings);
        },
        { way: 'api', user },
      );
    set(true, hamlet);
    t.equal((await world.log()).length, since);
    set(false, owner);
    t.match(await world.log({ kind: 'user_settings' }), [{ user_id: owner.user_id }]);
  },
);

void t.test('a record of the audit log cuts long values and long lists', async (t) => {
  const world = new World();
  const long = 'x'.repeat(1000);
  world.transact((tx) => tx.org.realm.update('realm', { description: long }));
  const [cut] = await world.log({ kind: 'organization' });
  const { new: value } = cut!.changes[0]!.fields[0]!;
  t.equal(value!.length, 300);
  t.ok(value!.endsWith('…'));
  world.transact((tx) => {
    for (let i = 0; i < 200; i++) {
      tx.org.channels.insert({ ...world.general, stream_id: 100 + i, name: `channel ${i}` });
    }
  });
  const [many] = await world.log();
  t.ok(JSON.stringify(many!.changes).length < 4200);
  t.equal(many!.changes.length + many!.left_out, 200);
  t.ok(many!.left_out > 100);
});

void t.test(
  'a record begins as a list of thousands did, and tells no change of what is equal',
  async (t) => {
    const world = new World();
    const { stream_id } = world.general;
    const listing = (length: number) => ({
      direct_members: Array.from({ length }, (_, i) => i + 10),
      direct_subgroups: [],
    });
    const set = (length: number): void => {
      const can_send_message_group = listing(length);
      world.transact((tx) => tx.org.channels.update(stream_id, { can_send_message_group }));
    };
    set(5000);
    set(4999);
    const [record] = await world.log({ kind: 'channel' });
    const [{ fields: changed }] = record!.changes as [AuditChange];
    t.equal(changed.length, 1);
    const [{ name, old, new: now }] = changed as [AuditChange['fields'][number]];
    t.equal(name, 'can_send_message_group');
    t.ok(old!.startsWith('{"direct_members":[10,11,12,13,14,'));
    t.ok(old!.endsWith(',97,98,99,100,101,10…'));
    t.equal(old, now);
    set(4999);
    t.equal((await world.log({ kind: 'channel' })).length, 2);
  },
);

void t.test('what members do pushes nothing out that administrators did', async (t) => {
  const world = new World();
  const { hamlet, owner } = world;
  world.rename(hamlet, 'Prince', owner);
  unfollow(world.org);
  const count = MAX_AUDIT_RECORDS + 2;
  for (let i = 0; i < count; i++) {
    // Written as they lie in the store: each by a transaction takes seconds.
    const record = { at: 0, user_id: hamlet.user_id, role: ROLE.member, way: 'api' as const };
    world.org.load('audit_record', { ...record, id: 1_000_000 + i, changes: [], left_out: 0 });
  }
  world.entries.length = 2_000_000;
  world.rename(hamlet, 'Hamlet', hamlet);
  t.equal(world.org.audit.surplus(MAX_AUDIT_RECORDS).length, 0, 'down to the bound at once');
  t.notOk(world.org.audit.has(1_000_002), 'the oldest of them went');
  t.ok(world.org.audit.has(1_000_003));
  t.match(await world.log({ user_id: owner.user_id }), [{ changes: [{ name: 'Prince' }] }]);
  t.end();
});

void t.test('records go after the time that is configured', async (t) => {
  const world = new World();
  const { hamlet, owner } = world;
  const day = 86_400_000;
  world.rename(hamlet, 'Prince', owner);
  world.clock.advance(day);
  world.rename(hamlet, 'Hamlet', hamlet);
  world.clock.advance(day);
  const runtime: Transactor = {
    org: world.org,
    transact: (work) => world.transact(work),
    journal: { barrier: () => Promise.resolve() },
  };
  t.equal(await expireAudit(runtime, 2 * day + 1), 0);
  t.equal(await expireAudit(runtime, 2 * day - 1), 2);
  t.match(await world.log(), [{ changes: [{ name: 'Hamlet' }] }], 'the account and the first name');
  t.equal(await expireAudit(runtime, day - 1), 1);
  t.same(await world.log(), []);
});
