import t from 'tap';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

type Operation = (organization: AskedOrganization) => Promise<unknown>;

const made: Record<string, number> = {};

const choose =
  (topic: string, visibility_policy: number): Operation =>
  ({ hamlet }) =>
    hamlet.ok('POST', '/user_topics', { stream_id: made.general, topic, visibility_policy });

const say =
  (topic: string, content = 'words words'): Operation =>
  ({ owner }) =>
    owner.ok('POST', '/messages', { type: 'channel', to: 'general', topic, content });

const TOPICS: Readonly<Record<string, Operation>> = {
  'who starts a topic follows it': async (organization) => {
    const { id } = (await say('lunch')(organization)) as { id: number };
    made.lunch = id;
  },
  'who is mentioned, too': say('dinner', '@**hamlet** come'),
  'a topic is muted': choose('lunch', 1),
  'a message in it': say('Lunch'),
  'the empty topic is muted': choose('', 1),
  'a message in the empty topic': say(''),
  'the channel is muted': ({ hamlet }) =>
    hamlet.ok('PATCH', `/users/me/subscriptions/${made.general}`, {
      property: 'is_muted',
      value: true,
    }),
  'messages in followed and other topics': async (organization) => {
    await say('dinner')(organization);
    await say('news')(organization);
  },
  'a topic is unmuted': choose('news', 2),
  'sending in a muted channel unmutes': async ({ owner, hamlet }) => {
    await owner.ok('POST', '/messages', {
      type: 'channel',
      to: 'general',
      topic: 'plan',
      content: 'x',
    });
    const { automatic_new_visibility_policy } = await hamlet.ok('POST', '/messages', {
      type: 'channel',
      to: 'general',
      topic: 'plan',
      content: 'y',
    });
    if (automatic_new_visibility_policy !== 2) throw new Error('the reply does not say so');
  },
  'a muted topic is renamed': ({ owner }) =>
    owner.ok('PATCH', `/messages/${made.lunch}`, {
      topic: 'breakfast',
      propagate_mode: 'change_all',
    }),
  'and merged into a followed one': ({ owner }) =>
    owner.ok('PATCH', `/messages/${made.lunch}`, {
      topic: 'Dinner',
      propagate_mode: 'change_all',
    }),
  'the legacy way': ({ hamlet }) =>
    hamlet.ok('PATCH', '/users/me/subscriptions/muted_topics', {
      stream: 'general',
      topic: 'news',
      op: 'add',
    }),
  'back to what the channel says': choose('news', 0),
};

const READ_STATE: Readonly<Record<string, Operation>> = {
  'a person is muted': async ({ owner, hamlet }) => {
    await owner.ok('POST', '/messages', { type: 'direct', to: [hamlet.userId], content: 'hi' });
    await hamlet.ok('POST', `/users/me/muted_users/${owner.userId}`);
  },
  'their message is read on arrival': async ({ owner, hamlet }) => {
    await owner.ok('POST', '/messages', { type: 'direct', to: [hamlet.userId], content: 'hello' });
    await say('dinner', '@**hamlet** hear me')({ owner } as AskedOrganization);
  },
  'and is not any more': async (organization) => {
    const { hamlet, owner } = organization;
    await hamlet.ok('DELETE', `/users/me/muted_users/${owner.userId}`);
    await say('dinner', '@**hamlet** at last')(organization);
  },
  'a topic is read': ({ hamlet }) =>
    hamlet.ok('POST', '/mark_topic_as_read', { stream_id: made.general, topic_name: 'DINNER' }),
  'a range is unread again': ({ hamlet }) =>
    hamlet.ok('POST', '/messages/flags/narrow', {
      anchor: 'newest',
      num_before: 3,
      num_after: 0,
      narrow: [],
      op: 'remove',
      flag: 'read',
    }),
  'a channel is read': ({ hamlet }) =>
    hamlet.ok('POST', '/mark_stream_as_read', { stream_id: made.general }),
  'everything is read': async (organization) => {
    await say('news')(organization);
    await organization.hamlet.ok('POST', '/mark_all_as_read');
  },
  'an onboarding step': ({ hamlet }) =>
    hamlet.ok('POST', '/users/me/onboarding_steps', { onboarding_step: 'intro_inbox_view_modal' }),
};

async function idOf(client: AskedOrganization['hamlet'], wanted: string): Promise<number> {
  const { streams } = await client.ok('GET', '/streams');
  const channels = streams as { stream_id: number; name: string }[];
  return channels.find(({ name }) => name === wanted)!.stream_id;
}

void t.test(
  'topics, muted people, read state, onboarding: snapshot and events agree',
  async (t) => {
    const organization = await askOrganization(t);
    const { hamlet, owner } = organization;
    made.general = await idOf(hamlet, 'general');
    const viewers = [
      await Viewer.open('hamlet, modern', hamlet, MODERN),
      await Viewer.open('hamlet, legacy', hamlet, LEGACY),
      await Viewer.open('owner', owner, MODERN),
    ];
    await check(t, organization, viewers, { ...TOPICS, ...READ_STATE });
  },
);

void t.test('a queue narrowed to followed topics gets nothing else', async (t) => {
  const organization = await askOrganization(t);
  const { hamlet } = organization;
  made.general = await idOf(hamlet, 'general');
  await choose('lunch', 3)(organization);
  const snapshot = await hamlet.register({
    event_types: ['message'],
    narrow: [['is', 'followed']],
  });
  const reader = QueueReader.from(hamlet, snapshot);
  await say('dinner')(organization);
  await say('Lunch')(organization);
  await choose('dinner', 3)(organization);
  await choose('lunch', 0)(organization);
  await say('dinner')(organization);
  await say('lunch')(organization);
  const events = await reader.now();
  t.same(
    events.map(({ message }) => (message as { subject: string }).subject),
    ['Lunch', 'dinner'],
  );
});
