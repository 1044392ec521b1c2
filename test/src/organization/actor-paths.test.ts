/**
 * Model-based: each machine says its transitions, and every one of them is walked to and taken with the node's own
 * classes, on a simulated clock, because presence and heartbeats take minutes. After each step the store's document is
 * what the chart says. Processes are walked through the same states in system/operation/stored-values.test.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { storedKind } from '../../../actors/kinds.js';
import { stateChart } from '../../../actors/state-chart.js';
import { storedTime } from '../../../schemas/store/stored-time.js';
import { EVENT_RENDERERS } from '../../../src/journal/renderers/registry.js';
import { DELETION_BATCH } from '../../../src/organization/messages/deletion/topic-deletions.js';
import { removeMessages } from '../../../src/organization/messages/deletion/remove-messages.js';
import { PresenceTracker } from '../../../src/organization/presence/presence-tracker.js';
import type { PresenceStatus } from '../../../actors/presence-session.js';
import { edgesOf, walksOf } from '../../fixtures/chart-walks.js';
import { CoreNode } from '../../fixtures/core-node.js';
import { DeletingNode } from '../../fixtures/deleting-node.js';
import { DeliveryWorld } from './scheduling/fixtures/delivery-world.js';

const SECOND = 1000;

/** One entity in a world of its own, in the first state of its machine. */
interface Entity {
  /** The stored document; undefined where there is none. */
  stored(): { readonly value: string; readonly context: Record<string, unknown> } | undefined;
  /** What takes each transition, and sees its effects: `from event → to`, or the same without `from`. */
  readonly steps: Readonly<Record<string, () => unknown>>;
  readonly faults: readonly unknown[];
}

/** Walks to each transition of a machine. */
function walkAll(machine: string, begin: (t: Test) => Promise<Entity>): void {
  const chart = stateChart(storedKind(machine));
  void t.test(machine, async (t) => {
    const taken = new Set<string>();
    for (const walk of walksOf(chart)) {
      const title = walk.map(({ event, to }) => `${event} → ${to}`).join(', ');
      await t.test(title, async (t) => {
        const entity = await begin(t);
        t.equal(entity.stored()?.value, chart.initial_state, 'begun');
        for (const { from, event, to } of walk) {
          const step = entity.steps[`${from} ${event} → ${to}`] ?? entity.steps[`${event} → ${to}`];
          if (!step) throw new Error(`Nobody takes ${from} ${event} → ${to}`);
          await step();
          const isEnd = chart.states.find(({ state_name: name }) => name === to)!.is_final;
          t.equal(entity.stored()?.value, isEnd ? undefined : to, `${event} → ${to} is stored`);
          taken.add(`${from} ${event} ${to}`);
        }
        t.same(entity.faults, []);
      });
    }
    t.same(
      [...taken].sort(),
      edgesOf(chart)
        .map(({ from, event, to }) => `${from} ${event} ${to}`)
        .sort(),
      'every transition was taken',
    );
  });
}

type Stored = ReturnType<Entity['stored']>;

function documentIn(node: CoreNode, collection: string, id: string): Stored {
  const text = node.memory.collections.get(collection)?.get(id);
  return text === undefined ? undefined : (JSON.parse(text) as Stored);
}

walkAll('event-queue', async (t) => {
  const node = await CoreNode.start({ limits: { maxEvents: 5, maxBytes: 100_000 } });
  const queue = await node.register(1);
  const stored = () => documentIn(node, 'queue', queue.queueId);
  const ends = (reason: string, end: () => unknown) => async (): Promise<void> => {
    const poll = node.attach(queue);
    await end();
    await node.forgotten();
    t.same(poll.ended, [reason], 'its client is told why');
    t.throws(() => node.queues.find(queue.queueId, 1), { code: 'BAD_EVENT_QUEUE_ID' });
  };
  return {
    stored,
    faults: node.faults,
    steps: {
      'advance → live': () => {
        const before = queue.snapshot.context.deadline;
        const poll = node.attach(queue);
        t.ok(queue.snapshot.context.deadline < before, 'a heartbeat comes before the expiry');
        node.queues.consumers.release(queue, poll);
      },
      'deadline → live': () => {
        const poll = node.attach(queue);
        node.clock.advance(56 * SECOND);
        t.match(poll.heard, [/"type":"heartbeat"/]);
        node.queues.consumers.release(queue, poll);
      },
      'begin_later → live': async () => {
        const since = queue.snapshot.context.since + 1;
        node.runtime.transact(() => node.queues.beginLater(queue, since));
        await node.journal.barrier();
        t.equal(stored()?.context.since, since);
      },
      'deadline → expired': async () => {
        node.clock.advance(601 * SECOND);
        await node.forgotten();
        t.throws(() => node.queues.find(queue.queueId, 1), { code: 'BAD_EVENT_QUEUE_ID' });
      },
      'overflow → overflowed': ends('overflowed', () => {
        for (let i = 0; i <= 5; i++) node.emit([1], i);
        return node.journal.barrier();
      }),
      'delete → deleted': ends('deleted', () => node.queues.end(queue, 'delete')),
      'revoke → revoked': ends('revoked', () => node.queues.revokeAllOf(1)),
    },
  };
});

