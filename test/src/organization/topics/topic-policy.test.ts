import { unfollow } from '../../../fixtures/following/follow-every-entry.js';
import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { SharedEvent } from '../../../../src/journal/queues/delivery.js';
import type { QueueFilter } from '../../../../src/journal/queues/queue-filter.js';
import { EVENT_RENDERERS } from '../../../../src/journal/renderers/registry.js';
import { MODERN, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const FOLLOW = 'automatically_follow_topics_policy';
const UNMUTE = 'automatically_unmute_topics_in_muted_streams_policy';
const MENTIONED = 'automatically_follow_topics_where_mentioned';

class World extends MessagesWorld {
  post(topic: string, content = 'hello', user: UserDocument = this.hamlet): Promise<Body> {
    this.mark = this.position;
    return this.do('send-message', { type: 'channel', to: 'general', topic, content }, user);
  }

  react(message_id: number, user = this.hamlet): Promise<Body> {
    this.mark = this.position;
    return this.do('add-reaction', { message_id, emoji_name: 'tada' }, user);
  }

  /** The events of the last operation, to whomever, in their order. */
  get types(): string[] {
    return this.entries.at(-1)!.content.events.map(({ type }) => type);
  }
}

async function world(settings: Body): Promise<World> {
  const made = new World();
  await made.quiet();
  await made.set(made.hamlet, settings);
  return made;
}

void t.test(
  'by default: who starts a topic follows it; user_topic comes before message',
  async (t) => {
    const made = new World();
    const reply = await made.post('lunch');
    t.equal(reply.automatic_new_visibility_policy, 3);
    t.strictSame(made.types, ['muted_topics', 'user_topic', 'stream', 'message']);
    t.strictSame(made.eventsOf('user_topic muted_topics', made.ophelia), []);
    t.strictSame(made.eventsOf('user_topic'), [
      {
        type: 'user_topic',
        stream_id: made.general.stream_id,
        topic_name: 'lunch',
        last_updated: START_SECONDS,
        visibility_policy: 3,
      },
    ]);
    t.strictSame(Object.keys(await made.post('lunch', 'again')), ['id'], 'once');
    t.strictSame(made.types, ['message']);
    t.strictSame(Object.keys(await made.post('lunch', 'me too', made.ophelia)), ['id']);
  },
);

void t.test(
  'automatically_follow_topics_policy: 1 participates, 2 sends, 3 starts, 4 never',
  async (t) => {
    const follows = async (policy: number, act: (made: World) => Promise<Body>) => {
      const made = await world({ [FOLLOW]: policy });
      await made.post('lunch', 'first', made.owner);
      await act(made);
      return [made.policy('lunch'), made.policy('new')];
    };
    const sends = (made: World) => made.post('lunch');
    const starts = (made: World) => made.post('new');
    const reacts = async (made: World) => made.react(1);
    t.strictSame(await follows(1, reacts), [3, 0]);
    t.strictSame(await follows(1, sends), [3, 0]);
    t.strictSame(await follows(1, starts), [0, 3]);
    t.strictSame(await follows(2, reacts), [0, 0]);
    t.strictSame(await follows(2, sends), [3, 0]);
    t.strictSame(await follows(3, sends), [0, 0]);
    t.strictSame(await follows(3, starts), [0, 3]);
    t.strictSame(await follows(4, starts), [0, 0]);
  },
);

void t.test(
  'automatically_unmute_topics_in_muted_streams_policy: only where the channel is muted',
  async (t) => {
    const made = await world({ [UNMUTE]: 2 });
    await made.post('lunch', 'first', made.owner);
    t.strictSame(await made.post('lunch'), { id: 2 });
    made.muteChannel();
    t.strictSame(await made.post('lunch'), { id: 3, automatic_new_visibility_policy: 2 });
    t.equal(made.policy('lunch'), 2);
    t.strictSame(await made.post('lunch'), { id: 4 }, 'once');
    await made.set(made.hamlet, { [UNMUTE]: 2, [FOLLOW]: 2 });
    t.strictSame(
      await made.post('lunch'),
      { id: 5, automatic_new_visibility_policy: 3 },
      'following wins',
    );
    await made.set(made.hamlet, { [UNMUTE]: 2 });
    t.strictSame(await made.post('lunch'), { id: 6 }, 'never less visible');
    t.equal(made.policy('lunch'), 3);
  },
);

void t.test(
  'automatically_follow_topics_where_mentioned: by name, unless muted by hand',
  async (t) => {
    const made = await world({ [MENTIONED]: true });
    const { hamlet, ophelia } = made;
    await made.post('lunch', '@**hamlet** and @**ophelia**', made.owner);
    t.strictSame(made.types, ['muted_topics', 'user_topic', 'stream', 'message']);
    t.strictSame(
      [made.policy('lunch'), made.policy('lunch', ophelia)],
      [3, 0],
      'she does not want it',
    );
    await made.choose('dinner', 1);
    await made.post('dinner', '@**hamlet**', made.owner);
    t.equal(made.policy('dinner'), 1);
    await made.post('news', '@_**hamlet** @**all** `@**hamlet**`', made.owner);
    t.equal(made.policy('news'), 0, 'silently, with everybody, in code: not by name');
    await made.do('send-message', {
      type: 'channel',
      to: 'verona',
      topic: 'x',
      content: '@**ophelia**',
    });
    await made.set(ophelia, { [MENTIONED]: true });
    await made.do('send-message', {
      type: 'channel',
      to: 'verona',
      topic: 'x',
      content: '@**ophelia**',
    });
    t.equal(made.policy('x', ophelia, made.verona), 0, 'she does not receive it');
    await made.post('both', '@**ophelia** @**hamlet**');
    t.strictSame([made.policy('both', hamlet), made.policy('both', ophelia)], [3, 3]);
  },
);

void t.test('reacting: the setting is told before the reaction', async (t) => {
  const made = await world({ [FOLLOW]: 1 });
  await made.post('lunch', 'first', made.owner);
  await made.react(1);
  t.strictSame(made.types, ['muted_topics', 'user_topic', 'reaction']);
});

void t.test('bots and direct messages have no such wishes', async (t) => {
  const made = new World();
  const bot = made.addUser('robot@example.com', { role: ROLE.member });
  made.alter(bot.user_id, { is_bot: true });
  await made.post('lunch', 'beep', bot);
  await made.do('send-message', { type: 'direct', to: [made.owner.user_id], content: 'hi' });
  t.equal(made.org.userTopics.size, 0);
});

void t.test('nothing is done for receivers: a message writes what it wrote before', async (t) => {
  const made = await world({});
  for (let i = 0; i < 20; i++) made.addUser(`user${i}@example.com`);
  await made.post('lunch');
  await made.post('lunch');
  const { writes, events } = made.entries.at(-1)!.content;
  t.strictSame(
    writes.map(({ key }) => key.collection),
    ['counter', 'message'],
  );
  t.strictSame(
    events.map(({ type }) => type),
    ['message'],
  );
});

void t.test('a queue’s narrow is:followed, and is:muted', async (t) => {
  const made = await world({});
  const narrow = [['is', 'followed']] as const;
  unfollow(made.org);
  made.org.watchers.followed.add(made.hamlet.user_id);
  const followed = { ...MODERN, narrow };
  const gets = async (topic: string, user: UserDocument, filter: QueueFilter = followed) => {
    await made.post(topic, 'hello', made.owner);
    const { seq, content } = made.entries.at(-1)!;
    const event = content.events.find(({ type }) => type === 'message')!;
    const subject = content.writes.find(({ key }) => key.collection === 'message')!;
    const { document } = subject as unknown as { document: never };
    const receiver = { userId: user.user_id, queueId: 'q', filter, inAudience: true };
    return new SharedEvent(event, document, seq, 0, EVENT_RENDERERS).textFor(receiver) !== null;
  };
  t.notOk(await gets('lunch', made.hamlet));
  await made.choose('Lunch', 3);
  t.ok(await gets('lunch', made.hamlet));
  t.notOk(await gets('lunch', made.ophelia));
  t.notOk(await gets('dinner', made.hamlet));
  await made.choose('lunch', 2);
  t.notOk(await gets('lunch', made.hamlet));
  const muted = { ...MODERN, narrow: [['is', 'muted']] as const };
  t.notOk(await gets('lunch', made.hamlet, muted));
  await made.choose('lunch', 1);
  t.ok(await gets('lunch', made.hamlet, muted));
  t.notOk(await gets('lunch', made.ophelia, muted));
  t.notOk(await gets('dinner', made.hamlet, muted));
});
