import t from 'tap';
import { storedTime } from '../../../../schemas/store/stored-time.js';
import { updatePresence } from '../../../../schemas/presence/presence.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { bothForms, presenceTimes } from '../../../../src/organization/views/presence-view.js';
import { presenceHandlers } from '../../../../src/resources/presence/presence.js';
import {
  LivingOrganization,
  MODERN,
  PLAIN,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';

const SECOND = 1000;

class World extends LivingOrganization {
  readonly iago = this.addWithRole('iago@example.com', ROLE.administrator);
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly guest = this.addWithRole('guest@example.com', ROLE.guest);
  override readonly handlers = presenceHandlers(this.presence);

  report(user: UserDocument, params: Body = {}, client = 'website') {
    const handler = this.handlers.find((one) => one.endpoint === updatePresence)!;
    return this.call(handler, user, { status: 'active', ...params }, client);
  }

  pushed(viewer: UserDocument, since: number, filter = MODERN): Body[] {
    return this.received(viewer, since, { ...filter, event_types: ['presence'] });
  }

  stored(user: UserDocument) {
    const { user_id: _user, ...rest } = this.org.presences.get(user.user_id)!;
    return rest;
  }
}

void t.test('an event tells who came online, in the form each queue declared', async (t) => {
  const world = new World();
  const { hamlet, guest, iago } = world;
  await world.report(hamlet);
  const times = { active_timestamp: START_SECONDS, idle_timestamp: START_SECONDS };
  t.strictSame(world.pushed(guest, 0), [
    { type: 'presence', presences: { [hamlet.user_id]: times } },
  ]);
  const slim = {
    type: 'presence',
    user_id: hamlet.user_id,
    server_timestamp: START_SECONDS,
    presence: {
      website: { client: 'website', status: 'active', timestamp: START_SECONDS, pushable: false },
    },
  };
  t.strictSame(world.pushed(iago, 0, { ...PLAIN, slim_presence: true }), [slim]);
  t.strictSame(world.pushed(iago, 0, PLAIN), [{ ...slim, email: 'hamlet@example.com' }]);
});

void t.test('keep-alives are stored once in 55 s and never pushed', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(hamlet);
  const since = world.position;
  for (let i = 0; i < 5; i++) {
    world.clock.advance(20 * SECOND);
    await world.report(hamlet);
  }
  const writes = world.entries
    .slice(since)
    .flatMap(({ content }) => content.writes)
    .filter((write) => write.key.collection === 'presence');
  t.equal(writes.length, 1);
  t.strictSame(world.stored(hamlet), {
    active_timestamp: START_SECONDS + 60,
    idle_timestamp: START_SECONDS + 60,
    update_id: 2,
  });
  t.strictSame(world.pushed(iago, since), []);
});

void t.test('who was not active for 130 s comes online anew', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(hamlet);
  world.clock.advance(129 * SECOND);
  let since = world.position;
  await world.report(hamlet);
  t.strictSame(world.pushed(iago, since), [], 'after 129 s still there');
  world.clock.advance(131 * SECOND);
  t.equal(world.presence.statusOf(hamlet.user_id), 'idle');
  since = world.position;
  await world.report(hamlet);
  t.equal(world.pushed(iago, since).length, 1);
});

void t.test(
  'an idle client keeps the user idle; one that turns active is stored at once',
  async (t) => {
    const world = new World();
    const { hamlet, iago } = world;
    await world.report(hamlet, { status: 'idle' });
    t.strictSame(world.stored(hamlet), {
      active_timestamp: null,
      idle_timestamp: START_SECONDS,
      update_id: 1,
    });
    t.equal(world.presence.statusOf(hamlet.user_id), 'idle');
    t.strictSame(world.pushed(iago, 0), []);
    world.clock.advance(SECOND);
    await world.report(hamlet);
    t.match(world.stored(hamlet), { active_timestamp: START_SECONDS + 1, update_id: 2 });
    t.equal(world.pushed(iago, 0).length, 1);
  },
);

