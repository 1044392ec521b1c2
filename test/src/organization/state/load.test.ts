import t from 'tap';
import { followedDocuments, messageSource } from '../../../../src/organization/state/load.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import type { Document, EntryChange, Store } from '../../../../src/store/port.js';
import { messageDocument } from '../../../../bench/seed/documents.js';

const CHANNEL = { streamId: 7, recipientId: 70 };
/** The entry that the store has and memory does not. */
const AHEAD = 5;

/** A follower in whose memory messages and reminders 1 and 2 are; the store is one entry ahead. */
function follower() {
  const stored = new Map<string, Document>();
  const waiting: { seq: number; go: () => void }[] = [];
  const asked: string[] = [];
  const store: Pick<Store, 'getMany' | 'lastEntry'> = {
    getMany: async (keys) => {
      asked.push(keys.map(({ id }) => id).join());
      return keys.map(({ collection, id }) => stored.get(`${collection}:${id}`));
    },
    lastEntry: async () => ({ seq: AHEAD, text: '' }),
  };
  const reached = (seq: number): Promise<void> =>
    new Promise((go) => {
      waiting.push({ seq, go });
      arrived();
    });
  let arrived = (): void => undefined;
  const org = new Organization(
    { url: '', botDomain: '', generation: 0 },
    messageSource({ getMany: followedDocuments(store, reached) }),
    () => 0,
    followedDocuments(store, reached),
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
    ...{ org, stored, waiting, asked },
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
