import t from 'tap';
import { settingsHandlers } from '../../../../src/resources/users/settings.js';
import { unlimitedLogins } from '../../../../src/resources/kernel/limiters.js';
import { START_SECONDS, type Body } from '../../../fixtures/living-organization.js';
import { personalWorld, refused } from '../../../fixtures/personal-world.js';
import { handlerOf } from '../../../fixtures/handler-of.js';

// [c:drafts-events]
void t.test(
  'drafts that are created, changed and deleted are emitted to their owner only',
  async (t) => {
    const world = personalWorld();
    const { ophelia } = world;
    const { stream_id: general } = world.general;
    const first = {
      type: 'channel',
      to: [general],
      topic: ' plot ',
      content: 'to be ',
      timestamp: 10,
    };
    const second = {
      type: 'direct',
      to: [ophelia.user_id],
      topic: 'x',
      content: '',
      timestamp: 20.7,
    };
    const third = { type: '', to: [], topic: 'kept', content: 'later' };
    t.strictSame(await world.do('create-drafts', { drafts: [first, second, third] }), {
      ids: [1, 2, 3],
    });
    const drafts = [
      { id: 1, type: 'stream', to: [general], topic: 'plot', content: 'to be', timestamp: 10 },
      { id: 2, type: 'private', to: [ophelia.user_id], topic: '', content: '', timestamp: 20 },
      { id: 3, type: '', to: [], topic: '', content: 'later', timestamp: START_SECONDS },
    ];
    t.strictSame(world.received(ophelia, world.mark), []);
    t.strictSame(world.newEvents(), [{ type: 'drafts', op: 'add', drafts }]);
    t.strictSame(await world.do('get-drafts'), { count: 3, drafts }, 'oldest edit first');
    const changed = {
      type: 'stream',
      to: [general],
      topic: '(no topic)',
      content: 'or not',
      timestamp: 30,
    };
    t.strictSame(await world.do('edit-draft', { draft_id: 1, draft: changed }), {});
    t.strictSame(world.newEvents(), [
      { type: 'drafts', op: 'update', draft: { ...changed, id: 1, topic: '' } },
    ]);
    const edited = { ...changed, id: 1, topic: '' };
    t.strictSame(await world.do('get-drafts'), {
      count: 3,
      drafts: [drafts[1], edited, drafts[2]],
    });
    t.strictSame(await world.do('delete-draft', { draft_id: 2 }), {});
    t.strictSame(world.newEvents(), [{ type: 'drafts', op: 'remove', draft_id: 2 }]);
    t.strictSame(await world.do('create-drafts', { drafts: [] }), { ids: [] });
    t.strictSame(world.newEvents(), []);
    t.equal(world.reloaded().drafts.size, 2);
  },
);

void t.test('an invalid draft is refused, with the whole list it is in', async (t) => {
  const world = personalWorld();
  const { stream_id: general } = world.general;
  const ok = { type: '', to: [], topic: '', content: 'x' };
  const create = (draft: Body) => world.do('create-drafts', { drafts: [ok, { ...ok, ...draft }] });
  await t.rejects(create({ timestamp: -1 }), refused('Timestamp must not be negative.'));
  const late = refused('Timestamp is too large (maximum 9007199254740991).');
  await t.rejects(create({ timestamp: 1e20 }), late);
  await t.rejects(create({ timestamp: Number.MAX_SAFE_INTEGER + 1 }), late);
  const one = refused('Must specify exactly 1 channel ID for channel messages');
  await t.rejects(create({ type: 'stream' }), one);
  await t.rejects(create({ type: 'stream', to: [general, general] }), one);
  await t.rejects(create({ type: 'stream', to: [99] }), refused('Invalid channel ID'));
  await t.rejects(create({ type: 'private', to: [99] }), refused('Invalid user ID 99'));
  await t.rejects(
    create({ type: 'stream', to: [general], topic: 'a\0b' }),
    refused('Topic must not contain null bytes'),
  );
  t.strictSame(world.newEvents(), []);
  t.equal(world.org.drafts.size, 0);
  await world.do('create-drafts', { drafts: [ok] });
  const absent = refused('Draft does not exist', 404);
  await t.rejects(world.do('edit-draft', { draft_id: 1, draft: ok }, world.ophelia), absent);
  await t.rejects(world.do('delete-draft', { draft_id: 1 }, world.ophelia), absent);
  await t.rejects(world.do('delete-draft', { draft_id: 9 }), absent);
  await world.do('create-drafts', { drafts: Array.from({ length: 999 }, () => ok) });
  await t.rejects(create({}), refused('You can have at most 1000 drafts.'));
});

// [c:drafts-synchronization]
void t.test(
  'enable_drafts_synchronization: "all drafts stored on the server are deleted; no event is sent"',
  async (t) => {
    const world = personalWorld();
    const draft = { type: '', to: [], topic: '', content: 'x' };
    await world.do('create-drafts', { drafts: [draft, draft] });
    await world.do('create-drafts', { drafts: [draft] }, world.ophelia);
    world.newEvents();
    const settings = settingsHandlers({
      presence: world.presence,
      limiter: unlimitedLogins,
    } as never);
    await world.call(handlerOf(settings, 'update-settings'), world.hamlet, {
      enable_drafts_synchronization: false,
    });
    t.strictSame(
      world.newEvents().map((event) => event.type),
      ['user_settings'],
    );
    t.equal(world.org.drafts.size, 1, 'those of others stay');
    const off = refused('User has disabled synchronizing drafts.');
    await t.rejects(world.do('create-drafts', { drafts: [draft] }), off);
    await t.rejects(world.do('edit-draft', { draft_id: 1, draft }), off);
    await t.rejects(world.do('delete-draft', { draft_id: 1 }), off);
    t.strictSame(await world.do('get-drafts'), { count: 0, drafts: [] });
    await world.call(handlerOf(settings, 'update-settings'), world.owner, {
      target_users: { user_ids: [world.ophelia.user_id] },
      enable_drafts_synchronization: false,
    });
    t.equal(world.org.drafts.size, 0, 'also where somebody else turns it off');
  },
);
