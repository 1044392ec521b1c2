/** When another history begins, and that nothing is numbered twice then. */
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import type { HistoryDocument } from '../../../../schemas/store/history-document.js';
import {
  assertNotBack,
  observe,
  OutdatedLeaderError,
  seenIn,
  verdict,
  type KnownHistory,
  type StoredHistory,
} from '../../../../src/app/history/history-check.js';
import { Witness } from '../../../../src/app/history/witness.js';
import { createMemoryStore } from '../../../../src/store/memory.js';
import { StoreUnavailableError } from '../../../../src/store/port.js';
import {
  beginHistory,
  firstPosition,
  hasOldIds,
  hasUsedUpIds,
  nameHistory,
  renewIds,
  type EndedHistory,
} from '../../../../src/organization/state/history.js';
import { presenceReply } from '../../../../src/organization/views/presence-view.js';
import { account, CoreNode, eventsIn } from '../../../fixtures/core-node.js';
import { storeWith } from '../../../fixtures/gated-store.js';

const NOW = Date.UTC(2027, 0, 1);

function history(fields: Partial<HistoryDocument> = {}): HistoryDocument {
  const first = { id: 'b', began: 1, reason: 'created', at: 0, presence_update: 0 } as const;
  return { ...first, former: ['a'], ...fields };
}

/** A store at position 100 in the history `b`. */
function stored(fields: Partial<StoredHistory> = {}): StoredHistory {
  const newest = { seq: 100, text: '{}' };
  return {
    history: history(),
    request: undefined,
    leader: undefined,
    newest,
    isUnsettled: false,
    entryAt: 'digest',
    ...fields,
  };
}

/** A node that saw position 90 of it. */
function node(fields: Partial<KnownHistory> = {}, seen: Partial<KnownHistory['seen']> = {}) {
  return {
    seen: { history: 'b', seq: 90, entry: 'digest', counters: {}, at: NOW, ...seen },
    isNew: false,
    isCopy: false,
    besideStore: true,
    ...fields,
  };
}

const nothing = { history: null, seq: 0, entry: '', at: 0 };

void t.test('what the node saw decides', async (t) => {
  const goesOn: Record<string, [StoredHistory, KnownHistory]> = {
    'the store has more than was seen': [stored(), node()],
    'exactly what was seen': [stored(), node({}, { seq: 100 })],
    'the entry that was seen is trimmed': [stored({ entryAt: null }), node()],
    'another node began another history': [stored(), node({}, { history: 'a', seq: 900 })],
    'another history began behind all that was seen of one that is lost': [
      stored({ history: history({ began: 91 }) }),
      node({}, { history: 'lost' }),
    ],
    'neither knows of a history': [stored({ history: undefined }), node({}, nothing)],
    'the node ended before it saw the first one': [stored(), node({}, nothing)],
    'a new node of a Redis': [stored(), node({ isNew: true, besideStore: false }, nothing)],
    'a copied file of a node of a Redis': [stored(), node({ isCopy: true, besideStore: false })],
    'moved here': [
      stored({ request: { next: 'go_on' }, entryAt: null }),
      node({ isNew: true }, nothing),
    ],
  };
  for (const [name, [store, known]] of Object.entries(goesOn)) {
    t.equal(verdict(store, known), null, name);
  }
  const begins: Record<string, [string, StoredHistory, KnownHistory]> = {
    'less than was seen': ['went_back', stored(), node({}, { seq: 101 })],
    'nothing at all': ['went_back', stored({ newest: null }), node()],
    'another entry at that position': ['went_back', stored({ entryAt: 'other' }), node()],
    'nothing at that position, between others': ['went_back', stored({ entryAt: '' }), node()],
    'from before the history that was seen': ['went_back', stored(), node({}, { history: 'c' })],
    'from before histories': ['went_back', stored({ history: undefined }), node()],
    'a folder that was copied': ['copied', stored(), node({ isCopy: true })],
    'a folder without its witness': ['copied', stored(), node({ isNew: true }, nothing)],
    'moved here, but a node saw more': [
      'went_back',
      stored({ request: { next: 'go_on' } }),
      node({}, { seq: 101 }),
    ],
    'a backup': ['imported', stored({ request: { next: 'begin', reason: 'imported' } }), node()],
    'asked for': ['requested', stored({ request: { next: 'begin', reason: 'requested' } }), node()],
  };
  for (const [name, [reason, store, known]] of Object.entries(begins)) {
    t.equal(verdict(store, known), reason, name);
  }
});

