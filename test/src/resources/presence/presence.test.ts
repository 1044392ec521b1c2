import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { presenceHandlers } from '../../../../src/resources/presence/presence.js';
import {
  LivingOrganization,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';

const SECOND = 1000;
const DAY = 86_400 * SECOND;

class World extends LivingOrganization {
  readonly iago = this.addWithRole('iago@example.com', ROLE.administrator);
  readonly hamlet = this.addUser('hamlet@example.com');
  override readonly handlers = presenceHandlers(this.presence);

  report(user: UserDocument, params: Body = {}) {
    return this.do('update-presence', { status: 'active', ...params }, user);
  }
}

function both(seconds: number) {
  return { active_timestamp: seconds, idle_timestamp: seconds };
}

// [c:presence-last-update-id]
void t.test('the modern protocol: everything once, then only what changed', async (t) => {
  const world = new World();
  const { iago, hamlet } = world;
  await world.report(iago);
  world.clock.advance(SECOND);
  const first = await world.report(hamlet, { last_update_id: -1 });
  t.strictSame(first, {
    presences: { [hamlet.user_id]: both(START_SECONDS + 1), [iago.user_id]: both(START_SECONDS) },
    presence_last_update_id: 2,
    server_timestamp: START_SECONDS + 1,
  });
  world.clock.advance(SECOND);
  const cursor = { last_update_id: 2 };
  t.strictSame(await world.report(hamlet, cursor), {
    presences: {},
    presence_last_update_id: 2,
    server_timestamp: START_SECONDS + 2,
  });
  world.clock.advance(60 * SECOND);
  await world.report(iago);
  t.strictSame(await world.report(hamlet, { ...cursor, history_limit_days: 0 }), {
    presences: {
      [hamlet.user_id]: both(START_SECONDS + 62),
      [iago.user_id]: both(START_SECONDS + 62),
    },
    presence_last_update_id: 4,
    server_timestamp: START_SECONDS + 62,
  });
});

// [c:presence-slim]
void t.test('slim and legacy forms, as older clients ask for them', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(iago, { status: 'idle', ping_only: true });
  t.strictSame((await world.report(hamlet, { slim_presence: true })).presences, {
    [hamlet.user_id]: both(START_SECONDS),
    // Never active: by no client's clock.
    [iago.user_id]: { active_timestamp: START_SECONDS - 320, idle_timestamp: START_SECONDS },
  });
  world.clock.advance(100 * SECOND);
  await world.report(iago, { status: 'idle' });
  const { presences } = await world.report(hamlet);
  const entry = (status: string) => ({ client: 'website', status, timestamp: START_SECONDS + 100 });
  t.strictSame(presences, {
    'hamlet@example.com': {
      aggregated: entry('active'),
      website: { ...entry('active'), pushable: false },
    },
    'iago@example.com': {
      aggregated: entry('idle'),
      website: { ...entry('idle'), pushable: false },
    },
  });
});

// [c:presence-ping-only]
void t.test('ping_only gives no data', async (t) => {
  const world = new World();
  const { hamlet } = world;
  t.strictSame(await world.report(hamlet, { ping_only: true }), { presence_last_update_id: -1 });
  t.strictSame(await world.report(hamlet, { ping_only: true, last_update_id: 7 }), {
    presence_last_update_id: 7,
  });
});

// [c:presence-first-fetch]
void t.test('the first fetch reaches back as far as asked', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(iago);
  world.clock.advance(3 * DAY);
  const days = async (history_limit_days: number) =>
    Object.keys(
      (await world.report(hamlet, { last_update_id: -1, history_limit_days })).presences as object,
    ).length;
  t.equal(await days(2), 1);
  t.equal(await days(4), 2);
});

