import t from 'tap';
import { Value } from 'typebox/value';
import {
  getMessageHistory,
  typingEditMessage,
} from '../../../../schemas/messages/message-editing.js';
import { messageEditingHandler } from '../../../../src/resources/messages/message-editing.js';
import { messageEditTypingHandler } from '../../../../src/resources/messages/message-edit-typing.js';
import { messageHistoryHandler } from '../../../../src/resources/messages/message-history.js';
import { messageLookupHandlers } from '../../../../src/resources/messages/message-lookup.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import {
  LivingOrganization,
  MODERN,
  PLAIN,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';
import { costsLess, processorTimeOf } from '../../../fixtures/machine-load.js';

const markdown = createMarkdown();
const editing = messageEditingHandler({ markdown });

class World extends LivingOrganization {
  override readonly handlers = [...messageHandlers(markdown), ...messageLookupHandlers(markdown)];
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly ophelia = this.addUser('ophelia@example.com');

  async say(content: string, topic = 'lunch'): Promise<number> {
    const to = 'general';
    const reply = await this.do('send-message', { type: 'channel', to, topic, content });
    return reply.id as number;
  }

  edit(message_id: number, changes: Body) {
    const quiet = { send_notification_to_new_thread: false };
    this.clock.advance(1000);
    return this.call(editing, this.hamlet, { message_id, ...quiet, ...changes });
  }

  async history(message_id: number, more: Body = {}, user = this.hamlet): Promise<Body[]> {
    const reply = await this.call(messageHistoryHandler, user, { message_id, ...more });
    if (!Value.Check(getMessageHistory.response, reply)) throw new Error(JSON.stringify(reply));
    return reply.message_history;
  }

  type(message_id: number, op = 'start', user = this.hamlet) {
    this.mark = this.position;
    return this.call(messageEditTypingHandler, user, { message_id, op });
  }

  policy(policy: 'all' | 'moves' | 'none'): void {
    this.setRealm({ message_edit_history_visibility_policy: policy });
  }
}

// [c:edit-history]
void t.test(
  'snapshots oldest first; the first is the original with these fields only',
  async (t) => {
    const world = new World();
    const { hamlet, general } = world;
    const user_id = hamlet.user_id;
    const id = await world.say('one');
    const original = {
      topic: 'lunch',
      content: 'one',
      rendered_content: '<p>one</p>',
      timestamp: START_SECONDS,
      user_id,
    };
    t.strictSame(await world.history(id), [original]);
    await world.edit(id, { content: 'two' });
    await world.edit(id, { topic: '' });
    await world.edit(id, { content: 'three', topic: 'tea' });
    const other = world.channel('other');
    await world.edit(id, { stream_id: other.stream_id });
    const named = [
      original,
      {
        topic: 'lunch',
        content: 'two',
        rendered_content: '<p>two</p>',
        timestamp: START_SECONDS + 1,
        user_id,
        prev_content: 'one',
        prev_rendered_content: '<p>one</p>',
        content_html_diff:
          '<p><span class="highlight_text_deleted">one</span>' +
          '<span class="highlight_text_inserted">two</span></p>',
      },
      {
        topic: 'general chat',
        content: 'two',
        rendered_content: '<p>two</p>',
        timestamp: START_SECONDS + 2,
        user_id,
        prev_topic: 'lunch',
      },
      {
        topic: 'tea',
        content: 'three',
        rendered_content: '<p>three</p>',
        timestamp: START_SECONDS + 3,
        user_id,
        prev_topic: 'general chat',
        prev_content: 'two',
        prev_rendered_content: '<p>two</p>',
        content_html_diff:
          '<p><span class="highlight_text_deleted">two</span>' +
          '<span class="highlight_text_inserted">three</span></p>',
      },
      {
        topic: 'tea',
        content: 'three',
        rendered_content: '<p>three</p>',
        timestamp: START_SECONDS + 4,
        user_id,
        prev_stream: general.stream_id,
        stream: other.stream_id,
      },
    ];
    t.strictSame(await world.history(id), named);
    const empty = await world.history(id, { allow_empty_topic_name: true });
    t.equal(empty[2]!.topic, '');
    t.equal(empty[3]!.prev_topic, '');
    world.policy('moves');
    const moves = await world.history(id);
    t.same(
      moves.map(({ topic, content, prev_content }) => [topic, content, prev_content]),
      [
        ['lunch', 'three', undefined],
        ['general chat', 'three', undefined],
        ['tea', 'three', undefined],
        ['tea', 'three', undefined],
      ],
    );
  },
);

void t.test('a direct message has no topic, so nothing stands for an empty one', async (t) => {
  const world = new World();
  const to = [world.ophelia.user_id];
  const { id } = await world.do('send-message', { type: 'direct', to, content: 'x' });
  await world.edit(id as number, { content: 'y' });
  const history = await world.history(id as number);
  t.same(
    history.map(({ topic, content }) => [topic, content]),
    [
      ['', 'x'],
      ['', 'y'],
    ],
  );
});

// [c:edit-history-refusals]
void t.test('unknown message, and history disabled', async (t) => {
  const world = new World();
  const id = await world.say('one');
  const invalid = { status: 400, code: 'BAD_REQUEST', message: 'Invalid message(s)' };
  await t.rejects(world.history(99), invalid);
  world.policy('none');
  await t.rejects(world.history(id), {
    code: 'BAD_REQUEST',
    message: 'Message edit history is disabled in this organization',
  });
});

