import t from 'tap';
import type { GroupSettingValue } from '../../../../../schemas/groups/user-group.js';
import { ROLE, type UserDocument } from '../../../../../schemas/users/user-document.js';
import type { MessageDocument } from '../../../../../schemas/messages/message.js';
import { ApiError } from '../../../../../src/errors/index.js';
import type { EntryContent } from '../../../../../src/journal/entry.js';
import { sendMessage } from '../../../../../src/organization/messages/sending/send-message.js';
import {
  participants,
  type Recipient,
  renderFor,
  type OutgoingMessage,
} from '../../../../../src/organization/messages/sending/outgoing-message.js';
import { sendNotice } from '../../../../../src/organization/messages/sending/notification-bot.js';
import { markdown, NOW, SmallOrganization } from '../fixtures/small-organization.js';

function team(): SmallOrganization {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  small.user(2, 'Bob');
  small.user(3, 'Gus', ROLE.guest);
  small.user(4, 'Robot', ROLE.member, { is_bot: true, bot_owner_id: 1 });
  small.user(5, 'Zoe', ROLE.member, { is_active: false });
  small.user(6, 'Bell', ROLE.member, {
    is_bot: true,
    is_system_bot: true,
    email: 'notification-bot@chat.example.com',
  });
  small.channel(1, 'general');
  for (const id of [1, 2, 3]) small.subscribe(id, 1);
  small.load('counter', { name: 'recipient', last: 500 });
  return small;
}

function send(
  small: SmallOrganization,
  senderId: number,
  to: number[] | string,
  content = 'hi',
  rest: Partial<OutgoingMessage> = {},
) {
  const { org } = small;
  const sender = org.users.get(senderId)!;
  const recipient: Recipient =
    typeof to === 'string'
      ? { kind: 'channel', channel: org.channels.get(1)!, topic: to }
      : {
          kind: 'direct',
          users: participants(
            sender,
            to.map((id) => org.users.get(id)!),
          ),
        };
  return small.run(
    (tx) =>
      sendMessage(tx, {
        sender,
        recipient,
        content,
        rendered: renderFor(org, markdown, sender, content),
        clientName: 'test',
        readBySender: true,
        ...rest,
      }).id,
  );
}

function messageData(content: EntryContent) {
  return content.events.find(({ type }) => type === 'message')!.data;
}

function refusal(small: SmallOrganization, ...args: [number, number[] | string, string?]): string {
  const before = small.org.messages.size;
  try {
    send(small, ...args);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (small.org.messages.size !== before) throw new Error('the refused message was kept');
    return error.code === 'BAD_REQUEST' ? error.message : `${error.code}: ${error.message}`;
  }
  return '';
}

function policy(
  small: SmallOrganization,
  fields: Record<string, GroupSettingValue | string>,
): void {
  small.load('realm', { ...small.org.realm.current, ...fields });
}

function channelPolicy(small: SmallOrganization, fields: Record<string, unknown>): void {
  small.load('channel', { ...small.org.channels.get(1)!, ...fields });
}

void t.test('a channel message is stored once and announced by the channel’s name', async (t) => {
  const small = team();
  const { result: id, content } = send(small, 1, 'lunch', 'see https://example.com', {
    local: { queue_id: 'q', local_id: 'l' },
  });
  t.equal(id, 1);
  t.same(
    content.writes.map(({ key }) => `${key.collection}:${key.id}`),
    ['counter:message', 'message:1', 'reading:1:101', 'user_topic:1:1:lunch'],
    'nothing is written per subscriber: who starts a topic follows it',
  );
  const stored = small.stored.get(1)!;
  t.match(stored, {
    seq: small.seq,
    sender_id: 1,
    recipient_id: 101,
    stream_id: 1,
    topic: 'lunch',
    timestamp: NOW / 1000,
    client: 'test',
    has_link: true,
    mentioned: [],
  } satisfies Partial<MessageDocument>);
  const [legacy, followed, active, first, event] = content.events;
  t.same([legacy!.type, followed!.type], ['muted_topics', 'user_topic'], 'to the sender');
  t.match(
    [active, first].map((one) => [one!.type, one!.data.property, one!.data.value]),
    [
      ['stream', 'is_recently_active', true],
      ['stream', 'first_message_id', 1],
    ],
    'what the message changes about its channel is told first',
  );
  t.match(event, {
    type: 'message',
    audience: { to: 'subscribers', channel: 1 },
    subject: { collection: 'message', id: 1 },
    first: 1,
    data: {
      recipient: 'general',
      realm: 'test',
      public: true,
      flags: { 1: ['read'] },
      local: { queue_id: 'q', local_id: 'l' },
      sender: { full_name: 'Ann', email: 'ann@example.com', computable: true },
    },
  });
  t.notOk('everyone' in event!.data);
  t.same(JSON.parse(JSON.stringify(event!.data)), event!.data, 'a replay finds the same data');
});

