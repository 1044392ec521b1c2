import t, { type Test } from 'tap';
import { FetchedMessages } from '../harness/apply/apply-edits.js';
import type { ApiClient, Body } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { LEGACY, MODERN, Viewer } from '../harness/viewers.js';

/** The channels: public ones, and private ones without and with a shared history. */
const CHANNELS = ['general', 'verona', 'secret', 'vault'] as const;

class World {
  /** Messages by name. */
  readonly sent: Record<string, number> = {};
  readonly ids = new Map<string, number>();

  private constructor(readonly people: AskedOrganization) {}

  static async start(t: Test): Promise<World> {
    const people = await askOrganization(t);
    const { owner, hamlet, iago } = people;
    const world = new World(people);
    await world.create('verona', [owner, hamlet]);
    await world.create('secret', [owner, hamlet], { invite_only: true });
    await world.create('vault', [owner, iago], {
      invite_only: true,
      history_public_to_subscribers: true,
    });
    const { streams } = await owner.ok('GET', '/streams', { include_all: true });
    for (const { name, stream_id } of streams as { name: string; stream_id: number }[]) {
      world.ids.set(name, stream_id);
    }
    return world;
  }

  private async create(name: string, people: ApiClient[], more: Body = {}): Promise<void> {
    await people[0]!.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: people.map(({ userId }) => userId),
      ...more,
    });
  }

  /** Sends a message and remembers it. */
  async say(
    name: string,
    content: string,
    channel = 'general',
    topic = 'lunch',
    client = this.people.owner,
  ): Promise<number> {
    return (this.sent[name] = await client.say(content, channel, topic));
  }

  edit(name: string, changes: Body, client = this.people.owner): Promise<Body> {
    return client.ok('PATCH', `/messages/${this.sent[name]}`, changes);
  }

  id(channel: (typeof CHANNELS)[number]): number {
    return this.ids.get(channel)!;
  }
}

type Operation = (world: World) => Promise<unknown>;

const quiet = { send_notification_to_new_thread: false };

const CONTENT: Readonly<Record<string, Operation>> = {
  'a content edit': (world) => world.edit('first', { content: 'hello **there**' }),
  'a mention put in': (world) => world.edit('first', { content: '@**Hamlet** hello' }),
  'a mention of somebody else': (world) => world.edit('first', { content: '@**Iago** @**all**' }),
  'a mention taken out': (world) => world.edit('first', { content: '/me says nothing' }),
  'all of the text taken away': (world) => world.edit('first', { content: ' ' }),
  'an edit of a message that is read': async (world) => {
    const { hamlet } = world.people;
    await hamlet.ok('POST', '/messages/flags', {
      messages: [world.sent.second],
      op: 'add',
      flag: 'read',
    });
    await world.edit('second', { content: '@**Hamlet** read this again' });
  },
  'an edit of a starred message': async (world) => {
    const { iago } = world.people;
    await iago.ok('POST', '/messages/flags', {
      messages: [world.sent.second],
      op: 'add',
      flag: 'starred',
    });
    await world.edit('second', { content: 'still starred' });
  },
  'an edit of a direct message': (world) => world.edit('direct', { content: 'psst, @**Hamlet**' }),
  'an edit of a group message': (world) =>
    world.edit('group', { content: 'psst, *all*' }, world.people.hamlet),
};

const TOPICS: Readonly<Record<string, Operation>> = {
  'one message to a new topic': (world) => world.edit('third', { topic: 'dinner', ...quiet }),
  'one message to a topic that exists': (world) => world.edit('second', { topic: 'dinner' }),
  'content and topic at once': (world) =>
    world.edit('second', { topic: 'Dinner', content: 'with @**Iago**' }),
  'the later messages of a topic': (world) =>
    world.edit('fourth', { topic: 'tea', propagate_mode: 'change_later' }),
  'a whole topic': (world) =>
    world.edit('first', {
      topic: 'breakfast',
      propagate_mode: 'change_all',
      send_notification_to_old_thread: true,
    }),
  'a whole topic into another': (world) =>
    world.edit('first', { topic: 'tea', propagate_mode: 'change_all' }),
  'resolving a topic': (world) =>
    world.edit('first', { topic: '✔ tea', propagate_mode: 'change_all' }),
  'unresolving it': (world) => world.edit('first', { topic: 'tea', propagate_mode: 'change_all' }),
  'a topic spelled in another way': (world) =>
    world.edit('first', { topic: 'TEA', propagate_mode: 'change_all' }),
  'to the empty topic': (world) => world.edit('first', { topic: '', propagate_mode: 'change_all' }),
  'and from there': (world) =>
    world.edit('first', { topic: 'lunch', propagate_mode: 'change_all' }),
};

