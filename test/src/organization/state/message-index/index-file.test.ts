import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { messageDocument } from '../../../../../bench/seed/documents.js';
import type { MessageDocument } from '../../../../../schemas/messages/message.js';
import { IndexFile } from '../../../../../src/organization/state/message-index/index-file.js';
import { MessageIndex } from '../../../../../src/organization/state/message-index/message-index.js';
import type { StoredEntry } from '../../../../../src/store/port.js';
import { indexDifference } from '../../../../fixtures/following/difference.js';
import { testFolder } from '../../../../fixtures/test-folder.js';

const CHANNEL = { streamId: 7, recipientId: 70 };

function message(id: number, more: Partial<MessageDocument> = {}): MessageDocument {
  return { ...messageDocument(id, 10 * id, 1 + (id % 5), CHANNEL, `topic ${id % 3}`, 0), ...more };
}

/** Messages of every kind that the index tells apart. */
function everyKind(): MessageDocument[] {
  const route = { from: 9, hops: [[7, 400]] } as MessageDocument['route'];
  return [
    ...Array.from({ length: 300 }, (_, i) => message(i + 1)),
    message(301, { topic: 'TOPIC 1', mentioned: [4, 8], has_link: true }),
    message(302, { topic: 'Größe “x”', topic_wildcard: [4], alerted: [2, 8], reactions: [] }),
    message(303, { channel_wildcard: true, has_image: true }),
    message(304, { stream_id: null, recipient_id: 90, topic: '' }),
    message(305, { route, recipient_id: 71, stream_id: 8 }),
    message(306, { sender_id: 4_100_000_000 }),
    message(4_000_000_000, { topic: 'topic 2', timestamp: 4_000_000_000, has_attachment: true }),
  ];
}

function indexOf(messages: Iterable<MessageDocument>): MessageIndex {
  const index = new MessageIndex();
  for (const one of messages) index.add(one);
  return index;
}

type Change = readonly [collection: string, id: string, op: string, fields?: object];

class Journal {
  readonly entries: StoredEntry[] = [];

  add(seq: number, changes: readonly Change[]): void {
    this.entries.push({ seq, text: JSON.stringify({ at: seq, changes, events: [] }) });
  }

  readonly readJournal = async (from: number, to: number, limit: number) =>
    this.entries.filter(({ seq }) => seq >= from && seq <= to).slice(0, limit);

  lastEntry = async (): Promise<StoredEntry | null> => this.entries.at(-1) ?? null;
}

function setup(t: Test) {
  const journal = new Journal();
  journal.add(3000, []);
  const path = join(testFolder(t), 'message-index.bin');
  const failures: unknown[] = [];
  const unused: [why: string, isDamage: boolean][] = [];
  const failed = (error: unknown): void => void failures.push(error);
  const file = new IndexFile(path, journal, failed, (...why) => unused.push(why));
  const messages = new Map(everyKind().map((one) => [one.id, one]));
  return { journal, path, failures, unused, file, messages };
}

const LAST = 4_000_000_000;

void t.test('what is kept is what was there, and only for the account of the server', async (t) => {
  const { file, path, messages, failures } = setup(t);
  const index = indexOf(messages.values());
  // Dead rows, in the middle and at the end, and a topic without messages.
  index.remove(messages.get(5)!);
  index.remove(messages.get(302)!);
  messages.delete(5);
  messages.delete(302);
  await file.save({ image: index.image(), seq: 3000, lastId: LAST });
  t.equal((await stat(path)).mode & 0o777, 0o600);
  const kept = (await file.load(LAST))!;
  t.equal(kept.folded, 0);
  t.equal(indexDifference(kept.index, indexOf(messages.values())), null);
  t.equal(kept.index.topic(70, 'größe “x”'), undefined);
  t.equal(kept.index.topic(70, 'Topic 1')?.name, 'TOPIC 1', 'as the newest message spells it');
  kept.index.add(message(LAST + 1, { mentioned: [8] }));
  kept.index.remove(messages.get(301)!);
  t.same(kept.index.notified.mentionsOf(8).toArray(), [LAST + 1]);
  t.same(failures, []);
});

void t.test('what the journal has after it is folded', async (t) => {
  const { file, journal, messages } = setup(t);
  await file.save({ image: indexOf(messages.values()).image(), seq: 3000, lastId: LAST });
  const sent = message(LAST + 1, { seq: 3001 });
  journal.add(3001, [
    ['message', String(sent.id), 'set', sent],
    ['counter', 'message', 'set', { name: 'message', last: sent.id }],
    ['user', '3', 'merge', { full_name: 'Somebody' }],
  ]);
  const moved = { topic: 'elsewhere', mentioned: [4], has_link: true };
  journal.add(3002, [['message', '17', 'merge', moved]]);
  for (let i = 0; i < 600; i++)
    journal.add(3003 + i, [['message', '18', 'merge', { topic: `n${i}` }]]);
  journal.add(3603, [['message', '19', 'delete']]);
  const kept = (await file.load(sent.id))!;
  t.equal(kept.folded, 603);
  messages.set(sent.id, sent);
  messages.set(17, { ...messages.get(17)!, ...moved });
  messages.set(18, { ...messages.get(18)!, topic: 'n599' });
  messages.delete(19);
  const sorted = [...messages.values()].sort((a, b) => a.id - b.id);
  t.equal(indexDifference(kept.index, indexOf(sorted)), null);
});

