import t from 'tap';
import type { JournalEvent } from '../../../../src/journal/entry.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { ChannelViewer, VIEWER_FILTERS } from '../../../fixtures/channel-viewer.js';
import { channelWorld as world, only, type Params } from '../../../fixtures/channel-world.js';
import { queueFilter, received } from '../../../fixtures/receive.js';

/** What a queue gets of a channel change, notices left out. */
function told(events: readonly JournalEvent[], user: UserDocument, filter = queueFilter()) {
  return received(events, user.user_id, filter).map(({ type, op, property, value, ...rest }) =>
    op === 'update' ? [property, value] : [type, op, ...Object.keys(rest)],
  );
}

// [c:channel-made-public]
void t.test('private to public: introduced, counted up, and told to the others', async (t) => {
  const { test, owner, ann, bob, guest, patch } = world();
  const secret = test.channel({ name: 'secret', invite_only: true });
  for (const user of [owner, bob]) test.subscribe(user, secret);
  const { events } = patch(owner, secret, { is_private: false });
  t.strictSame(received(events, ann.user_id, queueFilter()), [
    { ...received(events, ann.user_id)[0], type: 'stream', op: 'create' },
    {
      type: 'subscription',
      op: 'peer_add',
      stream_ids: [secret.stream_id],
      user_ids: [owner.user_id, bob.user_id],
    },
  ]);
  t.match(received(events, ann.user_id)[0], {
    streams: [{ invite_only: false, history_public_to_subscribers: true, subscriber_count: 0 }],
  });
  t.strictSame(received(events, bob.user_id), [
    {
      type: 'stream',
      op: 'update',
      stream_id: secret.stream_id,
      name: 'secret',
      property: 'invite_only',
      value: false,
      history_public_to_subscribers: true,
      is_web_public: false,
    },
  ]);
  t.strictSame(received(events, guest.user_id), []);
  t.strictSame(
    events.map(({ type, data }) => [type, data.op]),
    [
      ['stream', 'create'],
      ['subscription', 'peer_add'],
      ['stream', 'update'],
    ],
  );
});

// [c:channel-made-private]
void t.test('public to private: told to those who keep it, taken from the others', async (t) => {
  const { test, owner, admin, ann, bob, patch } = world();
  const open = test.channel({ name: 'open' });
  for (const user of [owner, bob]) test.subscribe(user, open);
  const { events } = patch(owner, open, { is_private: true });
  for (const user of [owner, bob, admin]) {
    t.strictSame(told(events, user)[0], ['invite_only', true]);
  }
  t.match(test.org.channels.get(open.stream_id), {
    invite_only: true,
    history_public_to_subscribers: false,
  });
  t.strictSame(received(events, ann.user_id), [
    {
      type: 'stream',
      op: 'delete',
      streams: [{ stream_id: open.stream_id }],
      stream_ids: [open.stream_id],
    },
  ]);
});

void t.test('a guest sees a channel that was made web-public once, until it is not', async (t) => {
  const { test, owner, guest, patch } = world();
  const open = test.channel({ name: 'open', is_web_public: true });
  const hidden = patch(owner, open, { is_web_public: false });
  t.strictSame(told(hidden.events, guest), [['stream', 'delete', 'streams', 'stream_ids']]);
});

// [c:channel-renamed]
void t.test('a rename says the old name; every property has an event of its own', async (t) => {
  const { test, owner, ann, patch } = world();
  const folder = { id: 4, name: 'Plays', description: '', rendered_description: '' };
  test.load('channel_folder', {
    ...folder,
    creator_id: null,
    date_created: 0,
    order: 1,
    is_archived: false,
  });
  const open = test.channel({ name: 'open' });
  const { events } = patch(owner, open, {
    new_name: ' theatre ',
    description: 'one\n**two**',
    message_retention_days: 30,
    folder_id: 4,
    topics_policy: 'disable_empty_topic',
    can_send_message_group: { new: test.system('role:moderators') },
    can_create_topic_group: { new: only(owner, ann), old: test.system('role:everyone') },
  });
  const base = { type: 'stream', op: 'update', stream_id: open.stream_id };
  const value = (property: string, value: unknown, more: object = {}) => ({
    ...base,
    name: 'theatre',
    property,
    value,
    ...more,
  });
  t.strictSame(received(events, ann.user_id), [
    value('name', 'theatre', { name: 'open' }),
    value('description', 'one **two**', {
      rendered_description: '<p>one <strong>two</strong></p>',
    }),
    value('message_retention_days', 30),
    value('folder_id', 4),
    value('topics_policy', 'disable_empty_topic'),
    value('can_create_topic_group', only(owner, ann)),
    value('can_send_message_group', test.system('role:moderators')),
    value('stream_post_policy', 4),
  ]);
});

