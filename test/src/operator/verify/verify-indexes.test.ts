/** Indexes that processes keep: what verify tells of them, item by item. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import t, { type Test } from 'tap';
import { messageDocument } from '../../../../bench/seed/documents.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { verifyStore, type KeptPlaces } from '../../../../src/operator/verify/verify.js';
import { IndexFile } from '../../../../src/organization/state/message-index/index-file.js';
import { MessageIndex } from '../../../../src/organization/state/message-index/message-index.js';
import { merge } from '../../../../src/services/search-index/merge.js';
import { SearchIndex } from '../../../../src/services/search-index/search-index.js';
import type { Footer } from '../../../../src/services/search-index/segment-format.js';
import { createMemory, createMemoryStore } from '../../../../src/store/memory.js';
import type { Store } from '../../../../src/store/port.js';
import { storeWith } from '../../../fixtures/gated-store.js';
import { commitOf, set, TTL_MS } from '../../store/contract/under-test.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const EMPTY = '{"at":1,"changes":[],"events":[]}';
const CHANNEL = { streamId: 7, recipientId: 70 };

function message(id: number, more: Partial<MessageDocument> = {}): MessageDocument {
  const plain = messageDocument(id, id, 4, CHANNEL, `topic ${id % 3}`, 1_800_000_000_000);
  return { ...plain, rendered_content: `<p>words of ${id}</p>`, ...more };
}

/** Messages of every kind that the index of messages tells apart. */
const MESSAGES = [
  ...Array.from({ length: 20 }, (_, i) => message(i + 1)),
  message(21, { mentioned: [4, 8], topic_wildcard: [8], alerted: [4] }),
  message(22, { channel_wildcard: true, has_link: true }),
  message(23, { route: { from: 9, hops: [[7, 20]] } }),
  message(70_000),
];

/** A store with the messages, and places where indexes of it are kept. */
async function world(t: Test, messages = MESSAGES) {
  const memory = createMemory();
  const store = createMemoryStore(memory);
  const lease = (await store.acquireLease('a', TTL_MS))!;
  const writes = [
    ...messages.map((one) => set('message', String(one.id), one)),
    set('counter', 'message', { name: 'message', last: 70_000 }),
  ];
  await store.commit(lease, commitOf({ entries: [{ seq: 1, text: EMPTY }], writes }));
  const folder = testFolder(t);
  const path = join(folder, 'message-index.bin');
  const places: KeptPlaces = { messageIndexes: [path], searchIndexes: join(folder, 'search') };
  const verify = async (over: Store = store): Promise<string[]> => {
    const lines: string[] = [];
    await verifyStore(over, (line) => void lines.push(line.replace(folder, '')), places);
    return lines;
  };
  const write = (seq: number, document: MessageDocument): Promise<void> => {
    const changes = [['message', String(document.id), 'set', document]];
    const text = JSON.stringify({ at: 1, changes, events: [] });
    const change = set('message', String(document.id), document);
    return store.commit(lease, commitOf({ entries: [{ seq, text }], writes: [change] }));
  };
  return { store, memory, folder, path, places, verify, write };
}

type World = Awaited<ReturnType<typeof world>>;

/** Keeps an index of messages. */
async function keep({ path, store }: World, messages: readonly MessageDocument[]): Promise<void> {
  const index = new MessageIndex();
  for (const one of messages) index.add(one);
  const file = new IndexFile(path, store, (error) => t.fail(String(error)));
  await file.save({ image: index.image(), seq: 1, lastId: 70_000 });
}

/** Changes one of the messages. */
function changed(id: number, more: Partial<MessageDocument>): MessageDocument[] {
  return MESSAGES.map((one) => (one.id === id ? { ...one, ...more } : one));
}

void t.test('the kept index of messages is compared with the messages, each', async (t) => {
  const damages: Readonly<Record<string, [string[], MessageDocument[]]>> = {
    nothing: [[], MESSAGES],
    'one is missing': [
      ['message index: message:5 is missing'],
      MESSAGES.filter(({ id }) => id !== 5),
    ],
    'one too many': [
      ['message index: message:40 is no message'],
      [...MESSAGES.slice(0, -1), message(40), MESSAGES.at(-1)!],
    ],
    ...Object.fromEntries(
      (
        [
          [3, { topic: 'Topic 0' }],
          [4, { recipient_id: 71 }],
          [6, { sender_id: 5 }],
          [7, { timestamp: 5 }],
          [8, { has_image: true }],
          [21, { mentioned: [4] }],
          [21, { mentioned: [4, 9] }],
          [21, { topic_wildcard: [], alerted: [4, 8] }],
          [22, { channel_wildcard: false }],
          [23, { route: { from: 8, hops: [[7, 20]] } }],
          [70_000, { seq: 69_999 }],
        ] as const
      ).map(([id, more]) => [
        JSON.stringify(more),
        [
          [`message index: message:${id} is otherwise than its document`],
          changed(id, more as Partial<MessageDocument>),
        ],
      ]),
    ),
  };
  for (const [name, [expected, indexed]] of Object.entries(damages)) {
    const it = await world(t);
    await keep(it, indexed);
    t.strictSame(await it.verify(), expected, name);
  }
});