void t.test('an idle second client does not hide that the first is active', async (t) => {
  const world = new World();
  const { hamlet } = world;
  await world.report(hamlet, {}, 'website');
  for (let i = 0; i < 6; i++) {
    world.clock.advance(30 * SECOND);
    await world.report(hamlet, { status: i % 2 ? 'active' : 'idle' }, i % 2 ? 'website' : 'mobile');
    const { active_timestamp, idle_timestamp } = world.stored(hamlet);
    t.ok(idle_timestamp! - active_timestamp! <= 70, 'still shown as active');
  }
  t.equal(world.presence.statusOf(hamlet.user_id), 'active');
});

void t.test(
  'sessions end: idle after 130 s, offline after 200 s, nothing left behind',
  async (t) => {
    const world = new World();
    const { user_id } = world.hamlet;
    await world.report(world.hamlet);
    t.equal(world.presence.statusOf(user_id), 'active');
    world.clock.advance(131 * SECOND);
    t.equal(world.presence.statusOf(user_id), 'idle');
    world.clock.advance(70 * SECOND);
    t.equal(world.presence.statusOf(user_id), 'offline');
    t.equal(world.presence.onlineUsers, 0);
    t.equal(world.wheel.size, 0);
  },
);

void t.test('a restart takes up who was there, without telling anybody again', async (t) => {
  const world = new World();
  const { hamlet, iago, guest } = world;
  await world.report(guest);
  world.clock.advance(100 * SECOND);
  await world.report(hamlet);
  await world.report(iago, { status: 'idle' });
  world.clock.advance(101 * SECOND);
  const org = world.reloaded();
  const presence = world.newTracker(org);
  presence.restore();
  t.equal(presence.statusOf(hamlet.user_id), 'active');
  t.equal(presence.statusOf(iago.user_id), 'idle');
  t.equal(presence.statusOf(guest.user_id), 'offline');
  t.equal(org.presences.lastUpdateId, 3);
  world.clock.advance(30 * SECOND);
  t.equal(presence.statusOf(hamlet.user_id), 'idle', 'deadlines go on');
  world.clock.advance(70 * SECOND);
  t.equal(presence.onlineUsers, 0);
});

void t.test('only the first report of a process waits until it is durable', async (t) => {
  const world = new World();
  await world.report(world.hamlet);
  t.equal(world.deferMs, 0);
  await world.report(world.iago);
  t.equal(world.deferMs, 200);
});

void t.test('no update id that a crash may have lost is told again', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(hamlet);
  world.presence.restore();
  await world.report(iago);
  t.equal(world.stored(iago).update_id, 2, 'by the same process ids go on');
  const successor = world.newTracker(world.org);
  successor.restore();
  world.clock.advance(60 * SECOND);
  world.transact((tx) => successor.report(tx, hamlet, 'website', 'active'));
  t.equal(world.stored(hamlet).update_id, 100_003);
  world.transact((tx) => successor.report(tx, iago, 'website', 'active'));
  t.equal(world.stored(iago).update_id, 100_004);
});

void t.test('what a session has become is stored, and what others see follows it', async (t) => {
  const world = new World();
  const { hamlet } = world;
  await world.report(hamlet);
  const id = `${hamlet.user_id}:website`;
  t.equal(world.org.presenceSessions.get(id)!.value, 'active');
  t.same(world.presence.countByState(), { active: 1 });
  world.clock.advance(131 * SECOND);
  t.equal(world.org.presenceSessions.get(id)!.value, 'idle');
  t.same(world.presence.countByState(), { idle: 1 });
  world.clock.advance(70 * SECOND);
  t.notOk(world.org.presenceSessions.has(id));
  t.same(world.presence.countByState(), {});
  for (const value of ['active', 'idle', 'offline', 'forgotten'] as const) {
    const stored = world.reloaded();
    const context = {
      user_id: hamlet.user_id,
      client: 'website',
      last_active_at: storedTime(world.clock.now()),
      last_seen_at: storedTime(world.clock.now()),
      deadline: storedTime(world.clock.now(), 60 * SECOND),
    };
    stored.presenceSessions.load({ machine: 'presence-session', version: 2, value, context });
    const presence = world.newTracker(stored);
    presence.restore();
    const told = value === 'active' || value === 'idle' ? value : 'offline';
    t.equal(presence.statusOf(hamlet.user_id), told);
  }
});

