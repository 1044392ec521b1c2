import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { OutgoingHookDelivery } from '../../../../src/organization/hooks/outgoing-hook-delivery.js';
import { sendMessage } from '../../../../src/organization/messages/sending/send-message.js';
import {
  participants,
  compose,
} from '../../../../src/organization/messages/sending/outgoing-message.js';
import type { Transactor } from '../../../../src/organization/state/runtime.js';
import { createBot } from '../../../../src/organization/users/bots.js';
import type { PostReply } from '../../../../src/services/outside/guarded-post.js';
import { UnfitAnswerError } from '../../../../src/services/outside/bounded-body.js';
import { ClosedAddressError } from '../../../../src/services/outside/reachable-addresses.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

const OK = (body: object): PostReply => ({ status: 200, text: JSON.stringify(body) });

/** An organization with a bot whose address answers what the test says. */
class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com', { full_name: 'Hamlet' });
  readonly ophelia = this.addUser('ophelia@example.com', { full_name: 'Ophelia' });
  readonly bot = this.addBot(1);
  readonly posts: { url: string; mediaType: string; body: string }[] = [];
  answer: () => Promise<PostReply> | PostReply = () => OK({});
  delivery = this.leader();
  private readonly markdown = createMarkdown();

  addBot(form: number): UserDocument {
    return this.transact((tx) =>
      createBot(tx, {
        email: `echo${form}-bot@example.com`,
        full_name: `Echo ${form}`,
        bot_type: 3,
        owner: this.hamlet,
        defaults: {
          default_sending_stream: null,
          default_events_register_stream: null,
          default_all_public_streams: false,
        },
        service: { base_url: 'https://bot.example/hook', interface: form, token: 'secret' },
      }),
    );
  }

  /** What a leader that takes over has. */
  leader(): OutgoingHookDelivery {
    const runtime: Transactor = {
      org: this.org,
      transact: (work) => this.transact(work),
      journal: { barrier: async () => undefined },
    };
    const delivery = new OutgoingHookDelivery(runtime, {
      post: async (url, mediaType, body) => {
        this.posts.push({ url, mediaType, body });
        return this.answer();
      },
      markdown: createMarkdown(),
      wheel: this.wheel.keySet(),
      log: { warn: () => undefined },
      failed: () => undefined,
    });
    delivery.start();
    return delivery;
  }

  send(content: string, to?: readonly UserDocument[], sender = this.ophelia): number {
    const recipient = to
      ? ({ kind: 'direct', users: participants(sender, to) } as const)
      : ({ kind: 'channel', channel: this.general, topic: 'castle' } as const);
    return this.transact((tx) => {
      const unrendered = { sender, recipient, content, clientName: 'test', readBySender: true };
      return sendMessage(tx, compose(this.org, this.markdown, unrendered)).id;
    });
  }

  /** Lets time pass, and everything that is under way come to rest. */
  async pass(seconds = 0): Promise<void> {
    for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve));
    this.clock.advance(seconds * 1000);
    for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Texts after a message, with who sent them. */
  async after(id: number): Promise<[sender: number, text: string][]> {
    const ids = Array.from(
      { length: this.org.counters.last('message') - id },
      (_, i) => id + 1 + i,
    );
    const found = await this.org.messages.fetch(ids);
    return [...found.values()].map(({ sender_id, content }) => [sender_id, content]);
  }
}

void t.test('a mention is told, and the answer said in the topic', async (t) => {
  const world = new World();
  const { bot, ophelia } = world;
  world.answer = () => OK({ content: 'at your service' });
  const id = world.send('hello @**Echo 1**');
  t.equal(world.org.outgoingHooks.size, 1, 'committed with the message');
  await world.pass();
  const [post] = world.posts;
  t.match(post, { url: 'https://bot.example/hook', mediaType: 'application/json' });
  t.match(JSON.parse(post!.body), {
    bot_email: 'echo1-bot@example.com',
    bot_full_name: 'Echo 1',
    data: 'hello @**Echo 1**',
    token: 'secret',
    trigger: 'mention',
    message: {
      id,
      sender_id: ophelia.user_id,
      content: 'hello @**Echo 1**',
      rendered_content: /^<p>hello/,
      subject: 'castle',
    },
  });
  t.same(await world.after(id), [[bot.user_id, 'at your service']]);
  t.equal(world.org.outgoingHooks.size, 0);
  t.equal(world.posts.length, 1, 'the answer of a bot calls nobody');
});

void t.test('an answer with a form, as text and as an object', async (t) => {
  const choices = [{ type: 'multiple_choice', short_name: 'A', long_name: '4', reply: 'a' }];
  const form = {
    widget_type: 'zform',
    extra_data: { type: 'choices', heading: '2 + 2?', choices },
  };
  for (const widget_content of [JSON.stringify(form), form]) {
    const world = new World();
    world.answer = () => OK({ content: 'pick', widget_content });
    const id = world.send('@**Echo 1**');
    await world.pass();
    const said = (await world.org.messages.fetch([id + 1])).get(id + 1)!;
    t.equal(said.content, 'pick');
    t.same(
      said.submessages!.map(({ content }): unknown => JSON.parse(content)),
      [form],
    );
  }
});

