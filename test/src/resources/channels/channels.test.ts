import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { channelHandlers } from '../../../../src/resources/channels/channels.js';
import { call } from '../../../fixtures/call.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

function fixture() {
  const test = new TestOrganization();
  const member = test.user();
  const admin = test.user({ role: ROLE.administrator });
  const guest = test.user({ role: ROLE.guest });
  const bot = test.user({ is_bot: true, bot_type: 1, bot_owner_id: member.user_id });
  const holders = { direct_members: [member.user_id, bot.user_id], direct_subgroups: [] };
  test.channel({ name: 'web', is_web_public: true });
  test.channel({ name: 'open', is_default: true });
  const secret = test.channel({ name: 'secret', invite_only: true });
  test.channel({ name: 'held', invite_only: true, can_subscribe_group: holders });
  test.channel({ name: 'run', invite_only: true, can_administer_channel_group: holders });
  const old = test.channel({ name: 'old', is_archived: true });
  test.subscribe(member, secret);
  test.subscribe(member, old);
  const streams = (user: UserDocument, params: object = {}) =>
    call(test, channelHandlers(), 'get-channels', user, params as Record<string, unknown>).result
      .streams as Record<string, unknown>[];
  const names = (user: UserDocument, params?: object) =>
    streams(user, params).map((channel) => channel.name);
  return { member, admin, guest, bot, streams, names };
}

void t.test('public and subscribed channels by default, by name', async (t) => {
  const { member, admin, guest, names } = fixture();
  t.strictSame(names(member), ['open', 'secret', 'web']);
  t.strictSame(names(admin), ['open', 'web']);
  t.strictSame(names(guest), []);
});

void t.test('each parameter adds or takes away its own', async (t) => {
  const { member, admin, guest, bot, names } = fixture();
  const none = { include_public: false, include_subscribed: false };
  t.strictSame(names(member, none), []);
  t.strictSame(names(member, { ...none, include_public: true }), ['open', 'web']);
  t.strictSame(names(member, { ...none, include_subscribed: true }), ['secret']);
  t.strictSame(names(guest, { include_web_public: true }), ['web']);
  t.strictSame(names(member, { ...none, include_can_access_content: true }), [
    'held',
    'open',
    'secret',
    'web',
  ]);
  t.strictSame(names(member, { include_all: true }), ['held', 'open', 'run', 'secret', 'web']);
  t.strictSame(names(admin, { include_all: true, exclude_archived: false }), [
    'held',
    'old',
    'open',
    'run',
    'secret',
    'web',
  ]);
  t.strictSame(
    names(bot, { ...none, include_owner_subscribed: true }),
    [],
    'the bot cannot see it',
  );
  t.strictSame(names(bot, { ...none, include_owner_subscribed: true, exclude_archived: false }), [
    'old',
  ]);
});

void t.test('is_default is shown on request only', async (t) => {
  const { member, streams } = fixture();
  t.ok(streams(member).every((channel) => !('is_default' in channel)));
  t.strictSame(
    streams(member, { include_default: true }).map((channel) => channel.is_default),
    [true, false, false],
  );
});

void t.test('guests cannot ask for all', async (t) => {
  const { guest, names } = fixture();
  t.throws(() => names(guest, { include_all: true }), {
    message: 'User not authorized for this query',
    code: 'BAD_REQUEST',
  });
});
