import { unfollow } from '../../../fixtures/following/follow-every-entry.js';
import t from 'tap';
import type { SubscriptionDocument } from '../../../../schemas/channels/subscriptions.js';
import type { QueueFilter } from '../../../../src/journal/queues/queue-filter.js';
import type { EventRenderer } from '../../../../src/journal/renderers/event-renderer.js';
import { messageRenderer } from '../../../../src/journal/renderers/message.js';
import { MODERN, PLAIN, type Body } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const renderer: EventRenderer = messageRenderer;

const NO_FOLLOWING: Body = {
  automatically_follow_topics_policy: 4,
  automatically_unmute_topics_in_muted_streams_policy: 4,
  automatically_follow_topics_where_mentioned: false,
};

/** What a message of the owner's brings the client of Ophelia. */
class World extends MessagesWorld {
  constructor(settings: Body = {}) {
    super();
    unfollow(this.org);
    this.org.watchers.record(this.ophelia.user_id, MODERN);
    this.presetSettings(this.ophelia, { ...NO_FOLLOWING, ...settings });
  }

  /** What the newest message says to Ophelia's queue: `notice`, or null where it has none. */
  shown(filter: QueueFilter = MODERN, user = this.ophelia): unknown {
    const { content } = this.entries.at(-1)!;
    const event = content.events.find(({ type }) => type === 'message')!;
    const subject = content.writes.find(({ key }) => key.collection === 'message') as unknown as {
      document: never;
    };
    const receiver = { userId: user.user_id, queueId: 'q', filter, inAudience: true };
    const shown = { ...event, subject: subject.document };
    const [body] = renderer.bodies(shown, renderer.variant(shown, receiver)!);
    return body!['notice'] ?? null;
  }

  async said(content = 'hello'): Promise<unknown> {
    await this.say(content, 'lunch', this.owner);
    return this.shown();
  }

  subscribed(fields: Partial<SubscriptionDocument>): this {
    const id = `${this.ophelia.user_id}:${this.general.stream_id}`;
    this.transact((tx) => tx.org.subscriptions.update(id, fields));
    return this;
  }
}

// [c:message-notices]
void t.test('each reason, as settings, channel and topic have it', async (t) => {
  t.equal(await new World().said(), null);
  t.equal(await new World().said('Hello @**ophelia**'), 'mention');
  t.equal(await new World().said('@**all** come'), 'wildcard');
  t.equal(await new World({ wildcard_mentions_notify: false }).said('@**all** come'), null);
  t.equal(await new World({ enable_stream_desktop_notifications: true }).said(), 'channel');
  t.equal(await new World().subscribed({ desktop_notifications: true }).said(), 'channel');
  const all = new World({ enable_stream_desktop_notifications: true });
  t.equal(await all.subscribed({ desktop_notifications: false }).said(), null);
  const muted = new World({ enable_stream_desktop_notifications: true });
  t.equal(await muted.subscribed({ is_muted: true }).said(), null);
  t.equal(await muted.said('Hello @**ophelia**'), 'mention', 'also in a muted channel');
  const left = new World().subscribed({ desktop_notifications: true, active: false });
  await left.say('hello', 'lunch', left.owner);
  t.notOk('notices' in left.entries.at(-1)!.content.events.at(-1)!.data);
});

void t.test('followed topics, alert words and direct messages', async (t) => {
  const following = async (settings: Body = {}) => {
    const world = new World(settings);
    await world.choose('lunch', 3, world.ophelia);
    return world;
  };
  t.equal(await (await following()).said(), 'followed_topic');
  t.equal(await (await following()).said('@**all** come'), 'followed_topic_wildcard');
  const off = { enable_followed_topic_desktop_notifications: false };
  t.equal(await (await following(off)).said(), null);
  const world = new World();
  world.transact((tx) =>
    tx.org.alertWords.insert({ user_id: world.ophelia.user_id, words: ['ghost'] }),
  );
  t.equal(await world.said('I saw the ghost'), 'alert_word');
  await world.tell('A word');
  t.equal(world.shown(), 'direct_message');
  t.equal(world.shown(MODERN, world.hamlet), null, 'not to who wrote it');
  const none = new World({ enable_desktop_notifications: false });
  await none.tell('A word');
  t.equal(none.shown(), null);
  t.equal(await none.said('Hello @**ophelia**'), null);
});

void t.test('who asked for none, who muted the sender, and who has no such queue', async (t) => {
  const world = new World();
  await world.tell('A word');
  t.equal(world.shown(PLAIN), null, 'a queue without the capability');
  await world.do('mute-user', { muted_user_id: world.hamlet.user_id }, world.ophelia);
  await world.tell('A word');
  t.equal(world.shown(), null, 'what is read on arrival');
  await world.tell('A word', world.owner);
  t.notOk('notices' in world.entries.at(-1)!.content.events.at(-1)!.data, 'nobody takes one');
});

void t.test('after a restart and at a follower the same users are told', async (t) => {
  const world = new World();
  const { watchers } = world.reloaded();
  const context = { user_id: 7, traits: { ...MODERN, narrow: [['is', 'followed']] } };
  watchers.fold([
    { op: 'set', key: { collection: 'queue', id: 'q' }, fields: { context } } as never,
  ]);
  t.strictSame([...watchers.noticed], [7]);
  t.strictSame([...watchers.followed], [7]);
});
