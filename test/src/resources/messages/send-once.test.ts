import t from 'tap';
import { type UserDocument } from '../../../../schemas/users/user-document.js';
import { REMEMBERED_LOCAL_IDS } from '../../../../schemas/limits.js';
import { EVENT_RENDERERS } from '../../../../src/journal/renderers/registry.js';
import { forgetQueues } from '../../../../src/organization/state/queue-documents.js';
import { bind } from '../../../../src/resources/kernel/bind.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import type { Reply } from '../../../../src/resources/kernel/route.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { CoreNode } from '../../../fixtures/core-node.js';
import { handlerOf } from '../../../fixtures/handler-of.js';

type Params = Readonly<Record<string, unknown>>;

const markdown = createMarkdown();

/** A process whose owner sends messages as the HTTP layer has them sent, on a store that survives it. */
class SendingNode {
  private constructor(readonly node: CoreNode) {}

  static async start(): Promise<SendingNode> {
    const node = await CoreNode.start({ renderers: EVENT_RENDERERS });
    await node.found();
    node.addUser('hamlet@example.com');
    await node.journal.barrier();
    return new SendingNode(node);
  }

  /** A new process on what this one has stored. */
  async restart(): Promise<SendingNode> {
    return new SendingNode(await this.node.restart());
  }

  user(email: string): UserDocument {
    return this.node.user(email);
  }

  get owner(): UserDocument {
    return this.user('owner@example.com');
  }

  /** Sends; the promise settles when a client would have its answer. */
  async send(params: Params, user = this.owner): Promise<Reply> {
    const handler = handlerOf(messageHandlers(markdown, this.node.queues), 'send-message');
    const route = bind(this.node.runtime, handler);
    return route.call({
      caller: { user },
      params: { type: 'channel', to: 'general', topic: 'plot', content: 'hi', ...params },
      clientName: 'test',
      remoteAddress: '192.0.2.1',
    });
  }

  async id(params: Params, user = this.owner): Promise<number> {
    return Number((await this.send(params, user)).id);
  }

  async queue(user = this.owner): Promise<string> {
    return (await this.node.register(user.user_id)).queueId;
  }

  /** Messages of the conversation the tests write in. */
  get count(): number {
    const { org } = this.node;
    const { recipient_id } = org.channels.byName('general')!;
    return org.messages.index.topic(recipient_id, 'plot')?.list.length ?? 0;
  }

  /** What the store remembers. */
  get remembered(): number {
    return this.node.memory.collections.get('idempotency_key')?.size ?? 0;
  }
}

void t.test('the same request again: the same answer, no second message, no event', async (t) => {
  const world = await SendingNode.start();
  const queue = await world.node.register(world.owner.user_id, { event_types: ['message'] });
  const local = { queue_id: queue.queueId, local_id: '17.01' };
  const first = await world.send(local);
  const events = queue.pending().length;
  t.same(await world.send(local), first);
  t.same(await world.send({ ...local, type: 'stream' }), first, 'in the other word for its type');
  t.equal(world.count, 1);
  t.equal(queue.pending().length, events);
  t.equal(events, 1);
});

void t.test('the answer is the whole first one, whatever changed since', async (t) => {
  const world = await SendingNode.start();
  const { node, owner } = world;
  node.runtime.transact((tx) =>
    tx.org.settings.insert({
      user_id: owner.user_id,
      edited: [],
      automatically_follow_topics_policy: 1,
    }),
  );
  const local = { queue_id: await world.queue(), local_id: 'a' };
  const first = await world.send(local);
  t.equal(first.automatic_new_visibility_policy, 3);
  node.runtime.transact((tx) => {
    tx.org.messages.deleteAll([Number(first.id)]);
    const { stream_id } = tx.org.channels.byName('general')!;
    tx.org.channels.update(stream_id, { is_archived: true });
  });
  await node.journal.barrier();
  t.same(await world.send(local), first);
  const after = await world.restart();
  t.same(await after.send(local), first);
  t.equal(after.count, 0, 'what was deleted does not come back');
});

