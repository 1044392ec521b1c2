import t, { type Test } from 'tap';
import { CHANNEL_PERMISSIONS, type ChannelDocument } from '../../../../schemas/channels/channel.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { channelAdministrationHandlers } from '../../../../src/resources/channels/channel-administration.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { call } from '../../../fixtures/call.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';
import { received } from '../../../fixtures/receive.js';

const handlers = channelAdministrationHandlers(createMarkdown());
type Params = Record<string, unknown>;

function fixture(realm: ConstructorParameters<typeof TestOrganization>[0] = {}) {
  const test = new TestOrganization({ send_channel_events_messages: false, ...realm });
  const owner = test.user({ role: ROLE.owner });
  const admin = test.user({ role: ROLE.administrator });
  const [ann, bob] = [test.user(), test.user()];
  const run = (operation: string, user: UserDocument, params: Params) =>
    call(test, handlers, operation, user, params);
  const patch = (user: UserDocument, { stream_id }: ChannelDocument, params: Params) =>
    run('update-channel', user, { stream_id, ...params });
  const refused = (
    t: Test,
    user: UserDocument,
    channel: ChannelDocument,
    params: Params,
    message: string,
    code = 'BAD_REQUEST',
  ) => {
    const before = test.org.channels.get(channel.stream_id);
    t.throws(() => patch(user, channel, params), { message, code, status: 400 });
    t.equal(test.org.channels.get(channel.stream_id), before, 'nothing was changed');
  };
  return { test, owner, admin, ann, bob, run, patch, refused };
}

const only = (...users: readonly UserDocument[]) => ({
  direct_members: users.map((user) => user.user_id),
  direct_subgroups: [],
});
const ADMINISTER = 'You do not have permission to administer this channel.';

void t.test('administrators and whom the channel says change it, nobody else', async (t) => {
  const { test, admin, ann, bob, run, patch, refused } = fixture();
  const open = test.channel({ name: 'open', can_administer_channel_group: only(ann) });
  refused(t, bob, open, { description: 'x' }, ADMINISTER, 'CANNOT_ADMINISTER_CHANNEL');
  t.throws(() => run('archive-channel', bob, { stream_id: open.stream_id }), {
    message: ADMINISTER,
    code: 'CANNOT_ADMINISTER_CHANNEL',
  });
  patch(ann, open, { description: 'by ann' });
  patch(admin, open, { new_name: 'by admin' });
  t.match(test.org.channels.get(open.stream_id), { name: 'by admin', description: 'by ann' });
  const secret = test.channel({ invite_only: true });
  refused(t, bob, secret, { description: 'x' }, 'Invalid channel ID');
  t.throws(() => run('archive-channel', bob, { stream_id: 99 }), {
    message: 'Invalid channel ID',
  });
});

void t.test('privacy and who may read are for those who can read', async (t) => {
  const { test, admin, ann, patch, refused } = fixture();
  const secret = test.channel({ invite_only: true });
  const group = { new: only(ann) };
  patch(admin, secret, { description: 'metadata', can_administer_channel_group: group });
  for (const user of [admin, ann]) {
    for (const params of [
      { is_private: false },
      { history_public_to_subscribers: true },
      { can_add_subscribers_group: { new: only(user, admin) } },
      { can_subscribe_group: { new: only(user, admin) } },
    ]) {
      refused(t, user, secret, params, ADMINISTER, 'CANNOT_ADMINISTER_CHANNEL');
    }
  }
  test.subscribe(ann, secret);
  patch(ann, secret, { can_subscribe_group: group, history_public_to_subscribers: true });
  t.match(test.org.channels.get(secret.stream_id), {
    can_subscribe_group: only(ann),
    history_public_to_subscribers: true,
  });
});

void t.test('kinds of channels that cannot be, or not by this user', async (t) => {
  const { test, owner, admin, refused } = fixture({ can_create_private_channel_group: 2 });
  const open = test.channel();
  const secret = test.channel({ invite_only: true });
  test.subscribe(owner, secret);
  const usual = test.channel({ is_default: true });
  const invalid = 'Invalid parameters';
  refused(t, owner, open, { is_private: true, is_web_public: true }, invalid);
  refused(t, owner, open, { history_public_to_subscribers: false }, invalid);
  refused(t, owner, open, { is_web_public: true }, 'Web-public channels are not enabled.');
  const neither = 'A default channel cannot be private.';
  refused(t, owner, usual, { is_private: true }, neither);
  refused(t, owner, secret, { is_default_stream: true }, neither);
  refused(t, admin, open, { is_private: true }, 'Insufficient permission');
});