const CHANNEL_MOVES: Readonly<Record<string, Operation>> = {
  'a topic to a public channel that some subscribe to': (world) =>
    world.edit('first', { stream_id: world.id('verona'), propagate_mode: 'change_all' }),
  'and back': (world) =>
    world.edit('first', { stream_id: world.id('general'), propagate_mode: 'change_all' }),
  'one message to a public channel under another topic': (world) =>
    world.edit('fourth', { stream_id: world.id('verona'), topic: 'later' }),
  'a topic to a private channel without shared history': async (world) => {
    const { iago } = world.people;
    await iago.ok('POST', '/messages/flags', {
      messages: [world.sent.first],
      op: 'add',
      flag: 'starred',
    });
    await world.edit('first', {
      stream_id: world.id('secret'),
      propagate_mode: 'change_all',
      send_notification_to_old_thread: true,
    });
  },
  'from there to one with shared history': (world) =>
    world.edit('first', { stream_id: world.id('vault'), propagate_mode: 'change_all' }),
  'from there to everybody': (world) =>
    world.edit('first', { stream_id: world.id('general'), propagate_mode: 'change_all' }),
  'messages among others that were read': async (world) => {
    const { hamlet } = world.people;
    await world.say('before', 'one', 'verona', 'a');
    await world.say('moving', '@**Hamlet** two', 'general', 'b');
    await world.say('after', 'three', 'verona', 'a');
    await hamlet.ok('POST', '/messages/flags', {
      messages: [world.sent.before, world.sent.after],
      op: 'add',
      flag: 'read',
    });
    await world.edit('moving', { stream_id: world.id('verona'), topic: 'a' });
  },
  'reading them all': ({ people, sent }) =>
    people.hamlet.ok('POST', '/messages/flags', {
      messages: [sent.before, sent.moving, sent.after],
      op: 'add',
      flag: 'read',
    }),
  'marking what was moved as unread': ({ people, sent }) =>
    people.hamlet.ok('POST', '/messages/flags', {
      messages: [sent.moving],
      op: 'remove',
      flag: 'read',
    }),
  'leaving the channel': ({ people }) =>
    people.hamlet.ok('DELETE', '/users/me/subscriptions', { subscriptions: ['verona'] }),
  'an edit of what one received and left': (world) =>
    world.edit('moving', { content: 'two, @**Hamlet**' }),
  'a move to the channel while one was away': async (world) => {
    await world.say('away', 'are you there?', 'general', 'c');
    await world.edit('away', { stream_id: world.id('verona') });
  },
  'coming back': ({ people }) =>
    people.hamlet.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'verona' }] }),
};

async function check(
  t: Test,
  world: World,
  operations: Readonly<Record<string, Operation>>,
): Promise<void> {
  const { owner, hamlet, iago } = world.people;
  const accounts = Object.entries({ owner, hamlet, iago });
  const viewers: { name: string; compare: Viewer['compare'] | FetchedMessages['compare'] }[] = [];
  for (const [who, client] of accounts) {
    for (const [kind, parameters] of Object.entries({ MODERN, LEGACY })) {
      const viewer = await Viewer.open(`${who}, ${kind}`, client, parameters);
      viewers.push({ name: viewer.name, compare: () => viewer.compare() });
    }
    const fetched = await FetchedMessages.open(`messages of ${who}`, client, CHANNELS);
    viewers.push({ name: fetched.name, compare: () => fetched.compare() });
  }
  for (const [name, operation] of Object.entries(operations)) {
    await t.test(name, async (t) => {
      await operation(world);
      for (const viewer of viewers) {
        const { believed, actual } = await viewer.compare();
        t.strictSame(believed, actual, viewer.name);
      }
    });
  }
}

async function prepared(t: Test): Promise<World> {
  const world = await World.start(t);
  const { owner, hamlet, iago } = world.people;
  await world.say('first', 'one');
  await world.say('second', 'two');
  await world.say('third', 'three', 'general', 'lunch', hamlet);
  await world.say('fourth', 'four', 'general', 'Lunch', iago);
  await world.say('fifth', 'five @**Hamlet**');
  await world.say('private', 'hush', 'secret', 'lunch');
  world.sent.direct = await owner.tell([hamlet.userId], 'psst');
  world.sent.group = await hamlet.tell([owner.userId, iago.userId], 'psst all');
  return world;
}

void t.test('messages fetched before, and unread state, follow events: content', async (t) =>
  check(t, await prepared(t), CONTENT),
);
void t.test('… topics', async (t) => check(t, await prepared(t), TOPICS));
void t.test('… channels', async (t) => check(t, await prepared(t), CHANNEL_MOVES));