void t.test(
  'the first direct message makes the conversation, both directions share it',
  async (t) => {
    const small = team();
    const first = send(small, 2, [1]);
    t.same(first.content.events[0]!.audience, { to: 'users', users: [1, 2] });
    t.same(first.content.events[0]!.data.recipient, [
      { id: 1, email: 'ann@example.com', full_name: 'Ann', is_mirror_dummy: false },
      { id: 2, email: 'bob@example.com', full_name: 'Bob', is_mirror_dummy: false },
    ]);
    const back = send(small, 1, [2, 1]);
    t.same(
      [first, back].map(({ result }) => small.stored.get(result)!.recipient_id),
      [501, 501],
    );
    t.same(small.org.conversations.get(501)!.user_ids, [1, 2]);
    const note = send(small, 1, [1]).result;
    t.equal(small.stored.get(note)!.recipient_id, 502);
    t.notOk(first.content.events[0]!.data.public);
  },
);

void t.test('mentions notify receivers only', async (t) => {
  const small = team();
  small.load('user_group', {
    ...small.org.groups.system('role:nobody'),
    id: 50,
    name: 'cooks',
    can_mention_group: small.system('role:everyone'),
    is_system_group: false,
    members: [2, 4],
  });
  send(small, 3, 'lunch');
  const text = '@**Ann** @**Robot** @*cooks* @**all** @**topic**';
  small.org.alertWords.load({ user_id: 3, words: ['topic'] });
  const { result, content } = send(small, 2, 'LUNCH', text, { readBySender: false });
  t.match(small.stored.get(result)!, {
    mentioned: [1, 2],
    channel_wildcard: true,
    topic_wildcard: [3],
    alerted: [3],
  });
  t.same(messageData(content).flags, {
    1: ['mentioned'],
    2: ['mentioned'],
    3: ['topic_wildcard_mentioned', 'wildcard_mentioned', 'has_alert_word'],
  });
  t.same(messageData(content).everyone, ['stream_wildcard_mentioned', 'wildcard_mentioned']);
});

void t.test('a sender whom the permission of the channel does not name is refused', async (t) => {
  const small = team();
  channelPolicy(small, { can_send_message_group: { direct_members: [1], direct_subgroups: [] } });
  t.equal(refusal(small, 1, 'lunch'), '');
  t.equal(refusal(small, 2, 'lunch'), 'You do not have permission to post in this channel.');
  t.equal(refusal(small, 4, 'lunch'), '', 'a bot may what its owner may');
  channelPolicy(small, {
    can_send_message_group: small.system('role:everyone'),
    invite_only: true,
  });
  small.user(7, 'Eve');
  t.equal(refusal(small, 7, 'lunch'), "Not authorized to send to channel 'general'");
  channelPolicy(small, { is_archived: true });
  t.equal(refusal(small, 1, 'lunch'), "Not authorized to send to channel 'general'");
});

// [c:forbidden-topics]
void t.test(
  'a topic that the policy of the organization or the channel forbids is refused',
  async (t) => {
    const small = team();
    t.equal(refusal(small, 1, ''), '');
    policy(small, { topics_policy: 'disable_empty_topic' });
    t.equal(refusal(small, 1, ''), 'Topics are required in this organization.');
    channelPolicy(small, { topics_policy: 'allow_empty_topic' });
    t.equal(refusal(small, 1, ''), '', 'the channel decides before the organization');
    channelPolicy(small, { topics_policy: 'disable_empty_topic' });
    t.equal(
      refusal(small, 1, ''),
      'Sending messages to general chat is not allowed in this channel.',
    );
    channelPolicy(small, { topics_policy: 'empty_topic_only' });
    t.equal(refusal(small, 1, 'lunch'), 'Only the general chat topic is allowed in this channel.');
    t.equal(refusal(small, 1, ''), '');
    channelPolicy(small, {
      topics_policy: 'inherit',
      can_create_topic_group: small.system('role:nobody'),
    });
    t.equal(
      refusal(small, 1, 'new'),
      'You do not have permission to create new topics in this channel.',
    );
  },
);