void t.test('a default channel that becomes private and no default', async (t) => {
  const { test, owner, ann, patch } = fixture();
  const usual = test.channel({ is_default: true });
  test.subscribe(owner, usual);
  const { events } = patch(owner, usual, { is_private: true, is_default_stream: false });
  t.strictSame(
    events.map(({ type, data }) => [type, data.op]),
    [
      ['stream', 'update'],
      ['stream', 'delete'],
      ['default_streams', undefined],
    ],
  );
  t.strictSame(received(events, ann.user_id)[1], { type: 'default_streams', default_streams: [] });
});

void t.test(
  'a new name of a channel is trimmed, and refused where it is taken or invalid',
  async (t) => {
    const { test, owner, patch, refused } = fixture();
    const open = test.channel({ name: 'Open' });
    test.channel({ name: 'taken', is_archived: true });
    refused(t, owner, open, { new_name: ' Open ' }, 'Channel already has that name.');
    refused(t, owner, open, { new_name: 'TAKEN' }, "Channel 'TAKEN' is already taken.");
    refused(t, owner, open, { new_name: ' ' }, "Channel name can't be empty!");
    refused(
      t,
      owner,
      open,
      { new_name: 'x'.repeat(61) },
      'Channel name too long (limit: 60 characters).',
    );
    refused(
      t,
      owner,
      open,
      { new_name: 'a\u0007' },
      'Invalid character in channel name, at position 2!',
    );
    patch(owner, open, { new_name: 'open' });
    t.equal(test.org.channels.get(open.stream_id)!.name, 'open', 'another case is another name');
  },
);

// [c:channel-retention-by-owners]
void t.test('owners say how long messages are kept', async (t) => {
  const { test, owner, admin, patch, refused } = fixture();
  const open = test.channel();
  const must = 'Must be an organization owner';
  for (const message_retention_days of [30, 'unlimited']) {
    refused(t, admin, open, { message_retention_days }, must, 'UNAUTHORIZED_PRINCIPAL');
  }
  const days = (message_retention_days: unknown) => {
    patch(owner, open, { message_retention_days });
    return test.org.channels.get(open.stream_id)!.message_retention_days;
  };
  t.equal(days(30), 30);
  const now = test.org.channels.get(open.stream_id)!;
  refused(
    t,
    admin,
    now,
    { message_retention_days: 'realm_default' },
    must,
    'UNAUTHORIZED_PRINCIPAL',
  );
  t.equal(days('unlimited'), -1);
  t.equal(days('realm_default'), null);
  refused(
    t,
    owner,
    open,
    { message_retention_days: 0 },
    "Bad value for 'message_retention_days': 0",
  );
});

// [c:empty-topic-only]
void t.test(
  '`empty_topic_only` may be set only when all existing messages are in the empty topic',
  async (t) => {
    const { test, owner, ann, patch, refused } = fixture();
    const open = test.channel({ can_administer_channel_group: only(ann) });
    test.message(open, ann, { topic: '' });
    const policy = { topics_policy: 'empty_topic_only' };
    patch(owner, open, policy);
    t.equal(test.org.channels.get(open.stream_id)!.topics_policy, 'empty_topic_only');
    const other = test.channel();
    test.message(other, ann, { topic: 'plans' });
    refused(
      t,
      owner,
      other,
      policy,
      'To enable this configuration, all messages in this channel must be in the general chat topic. Consider renaming or deleting other topics.',
      'CANNOT_SET_TOPICS_POLICY',
    );
    test.load('realm', { ...test.org.realm.current, can_set_topics_policy_group: 2 });
    refused(t, ann, open, { topics_policy: 'inherit' }, 'Insufficient permission');
  },
);

void t.test('folders, default channels and the archive', async (t) => {
  const { test, owner, ann, patch, refused } = fixture();
  const folder = { description: '', rendered_description: '', creator_id: null, date_created: 0 };
  test.load('channel_folder', { ...folder, id: 1, name: 'a', order: 1, is_archived: false });
  test.load('channel_folder', { ...folder, id: 2, name: 'b', order: 2, is_archived: true });
  const open = test.channel({ can_administer_channel_group: only(ann) });
  for (const folder_id of [2, 3])
    refused(t, owner, open, { folder_id }, 'Invalid channel folder ID');
  patch(ann, open, { folder_id: 1 });
  t.equal(test.org.channels.get(open.stream_id)!.folder_id, 1);
  patch(ann, open, { folder_id: null });
  t.equal(test.org.channels.get(open.stream_id)!.folder_id, null);
  refused(t, ann, open, { is_default_stream: true }, 'Insufficient permission');
  refused(t, owner, open, { is_archived: true }, 'Invalid is_archived');
  const old = test.channel({ is_archived: true });
  refused(t, owner, old, { is_default_stream: true }, 'Invalid parameters');
  patch(owner, old, { is_archived: false, is_default_stream: true, new_name: 'new' });
  t.match(test.org.channels.get(old.stream_id), {
    is_archived: false,
    is_default: true,
    name: 'new',
  });
});

