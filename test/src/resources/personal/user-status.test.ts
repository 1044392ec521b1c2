import t from 'tap';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { MODERN, type Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld as World } from '../../../fixtures/people-world.js';
import { userStatuses } from '../../../fixtures/plain-snapshot.js';

function refused(message: string) {
  return { status: 400, code: 'BAD_REQUEST', message };
}

const STATUS = { ...MODERN, event_types: ['user_status'] };

class StatusWorld extends World {
  private since = 0;

  async set(params: Body, caller = this.hamlet): Promise<Body[]> {
    this.since = this.position;
    await this.do('update-own-status', params, caller);
    return this.received(this.guest, this.since, STATUS);
  }

  async status(): Promise<unknown> {
    return (await this.do('get-user-status', { user_id: this.hamlet.user_id }, this.guest)).status;
  }
}

void t.test('only what changed is told, the emoji keys together', async (t) => {
  const world = new StatusWorld();
  const { user_id } = world.hamlet;
  const event = (fields: Body) => [{ type: 'user_status', user_id, ...fields }];
  const car = { emoji_name: 'car', emoji_code: '1f697', reaction_type: 'unicode_emoji' };
  t.strictSame(await world.status(), {});
  t.strictSame(
    await world.set({ status_text: ' on holiday ', emoji_name: 'car' }),
    event({ status_text: 'on holiday', ...car }),
  );
  t.strictSame(await world.status(), { status_text: 'on holiday', ...car });
  t.strictSame(await world.set({ status_text: 'ill' }), event({ status_text: 'ill' }));
  t.strictSame(await world.set({ status_text: 'ill', emoji_name: 'car' }), [], 'nothing new');
  const none = { emoji_name: '', emoji_code: '', reaction_type: '' };
  t.strictSame(await world.set(none), event(none));
  t.strictSame(await world.status(), { status_text: 'ill' });
  t.strictSame(await world.set({ status_text: '' }), event({ status_text: '' }));
  t.strictSame(await world.status(), {});
  t.notOk(world.org.statuses.has(user_id), 'nothing is kept');
});

void t.test('a status takes emoji of each type if name and code belong together', async (t) => {
  const world = new StatusWorld();
  const custom = { id: 7, name: 'party_parrot', author_id: null, deactivated: false };
  world.transact((tx) =>
    tx.org.customEmoji.insert({ ...custom, file: 'parrot.png', animated: false }),
  );
  const told = async (params: Body) => {
    const [event] = await world.set(params);
    return [event!.emoji_code, event!.reaction_type];
  };
  t.strictSame(await told({ emoji_name: 'car', emoji_code: '1f697' }), ['1f697', 'unicode_emoji']);
  t.strictSame(await told({ emoji_name: 'zulip' }), ['zulip', 'zulip_extra_emoji']);
  const bunny = { emoji_name: 'long_ears', emoji_code: '1f430', reaction_type: 'unicode_emoji' };
  t.match(await world.set(bunny), [{ ...bunny, emoji_name: 'bunny' }], "a client's own name");
  t.strictSame(await told({ emoji_name: 'party_parrot' }), ['7', 'realm_emoji']);
  const refusals: [Body, string][] = [
    [{ emoji_name: 'no_such' }, "Emoji 'no_such' does not exist"],
    [{ emoji_name: 'car', reaction_type: 'realm_emoji' }, "Emoji 'car' does not exist"],
    [{ emoji_name: 'car', emoji_code: '1f44d' }, 'Invalid emoji name.'],
    [{ emoji_name: 'party_parrot', emoji_code: '8' }, 'Invalid emoji name.'],
    [{ emoji_name: 'car', reaction_type: 'other' }, 'Invalid emoji type.'],
    [
      { emoji_code: '1f697' },
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    ],
    [
      { emoji_name: '', reaction_type: 'unicode_emoji' },
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    ],
    [{}, 'Client did not pass any new values.'],
  ];
  for (const [params, message] of refusals) {
    await t.rejects(world.set(params), refused(message));
  }
});

void t.test('away is the older form of a setting', async (t) => {
  const world = new StatusWorld();
  const { hamlet } = world;
  const { user_id } = hamlet;
  const since = world.position;
  t.strictSame(await world.set({ away: true }), [{ type: 'user_status', user_id, away: true }]);
  t.strictSame(
    world.received(hamlet, since).map(({ type }) => type),
    ['user_settings', 'presence', 'realm_user', 'user_status'],
  );
  t.strictSame(await world.status(), { away: true });
  t.notOk(world.org.settings.value(user_id, 'presence_enabled'));
  t.strictSame(await world.set({ away: true }), [], 'the same again says nothing');
  t.strictSame(await world.set({ away: false, status_text: 'back' }), [
    { type: 'user_status', user_id, away: false },
    { type: 'user_status', user_id, status_text: 'back' },
  ]);
});

void t.test('administrators set the status of others, bots too, without away', async (t) => {
  const world = new StatusWorld();
  const { admin, hamlet, guest } = world;
  const bot = await world.bot(hamlet, 'Echo');
  const since = world.position;
  for (const { user_id } of [hamlet, bot]) {
    await world.do('update-user-status', { user_id, status_text: 'busy' }, admin);
  }
  t.strictSame(world.received(guest, since, STATUS), [
    { type: 'user_status', user_id: hamlet.user_id, status_text: 'busy' },
    { type: 'user_status', user_id: bot.user_id, status_text: 'busy' },
  ]);
  await t.rejects(
    world.do('update-user-status', { user_id: 999, status_text: 'x' }, admin),
    refused('No such user'),
  );
  await t.rejects(
    world.do('update-user-status', { user_id: hamlet.user_id }, admin),
    refused('Client did not pass any new values.'),
  );
  const { access } = handlerOf(world.handlers, 'update-user-status').endpoint;
  t.equal(access, 'administrator');
  world.alter(hamlet.user_id, { is_active: false });
  await t.rejects(
    world.do('update-user-status', { user_id: hamlet.user_id, status_text: 'x' }, admin),
    refused('User is deactivated'),
  );
  t.strictSame(await world.status(), {}, 'who is gone has none');
});

void t.test('the snapshot has only active users with something set', async (t) => {
  const world = new StatusWorld();
  const { hamlet, iago } = world;
  t.strictSame(userStatuses(world.org), {});
  await world.set({ status_text: 'here' });
  await world.set({ away: true }, iago);
  await world.set({ status_text: 'x' }, world.admin);
  world.alter(world.admin.user_id, { is_active: false });
  const expected = {
    [hamlet.user_id]: { status_text: 'here' },
    [iago.user_id]: { away: true },
  };
  t.strictSame(userStatuses(world.org), expected);
  t.strictSame(userStatuses(world.reloaded()), expected);
});
