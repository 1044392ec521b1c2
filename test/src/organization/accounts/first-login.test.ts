import t from 'tap';
import { recordLogin } from '../../../../src/organization/accounts/accounts.js';
import { updateFullMembers } from '../../../../src/organization/groups/full-members.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

const DAY_MS = 86_400_000;

class World extends LivingOrganization {
  /** An account that the owner made through the API. */
  readonly made = this.addUser('made@example.com', { awaits_first_login: true });

  login(userId = this.made.user_id): void {
    this.transact((tx) => recordLogin(tx, tx.org.users.get(userId)!));
  }
}

// [c:date-joined]
void t.test('date_joined: creation time until the first login, then first-login time', (t) => {
  const world = new World();
  const { user_id } = world.made;
  world.clock.advance(DAY_MS);
  t.equal(world.user(user_id).date_joined, world.clock.now() - DAY_MS);
  const since = world.position;
  world.login();
  const joined = world.clock.now();
  t.equal(world.user(user_id).date_joined, joined);
  t.equal(world.reloaded().users.get(user_id)!.date_joined, joined);
  t.strictSame(world.received(world.owner, since), [
    {
      type: 'realm_user',
      op: 'update',
      person: { user_id, date_joined: '2026-02-01T10:00+00:00' },
    },
  ]);
  world.clock.advance(DAY_MS);
  world.login();
  world.login(world.owner.user_id);
  t.equal(world.user(user_id).date_joined, joined, 'later logins change nothing');
  t.equal(world.user(world.owner.user_id).date_joined, joined - DAY_MS, 'nor do those of others');
  t.equal(world.received(world.owner, since).length, 1);
  const seen = world.org.activities.get(user_id)?.active_at;
  t.equal(seen, Math.floor(world.clock.now() / 1000), 'a login is activity');
  t.end();
});

// [c:imported-stub]
void t.test('first login of an imported user: is_imported_stub, always false', (t) => {
  const world = new World();
  const stub = world.addUser('stub@example.com');
  world.alter(stub.user_id, { is_imported_stub: true });
  const since = world.position;
  world.login(stub.user_id);
  const told = [
    {
      type: 'realm_user',
      op: 'update',
      person: { user_id: stub.user_id, is_imported_stub: false },
    },
  ];
  t.strictSame(world.received(world.owner, since), told);
  world.login(stub.user_id);
  t.strictSame(world.received(world.owner, since), told, 'once');
  t.equal(world.user(stub.user_id).is_imported_stub, false);
  t.end();
});

void t.test('the waiting period counts from the first login', (t) => {
  const world = new World();
  const { user_id } = world.made;
  world.setRealm({ waiting_period_threshold: 3 });
  world.clock.advance(4 * DAY_MS);
  world.transact(updateFullMembers);
  t.ok(world.org.isFullMember(world.user(user_id)));
  const other = world.addUser('other@example.com');
  // Due, but not counted yet.
  world.clock.advance(4 * DAY_MS);
  const since = world.position;
  world.login();
  t.notOk(world.org.isFullMember(world.user(user_id)));
  const group_id = world.system('role:fullmembers');
  t.match(world.received(world.owner, since), [
    { type: 'realm_user', person: { user_id, date_joined: '2026-02-08T10:00+00:00' } },
    { type: 'user_group', op: 'remove_members', group_id, user_ids: [user_id] },
  ]);
  t.notOk(world.org.isFullMember(world.user(other.user_id)), 'nobody else is counted unsaid');
  const full = (id: number) => ({
    type: 'user_group',
    op: 'add_members',
    group_id,
    user_ids: [id],
  });
  world.transact(updateFullMembers);
  world.clock.advance(3 * DAY_MS);
  world.transact(updateFullMembers);
  t.strictSame(world.received(world.owner, since).slice(2), [full(other.user_id), full(user_id)]);
  t.end();
});