void t.test('the same local_id for another message is refused', async (t) => {
  const world = await SendingNode.start();
  const local = { queue_id: await world.queue(), local_id: 'a' };
  const first = await world.send(local);
  for (const other of [{ content: 'ho' }, { topic: 'act' }, { to: 'random' }, { type: 'direct' }]) {
    await t.rejects(world.send({ ...local, ...other }), {
      status: 400,
      code: 'BAD_REQUEST',
      message: "The local_id 'a' was already used for another message.",
    });
  }
  t.same(await world.send(local), first);
  t.equal(world.count, 1);
});

void t.test('what was refused may be sent under the same local_id', async (t) => {
  const world = await SendingNode.start();
  const local = { queue_id: await world.queue(), local_id: 'a' };
  await t.rejects(world.send({ ...local, to: 'nowhere' }), { code: 'STREAM_DOES_NOT_EXIST' });
  t.equal(world.remembered, 0);
  await world.send(local);
  t.equal(world.count, 1);
});

void t.test('each queue has its own names, and only its owner uses them', async (t) => {
  const world = await SendingNode.start();
  const [one, other] = [await world.queue(), await world.queue()];
  const hamlet = world.user('hamlet@example.com');
  const ids = new Set([
    await world.id({ queue_id: one, local_id: 'a' }),
    await world.id({ queue_id: other, local_id: 'a' }),
    await world.id({ queue_id: one, local_id: 'b' }),
    // Somebody else's queue, one that is gone, no queue, and no name: nothing is remembered.
    await world.id({ queue_id: one, local_id: 'a' }, hamlet),
    await world.id({ queue_id: one, local_id: 'a' }, hamlet),
    await world.id({ queue_id: 'gone', local_id: 'a' }),
    await world.id({ queue_id: 'gone', local_id: 'a' }),
    await world.id({ local_id: 'a' }),
    await world.id({ queue_id: one, local_id: '' }),
    await world.id({ queue_id: one, local_id: '' }),
    await world.id({ queue_id: one }),
  ]);
  t.equal(ids.size, 11);
  t.equal(world.remembered, 3);
});

void t.test('a retry while the first is under way is answered with it', async (t) => {
  const world = await SendingNode.start();
  const { gate } = world.node;
  const local = { queue_id: await world.queue(), local_id: 'a' };
  gate.holding = true;
  let answered = 0;
  const replies = [world.id(local), world.id(local)].map((reply) =>
    reply.finally(() => (answered += 1)),
  );
  await gate.waiting(1);
  t.equal(answered, 0, 'not before it is durable');
  await gate.held[0]!.accept();
  const [first, second] = await Promise.all(replies);
  t.equal(first, second);
  t.equal(world.count, 1);
});

void t.test('a 503 of a failing store: the retry is one with the first', async (t) => {
  const world = await SendingNode.start();
  const { gate } = world.node;
  const local = { queue_id: await world.queue(), local_id: 'a' };
  gate.holding = true;
  const first = world.send(local);
  await gate.waiting(1);
  gate.held[0]!.refuse(new Error('disk full'));
  await t.rejects(first, { status: 503, code: 'SERVICE_UNAVAILABLE' });
  await t.rejects(world.send(local), { status: 503, code: 'SERVICE_UNAVAILABLE' }, 'still away');
  const recovered = world.node.recovered();
  await gate.waiting(2);
  gate.holding = false;
  await gate.held[1]!.accept();
  await recovered;
  await world.send(local);
  t.equal(world.count, 1);
});

void t.test('the process dies after the commit, before the answer', async (t) => {
  const world = await SendingNode.start();
  const { gate } = world.node;
  const local = { queue_id: await world.queue(), local_id: 'a' };
  gate.holding = true;
  void world.send(local);
  await gate.waiting(1);
  await gate.held[0]!.accept();
  const after = await world.restart();
  t.equal(after.count, 1, 'it had become durable');
  t.equal(await after.id(local), after.node.org.counters.last('message'));
  t.equal(after.count, 1);
});