void t.test('notices of what was changed, if they are on', async (t) => {
  const { test, owner, patch } = world({ send_channel_events_messages: true });
  const channel = test.channel({ name: 'theatre' });
  test.subscribe(owner, channel);
  const notices = (params: Params) => {
    const { content } = patch(owner, test.org.channels.get(channel.stream_id)!, params);
    const writes = content.writes as readonly unknown[];
    return (
      writes as { key: { collection: string }; document: { topic: string; content: string } }[]
    )
      .filter((write) => write.key.collection === 'message')
      .map(({ document }) => [document.topic, document.content]);
  };
  const who = `@_**${owner.full_name}|${owner.user_id}**`;
  const quote = (text: string) => `\`\`\`\` quote\n${text}\n\`\`\`\``;
  t.strictSame(notices({ new_name: 'stage' }), [
    ['channel events', `${who} renamed channel **theatre** to **stage**.`],
  ]);
  t.strictSame(notices({ description: 'All the world', is_private: true }), [
    [
      'channel events',
      `${who} changed the description for this channel.\n\n* **Old description:**\n` +
        `${quote('*No description.*')}\n* **New description:**\n${quote('All the world')}`,
    ],
    [
      'channel events',
      `${who} changed the access permissions for this channel from **Public** to ` +
        '**Private, protected history**.',
    ],
  ]);
  t.strictSame(notices({ message_retention_days: 30, folder_id: null }), [
    [
      'channel events',
      `${who} changed the message retention period for this channel from ` +
        '**the organization default** to **30 days**.',
    ],
  ]);
  t.strictSame(notices({ can_send_message_group: { new: test.system('role:moderators') } }), [
    ['channel events', `${who} changed the posting permissions for this channel.`],
  ]);
  t.strictSame(notices({ topics_policy: 'allow_empty_topic' }), [
    [
      'channel events',
      `${who} changed the topics policy for this channel from **Automatic** to ` +
        '**general chat topic allowed**.',
    ],
  ]);
  t.strictSame(notices({ can_subscribe_group: { new: only(owner) } }), []);
});

void t.test('what is so already is told to nobody', async (t) => {
  const { test, owner, patch } = world();
  const open = test.channel({ name: 'open', description: 'x' });
  const same = {
    description: 'x',
    is_private: false,
    is_web_public: false,
    history_public_to_subscribers: true,
    is_default_stream: false,
    message_retention_days: 'realm_default',
    folder_id: null,
    topics_policy: 'inherit',
    can_subscribe_group: { new: test.system('role:nobody') },
  };
  t.strictSame(patch(owner, open, same).events, []);
  t.strictSame(patch(owner, open, {}).events, []);
});

// [c:channel-archived]
void t.test('archived and back, for clients that list such channels and others', async (t) => {
  const { test, owner, ann, bob, guest, run, patch } = world();
  const open = test.channel({ name: 'open', is_default: true });
  for (const user of [ann, bob, guest]) test.subscribe(user, open);
  const modern = queueFilter({ capabilities: { archived_channels: true } });
  const gone = run('archive-channel', owner, { stream_id: open.stream_id });
  t.strictSame(told(gone.events, ann, modern), [
    ['default_streams', undefined, 'default_streams'],
    ['is_archived', true],
  ]);
  t.strictSame(told(gone.events, ann), [
    ['default_streams', undefined, 'default_streams'],
    ['stream', 'delete', 'streams', 'stream_ids'],
  ]);
  t.strictSame(told(gone.events, guest), [['stream', 'delete', 'streams', 'stream_ids']]);
  const archived = test.org.channels.get(open.stream_id)!;
  t.throws(() => run('archive-channel', owner, { stream_id: open.stream_id }), {
    message: 'Channel is already deactivated',
  });
  const back = patch(owner, archived, { is_archived: false });
  t.strictSame(told(back.events, ann, modern).slice(0, 1), [['is_archived', false]]);
  t.strictSame(
    told(back.events, ann, modern).filter(([type]) => type === 'subscription'),
    [],
  );
  t.strictSame(told(back.events, ann).slice(0, 2), [
    ['stream', 'create', 'streams'],
    ['subscription', 'add', 'subscriptions'],
  ]);
  t.strictSame(told(back.events, owner).slice(0, 2), [
    ['stream', 'create', 'streams'],
    ['subscription', 'peer_add', 'stream_ids', 'user_ids'],
  ]);
  t.throws(() => patch(owner, open, { is_archived: false }), {
    message: 'Channel is not currently deactivated',
  });
});