void t.test('a file that does not fit the store is not used', async (t) => {
  const { file, journal, messages, path, failures, unused } = setup(t);
  const save = () =>
    file.save({ image: indexOf(messages.values()).image(), seq: 3000, lastId: LAST });
  const [first] = journal.entries as [StoredEntry];
  t.equal(await file.load(0), null, 'there is none');
  t.same(failures, []);
  t.same(unused, [], 'of which nothing is told');
  await save();
  t.ok(await file.load(LAST));
  t.equal(await file.load(LAST + 1), null, 'messages were written past the journal');
  t.same(unused.splice(0), [['lacks what was written past the journal', false]]);

  const others: Record<string, StoredEntry[]> = {
    'the journal begins later': [{ ...first, seq: 3001 }],
    'the journal ends before': [{ ...first, seq: 2999 }],
    'another entry is there': [{ ...first, text: first.text.replace('3000', '3001') }],
    'the entry is damaged': [{ ...first, damaged: true }],
    'a later one is damaged': [first, { ...first, seq: 3001, damaged: true }],
    'the next one is missing': [first, { ...first, seq: 3002 }],
    'one between later ones is missing': [
      first,
      ...[3001, 3002, 3004].map((seq) => ({ ...first, seq })),
    ],
    'a later one is no entry': [first, { seq: 3001, text: '{}' }],
    'a later one changes what is not there': [
      first,
      { seq: 3001, text: '{"at":0,"changes":[["message","77777","delete"]],"events":[]}' },
    ],
    'too much comes after it': [
      first,
      ...Array.from({ length: 10_001 }, (_, i) => ({ ...first, seq: 3001 + i })),
    ],
  };
  for (const [name, entries] of Object.entries(others)) {
    journal.entries.splice(0, Infinity, ...entries);
    t.equal(await file.load(LAST), null, name);
    t.equal(unused.length, 1, `${name}: why it is not used`);
    t.equal(unused.pop()![1], name === 'a later one changes what is not there', 'whether damaged');
  }
  journal.entries.splice(0, Infinity, first);
  t.ok(await file.load(LAST));
  const { lastEntry } = journal;
  journal.lastEntry = async () => ({ seq: 3001, text: '', damaged: true });
  t.equal(await file.load(LAST), null, 'the newest entry is missing');
  unused.length = 0;
  journal.lastEntry = lastEntry;

  const bytes = await readFile(path);
  for (const at of [0, 22, 40, bytes.length >> 1, bytes.length - 1]) {
    const damaged = Buffer.from(bytes);
    damaged[at]! ^= 4;
    await writeFile(path, damaged);
    t.equal(await file.load(LAST), null, `byte ${at} is damaged`);
    t.same(unused.pop(), ['has another checksum', true]);
  }
  for (const length of [0, 10, 30, 1000, bytes.length - 1]) {
    await writeFile(path, bytes.subarray(0, length));
    t.equal(await file.load(LAST), null, `${length} bytes are left`);
  }
  t.same(failures, []);
});

void t.test('a file that cannot be written is reported, and the former one stays', async (t) => {
  const { file, messages, path, failures, journal } = setup(t);
  await file.save({ image: indexOf(messages.values()).image(), seq: 3000, lastId: LAST });
  const former = await readFile(path);
  await file.save({ image: new MessageIndex().image(), seq: 3001, lastId: LAST });
  t.ok((await readFile(path)).equals(former), 'the journal has no such entry');
  const nowhere = new IndexFile(join(path, 'x'), journal, (error) => failures.push(error));
  await nowhere.save({ image: new MessageIndex().image(), seq: 3000, lastId: LAST });
  await nowhere.settled();
  t.match(failures, [{ code: 'ENOTDIR' }]);
  t.equal(await nowhere.load(LAST), null);
  await rm(path);
  t.equal(await file.load(LAST), null);
});

void t.test('rows that do not ascend, or name no topic, are not used', async (t) => {
  const { file, messages, unused } = setup(t);
  const changes: ((image: ReturnType<MessageIndex['image']>) => object)[] = [
    ({ rows }) => ({ rows: { ...rows, id: rows.id.slice().reverse() } }),
    ({ rows }) => ({ rows: { ...rows, topic: rows.topic.map(() => 70_000) } }),
    ({ spellings }) => ({ spellings: spellings.map(([, name]) => [70_000, name]) }),
  ];
  for (const change of changes) {
    const image = indexOf(messages.values()).image();
    await file.save({ image: { ...image, ...change(image) }, seq: 3000, lastId: LAST });
    t.equal(await file.load(LAST), null);
    t.same(unused.pop(), ['contradicts itself', true]);
  }
});