void t.test('direct messages, and what calls nobody', async (t) => {
  const world = new World();
  const { bot, hamlet } = world;
  world.answer = () => OK({ response_not_required: true });
  const id = world.send('psst', [bot]);
  await world.pass();
  t.match(JSON.parse(world.posts[0]!.body), { trigger: 'direct_message', data: 'psst' });
  world.send('no mention');
  world.send('@_**Echo 1** silently');
  world.send('not there', [hamlet]);
  world.send('@**Echo 1**', undefined, bot);
  world.transact((tx) => tx.org.users.update(bot.user_id, { is_active: false }));
  world.send('@**Echo 1**');
  await world.pass();
  t.equal(world.posts.length, 1);
  t.equal(
    (await world.after(id)).filter(([sender]) => sender === bot.user_id).length,
    1,
    'its own',
  );
});

void t.test(
  'what fails is tried again after growing pauses, and then its owner is told',
  async (t) => {
    const world = new World();
    const { bot } = world;
    world.answer = () => ({ status: 503, text: '' });
    const id = world.send('@**Echo 1**');
    await world.pass();
    for (const [seconds, attempts] of [
      [4, 1],
      [1, 2],
      [9, 2],
      [1, 3],
      [20, 4],
      [40, 5],
      [80, 6],
      [160, 7],
      [320, 8],
    ] as const) {
      await world.pass(seconds);
      t.equal(world.posts.length, attempts, `${attempts} attempts`);
    }
    t.equal(world.org.outgoingHooks.size, 0);
    const [[, notice]] = (await world.after(id)) as [[number, string]];
    t.equal(
      notice,
      `[A message](https://chat.example.com/#narrow/near/${id}) to your bot @_**Echo 1|${bot.user_id}** ` +
        'could not be told to its webhook: `status 503`.',
    );
  },
);

void t.test('a service that is reachable again gets the message that failed', async (t) => {
  const world = new World();
  world.answer = () => Promise.reject(new Error('ECONNREFUSED'));
  const id = world.send('@**Echo 1**');
  await world.pass();
  world.answer = () => OK({ response_string: 'late' });
  await world.pass(5);
  t.same(await world.after(id), [[world.bot.user_id, 'late']]);
});

void t.test('what asking again would not better is told the owner at once', async (t) => {
  for (const [answer, reason] of [
    [() => ({ status: 404, text: '' }), 'status 404'],
    [() => ({ status: 200, text: '<html>' }), 'The answer is no JSON'],
    [() => ({ status: 200, text: '[]' }), 'The answer is no JSON object'],
    [
      () => Promise.reject(new UnfitAnswerError('The answer is too long')),
      'The answer is too long',
    ],
    [() => OK({ content: 'x', widget_content: 'x'.repeat(100_001) }), 'The widget is too long'],
    [
      () => OK({ content: 'x', widget_content: '{}' }),
      'Widgets: widget_type is not in widget_content',
    ],
    [
      () => Promise.reject(new ClosedAddressError('The address is not public')),
      'The address is not public',
    ],
  ] as const) {
    const world = new World();
    world.answer = answer;
    const id = world.send('@**Echo 1**');
    await world.pass();
    t.match((await world.after(id))[0]![1], `could not be told to its webhook: \`${reason}\`.`);
    t.equal(world.posts.length, 1, reason);
  }
});

void t.test('the format of Slack: channels only', async (t) => {
  const world = new World();
  const slack = world.addBot(2);
  world.answer = () => OK({ text: 'yes' });
  const id = world.send('@**Echo 2** are you there?');
  await world.pass();
  const fields = Object.fromEntries(new URLSearchParams(world.posts[0]!.body));
  t.match(fields, {
    token: 'secret',
    channel_id: `C${world.general.stream_id}`,
    channel_name: 'general',
    user_id: `U${world.ophelia.user_id}`,
    user_name: 'Ophelia',
    text: '@**Echo 2** are you there?',
    trigger_word: 'mention',
  });
  t.same(await world.after(id), [[slack.user_id, 'yes']]);
  const direct = world.send('psst', [slack]);
  await world.pass();
  t.equal(world.posts.length, 1);
  t.match((await world.after(direct))[0]![1], 'Slack’s format knows no direct messages');
});

void t.test(
  'the next leader goes on with what waits; an answer that came too late is not said',
  async (t) => {
    const world = new World();
    let answer = (_: PostReply): void => undefined;
    world.answer = () => new Promise((resolve) => (answer = resolve));
    const id = world.send('@**Echo 1**');
    await world.pass();
    world.delivery.stop();
    answer(OK({ content: 'from the past' }));
    await world.pass();
    t.equal(world.org.outgoingHooks.size, 1);
    world.answer = () => OK({ content: 'from now' });
    world.delivery = world.leader();
    await world.pass();
    t.same(await world.after(id), [[world.bot.user_id, 'from now']]);
  },
);

void t.test('a bot with a hundred that wait is called by no more', async (t) => {
  const world = new World();
  world.delivery.stop();
  for (let i = 0; i < 101; i++) world.send('@**Echo 1**');
  t.equal(world.org.outgoingHooks.size, 100);
});