void t.test(
  'what was unread in an archived channel is read, in one event for all alike',
  async (t) => {
    const { test, owner, ann, bob, guest, run } = world();
    const open = test.channel({ name: 'open' });
    for (const user of [ann, bob]) test.subscribe(user, open);
    const sent = [test.message(open, owner), test.message(open, owner)].map(({ id }) => id);
    const { events } = run('archive-channel', owner, { stream_id: open.stream_id });
    t.strictSame(events.slice(1), [
      {
        type: 'update_message_flags',
        audience: { to: 'users', users: [ann.user_id, bob.user_id] },
        data: { op: 'add', operation: 'add', flag: 'read', messages: sent, all: false },
        slots: 1,
        subject: undefined,
        first: undefined,
      },
    ]);
    t.strictSame(received(events, guest.user_id), []);
  },
);

void t.test('left, hidden and shown again: a channel one never subscribed to', async (t) => {
  const { test, owner, ann, bob, run, patch } = world();
  const secret = test.channel({ name: 'secret', invite_only: true });
  for (const user of [owner, ann, bob]) test.subscribe(user, secret);
  const viewers = VIEWER_FILTERS.map((filter) => new ChannelViewer(test.org, ann.user_id, filter));
  const hear = ({ events }: { events: readonly JournalEvent[] }) => {
    for (const viewer of viewers) {
      viewer.receive(events);
      t.strictSame(viewer.believed, viewer.actual);
    }
  };
  hear(run('unsubscribe', ann, { subscriptions: ['secret'] }));
  hear(patch(owner, secret, { can_subscribe_group: { new: only(ann) } }));
  t.match(viewers[0]!.actual, { never_subscribed: [{ name: 'secret' }], unsubscribed: [] });
  hear(run('subscribe', ann, { subscriptions: [{ name: 'secret' }] }));
  hear(run('unsubscribe', ann, { subscriptions: ['secret'] }));
  t.match(viewers[0]!.actual, { never_subscribed: [], unsubscribed: [{ name: 'secret' }] });
  hear(run('archive-channel', owner, { stream_id: secret.stream_id }));
  hear(patch(owner, test.org.channels.get(secret.stream_id)!, { is_archived: false }));
  t.match(viewers[0]!.actual, { never_subscribed: [{ name: 'secret' }], unsubscribed: [] });
  t.match(viewers[2]!.actual, { never_subscribed: [], unsubscribed: [{ name: 'secret' }] });
});

void t.test('whoever loses a channel they had left has nothing unread there', async (t) => {
  const { test, owner, ann, patch } = world();
  const open = test.channel({ name: 'open' });
  test.subscribe(owner, open);
  test.subscribe(ann, open, { active: false, spans: [[1, 1_000_000]] });
  const { id } = test.message(open, owner);
  const { events } = patch(owner, open, { is_private: true });
  t.strictSame(told(events, ann), [
    ['stream', 'delete', 'streams', 'stream_ids'],
    ['update_message_flags', 'add', 'operation', 'flag', 'messages', 'all'],
  ]);
  t.strictSame(received(events, ann.user_id)[1]!.messages, [id]);
});

void t.test('the older list of muted topics names what one sees', async (t) => {
  const { test, owner, ann, bob, run, patch } = world();
  const open = test.channel({ name: 'open' });
  for (const user of [owner, bob]) test.subscribe(user, open);
  const choice = { stream_id: open.stream_id, topic: 'x', visibility_policy: 1, last_updated: 5 };
  for (const { user_id } of [ann, bob]) test.load('user_topic', { user_id, ...choice });
  const lists = (events: readonly JournalEvent[], user: UserDocument) =>
    received(events, user.user_id)
      .filter(({ type }) => type === 'muted_topics')
      .map(({ muted_topics }) => muted_topics);
  const hidden = patch(owner, open, { is_private: true });
  t.strictSame(lists(hidden.events, ann), [[]]);
  t.strictSame(lists(hidden.events, bob), [], 'who goes on seeing it is not told');
  const added = run('subscribe', owner, {
    subscriptions: [{ name: 'open' }],
    principals: [ann.user_id],
  });
  t.strictSame(lists(added.events, ann), [[['open', 'x', 5]]]);
  const left = run('unsubscribe', ann, { subscriptions: ['open'] });
  t.strictSame(lists(left.events, ann), [[]]);
  const now = test.org.channels.get(open.stream_id)!;
  const shown = patch(owner, now, { is_private: false });
  t.strictSame(lists(shown.events, ann), [[['open', 'x', 5]]]);
  run('archive-channel', owner, { stream_id: open.stream_id });
  const old = test.org.channels.get(open.stream_id)!;
  const renamed = patch(owner, old, { new_name: 'old' });
  t.strictSame(lists(renamed.events, ann), [[['old', 'x', 5]]]);
});
