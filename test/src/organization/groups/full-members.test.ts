import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import {
  updateFullMembers,
  FullMemberClock,
} from '../../../../src/organization/groups/full-members.js';
import type { Transaction } from '../../../../src/organization/state/transaction.js';
import { LivingOrganization, MODERN } from '../../../fixtures/living-organization.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

class World extends LivingOrganization {
  failing = false;
  readonly keeper = new FullMemberClock(this.org, {
    wheel: this.wheel,
    transact: (work: (tx: Transaction) => void) => {
      if (this.failing) throw new Error('the store is failing');
      const before = this.entries.length;
      this.transact(work);
      // As the journal does: nothing to say, no entry.
      const { writes, events } = this.entries.at(-1)!.content;
      if (writes.length + events.length === 0) this.entries.length = before;
    },
  });
  readonly full = this.system('role:fullmembers');

  constructor(days: number) {
    super();
    this.setRealm({ waiting_period_threshold: days });
    this.transact(updateFullMembers);
  }

  events(since: number): unknown[] {
    const filter = { ...MODERN, event_types: ['user_group'] };
    return this.received(this.owner, since, filter).map(({ type: _type, ...rest }) => rest);
  }
}

void t.test('a member becomes a full member in the entry that says so', async (t) => {
  const world = new World(3);
  const early = world.addUser('early@example.com');
  world.clock.advance(HOUR_MS);
  const late = world.addUser('late@example.com');
  world.addWithRole('guest@example.com', ROLE.guest);
  world.keeper.start();
  const since = world.position;
  world.clock.advance(3 * DAY_MS - HOUR_MS - 1);
  t.strictSame(world.events(since), []);
  t.equal(world.position, since, 'nothing is written while nobody is due');
  world.clock.advance(1000);
  const came = (id: number) => ({ op: 'add_members', group_id: world.full, user_ids: [id] });
  t.strictSame(world.events(since), [came(early.user_id)]);
  t.ok(world.org.isFullMember(world.user(early.user_id)));
  t.notOk(world.org.isFullMember(world.user(late.user_id)), 'due in an hour');
  world.clock.advance(HOUR_MS + 1000);
  t.strictSame(world.events(since), [came(early.user_id), came(late.user_id)]);
  const restarted = world.reloaded();
  t.ok(restarted.isFullMember(restarted.users.get(late.user_id)!));
  world.keeper.stop();
});

void t.test('who came of age while nobody looked is announced afterwards', async (t) => {
  const world = new World(1);
  const hamlet = world.addUser('hamlet@example.com');
  const gone = world.addUser('gone@example.com');
  world.alter(gone.user_id, { is_active: false });
  world.clock.advance(2 * DAY_MS);
  t.notOk(world.org.isFullMember(world.user(hamlet.user_id)), 'not before it is told');
  const since = world.position;
  world.keeper.start();
  world.clock.advance(1000);
  t.strictSame(world.events(since), [
    { op: 'add_members', group_id: world.full, user_ids: [hamlet.user_id] },
  ]);
  world.keeper.stop();
});

void t.test('a failing store is asked again', async (t) => {
  const world = new World(1);
  const hamlet = world.addUser('hamlet@example.com');
  world.keeper.start();
  world.clock.advance(DAY_MS - 5000);
  world.failing = true;
  const since = world.position;
  t.throws(() => world.clock.advance(6000), { message: 'the store is failing' });
  world.failing = false;
  world.clock.advance(5000);
  t.strictSame(world.events(since), [
    { op: 'add_members', group_id: world.full, user_ids: [hamlet.user_id] },
  ]);
  world.keeper.stop();
});