walkAll('presence-session', async (t) => {
  const node = await CoreNode.start({ renderers: EVENT_RENDERERS });
  await node.found();
  const user = node.addUser('hamlet@example.com');
  const { user_id } = user;
  const presence = new PresenceTracker(node.org, {
    ...{ clock: node.steady, wheel: node.wheel },
    transact: (work) => node.runtime.transact(work),
    onError: (_id, error) => node.faults.push(error),
  });
  presence.restore();
  const id = `${user_id}:website`;
  const stored = () => documentIn(node, 'presence_session', id);
  const settled = async (status: string): Promise<void> => {
    await node.journal.barrier();
    t.equal(presence.statusOf(user_id), status);
  };
  const reports = (status: PresenceStatus, then: string) => async (): Promise<void> => {
    node.clock.advance(SECOND);
    node.runtime.transact((tx) => presence.report(tx, user, 'website', status));
    await settled(then);
  };
  /** As a store says it that another clock wrote, or a hand. */
  const says = (context: object): void =>
    node.runtime.transact((tx) => {
      const document = tx.org.presenceSessions.get(id)!;
      tx.org.presenceSessions.insert({ ...document, context: { ...document.context, ...context } });
    });
  const passes = (seconds: number, then: string) => async (): Promise<void> => {
    node.clock.advance(seconds * SECOND);
    await settled(then);
  };
  await reports('idle', 'idle')();
  return {
    stored,
    faults: node.faults,
    steps: {
      'ping → active': reports('active', 'active'),
      'idle ping → idle': reports('idle', 'idle'),
      'active deadline → idle': passes(131, 'idle'),
      'idle deadline → offline': passes(201, 'offline'),
      'idle deadline → idle': async () => {
        says({ deadline: storedTime(node.clock.now(), SECOND) });
        await passes(2, 'idle')();
        const { deadline } = presence.sessionOf(id)!.context as { deadline: number };
        t.ok(deadline > node.clock.now() + 190 * SECOND, 'it is asked again');
      },
      'active deadline → offline': async () => {
        const now = node.clock.now();
        says({ last_seen_at: storedTime(now, -200 * SECOND), deadline: storedTime(now, SECOND) });
        await passes(2, 'offline')();
      },
      'forget → forgotten': async () => {
        node.runtime.transact(() => presence.forget(user_id));
        await settled('offline');
      },
    },
  };
});

walkAll('scheduled-message', async (t) => {
  let world = await DeliveryWorld.start({ start: false });
  const id = await world.schedule('hello', world.inSeconds(60));
  await world.settle();
  const stored = () => documentIn(world.node, 'scheduled_message', String(id));
  const edit = async (params: object): Promise<void> => {
    await world.call('update-scheduled-message', 'hamlet', { scheduled_message_id: id, ...params });
    await world.settle();
  };
  const refusedWhile = (state: string) =>
    t.rejects(
      edit({ content: 'other' }),
      { name: 'ApiError', status: 400 },
      `${state} takes no edit`,
    );
  const cancel = async (): Promise<void> => {
    await world.call('delete-scheduled-message', 'hamlet', { scheduled_message_id: id });
    await world.settle();
    await t.rejects(edit({ content: 'x' }), { name: 'ApiError', status: 404 });
    t.same(await world.texts('hamlet'), []);
  };
  return {
    stored,
    faults: world.faults,
    steps: {
      'pending edit → pending': async () => {
        await edit({ content: 'hello again' });
        t.equal(stored()?.context.content, 'hello again');
      },
      'deadline → delivering': async () => {
        // As a process that dies before it has sent it.
        world.node.clock.jumpTo(world.now + 61 * SECOND);
        const { actors } = world.org.scheduledMessages;
        world.transact((tx) => actors.wake(tx, world.org.scheduledMessages.resident(id)!));
        await world.settle();
        await refusedWhile('delivering');
        t.same(await world.texts('hamlet'), []);
      },
      'delivered → sent': async () => {
        world = await world.restart(world.now);
        t.same(await world.texts('hamlet'), ['hello']);
        await t.rejects(edit({ content: 'x' }), { name: 'ApiError', status: 400 });
      },
      'refused → failed': async () => {
        const { user_id } = world.user('ophelia');
        world.transact((tx) => tx.org.users.update(user_id, { is_active: false }));
        await world.settle();
        world = await world.restart(world.now);
        t.type(stored()?.context.failure, 'string');
        t.same(await world.texts('hamlet'), []);
      },
      'failed edit → pending': async () => {
        await edit({ scheduled_delivery_timestamp: world.inSeconds(600) });
        t.equal(stored()?.context.failure, null);
      },
      'cancel → cancelled': cancel,
    },
  };
});