void t.test(
  'versions of a message are compared once, however often they are looked at',
  async (t) => {
    const world = new World();
    let made = 0;
    /** A message with versions of which no other has one. */
    const edited = async (): Promise<number> => {
      made += 1;
      const words = Array.from({ length: 90 }, (_, i) => `word${i}of${made}`);
      const id = await world.say('0');
      for (let i = 1; i <= 20; i++) {
        // The same words in another order: no short cut tells how much differs.
        const content = words.map((_, place) => words[(place * 7 + i * 13) % 90]).join(' ');
        await world.edit(id, { content: `${i} ${content}` });
      }
      return id;
    };
    const cost = (id: number): Promise<number> => processorTimeOf(() => world.history(id));
    const seen = await edited();
    await cost(seen);
    await costsLess(
      t,
      1 / 3,
      () => cost(seen),
      async () => cost(await edited()),
    );
  },
);

// [c:edit-typing-channel]
void t.test('typing while editing a channel message', async (t) => {
  const world = new World();
  const { hamlet, ophelia, general } = world;
  const id = await world.say('one', '');
  t.strictSame(await world.type(id), {});
  const event = {
    type: 'typing_edit_message',
    op: 'start',
    sender_id: hamlet.user_id,
    message_id: id,
    recipient: { type: 'channel', channel_id: general.stream_id, topic: '' },
  };
  t.strictSame(world.received(ophelia, world.mark, MODERN), [event]);
  t.ok(Value.Check(typingEditMessage, event));
  t.strictSame(
    world.received(ophelia, world.mark, PLAIN),
    [{ ...event, recipient: { ...event.recipient, topic: 'general chat' } }],
    'whatever the queue can do',
  );
  await world.type(id, 'stop');
  t.match(world.received(ophelia, world.mark), [{ op: 'stop' }]);
  await world.type(await world.say('two', 'Lunch'));
  t.match(world.received(ophelia, world.mark), [{ recipient: { topic: 'Lunch' } }]);
});

// [c:edit-typing-direct]
void t.test('typing while editing a direct message', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  const to = [ophelia.user_id];
  const { id } = await world.do('send-message', { type: 'direct', to, content: 'x' });
  await world.type(id as number);
  const user_ids = [hamlet.user_id, ophelia.user_id];
  const [event] = world.received(ophelia, world.mark, PLAIN);
  t.strictSame(event, {
    type: 'typing_edit_message',
    op: 'start',
    sender_id: hamlet.user_id,
    message_id: id,
    recipient: { type: 'direct', user_ids },
  });
  t.ok(Value.Check(typingEditMessage, event));
  t.equal(world.received(hamlet, world.mark, PLAIN).length, 1);
  t.same(world.received(world.owner, world.mark), []);
});

// [c:edit-typing-refused]
void t.test('who may not edit may not be seen editing', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  const id = await world.say('one');
  await t.rejects(world.type(id, 'start', ophelia), { message: 'Invalid message(s)' });
  await t.rejects(world.type(99), { message: 'Invalid message(s)' });
  world.setRealm({ allow_message_editing: false });
  await t.rejects(world.type(id), {
    message: 'Your organization has turned off message editing',
  });
  world.setRealm({ allow_message_editing: true });
  world.presetSettings(hamlet, { send_stream_typing_notifications: false });
  await t.rejects(world.type(id), {
    message: 'User has disabled typing notifications for channel messages',
  });
  t.equal(world.position, world.mark);
});

void t.test('render, matches_narrow and read receipts', async (t) => {
  const world = new World();
  const { hamlet, ophelia, owner } = world;
  t.strictSame(await world.do('render-message', { content: '**x**' }), {
    rendered: '<p><strong>x</strong></p>',
  });
  const first = await world.say('red apple', 'a<b');
  const second = await world.say('green');
  const matching = (narrow: unknown[]) =>
    world.do('check-messages-match-narrow', { msg_ids: [second, first, 999], narrow }, ophelia);
  t.strictSame(await matching([['search', 'apple']]), {
    messages: {
      [first]: {
        match_content: '<p>red <span class="highlight">apple</span></p>',
        match_subject: 'a&lt;b',
      },
    },
  });
  t.strictSame(await matching([['topic', 'lunch']]), {
    messages: { [second]: { match_content: '<p>green</p>', match_subject: 'lunch' } },
  });
  const unnamed = await world.say('blue', '');
  t.match(await world.do('check-messages-match-narrow', { msg_ids: [unnamed], narrow: [] }), {
    messages: { [unnamed]: { match_subject: 'general chat' } },
  });
  const receipts = () => world.do('get-read-receipts', { message_id: first });
  world.setRealm({ enable_read_receipts: false });
  await t.rejects(receipts(), { message: 'Read receipts are disabled in this organization.' });
  world.setRealm({ enable_read_receipts: true });
  t.strictSame(await receipts(), { user_ids: [] });
  for (const user of [owner, ophelia, hamlet]) {
    await world.do('update-message-flags', { messages: [first], op: 'add', flag: 'read' }, user);
  }
  t.strictSame(await receipts(), { user_ids: [owner.user_id, ophelia.user_id] });
  await t.rejects(world.do('get-read-receipts', { message_id: 99 }), {
    message: 'Invalid message(s)',
  });
});
