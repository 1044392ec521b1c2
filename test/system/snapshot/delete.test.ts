import t from 'tap';
import { FetchedMessages } from '../harness/apply/apply-edits.js';
import type { ApiClient, Body } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { LEGACY, MODERN, Viewer } from '../harness/viewers.js';

type Operation = (organization: AskedOrganization) => Promise<unknown>;

/** Messages of the operations before, by name. */
const sent: Record<string, number> = {};

const remove = (client: ApiClient, id: number | undefined) =>
  client.ok('DELETE', `/messages/${id}`);

async function channelId(client: ApiClient, name: string): Promise<number> {
  const { streams } = await client.ok('GET', '/streams');
  const found = (streams as Body[]).find((one) => one.name === name);
  return Number(found!.stream_id);
}

async function removeTopic(
  client: ApiClient,
  channel: string,
  topic_name: string,
  member = client,
): Promise<void> {
  const path = `/streams/${await channelId(member, channel)}/delete_topic`;
  const { complete } = await client.ok('POST', path, { topic_name });
  if (complete !== true) throw new Error('not complete');
}

const flag = (client: ApiClient, name: string, ...messages: (number | undefined)[]) =>
  client.ok('POST', '/messages/flags', { messages, op: 'add', flag: name });

const subscribe = (client: ApiClient, name: string, more: Body = {}) =>
  client.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name }], ...more });

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'an unread message': async ({ owner }) => {
    sent.kept = await owner.say('stays');
    sent.unread = await owner.say('goes');
    await owner.say('the newest');
    await remove(owner, sent.unread);
  },
  'the newest message of all': async ({ owner }) => remove(owner, await owner.say('newest')),
  'a message that was read': async ({ owner, hamlet }) => {
    const id = await owner.say('read');
    await flag(hamlet, 'read', id);
    await remove(owner, id);
  },
  'a mention': async ({ owner }) => remove(owner, await owner.say('@**Hamlet** and @**all**')),
  'a starred and collapsed message': async ({ owner, hamlet, iago }) => {
    const id = await owner.say('starred');
    await flag(hamlet, 'starred', id);
    await flag(hamlet, 'collapsed', id);
    await flag(iago, 'starred', id);
    await remove(owner, id);
  },
  "somebody else's, by an administrator": async ({ owner, hamlet }) =>
    remove(owner, await hamlet.say('of a member')),
  'one of the empty topic': async ({ owner }) => {
    await owner.say('stays', 'general', '');
    await remove(owner, await owner.say('goes', 'general', ''));
  },
  'the newest spelling of a topic': async ({ owner }) => {
    await owner.say('small', 'general', 'spelling');
    await remove(owner, await owner.say('large', 'general', 'SPELLING'));
  },
  'a direct message': async ({ owner, hamlet }) => {
    await owner.tell([hamlet.userId], 'stays');
    const id = await owner.tell([hamlet.userId], 'goes');
    await owner.tell([hamlet.userId], 'newest');
    await remove(owner, id);
  },
  'the newest direct message': async ({ owner, hamlet }) =>
    remove(owner, await owner.tell([hamlet.userId], 'goes')),
  'the only message of a group': async ({ owner, hamlet, iago }) =>
    remove(owner, await owner.tell([hamlet.userId, iago.userId], 'goes')),
  'a note to self': async ({ hamlet }) => {
    const id = await hamlet.tell([hamlet.userId], 'goes');
    await remove(hamlet, id);
  },
  'the oldest message of a channel': async ({ owner }) => {
    await subscribe(owner, 'verona');
    const oldest = await owner.say('oldest', 'verona');
    const next = await owner.say('next', 'verona');
    const { messages } = await owner.ok('GET', '/messages', {
      anchor: 'oldest',
      num_before: 0,
      num_after: 10,
      narrow: [{ operator: 'channel', operand: 'verona' }],
    });
    sent.next = next;
    for (const { id } of messages as { id: number }[]) if (id <= oldest) await remove(owner, id);
  },
  'the last message of a channel': async ({ owner }) => remove(owner, sent.next),
  'a message in a channel that its sender left': async ({ owner, hamlet }) => {
    await subscribe(hamlet, 'verona');
    const id = await hamlet.say('and gone', 'verona');
    await owner.say('stays', 'verona');
    await hamlet.ok('DELETE', '/users/me/subscriptions', { subscriptions: ['verona'] });
    await remove(hamlet, id);
  },
  'messages of a private channel from before and after somebody joined': async ({
    hamlet,
    iago,
  }) => {
    await subscribe(hamlet, 'secret', { invite_only: true });
    const before = await hamlet.say('before', 'secret');
    await subscribe(hamlet, 'secret', { principals: [iago.userId] });
    const after = await hamlet.say('after', 'secret');
    await remove(hamlet, before);
    await remove(hamlet, after);
  },
  'a topic of a private channel, as far as its administrator can read it': async ({
    owner,
    hamlet,
    iago,
  }) => {
    await hamlet.say('one', 'secret', 'plans');
    await iago.ok('DELETE', '/users/me/subscriptions', { subscriptions: ['secret'] });
    await subscribe(hamlet, 'secret', { principals: [owner.userId] });
    await hamlet.say('two', 'secret', 'plans');
    await removeTopic(owner, 'secret', 'plans', hamlet);
    // What they received there and may not read any more was the newest: of its end nobody is told.
    await owner.say('newer');
  },
  'a topic': async ({ owner, hamlet }) => {
    for (let i = 0; i < 5; i++) await hamlet.say(`@**Iago** ${i}`, 'general', 'long');
    await removeTopic(owner, 'general', 'LONG');
  },
  'a topic with the oldest message of its channel': async ({ owner, hamlet, iago }) => {
    await subscribe(owner, 'milan', { principals: [hamlet.userId, iago.userId] });
    await owner.say('old', 'milan', 'first');
    await owner.say('next', 'milan', 'second');
    await owner.say('new', 'milan', 'first');
    await removeTopic(owner, 'milan', 'channel events');
    await removeTopic(owner, 'milan', 'first');
  },
  'the only topic of a channel': ({ owner }) => removeTopic(owner, 'milan', 'second'),
  'the empty topic by its shown name': async ({ owner, hamlet }) => {
    await hamlet.say('unread', 'general', '');
    await removeTopic(owner, 'general', 'general chat');
  },
  'a muted channel': async ({ owner, iago }) => {
    const id = await channelId(iago, 'milan');
    const muted = { property: 'is_muted', value: true };
    await iago.ok('PATCH', `/users/me/subscriptions/${id}`, muted);
    await owner.say('unheard', 'milan', 'third');
    await removeTopic(owner, 'milan', 'third');
  },
};

