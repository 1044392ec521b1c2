import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { LinkKeys } from '../../../../src/services/auth/link-keys.js';
import { channelReadingHandlers } from '../../../../src/resources/channels/channel-reading.js';
import { call } from '../../../fixtures/call.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

function fixture() {
  const test = new TestOrganization();
  const admin = test.user({ role: ROLE.administrator });
  const ann = test.user();
  const guest = test.user({ role: ROLE.guest });
  const open = test.channel({ name: 'Open' });
  const secret = test.channel({ name: 'secret', invite_only: true });
  test.subscribe(ann, open);
  test.subscribe(ann, secret);
  const ask = (operation: string, user: UserDocument, params: Record<string, unknown>) =>
    call(
      test,
      channelReadingHandlers({ linkKeys: new LinkKeys(Buffer.alloc(32)) }),
      operation,
      user,
      params,
    ).result;
  return { test, admin, ann, guest, open, secret, ask };
}

void t.test('one channel, for those who may know of it', async (t) => {
  const { test, admin, ann, guest, open, secret, ask } = fixture();
  const { stream_id } = secret;
  const nobody = test.system('role:nobody');
  const everyone = test.system('role:everyone');
  const shown = {
    stream_id,
    name: 'secret',
    description: '',
    rendered_description: '',
    date_created: Date.UTC(2025, 0, 15, 12) / 1000,
    creator_id: null,
    invite_only: true,
    is_web_public: false,
    history_public_to_subscribers: false,
    is_archived: false,
    is_announcement_only: false,
    stream_post_policy: 1,
    message_retention_days: null,
    first_message_id: null,
    folder_id: null,
    is_recently_active: false,
    topics_policy: 'inherit',
    subscriber_count: 1,
    stream_weekly_traffic: 0,
    default_push_notifications: false,
    can_add_subscribers_group: nobody,
    can_administer_channel_group: nobody,
    can_create_topic_group: everyone,
    can_delete_any_message_group: nobody,
    can_delete_own_message_group: nobody,
    can_move_messages_out_of_channel_group: nobody,
    can_move_messages_within_channel_group: nobody,
    can_remove_subscribers_group: test.system('role:administrators'),
    can_resolve_topics_group: nobody,
    can_send_message_group: everyone,
    can_subscribe_group: nobody,
  };
  for (const user of [admin, ann]) {
    t.strictSame(ask('get-channel', user, { stream_id }), { stream: shown });
  }
  for (const [user, id] of [
    [guest, open.stream_id],
    [guest, stream_id],
    [test.user(), stream_id],
    [ann, 99],
  ] as const) {
    for (const operation of ['get-channel', 'get-subscribers', 'get-channel-email-address']) {
      t.throws(() => ask(operation, user, { stream_id: id }), { message: 'Invalid channel ID' });
    }
    const params = { stream_id: id };
    t.throws(() => ask('get-channel-topics', user, params), { message: 'Invalid channel ID' });
  }
});

void t.test('the id of a name', async (t) => {
  const { ann, guest, open, ask } = fixture();
  t.strictSame(ask('get-channel-id', ann, { stream: ' open' }), { stream_id: open.stream_id });
  for (const [user, stream] of [
    [ann, 'absent'],
    [guest, 'Open'],
  ] as const) {
    t.throws(() => ask('get-channel-id', user, { stream }), {
      message: `Invalid channel name '${stream}'`,
      code: 'BAD_REQUEST',
    });
  }
});

void t.test('subscribers who are active, ascending', async (t) => {
  const { test, admin, ann, open, secret, ask } = fixture();
  const gone = test.user({ is_active: false });
  for (const user of [gone, admin]) test.subscribe(user, open);
  const members = (stream_id: number) => ask('get-subscribers', admin, { stream_id });
  t.strictSame(members(open.stream_id), { subscribers: [admin.user_id, ann.user_id] });
  t.strictSame(members(secret.stream_id), { subscribers: [ann.user_id] });
});

void t.test('topics, newest first, as far as the history may be read', async (t) => {
  const { test, admin, ann, open, secret, ask } = fixture();
  const bob = test.user();
  const send = (topic: string, channel = open) => test.message(channel, ann, { topic }).id;
  send('Plans');
  send('lunch');
  const empty = send('');
  const lunch = send('lunch');
  const plans = send('plans');
  const topics = (user: UserDocument, stream_id: number, params: object = {}) =>
    ask('get-channel-topics', user, { stream_id, ...params }).topics;
  t.strictSame(topics(ann, open.stream_id), [
    { name: 'plans', max_id: plans },
    { name: 'lunch', max_id: lunch },
    { name: 'general chat', max_id: empty },
  ]);
  t.match(topics(bob, open.stream_id, { allow_empty_topic_name: true }), [{}, {}, { name: '' }]);
  const early = test.message(secret, ann, { topic: 'early' });
  const both = test.message(secret, ann, { topic: 'both' });
  test.subscribe(bob, secret, { spans: [[both.seq, null]] });
  const late = send('early', secret);
  t.strictSame(topics(bob, secret.stream_id), [
    { name: 'early', max_id: late },
    { name: 'both', max_id: both.id },
  ]);
  test.subscribe(bob, secret, { spans: [[both.seq, both.seq + 1]] });
  test.load('subscription', {
    ...test.org.subscriptions.of(bob.user_id, secret.stream_id)!,
    spans: [
      [early.seq, both.seq + 1],
      [late + 10_000, null],
    ],
  });
  t.strictSame(topics(bob, secret.stream_id), [
    { name: 'both', max_id: both.id },
    { name: 'early', max_id: early.id },
  ]);
  t.throws(() => topics(admin, secret.stream_id), { message: 'Invalid channel ID' });
});

void t.test('there is no address to send mail to', async (t) => {
  const { ann, open, ask } = fixture();
  t.throws(() => ask('get-channel-email-address', ann, { stream_id: open.stream_id }), {
    message: 'Sending messages to channels by email is not supported by this server.',
    code: 'BAD_REQUEST',
    status: 400,
  });
});