void t.test('the process dies before the commit', async (t) => {
  const world = await SendingNode.start();
  const { gate } = world.node;
  const local = { queue_id: await world.queue(), local_id: 'a' };
  gate.holding = true;
  void world.send(local);
  await gate.waiting(1);
  const after = await world.restart();
  t.equal(after.count, 0);
  const id = await after.id(local);
  t.equal(await after.id(local), id);
  t.equal(after.count, 1);
});

void t.test(
  `a queue remembers its newest ${REMEMBERED_LOCAL_IDS}, also after a restart`,
  async (t) => {
    const world = await SendingNode.start();
    const queue_id = await world.queue();
    const ids: number[] = [];
    for (let i = 0; i <= REMEMBERED_LOCAL_IDS; i++) {
      ids.push(await world.id({ queue_id, local_id: String(i) }));
    }
    t.equal(world.remembered, REMEMBERED_LOCAL_IDS);
    const after = await world.restart();
    const newest = String(REMEMBERED_LOCAL_IDS);
    t.equal(await after.id({ queue_id, local_id: '1' }), ids[1], 'the oldest that is left');
    t.equal(await after.id({ queue_id, local_id: newest }), ids.at(-1));
    const again = await after.id({ queue_id, local_id: '0' });
    t.ok(again > ids.at(-1)!, 'the oldest was forgotten');
    t.not(await after.id({ queue_id, local_id: '1' }), ids[1], 'and gave its place to the next');
    t.equal(after.remembered, REMEMBERED_LOCAL_IDS);
  },
);

void t.test('what was refused takes no place among what a queue remembers', async (t) => {
  const world = await SendingNode.start();
  const { gate } = world.node;
  const queue_id = await world.queue();
  const first = await world.id({ queue_id, local_id: 'first' });
  gate.holding = true;
  const refused = world.send({ queue_id, local_id: 'second' });
  await gate.waiting(1);
  gate.held[0]!.refuse(new Error('disk full'));
  await t.rejects(refused, { status: 503, code: 'SERVICE_UNAVAILABLE' });
  // With the first refusal: if each took a place, the next message would take that of the first.
  for (let i = 1; i < REMEMBERED_LOCAL_IDS - 1; i++) {
    await t.rejects(world.send({ queue_id, local_id: 'second' }), {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
    });
  }
  const recovered = world.node.recovered();
  await gate.waiting(2);
  gate.holding = false;
  await gate.held[1]!.accept();
  await recovered;
  const second = await world.id({ queue_id, local_id: 'second' });
  t.equal(await world.id({ queue_id, local_id: 'first' }), first);
  t.equal(await world.id({ queue_id, local_id: 'second' }), second);
  t.equal(world.count, 2);
});

void t.test('what a queue sent is forgotten with it', async (t) => {
  const world = await SendingNode.start();
  const [queue_id, other] = [await world.queue(), await world.queue()];
  await world.send({ queue_id, local_id: 'a' });
  await world.send({ queue_id, local_id: 'b' });
  await world.send({ queue_id: other, local_id: 'a' });
  world.node.runtime.transact((tx) => forgetQueues(tx, [queue_id]));
  await world.node.journal.barrier();
  t.equal(world.remembered, 1);
});

void t.test('a message without local_id stores nothing besides', async (t) => {
  const world = await SendingNode.start();
  const queue_id = await world.queue();
  await world.send({ queue_id });
  const before = world.node.journal.nextSeq;
  await world.send({ queue_id });
  const [entry] = await world.node.gate.store.readJournal(before, before, 1);
  const { changes } = JSON.parse(entry!.text) as { changes: [string][] };
  t.same(changes.map(([collection]) => collection).sort(), ['counter', 'message']);
});