void t.test('what a node has followed is what it has seen, until that goes back', async (t) => {
  const core = await CoreNode.start();
  await begun(core, 'b', ended());
  const { org, journal } = core;
  const { seq } = journal.durableHead;
  const newest = { seq, text: '{}' };
  const none = { history: null, seq: 0, entry: '', counters: {}, at: 0 };
  const seen = seenIn(org, newest, none);
  t.match(seen, { history: 'b', seq, counters: { draft: org.counters.last('draft') } });
  const store = { ...stored(), history: history({ id: 'b' }), entryAt: null };
  const behind = { ...store, newest: { seq: seq - 1, text: '{}' } };
  t.equal(
    verdict(behind, node({}, seen)),
    'went_back',
    'a store that lacks the last entry it followed',
  );
  t.equal(verdict({ ...store, newest }, node({}, seen)), null);
  const later = { ...newest, seq: seq - 1 };
  t.equal(seenIn(org, later, seen), seen, 'loaded again from a store that went back');
  const foreign = { ...seen, history: 'c' };
  t.equal(
    seenIn(org, newest, foreign),
    foreign,
    'another history, which is not of the former ones',
  );
});

void t.test('what a node has looked at it has seen, though it never comes to follow', async (t) => {
  const core = await CoreNode.start();
  await begun(core, 'b', ended());
  const { org, journal, memory } = core;
  const inner = createMemoryStore(memory);
  const witness = await Witness.load(join(t.testdir(), 'witness'), (error) =>
    t.fail(String(error)),
  );
  await assertNotBack(inner, witness);
  const { seq } = journal.durableHead;
  const draft = org.counters.last('draft');
  t.match(witness.seen, { history: 'b', seq, counters: { draft } });
  core.runtime.transact((tx) => tx.org.counters.next('draft'));
  await journal.barrier();
  const away = new StoreUnavailableError('away', undefined);
  const dying = storeWith(inner, {
    scan: async function* () {
      throw away;
    },
  });
  await t.rejects(assertNotBack(dying, witness), away);
  const newest = journal.durableHead.seq;
  t.match(witness.seen, { seq: newest }, 'the store is away before its numbers are read');
  core.runtime.transact((tx) => tx.org.counters.next('draft'));
  await journal.barrier();
  t.equal(await observe(inner, witness), true);
  const { seen } = witness;
  t.match(seen, { seq: journal.durableHead.seq, counters: { draft: draft + 2 } });
  memory.journal.delete(seen.seq);
  t.equal(await observe(inner, witness), false);
  await t.rejects(assertNotBack(inner, witness), OutdatedLeaderError);
  t.same(witness.seen, seen, 'where the store went back, that stays');
});

/** The history ends at position 5; `message` 7 was given, the node knows of 20. */
function ended(fields: Partial<EndedHistory> = {}): EndedHistory {
  return {
    seq: 5,
    counters: { message: 20, draft: 3 },
    age: 0,
    now: NOW,
    random: () => 0,
    ...fields,
  };
}

async function begun(node: CoreNode, id: string, how: EndedHistory): Promise<void> {
  node.journal.skipTo(firstPosition(how));
  node.runtime.transact((tx) => beginHistory(tx, id, 'requested', how));
  await node.journal.barrier();
}