void t.test('snapshot and events meet: deletions', async (t) => {
  const organization = await askOrganization(t);
  const people = Object.entries({
    owner: organization.owner,
    hamlet: organization.hamlet,
    iago: organization.iago,
  });
  const viewers: Viewer[] = [];
  for (const [who, client] of people) {
    viewers.push(await Viewer.open(`${who}, modern`, client, MODERN));
    viewers.push(await Viewer.open(`${who}, legacy`, client, LEGACY));
  }
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    await t.test(name, async (t) => {
      await operation(organization);
      let heard = 0;
      for (const viewer of viewers) {
        const { believed, actual, events } = await viewer.compare();
        heard += events.filter((event) => event.type === 'delete_message').length;
        t.strictSame(believed, actual, viewer.name);
      }
      t.ok(heard > 0, 'somebody was told');
    });
  }
});

void t.test('fetched messages and events meet: deletions', async (t) => {
  const organization = await askOrganization(t);
  const { owner, hamlet, iago } = organization;
  await subscribe(owner, 'milan', { principals: [hamlet.userId] });
  for (const topic of ['a', 'b', '']) {
    for (let i = 0; i < 3; i++) {
      sent[`${topic}${i}`] = await owner.say(`${topic} ${i}`, 'milan', topic);
    }
  }
  sent.direct = await owner.tell([hamlet.userId], 'psst');
  const viewers = [
    await FetchedMessages.open('owner', owner, ['milan', 'general']),
    await FetchedMessages.open('hamlet', hamlet, ['milan', 'general']),
  ];
  const operations: Readonly<Record<string, Operation>> = {
    'one message': () => remove(owner, sent.a1),
    'a topic': () => removeTopic(owner, 'milan', 'A'),
    'the empty topic': () => removeTopic(owner, 'milan', ''),
    'a direct message': () => remove(owner, sent.direct),
  };
  for (const [name, operation] of Object.entries(operations)) {
    await t.test(name, async (t) => {
      await operation(organization);
      for (const viewer of viewers) {
        const { believed, actual, events } = await viewer.compare();
        t.ok(events.some((event) => event.type === 'delete_message'));
        t.strictSame(believed, actual, viewer.name);
      }
    });
  }
  const { messages } = await iago.ok('GET', '/messages', {
    anchor: sent.a1,
    num_before: 0,
    num_after: 1,
    narrow: [{ operator: 'channel', operand: 'milan' }],
  });
  t.match(messages, [{ id: sent.b0 }], 'an anchor on a message that is gone');
});
