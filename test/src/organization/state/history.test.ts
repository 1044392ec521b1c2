/** From where event ids count, and that they rise and stay below 2^31 (architecture.md#event-ids). */
import fc from 'fast-check';
import t from 'tap';
import {
  hasOldIds,
  hasUsedUpIds,
  nameHistory,
  renewIds,
} from '../../../../src/organization/state/history.js';
import { begun, ended } from '../../../fixtures/another-history.js';
import { CoreNode, eventsIn } from '../../../fixtures/core-node.js';

void t.test('event ids begin anew, and nothing else does', async (t) => {
  const node = await CoreNode.start();
  const { org, runtime, journal } = node;
  runtime.transact((tx) => nameHistory(tx, 'only', 'found'));
  runtime.transact((tx) => tx.org.counters.skip('message', 7));
  const old = await node.register(4);
  journal.skipTo(org.history.idsFrom + 2 ** 30 - 1);
  runtime.mark();
  t.notOk(hasOldIds(org, journal.nextSeq - 1));
  runtime.mark();
  await journal.barrier();
  const { seq } = journal.durableHead;
  t.ok(hasOldIds(org, seq), 'at half of what clients can read');
  t.notOk(hasUsedUpIds(org, seq), 'the term goes on');
  t.notOk(hasUsedUpIds(org, org.history.idsFrom + 2 ** 31 - 2 ** 28 - 1));
  t.ok(hasUsedUpIds(org, org.history.idsFrom + 2 ** 31 - 2 ** 28));
  runtime.transact(renewIds);
  const from = org.history.idsFrom;
  t.equal(from, seq + 1);
  t.notOk(hasOldIds(org, journal.nextSeq - 1));
  t.match(org.history.current, { id: 'only', began: 0, former: [] });
  t.equal(org.counters.last('message'), 7);
  const fresh = await node.register(4);
  t.equal(fresh.newestId, 0);
  const next = await node.restart();
  t.equal(next.queues.get(old.queueId), undefined);
  const queue = next.queues.get(fresh.queueId)!;
  await next.queues.restore(queue, 1);
  next.emit([4], 1);
  await next.journal.barrier();
  t.match(eventsIn(queue.pendingJson()), [{ n: 1, id: 2 }]);
});

/** What may happen to a queue: events for it or for others, a heartbeat, a restart where its client has less than it was given. */
const LIVES = fc.array(
  fc.oneof(
    fc.record({ emit: fc.constantFrom(1, 2), slots: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ beat: fc.constant(true) }),
    fc.record({ restart: fc.nat(3) }),
    fc.record({ history: fc.constant(true) }),
  ),
  { minLength: 5, maxLength: 30 },
);

void t.test(
  'ids of a queue rise, none is missing, and none passes 2^31, whatever happens',
  async () => {
    await fc.assert(
      fc.asyncProperty(LIVES, async (life) => {
        let node = await CoreNode.start();
        await begun(node, 'first', ended({ now: Date.UTC(2031, 0, 1) }));
        let queue = await node.register(1);
        let cursor = queue.newestId;
        let seen: { id: number; n?: number }[] = [];
        let sent: number[] = [];
        const read = (): void => {
          const all = [...eventsIn(queue.pendingJson())] as { id: number; n: number }[];
          seen.push(...all.filter(({ id }) => id > (seen.at(-1)?.id ?? cursor)));
        };
        for (const [n, step] of life.entries()) {
          if ('emit' in step) {
            node.emit([step.emit], n, { slots: step.slots });
            if (step.emit === 1) sent.push(n);
            await node.journal.barrier();
          } else if ('beat' in step) {
            read();
            const socket = node.attach(queue, 'socket');
            node.clock.advance(60_000);
            await node.journal.barrier();
            await new Promise((done) => setImmediate(() => setImmediate(done)));
            seen.push(...(socket.heard.map((json) => eventsIn(json)[0]!) as typeof seen));
            node.queues.consumers.release(queue, socket);
          } else if ('restart' in step) {
            read();
            cursor = seen.at(-1 - step.restart)?.id ?? cursor;
            seen = seen.filter(({ id }) => id <= cursor);
            // Heartbeats are not given again.
            node = await node.restart();
            queue = node.queues.get(queue.queueId)!;
            await node.queues.restore(queue, cursor);
          } else {
            const how = ended({ seq: node.journal.durableHead.seq, now: node.clock.now() });
            await begun(node, `history ${n}`, how);
            const former = queue;
            node = await node.restart();
            if (node.queues.get(former.queueId)) return false;
            queue = await node.register(1);
            cursor = queue.newestId;
            [seen, sent] = [[], []];
          }
        }
        read();
        const ids = seen.map(({ id }) => id);
        const rise = ids.every((id, i) => id > (ids[i - 1] ?? -1) && id < 2 ** 31);
        const had = seen.flatMap(({ n }) => (n === undefined ? [] : [n]));
        return rise && had.join() === sent.join() && node.journal.nextSeq > 2 ** 32;
      }),
      { numRuns: 12 },
    );
  },
);