/** From the second on, a quarter of all ids is less than what the clock says. */
for (const now of [NOW, Date.UTC(2031, 0, 1), Date.UTC(2038, 0, 1)]) {
  void t.test(
    `numbers jump beyond all that was given, also for the same copy again, in ${new Date(now).getFullYear()}`,
    async (t) => {
      const node = await CoreNode.start();
      const { org, runtime } = node;
      runtime.transact((tx) => tx.org.counters.skip('message', 7));
      await begun(node, 'first', ended({ now }));
      const first = { ...org.history.current!, message: org.counters.last('message') };
      t.ok(first.message >= 20 + 1_000_000);
      t.ok(org.counters.last('draft') >= 10_003, 'a counter that only the node knows');
      t.ok(first.began >= 2 ** 30);
      t.equal(first.began, node.journal.durableHead.seq);

      const again = await CoreNode.start();
      again.runtime.transact((tx) => tx.org.counters.skip('message', 7));
      await begun(again, 'second', ended({ now: now + 60_000 }));
      t.ok(
        again.org.history.began >= first.began + 60 * 4096,
        'a minute later it begins further on',
      );
      t.ok(again.org.counters.last('message') >= first.message + 60);
    },
  );
}

void t.test('jumps are bounded, whatever the clock says', async (t) => {
  const node = await CoreNode.start();
  for (let i = 0; i < 200; i++) {
    const how = ended({
      seq: node.journal.durableHead.seq,
      age: Infinity,
      now: Date.UTC(9000, 0, 1),
      random: () => 0.999,
    });
    await begun(node, `history ${i}`, how);
  }
  const { counters, history } = node.org;
  t.ok(counters.last('message') < 2 ** 31);
  t.ok(history.began < 2 ** 43, 'positions stay exact');
  t.equal(history.idsFrom, history.began, 'event ids count from there');
  t.equal(history.current!.former.length, 100);
  t.equal(history.current!.former[0], 'history 198');
});

void t.test(
  'queues of an earlier history are gone at the next start, later ones go on',
  async (t) => {
    const node = await CoreNode.start();
    const old = await node.register(4);
    await begun(node, 'next', ended());
    const fresh = await node.register(4);
    node.emit([4], 1);
    await node.journal.barrier();
    const next = await node.restart();
    t.equal(next.queues.get(old.queueId), undefined);
    const queue = next.queues.get(fresh.queueId)!;
    await next.queues.restore(queue, -1);
    t.equal(queue.length, 1);
  },
);

void t.test('a presence cursor of an earlier history gets everything', async (t) => {
  const node = await CoreNode.start();
  const { org, runtime } = node;
  runtime.transact((tx) => {
    tx.org.realm.insert({ presence_disabled: false } as never);
    for (const id of [1, 2]) tx.org.users.insert(account(id, { date_joined: 0 }));
    const seconds = tx.seconds;
    const at = { active_timestamp: seconds, idle_timestamp: seconds };
    for (const id of [1, 2]) {
      tx.org.presences.insert({
        user_id: id,
        ...at,
        update_id: tx.org.counters.next('presence_update'),
      });
    }
  });
  await begun(node, 'next', ended({ counters: { presence_update: 50 } }));
  const ask = (lastUpdateId: number) =>
    presenceReply(org, { slim: true, historyDays: 0, lastUpdateId });
  const reply = ask(50);
  t.same(Object.keys(reply.presences), ['1', '2'], 'also where no history was asked for');
  t.same(ask(reply.presence_last_update_id).presences, {}, 'once');
  runtime.transact((tx) =>
    tx.org.presences.update(2, { update_id: tx.org.counters.next('presence_update') }),
  );
  t.same(Object.keys(ask(reply.presence_last_update_id).presences), ['2']);
});

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
  t.notOk(hasUsedUpIds(org, org.history.idsFrom + 2 ** 31 - 2 ** 27 - 1));
  t.ok(hasUsedUpIds(org, org.history.idsFrom + 2 ** 31 - 2 ** 27));
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
