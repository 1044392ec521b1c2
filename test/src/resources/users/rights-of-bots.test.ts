import t from 'tap';
import { ROLE, type Role, type UserDocument } from '../../../../schemas/users/user-document.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld } from '../../../fixtures/people-world.js';

const mustBe = (who: string) => ({
  status: 400,
  code: 'UNAUTHORIZED_PRINCIPAL',
  message: `Must be an organization ${who}`,
});

/** A second owner with a bot of a role. */
async function ownersBot(role: Role) {
  const world = new PeopleWorld();
  const second = world.addWithRole('second@example.com', ROLE.owner);
  const bot = await world.bot(second, 'Echo');
  await world.do('update-bot', { bot_id: bot.user_id, role }, world.owner);
  const change = (actor: UserDocument, target: UserDocument, params: Body) =>
    world.do('update-user', { user_id: target.user_id, ...params }, actor);
  const roleOf = () => world.user(bot.user_id).role;
  return { world, second, bot, change, roleOf };
}

void t.test('a demotion lowers the bots of the account, active or not', async (t) => {
  for (const role of [ROLE.administrator, ROLE.moderator, ROLE.member, ROLE.guest]) {
    for (const active of [true, false]) {
      const { world, second, bot, change, roleOf } = await ownersBot(ROLE.owner);
      if (!active) await world.do('deactivate-bot', { bot_id: bot.user_id }, second);
      const since = world.position;
      await change(world.owner, second, { role });
      t.equal(roleOf(), role, `${active ? 'active' : 'inactive'}, to ${role}`);
      const person = { user_id: bot.user_id, role };
      const told = world.received(world.hamlet, since);
      t.match(
        told.find((event) => (event.person as Body | undefined)?.user_id === bot.user_id),
        { type: 'realm_user', op: 'update', person },
      );
    }
  }
});

void t.test('a demotion leaves bots that are not above it', async (t) => {
  const { world, second, change, roleOf } = await ownersBot(ROLE.member);
  await change(world.owner, second, { role: ROLE.administrator });
  t.equal(roleOf(), ROLE.member);
  await change(world.owner, second, { role: ROLE.owner });
  t.equal(roleOf(), ROLE.member, 'and a promotion raises none');
});

void t.test('a bot that changes hands has no role above its new owner', async (t) => {
  const { world, second, bot, roleOf } = await ownersBot(ROLE.owner);
  const { admin, hamlet, iago } = world;
  const give = (actor: UserDocument, owner: UserDocument, more: Body = {}) =>
    world.do('update-bot', { bot_id: bot.user_id, bot_owner_id: owner.user_id, ...more }, actor);
  await t.rejects(give(admin, admin), mustBe('owner'));
  await give(second, admin);
  t.equal(roleOf(), ROLE.administrator);
  await give(admin, hamlet, { role: ROLE.administrator });
  t.equal(roleOf(), ROLE.administrator, 'an administrator may say so');
  await give(hamlet, iago, { role: ROLE.administrator });
  t.equal(roleOf(), ROLE.member, 'its owner may not');
});

void t.test('who gave a bot away knows its key no longer', async (t) => {
  const { world, second, bot } = await ownersBot(ROLE.owner);
  const { admin, hamlet, owner } = world;
  const params = { bot_id: bot.user_id };
  const keyFor = async (user: UserDocument) =>
    (await world.do('get-bot-api-key', params, user)).api_key;
  const old = await keyFor(second);
  await world.do('update-bot', { ...params, bot_owner_id: owner.user_id }, second);
  const renewed = await keyFor(owner);
  t.not(renewed, old);
  t.strictSame(world.closedSockets, [bot.user_id], 'nor do its sockets stay open');
  await world.do(
    'update-bot',
    { ...params, bot_owner_id: owner.user_id, full_name: 'Same' },
    owner,
  );
  t.equal(await keyFor(owner), renewed, 'the same owner is no change');

  const hook = await world.bot(hamlet, 'Hook', { bot_type: 2 });
  const ofHook = { bot_id: hook.user_id };
  const { api_key } = await world.do('get-bot-api-key', ofHook, hamlet);
  await world.do('update-bot', { ...ofHook, bot_owner_id: admin.user_id }, hamlet);
  t.strictSame(
    await world.do('get-bot-api-key', ofHook, admin),
    { api_key },
    'the key of an incoming webhook stands at services, and only sends',
  );
});

void t.test('an owner, and a bot with the rights of one, comes back by owners only', async (t) => {
  const { world, second, bot, roleOf } = await ownersBot(ROLE.owner);
  const { admin, owner } = world;
  const old = world.keys.derive(bot.user_id, world.user(bot.user_id).key_version);
  await world.do('deactivate-user', { user_id: second.user_id }, owner);
  const back = (actor: UserDocument, user_id: number) =>
    world.do('reactivate-user', { user_id }, actor);
  for (const { user_id } of [bot, second]) await t.rejects(back(admin, user_id), mustBe('owner'));
  await t.rejects(
    world.do('get-bot-api-key', { bot_id: bot.user_id }, admin),
    mustBe('owner'),
    'nor is its key shown',
  );
  t.equal(world.user(bot.user_id).is_active, false);
  await back(owner, bot.user_id);
  t.match(world.user(bot.user_id), { is_active: true, bot_owner_id: owner.user_id });
  t.equal(roleOf(), ROLE.owner);
  const { api_key } = await world.do('get-bot-api-key', { bot_id: bot.user_id }, owner);
  t.not(api_key, old, 'the key that the former owner knows is dead');
});

void t.test('a bot that comes back to an administrator has no role above theirs', async (t) => {
  const { world, second, bot, roleOf } = await ownersBot(ROLE.administrator);
  await world.do('deactivate-user', { user_id: second.user_id }, world.owner);
  await world.do('reactivate-user', { user_id: bot.user_id }, world.admin);
  t.equal(roleOf(), ROLE.administrator);
  t.equal(world.user(bot.user_id).bot_owner_id, world.admin.user_id);
});

void t.test('the bot of a guest is a guest', async (t) => {
  const world = new PeopleWorld();
  const everyone = world.system('role:everyone');
  world.setRealm({ can_create_bots_group: everyone });
  const bot = await world.bot(world.guest, 'Echo');
  t.equal(bot.role, ROLE.guest);
});