walkAll('topic-deletion', async (t) => {
  let world = await DeletingNode.start();
  const ids = await world.fill('lunch', 2 * DELETION_BATCH + 1);
  const id = `${world.channel.recipient_id}::lunch`;
  const { node } = world;
  const inMemory = () => world.node.org.topicDeletions.get(id);
  const answers: Promise<boolean | Error>[] = [];
  const ask = (): void => {
    const answer = world.deletions.delete(world.channel, 'lunch', world.owner);
    answers.push(answer.catch((error: Error) => error));
  };
  const until = async (holds: () => boolean): Promise<void> => {
    for (let i = 0; i < 1000 && !holds(); i++) await nextTurn();
  };
  const answered = (): Promise<(boolean | Error)[]> => Promise.all(answers);
  /** Until what memory has decided is in the store. */
  const durable = async (): Promise<void> => world.node.journal.barrier();
  ask();
  return {
    // What is not on its way to the store; a job that goes on may have written its next batch.
    stored: () => inMemory(),
    faults: world.faults,
    steps: {
      'request → deleting': () => {
        node.clock.advance(1);
        const before = inMemory()!.context.until;
        ask();
        t.ok(inMemory()!.context.until > before, 'with the time of the newest request');
      },
      'batch → deleting': async () => {
        await until(() => inMemory()?.context.deleted === DELETION_BATCH);
        t.equal(world.left('lunch'), DELETION_BATCH + 1);
      },
      'batch → complete': async () => {
        await until(() => inMemory() === undefined);
        await durable();
        t.equal(world.left('lunch'), 0);
        t.same([...new Set(await answered())], [true]);
        t.equal(documentIn(world.node, 'topic_deletion', id), undefined);
      },
      'batch → partial': async () => {
        world.node.clock.jumpTo(world.node.clock.now() + 50_001);
        await until(() => inMemory()?.value === 'partial');
        await durable();
        t.equal(world.left('lunch'), DELETION_BATCH + 1, 'one batch went');
        t.equal(documentIn(world.node, 'topic_deletion', id)?.context.deleted, DELETION_BATCH);
      },
      'deadline → partial': async () => {
        world.node.clock.advance(50_000 + 2 * SECOND);
        await durable();
        t.same([...new Set(await answered())], [false], 'who waits is told');
        t.equal(documentIn(world.node, 'topic_deletion', id)?.value, 'partial');
      },
      'refuse → failed': async () => {
        const { user_id } = world.owner;
        world.node.runtime.transact((tx) => tx.org.users.update(user_id, { is_active: false }));
        await until(() => inMemory() === undefined);
        await durable();
        t.match(await answered(), [{ name: 'ApiError' }]);
        t.equal(documentIn(world.node, 'topic_deletion', id), undefined);
      },
      'emptied → complete': async () => {
        await durable();
        world.node.runtime.transact((tx) => {
          const { recipient_id: recipientId } = world.channel;
          const left = ids.filter((one) => tx.org.messages.has(one));
          removeMessages(tx, { recipientId, ids: left, topic: 'lunch', actor: world.owner });
        });
        await durable();
        world = await world.restart();
        await durable();
        t.equal(documentIn(world.node, 'topic_deletion', id), undefined);
      },
    },
  };
});