// [c:channel-permissions]
void t.test('permissions are changed as {new, old}', async (t) => {
  const { test, owner, ann, patch, refused } = fixture();
  const everyone = test.system('role:everyone');
  const open = test.channel();
  for (const name of CHANNEL_PERMISSIONS) {
    refused(
      t,
      owner,
      open,
      { [name]: { new: only(ann), old: only(owner) } },
      "'old' value does not match the expected value.",
      'EXPECTATION_MISMATCH',
    );
    const { events } = patch(owner, open, {
      [name]: { new: { direct_members: [owner.user_id], direct_subgroups: [] } },
    });
    t.match(received(events, ann.user_id)[0], {
      property: name,
      value: only(owner),
      stream_id: open.stream_id,
    });
  }
  for (const name of [
    'can_add_subscribers_group',
    'can_administer_channel_group',
    'can_subscribe_group',
  ]) {
    const text = `'${name}' setting cannot be set to 'role:everyone' group.`;
    refused(t, owner, open, { [name]: { new: everyone } }, text);
  }
  refused(t, owner, open, { can_send_message_group: { new: 99 } }, 'Invalid user group');
});

void t.test(
  'who may delete messages is for those whom the organization trusts with it',
  async (t) => {
    const { test, ann, patch, refused } = fixture();
    const open = test.channel({ can_administer_channel_group: only(ann) });
    for (const name of ['can_delete_any_message_group', 'can_delete_own_message_group']) {
      refused(t, ann, open, { [name]: { new: only(ann) } }, 'Insufficient permission');
    }
    test.load('realm', {
      ...test.org.realm.current,
      can_set_delete_message_policy_group: only(ann),
    });
    patch(ann, open, { can_delete_any_message_group: { new: only(ann) } });
    t.strictSame(test.org.channels.get(open.stream_id)!.can_delete_any_message_group, only(ann));
  },
);

void t.test('a channel made with its subscribers', async (t) => {
  const { test, owner, ann, bob, run } = fixture();
  const outcome = run('create-channel', ann, {
    name: ' plays ',
    description: 'one\ntwo',
    subscribers: [bob.user_id, ann.user_id],
    invite_only: true,
    send_new_subscription_messages: false,
  });
  const channel = test.org.channels.byName('plays')!;
  t.strictSame(outcome.result, { id: channel.stream_id });
  t.match(channel, { description: 'one two', invite_only: true, creator_id: ann.user_id });
  t.strictSame(
    outcome.events.map(({ type, data }) => [type, data.op]),
    [
      ['stream', 'create'],
      ['stream', 'create'],
      ['subscription', 'add'],
      ['subscription', 'peer_add'],
    ],
    'seen by administrators, then by its subscribers',
  );
  t.throws(() => run('create-channel', owner, { name: 'PLAYS', subscribers: [] }), {
    code: 'CHANNEL_ALREADY_EXISTS',
    message: "Channel 'PLAYS' already exists",
    fields: { channel_name: 'PLAYS' },
  });
  run('create-channel', owner, { name: 'empty', subscribers: [] });
  const empty = test.org.channels.byName('empty')!;
  t.equal(test.org.subscriptions.subscriberCount(empty.stream_id), 0, 'not even its creator');
  t.throws(() => run('create-channel', owner, { name: 'x', subscribers: [999] }), {
    code: 'UNAUTHORIZED_PRINCIPAL',
    status: 403,
  });
  t.throws(() => run('create-channel', owner, { name: '', subscribers: [] }), {
    message: "Channel name can't be empty!",
  });
});

void t.test('default channels come and go', async (t) => {
  const { test, admin, ann, run } = fixture();
  const open = test.channel();
  const { stream_id } = open;
  const added = run('add-default-channel', admin, { stream_id });
  t.strictSame(received(added.events, ann.user_id), [
    { type: 'default_streams', default_streams: [stream_id] },
  ]);
  t.strictSame(run('add-default-channel', admin, { stream_id }).events, []);
  const removed = run('remove-default-channel', admin, { stream_id });
  t.strictSame(received(removed.events, ann.user_id), [
    { type: 'default_streams', default_streams: [] },
  ]);
  t.strictSame(run('remove-default-channel', admin, { stream_id }).events, []);
  const secret = test.channel({ invite_only: true });
  t.throws(() => run('add-default-channel', admin, { stream_id: secret.stream_id }), {
    message: 'Private channels cannot be made default.',
  });
  const old = test.channel({ is_archived: true });
  for (const one of [old.stream_id, 99]) {
    t.throws(() => run('add-default-channel', admin, { stream_id: one }), {
      message: 'Invalid channel ID',
    });
  }
});