// [c:presence-history]
void t.test('presence history: 14 days by default', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(iago);
  const seen = async () =>
    String(iago.user_id) in
    ((await world.report(hamlet, { last_update_id: -1 })).presences as object);
  world.clock.advance(13 * DAY);
  t.equal(await seen(), true);
  world.clock.advance(2 * DAY);
  t.equal(await seen(), false);
});

// [c:presence-unshared]
void t.test('who does not share is not stored, but sees the others', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  await world.report(iago);
  world.presetSettings(hamlet, { presence_enabled: false });
  const { presences } = await world.report(hamlet, { last_update_id: -1 });
  t.strictSame(Object.keys(presences as object), [String(iago.user_id)]);
});

// [c:presence-disabled]
void t.test('where the organization has no presence there is none', async (t) => {
  const world = new World();
  await world.report(world.iago);
  world.setRealm({ presence_disabled: true });
  const since = world.position;
  t.strictSame(await world.report(world.hamlet), {
    presences: {},
    presence_last_update_id: -1,
    server_timestamp: START_SECONDS,
  });
  t.strictSame(world.received(world.iago, since), []);
  await t.rejects(
    world.do('get-user-presence', { user_id_or_email: String(world.iago.user_id) }, world.hamlet),
    { message: `No presence data for ${world.iago.user_id}` },
  );
});

// [c:presence-status-refused]
void t.test('a status other than active or idle is refused', async (t) => {
  const world = new World();
  await t.rejects(world.report(world.hamlet, { status: 'away' }), {
    status: 400,
    code: 'BAD_REQUEST',
    message: 'Invalid status: away',
  });
});

// [c:presence-of-user]
void t.test(
  "one user's presence, in the modern form and the legacy one of level 497",
  async (t) => {
    const world = new World();
    const { hamlet, iago } = world;
    await world.report(hamlet);
    const NOW = START_SECONDS;
    const shown = (active: number, idle: number, website: object, aggregated: string) => ({
      presence: {
        active_timestamp: active,
        idle_timestamp: idle,
        website,
        aggregated: { ...website, status: aggregated },
      },
      server_timestamp: world.clock.now() / SECOND,
    });
    const of = (user_id_or_email: number | string) =>
      world.do('get-user-presence', { user_id_or_email: String(user_id_or_email) }, iago);
    const active = { status: 'active', timestamp: NOW };
    t.strictSame(await of(hamlet.user_id), shown(NOW, NOW, active, 'active'));
    world.clock.advance(200 * SECOND);
    t.strictSame(await of(hamlet.user_id), shown(NOW, NOW, active, 'active'));
    world.clock.advance(SECOND);
    t.strictSame(await of('Hamlet@example.com'), shown(NOW, NOW, active, 'offline'));
    await world.report(hamlet, { status: 'idle' });
    const idle = { status: 'idle', timestamp: NOW + 201 };
    t.strictSame(await of(hamlet.user_id), shown(NOW, NOW + 201, idle, 'idle'));
    world.clock.advance(201 * SECOND);
    t.strictSame(await of(hamlet.user_id), shown(NOW, NOW + 201, idle, 'offline'));
    const bot = world.addUser('bot@example.com');
    world.alter(bot.user_id, { is_bot: true, bot_type: 1 });
    await t.rejects(of(bot.user_id), { message: 'Presence is not supported for bot users.' });
    await t.rejects(of('iago@example.com'), { message: 'No presence data for iago@example.com' });
    await t.rejects(of(999), { message: 'No such user' });
    world.alter(hamlet.user_id, { is_active: false });
    await t.rejects(of(hamlet.user_id), { message: 'No such user' });
  },
);

void t.test("everybody's presence, in the legacy form", async (t) => {
  const world = new World();
  await world.report(world.hamlet);
  const one = { client: 'website', status: 'active', timestamp: START_SECONDS };
  t.strictSame(await world.do('get-realm-presence', {}, world.iago), {
    presences: { 'hamlet@example.com': { aggregated: one, website: { ...one, pushable: false } } },
    server_timestamp: START_SECONDS,
  });
});
