/** When another history begins, and that nothing is numbered twice then. */
import { join } from 'node:path';
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
} from '../../../../src/nodes/history/history-check.js';
import { Witness } from '../../../../src/nodes/history/witness.js';
import { createMemoryStore } from '../../../../src/store/memory.js';
import { StoreUnavailableError } from '../../../../src/store/port.js';
import { presenceReply } from '../../../../src/organization/views/presence-view.js';
import { begun, ended, NOW } from '../../../fixtures/another-history.js';
import { account, CoreNode } from '../../../fixtures/core-node.js';
import { storeWith } from '../../../fixtures/gated-store.js';
import { testFolder } from '../../../fixtures/test-folder.js';

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
  const witness = await Witness.load(join(testFolder(t), 'witness'), (error) =>
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