void t.test(
  'an index of messages that is damaged as a whole, or is not used, or changes',
  async (t) => {
    const it = await world(t);
    t.strictSame(await it.verify(), [], 'there is none');
    await keep(it, MESSAGES);
    const bytes = readFileSync(it.path);
    const damaged = Buffer.from(bytes);
    damaged[bytes.length >> 1]! ^= 1;
    writeFileSync(it.path, damaged);
    t.strictSame(await it.verify(), ['message index: it has another checksum']);
    writeFileSync(it.path, Buffer.from(bytes));
    await it.write(2, message(3, { topic: 'elsewhere' }));
    t.strictSame(await it.verify(), [], 'what the journal has behind it is folded');

    // A server changes one as another is read again, and one that was seen before.
    await keep(it, changed(5, { topic: 'wrong' }).concat(message(70_001)));
    let isFirst = true;
    const served = storeWith(it.store, {
      getMany: async (keys) => {
        if (isFirst && keys.some(({ collection }) => collection === 'message')) {
          isFirst = false;
          await it.write(3, message(5, { topic: 'other' }));
        }
        return it.store.getMany(keys);
      },
    });
    t.strictSame(await it.verify(served), ['message index: message:70001 is no message']);
  },
);

void t.test('a damaged message is named alone', async (t) => {
  const it = await world(t);
  await keep(it, MESSAGES);
  it.memory.collections.get('message')!.set('5', '{"id":5}');
  await search(it, MESSAGES);
  const lines = await it.verify();
  t.match(lines, [/^message:5: it does not fit its schema/]);
  t.equal(lines.length, 1);
});

/** Keeps a search index, of which what was brought first is merged. */
async function search(
  { places }: World,
  messages: readonly MessageDocument[],
  { mergedAt = 10, position = 1, coveredFrom = 0, history = 'first' } = {},
): Promise<string> {
  const folder = join(places.searchIndexes, '1');
  const index = SearchIndex.open(folder, async (job) => merge(job), mergedAt);
  index.reset({ history, position: 0, coveredFrom });
  await index.apply({ documents: messages.slice(0, 12), removed: [], position, coveredFrom });
  await new Promise((done) => setImmediate(done));
  await index.apply({ documents: messages.slice(12), removed: [], position, coveredFrom });
  index.close();
  return folder;
}

void t.test('a search index is compared with the messages, each', async (t) => {
  const NAME = 'search index /search/1';
  const damages: Readonly<Record<string, [string[], MessageDocument[]]>> = {
    nothing: [[], MESSAGES],
    'one of a file is missing': [
      [`${NAME}: message:5 is missing`],
      MESSAGES.filter(({ id }) => id !== 5),
    ],
    'one of the log is missing, the only one of its part': [
      [`${NAME}: message:70000 is missing`],
      MESSAGES.filter(({ id }) => id !== 70_000),
    ],
    'one too many': [[`${NAME}: message:90000 is no message`], [...MESSAGES, message(90_000)]],
    ...Object.fromEntries(
      (
        [
          [3, { topic: 'Other' }],
          [4, { recipient_id: 71 }],
          [15, { sender_id: 5 }],
          [16, { rendered_content: '<p>words of nobody</p>' }],
        ] as const
      ).map(([id, more]) => [
        JSON.stringify(more),
        [[`${NAME}: message:${id} is otherwise than its document`], changed(id, more)],
      ]),
    ),
  };
  for (const [name, [expected, indexed]] of Object.entries(damages)) {
    const it = await world(t);
    await search(it, indexed);
    t.strictSame(await it.verify(), expected, name);
  }
});

void t.test('what a search index need not have is no damage', async (t) => {
  const rest = MESSAGES.slice(6);
  const some: Readonly<Record<string, Parameters<typeof search>[2]>> = {
    'older messages are to be brought': { coveredFrom: 7 },
    'it is of another history, and made anew': { history: 'other' },
    'it is of another journal, and made anew': { position: 9 },
  };
  for (const [name, options] of Object.entries(some)) {
    const it = await world(t);
    await search(it, rest, options);
    t.strictSame(await it.verify(), [], name);
  }
  const it = await world(t);
  await search(it, MESSAGES);
  await it.write(2, message(3, { topic: 'elsewhere' }));
  t.strictSame(await it.verify(), [], 'what changed behind its position');
});

/** Changes a byte of the body of a part, and makes its checksum fit. */
function alter(path: string, at: (footer: Footer) => number, byte: number): void {
  const bytes = readFileSync(path);
  const trailer = bytes.length - 20;
  const footerAt = trailer - bytes.readUInt32LE(trailer + 8);
  const footer = JSON.parse(bytes.toString('utf8', footerAt, trailer)) as Footer;
  bytes[at(footer)] = byte;
  bytes.writeUInt32LE(crc32(bytes.subarray(0, footerAt)), trailer);
  writeFileSync(path, bytes);
}

void t.test('lists of words are compared with the words; damaged files are named', async (t) => {
  const it = await world(t);
  const folder = await search(it, MESSAGES);
  const file = (kind: string): string =>
    join(
      folder,
      readdirSync(folder).find((name) => name.startsWith(kind))!,
    );
  const part = file('part-0');
  const whole = readFileSync(part);
  // The list of what stands between text and topic begins three messages later.
  alter(part, ({ blockPostings }) => blockPostings[0]! + 1, 5);
  t.strictSame(
    await it.verify(),
    [1, 2, 3].map((id) => `search index /search/1: message:${id} is not found by its words`),
  );
  alter(part, () => 3, 255);
  t.not((await it.verify()).length, 0);

  whole[3]! ^= 1;
  writeFileSync(part, whole);
  t.match(await it.verify(), [/^search index \/search\/1: .*part-0-\w+ is damaged: the checksum/]);
  writeFileSync(join(folder, 'manifest.json'), '{');
  t.match(await it.verify(), [/^search index \/search\/1: .*manifest\.json cannot be read$/]);
  rmSync(folder, { recursive: true });
  t.strictSame(await it.verify(), []);
});