void t.test('a user who names ever new clients does not get ever more sessions', async (t) => {
  const world = new World();
  for (let i = 0; i < 50; i++) await world.report(world.hamlet, {}, `client ${i}`);
  t.equal(world.wheel.size, 9);
  world.clock.advance(201 * SECOND);
  t.equal(world.wheel.size, 0);
});

void t.test('above 100 active users nobody is told of who comes online', async (t) => {
  const world = new World();
  for (let i = 0; world.org.users.active.size < 100; i++) world.addUser(`user${i}@example.com`);
  let since = world.position;
  await world.report(world.hamlet);
  t.equal(world.pushed(world.iago, since).length, 1, 'at 100 they are');
  world.addUser('one-more@example.com');
  since = world.position;
  await world.report(world.iago);
  t.strictSame(world.pushed(world.hamlet, since), []);
  t.match(world.stored(world.iago), { active_timestamp: START_SECONDS });
});

void t.test('a failed transaction loses no event', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  t.throws(() =>
    world.transact((tx) => {
      world.presence.report(tx, hamlet, 'website', 'active');
      throw new Error('the store is failing');
    }),
  );
  t.notOk(world.org.presences.has(hamlet.user_id));
  await world.report(hamlet);
  t.equal(world.pushed(iago, 0).length, 1);
});

void t.test('who only ever reported to be idle is shown as idle, in each form', async (t) => {
  const world = new World();
  const newcomer = world.addUser('newcomer@example.com');
  t.ok(START_SECONDS - newcomer.date_joined / 1000 < 70, 'an account of now');
  for (let i = 0; i < 4; i++) {
    await world.report(newcomer, { status: 'idle' });
    const times = presenceTimes(newcomer, world.org.presences.get(newcomer.user_id)!);
    const now = world.clock.now() / SECOND;
    t.match(bothForms(times, now), { website: { status: 'idle' }, aggregated: { status: 'idle' } });
    // As clients of the modern form say it.
    t.ok(now - times.active_timestamp > 200, 'not active');
    t.ok(now - times.idle_timestamp < 200, 'idle');
    world.clock.advance(60 * SECOND);
  }
});

void t.test('who was shown as idle and becomes active is shown so at once', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(hamlet);
  world.clock.advance(71 * SECOND);
  await world.report(hamlet, { status: 'idle' });
  const since = world.position;
  world.clock.advance(SECOND);
  await world.report(hamlet);
  t.match(world.stored(hamlet), {
    active_timestamp: START_SECONDS + 72,
    idle_timestamp: START_SECONDS + 72,
  });
  t.strictSame(world.pushed(iago, since), [], 'they were there all the time');
});

/** The longest time for which what clients are shown differs from the state of the sessions, seconds. */
async function longestDifference(
  seed: number,
  next: (random: () => number) => number,
): Promise<number> {
  const world = new World();
  const { hamlet } = world;
  let state = seed;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const due = new Map([
    ['website', 0],
    ['mobile', random() * 60],
  ]);
  let longest = 0;
  let since = 0;
  for (let second = 0; second < 1800; second++) {
    for (const [client, at] of due) {
      if (second < at) continue;
      await world.report(hamlet, { status: random() < 0.4 ? 'active' : 'idle' }, client);
      due.set(client, second + next(random));
    }
    const times = presenceTimes(hamlet, world.org.presences.get(hamlet.user_id)!);
    const shown = bothForms(times, world.clock.now() / SECOND).aggregated.status;
    if (shown === world.presence.statusOf(hamlet.user_id)) since = second + 1;
    longest = Math.max(longest, second + 1 - since);
    world.clock.advance(SECOND);
  }
  return longest;
}

void t.test(
  'what clients show differs from the sessions no longer than the formula says',
  async (t) => {
    let [steady, silent] = [0, 0];
    for (let seed = 1; seed <= 12; seed++) {
      steady = Math.max(steady, await longestDifference(seed, () => 60));
      silent = Math.max(
        silent,
        await longestDifference(seed, (random) =>
          random() < 0.3 ? 150 + 300 * random() : 60 * random(),
        ),
      );
    }
    t.ok(steady > 0 && steady <= 60, `of clients that report every minute ${steady} s`);
    t.ok(silent > 60 && silent <= 195, `of clients that fall silent ${silent} s`);
  },
);