void t.test('mentioning many people needs a right once they are many', async (t) => {
  const small = team();
  t.equal(refusal(small, 1, 'lunch', '@**all**'), '', 'fifteen are few');
  for (let id = 20; id < 33; id++) {
    small.user(id, `User${id}`);
    small.subscribe(id, 1);
  }
  t.equal(
    refusal(small, 1, 'lunch', '@**all**'),
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED: You do not have permission to use channel wildcard mentions in this channel.',
  );
  t.equal(refusal(small, 1, 'lunch', '@_**all**'), '', 'silently everybody may');
  t.equal(refusal(small, 1, 'lunch', '@**topic**'), '', 'one person writes there');
  for (const id of [2, 3, ...Array.from({ length: 13 }, (_, i) => 20 + i)])
    send(small, id, 'lunch');
  t.equal(
    refusal(small, 1, 'lunch', '@**topic**'),
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED: You do not have permission to use topic wildcard mentions in this topic.',
  );
  policy(small, { can_mention_many_users_group: small.system('role:members') });
  t.equal(refusal(small, 1, 'lunch', '@**all** @**topic**'), '');
});

void t.test('groups may refuse to be mentioned', async (t) => {
  const small = team();
  const cooks = { ...small.org.groups.system('role:nobody'), id: 50, name: 'cooks' };
  small.load('user_group', {
    ...cooks,
    is_system_group: false,
    can_mention_group: small.system('role:nobody'),
  });
  t.equal(refusal(small, 1, [2], '@*cooks*'), "You are not allowed to mention user group 'cooks'.");
  t.equal(refusal(small, 1, [2], '@_*cooks*'), '');
});

void t.test('a direct message that a permission forbids is refused', async (t) => {
  const small = team();
  t.equal(refusal(small, 1, [5]), "'zoe@example.com' is no longer using Zulip.");
  policy(small, { direct_message_initiator_group: small.system('role:moderators') });
  const initiate = 'You do not have permission to initiate direct message conversations.';
  t.equal(refusal(small, 1, [2]), initiate);
  t.equal(refusal(small, 1, [1]), '', 'notes to oneself');
  t.equal(refusal(small, 1, [4]), '', 'talks with bots');
  t.equal(refusal(small, 4, [2]), '', 'bots');
  small.user(8, 'Mod', ROLE.moderator);
  t.equal(refusal(small, 8, [2]), '');
  t.equal(refusal(small, 2, [8]), '', 'answering is not initiating');
  policy(small, { direct_message_permission_group: small.system('role:moderators') });
  t.equal(
    refusal(small, 1, [2]),
    'This conversation does not include any users who can authorize it.',
  );
  t.equal(refusal(small, 2, [8]), '');
  policy(small, { direct_message_permission_group: small.system('role:nobody') });
  t.equal(refusal(small, 2, [8]), 'Direct messages are disabled in this organization.');
});

void t.test('the notification bot asks nobody', async (t) => {
  const small = team();
  channelPolicy(small, {
    can_send_message_group: small.system('role:nobody'),
    topics_policy: 'disable_empty_topic',
  });
  const channel = small.org.channels.get(1)!;
  const { content } = small.run((tx) => {
    sendNotice(tx, markdown, { channel, topic: '' }, 'Welcome @_**Ann|1**');
    sendNotice(tx, markdown, { users: [small.org.users.get(5)!] }, 'For later');
  });
  t.equal(small.stored.get(1)!.sender_id, 6);
  t.match(small.stored.get(1)!.rendered_content, 'data-user-id="1"');
  t.same(small.stored.get(1)!.mentioned, []);
  t.same(
    content.events.filter(({ type }) => type === 'message').map(({ audience }) => audience),
    [
      { to: 'subscribers', channel: 1 },
      { to: 'users', users: [6] },
    ],
    'who is deactivated has no queues',
  );
});

void t.test('a message of somebody who left takes no place in their reading', async (t) => {
  const small = team();
  const robot: UserDocument = small.org.users.get(4)!;
  const { content } = send(small, robot.user_id, 'lunch');
  t.notOk(content.writes.some(({ key }) => key.collection === 'reading'));
  t.notOk('flags' in messageData(content));
});
