import t from 'tap';
import {
  followedDocuments,
  ledDocuments,
  messageSource,
} from '../../../../src/organization/state/load.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import {
  LostWritesError,
  StoreUnavailableError,
  type DamagedError,
  type Document,
  type EntryChange,
  type Store,
} from '../../../../src/store/port.js';
import { messageDocument } from '../../../../bench/seed/documents.js';

const CHANNEL = { streamId: 7, recipientId: 70 };
/** The entry that the store has and memory does not. */
const AHEAD = 5;

/** A follower in whose memory messages and reminders 1 and 2 are; the store is one entry ahead. */
function follower() {
  const stored = new Map<string, Document>();
  const waiting: { seq: number; go: () => void }[] = [];
  const asked: string[] = [];
  const store: Pick<Store, 'getManyWithLast'> = {
    getManyWithLast: async (keys) => {
      asked.push(keys.map(({ id }) => id).join());
      const documents = keys.map(({ collection, id }) => stored.get(`${collection}:${id}`));
      return { documents, last: { seq: AHEAD, text: '' } };
    },
  };
  const reached = (seq: number): Promise<void> =>
    new Promise((go) => {
      waiting.push({ seq, go });
      arrived();
    });
  let arrived = (): void => undefined;
  let had = AHEAD - 1;
  const documents = followedDocuments(store, {
    ...{ position: () => had, reached },
    cameAs: () => Promise.reject(new Error('all of the store is durable')),
  });
  const damaged: string[] = [];
  const org = new Organization(
    { url: '', botDomain: '', generation: 0 },
    messageSource({ getMany: documents }),
    () => 0,
    documents,
    ({ subject }) => damaged.push(subject),
  );
  for (const id of [1, 2]) {
    const message = messageDocument(id, id, 3, CHANNEL, 'topic', 0);
    const reminder = {
      ...{ machine: 'scheduled-message', version: 2, value: 'pending' },
      context: {
        ...{ id, user_id: 3, message_id: 1, note: '', deliver_at: 1, failure: null },
        ...{ content: `reminder ${id}`, rendered_content: '' },
      },
    };
    for (const [collection, document] of Object.entries({ message, reminder })) {
      stored.set(`${collection}:${id}`, document);
      org.load(collection, document);
    }
  }
  return {
    ...{ org, stored, waiting, asked, damaged },
    /** Memory has a position, whatever the store has. */
    has: (seq: number) => (had = seq),
    /** Resolves when a reader waits for memory. */
    read: () => (waiting.length > 0 ? undefined : new Promise<void>((done) => (arrived = done))),
    /** Memory reaches the store. */
    fold: (change: EntryChange) => {
      org.fold([change], AHEAD);
      for (const { go } of waiting.splice(0)) go();
    },
  };
}

void t.test('a reader waits until memory is as new as the documents', async (t) => {
  const { org, waiting, asked, ...node } = follower();
  const found = org.messages.fetch([2]);
  await node.read();
  t.same(
    waiting.map(({ seq }) => seq),
    [AHEAD],
  );
  node.fold({ op: 'merge', key: { collection: 'message', id: '1' }, fields: { topic: 'moved' } });
  t.equal((await found).get(2)?.topic, 'topic');
  t.same(asked, ['2'], 'what did not change is not read again');
});

void t.test('what changed while the reader waited is read again', async (t) => {
  const { org, waiting, asked, stored, ...node } = follower();
  const found = org.messages.fetch([1, 2]);
  await node.read();
  const fields = { topic: 'moved' };
  stored.set('message:1', { ...stored.get('message:1')!, ...fields });
  node.fold({ op: 'merge', key: { collection: 'message', id: '1' }, fields });
  await node.read();
  for (const { go } of waiting.splice(0)) go();
  t.equal((await found).get(1)?.topic, 'moved');
  t.equal((await found).get(2)?.topic, 'topic');
  t.same(asked, ['1,2', '1']);
});

void t.test('what was deleted while the reader waited is not missed', async (t) => {
  for (const collection of ['message', 'reminder'] as const) {
    const { org, stored, ...node } = follower();
    stored.delete(`${collection}:1`);
    const found = org[collection === 'message' ? 'messages' : 'reminders'].fetch([1, 2]);
    await node.read();
    node.fold({ op: 'delete', key: { collection, id: '1' } });
    t.same([...(await found).keys()], [2], collection);
  }
});

void t.test('what a store lacks that went back is not damaged', async (t) => {
  for (const collection of ['message', 'reminder'] as const) {
    const { org, stored, damaged, waiting, ...node } = follower();
    const fetch = (id: number): Promise<unknown> =>
      org[collection === 'message' ? 'messages' : 'reminders'].fetch([id]);
    stored.delete(`${collection}:2`);
    node.has(AHEAD + 1);
    await t.rejects(fetch(2), StoreUnavailableError, 'what is missing');
    await t.rejects(fetch(1), StoreUnavailableError, 'what may be as it was before');
    t.same([waiting, damaged], [[], []]);

    node.has(AHEAD);
    const found = fetch(2);
    await node.read();
    for (const { go } of waiting.splice(0)) go();
    await found;
    t.same(damaged, [`${collection}:2`], 'it is, in a store that has all');
  }
});

void t.test(
  'a leader asks whether its store went back before it calls a document missing',
  async (t) => {
    let confirmed = 0;
    let answer: Error | null = null;
    const document = messageDocument(1, 1, 3, CHANNEL, 'topic', 0);
    const getMany = ledDocuments(
      { getMany: async (keys) => keys.map(({ id }) => (id === '1' ? document : undefined)) },
      async () => {
        confirmed += 1;
        if (answer) throw answer;
      },
    );
    const damaged: DamagedError[] = [];
    const org = new Organization(
      { url: '', botDomain: '', generation: 0 },
      messageSource({ getMany }),
      () => 0,
      getMany,
      (error) => damaged.push(error),
    );
    for (const id of [1, 2]) org.load('message', { ...document, id });
    t.same([...(await org.messages.fetch([1])).keys()], [1]);
    t.equal(confirmed, 0, 'nothing is asked where nothing is missing');

    answer = new LostWritesError();
    await t.rejects(org.messages.fetch([2]), StoreUnavailableError);
    t.same(damaged, []);
    answer = new StoreUnavailableError('away', null);
    await t.rejects(org.messages.fetch([2]), { message: 'away' });
    answer = null;
    t.same([...(await org.messages.fetch([2])).keys()], []);
    t.match(damaged, [{ subject: 'message:2', problem: 'it is missing' }]);
    t.equal(confirmed, 3);
  },
);
