import { appendFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { merge } from '../../../../src/services/search-index/merge.js';
import { SearchIndex } from '../../../../src/services/search-index/search-index.js';
import type { IndexQuery } from '../../../../src/services/search-index/protocol.js';
import { IndexThread } from '../../../../src/services/search-index/thread-client.js';
import {
  messageWords,
  readTerms,
  satisfies,
  type Clause,
} from '../../../../src/services/search/terms.js';
import { randomOfRun, scaled } from '../../../system/harness/scale.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const QUERIES = scaled(800, 20_000);
/** Ids lie in three parts. */
const IDS = 150_000;
const VOCABULARY = 'a ab abc b ba bad cat cats Café dog é 北京 大学 京 x1 x2 C++ 🎉 a🎉b ❤️'.split(
  ' ',
);

interface Known {
  readonly id: number;
  readonly recipient_id: number;
  readonly sender_id: number;
  readonly topic: string;
  readonly rendered_content: string;
}

const open = (folder: string, mergedAt?: number, clock?: () => number): SearchIndex =>
  SearchIndex.open(folder, (job) => Promise.resolve().then(() => merge(job)), mergedAt, clock);

const BEGUN = { history: 'h', position: 0, coveredFrom: 0 };
const ALL = { direction: 'up', from: 0, to: IDS, limit: IDS } as const;
const clausesOf = (operand: string, negated = false): Clause[] => [
  { terms: readTerms(operand), negated },
];

function message(id: number, text: string, place = {}): Known {
  const plain = { recipient_id: 1, sender_id: 1, topic: 'talk' };
  return { id, ...plain, rendered_content: `<p>${text}</p>`, ...place };
}

async function put(index: SearchIndex, documents: Known[], removed: number[] = []) {
  const position = index.state.position + 1;
  await index.apply({ documents, removed, position, coveredFrom: 0 });
}

void t.test('finds what a scan of all messages finds, whatever was changed', async (t) => {
  const random = randomOfRun(t);
  const pick = (count: number): number => Math.floor(random() * count);
  const someWords = (most: number): string =>
    Array.from({ length: 1 + pick(most) }, () => VOCABULARY[pick(VOCABULARY.length)]!).join(' ');
  const folder = testFolder(t);
  const known = new Map<number, Known>();
  let index = open(folder, 300);
  index.reset(BEGUN);

  const change = async (): Promise<void> => {
    const documents = Array.from({ length: 40 }, () => {
      const ids = [...known.keys()];
      const id = pick(3) === 0 && ids.length > 0 ? ids[pick(ids.length)]! : pick(IDS);
      const place = { recipient_id: 1 + pick(4), sender_id: 1 + pick(3), topic: someWords(2) };
      return message(id, someWords(6), place);
    });
    const removed = [...known.keys()].filter(() => pick(20) === 0);
    for (const one of documents) known.set(one.id, one);
    for (const id of removed) known.delete(id);
    await put(
      index,
      documents.filter(({ id }) => known.has(id)),
      removed,
    );
  };
  const compare = async (): Promise<boolean> => {
    const clauses = [1, 2].slice(pick(2)).map((): Clause => {
      const quoted = pick(3) === 0 ? `"${someWords(2)}"` : someWords(2);
      return { terms: readTerms(quoted), negated: pick(4) === 0 };
    });
    const direction = pick(2) === 0 ? 'up' : 'down';
    const range = [pick(IDS), pick(IDS)].sort((a, b) => a - b);
    const [from = 0, to = 0] = direction === 'up' ? range : range.reverse();
    const recipients = pick(2) === 0 ? Uint32Array.of(1, 3) : undefined;
    const senders = pick(3) === 0 ? Uint32Array.of(2) : undefined;
    const ids = pick(4) === 0 ? Uint32Array.from([...known.keys()].slice(0, 50)) : undefined;
    const limit = 1 + pick(30);
    const query = { clauses, direction, limit, recipients, senders, ids } as const;
    const found: number[] = [];
    for (let next: number | undefined = from; next !== undefined;) {
      const answer = await index.find({ ...query, from: next, to: to });
      found.push(...answer.ids);
      next = answer.next;
      if (next !== undefined && (direction === 'up' ? next > to : next < to)) break;
    }
    const expected = [...known.values()]
      .filter(({ id }) => id >= Math.min(from, to) && id <= Math.max(from, to))
      .filter((one) => satisfies(messageWords(one), clauses))
      .filter((one) => !recipients || recipients.includes(one.recipient_id))
      .filter((one) => !senders || senders.includes(one.sender_id))
      .filter(({ id }) => !ids || ids.includes(id))
      .map(({ id }) => id)
      .sort((a, b) => (direction === 'up' ? a - b : b - a));
    const isSame = found.join() === expected.join();
    if (!isSame) t.same(found, expected, JSON.stringify(query));
    return isSame;
  };
  let same = 0;
  for (let round = 0; same < QUERIES; round++) {
    await change();
    if (round % 7 === 6) {
      const { position } = index.state;
      index.close();
      index = open(folder, 300);
      t.same(index.state, { ...BEGUN, position });
    }
    for (let i = 0; i < 50; i++) {
      if (!(await compare())) return;
      same += 1;
    }
  }
  t.ok(
    readdirSync(folder).some((file) => file.startsWith('part-')),
    'parts were merged',
  );
  index.close();
});

void t.test('finds phrases of words that are in most messages of a large part', async (t) => {
  const random = randomOfRun(t);
  const pick = (count: number): number => Math.floor(random() * count);
  const words = ['ab', 'abc', 'b', 'ba', 'x1', '京'];
  const some = (count: number): string =>
    Array.from({ length: count }, () => words[pick(words.length)]!).join(' ');
  const known = Array.from({ length: 4000 }, (_, i) => message(i, some(1 + pick(12))));
  // Messages without words, and one that is longer than all others.
  known[1000] = message(1000, '', { topic: '' });
  known[2000] = message(2000, some(3000));
  const folder = testFolder(t);
  const index = open(folder, known.length);
  index.reset(BEGUN);
  await put(index, known);
  while (!readdirSync(folder).some((file) => file.startsWith('part-'))) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await put(index, []);
  let found = 0;
  for (let i = 0; i < 300; i++) {
    const phrase = some(2 + pick(5));
    const operand = pick(2) === 0 ? `"${phrase}"` : phrase.replaceAll(' ', '-');
    const clauses = clausesOf(operand, pick(5) === 0);
    // Few messages leave out most of what there is to read.
    const ids = pick(2) === 0 ? Uint32Array.from({ length: 5 }, () => pick(4000)) : undefined;
    const expected = known
      .filter((one) => !ids || ids.includes(one.id))
      .filter((one) => satisfies(messageWords(one), clauses));
    const answer = await index.find({ ...ALL, clauses, ids });
    found += expected.length;
    if (answer.ids.join() === expected.map(({ id }) => id).join()) continue;
    t.same(
      answer.ids,
      expected.map(({ id }) => id),
      operand,
    );
    return;
  }
  t.ok(found > 1000, `${found} messages found`);
  for (const { id, rendered_content: html } of known) {
    const own = html.slice(3, -4).split(' ');
    if (own.length < 2) continue;
    const clauses = clausesOf(`"${own[0]} ${own[1]}"`);
    const { ids } = await index.find({ ...ALL, clauses, ids: Uint32Array.of(id) });
    if (ids.length !== 1) t.fail(`the beginning of message ${id}`);
  }
  index.close();
});

/** Ids of everything an index finds for some words. */
async function idsOf(index: { find: SearchIndex['find'] }, operand: string): Promise<number[]> {
  return [...(await index.find({ ...ALL, clauses: clausesOf(operand) })).ids];
}

void t.test('finds each word of a file by itself and by each of its beginnings', async (t) => {
  const random = randomOfRun(t);
  const folder = testFolder(t);
  const words = Array.from({ length: 3000 }, () => {
    return Math.floor(random() * 36 ** (1 + Math.floor(random() * 10))).toString(36);
  });
  const index = open(folder, words.length);
  index.reset(BEGUN);
  await put(
    index,
    words.map((word, id) => message(id, word, { topic: '' })),
  );
  await new Promise((resolve) => setImmediate(resolve));
  const idsWhere = (holds: (word: string) => boolean): number[] =>
    words.flatMap((word, id) => (holds(word) ? [id] : []));
  for (let i = 0; i < 300; i++) {
    const word = words[Math.floor(random() * words.length)]!;
    const beginning = word.slice(0, 1 + Math.floor(random() * word.length));
    const longer = `${word}q`;
    const isSame =
      (await idsOf(index, beginning)).join() ===
        idsWhere((one) => one.startsWith(beginning)).join() &&
      (await idsOf(index, `"${word}"`)).join() === idsWhere((one) => one === word).join() &&
      (await idsOf(index, longer)).join() === idsWhere((one) => one.startsWith(longer)).join();
    if (!isSame) t.fail(`${beginning}, "${word}" or ${longer}`);
  }
  t.ok(readdirSync(folder).some((file) => file.startsWith('part-')));
  index.close();
});

void t.test('a word that was edited away is not found by its beginning', async (t) => {
  const index = open(testFolder(t));
  index.reset(BEGUN);
  await put(index, [message(1, 'former'), message(2, 'formal')]);
  await put(index, [message(1, 'present')]);
  t.same(await idsOf(index, 'form'), [2]);
  t.same(await idsOf(index, 'fo'), [2]);
  t.same(await idsOf(index, '"former"'), []);
  await put(index, [message(1, 'former')]);
  t.same(await idsOf(index, 'form'), [1, 2]);
  index.close();
});

/** An index with merged messages and some in its log. */
async function filled(t: Test): Promise<string> {
  const folder = testFolder(t);
  const index = open(folder, 4);
  index.reset(BEGUN);
  await put(
    index,
    [1, 2, 3, 4].map((id) => message(id, 'merged')),
  );
  await new Promise((resolve) => setImmediate(resolve));
  await put(index, [message(5, 'logged')]);
  await put(index, [message(6, 'last')]);
  index.close();
  return folder;
}

const fileOf = (folder: string, kind: string): string =>
  join(
    folder,
    readdirSync(folder).find((file) => file.startsWith(kind))!,
  );

void t.test('a torn end of the log is cut off, and the position goes back with it', async (t) => {
  const folder = await filled(t);
  const log = fileOf(folder, 'log-');
  const { length } = readFileSync(log);
  truncateSync(log, length - 3);
  const index = open(folder);
  t.equal(index.state.position, 2);
  t.same(await idsOf(index, 'merged'), [1, 2, 3, 4]);
  t.same(await idsOf(index, 'last'), []);
  await put(index, [message(6, 'last')]);
  index.close();
  t.same(await idsOf(open(folder), 'last'), [6], 'and is written on');
});

void t.test('what is damaged, or of another form, is thrown away', async (t) => {
  const nothing = { history: null, position: 0, coveredFrom: Infinity };
  const damages: [string, (folder: string) => void, isTold?: false][] = [
    [
      'a bit of a log that another one follows',
      (folder) => {
        const manifest = join(folder, 'manifest.json');
        const json = JSON.parse(readFileSync(manifest, 'utf8')) as { logs: string[] };
        const [log] = json.logs as [string];
        const bytes = readFileSync(join(folder, log));
        writeFileSync(join(folder, 'log-next'), bytes);
        bytes[bytes.length - 9]! ^= 1;
        writeFileSync(join(folder, log), bytes);
        writeFileSync(manifest, JSON.stringify({ ...json, logs: [log, 'log-next'] }));
      },
    ],
    [
      'a bit of a part',
      (folder) => {
        const file = fileOf(folder, 'part-');
        const bytes = readFileSync(file);
        bytes[10]! ^= 1;
        writeFileSync(file, bytes);
      },
    ],
    ['a part cut off', (folder) => truncateSync(fileOf(folder, 'part-'), 40)],
    ['a part too long', (folder) => appendFileSync(fileOf(folder, 'part-'), 'x')],
    [
      'another form',
      (folder) => {
        const manifest = join(folder, 'manifest.json');
        writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('unicode', 'other'));
      },
      false,
    ],
    ['no manifest', (folder) => writeFileSync(join(folder, 'manifest.json'), '')],
  ];
  for (const [name, damage, isTold] of damages) {
    const folder = await filled(t);
    damage(folder);
    const index = open(folder);
    t.same(index.state, nothing, name);
    t.equal(index.opened.problem !== null, isTold !== false, 'and what is damaged is told');
    t.same(readdirSync(folder), [], 'nothing is left');
    index.reset(BEGUN);
    await put(index, [message(1, 'anew')]);
    t.same(await idsOf(index, 'anew'), [1]);
    index.close();
  }
});

void t.test('a merge that ends after the index was closed changes nothing', async (t) => {
  const folder = testFolder(t);
  const held: (() => void)[] = [];
  const index = SearchIndex.open(
    folder,
    (job) => new Promise((resolve) => held.push(() => resolve(merge(job)))),
    10,
  );
  const many = Array.from({ length: 10 }, (_, i) => message(i, 'word'));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  index.reset(BEGUN);
  await put(index, many);
  held.shift()!();
  await settled();
  const first = readdirSync(folder).find((file) => file.startsWith('part-'));
  t.ok(first);
  await put(index, many);
  index.close();
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
  // The files of this process: the first part's is closed already, and its number may be another file's now.
  const files = readdirSync('/proc/self/fd').length;
  held.shift()!();
  await settled();
  t.equal(readFileSync(join(folder, 'manifest.json'), 'utf8'), manifest);
  t.equal(readdirSync('/proc/self/fd').length, files, 'no file is opened or closed');
  const again = open(folder);
  const clauses = clausesOf('word');
  t.equal((await again.find({ ...ALL, clauses })).ids.length, 10, 'nothing is lost');
  again.close();
});

void t.test('a thread serves it, and merges in another', async (t) => {
  const folder = testFolder(t);
  const ended = (error: Error): void => void t.fail(error.message);
  const { thread, state } = await IndexThread.start(folder, ended);
  t.equal(state.history, null);
  await thread.reset(BEGUN);
  const batch = 2048;
  for (let first = 0; first < 20 * batch; first += batch) {
    const documents = Array.from({ length: batch }, (_, i) => message(first + i, `word w${first}`));
    await thread.apply({ documents, removed: [], position: 1 + first, coveredFrom: 0 });
  }
  const query: IndexQuery = { ...ALL, clauses: clausesOf('word "w2048"') };
  t.equal((await thread.find(query)).ids.length, batch);
  const isMerged = (): boolean => readdirSync(folder).some((file) => file.startsWith('part-'));
  while (!isMerged()) await thread.find(query);
  t.equal((await thread.find(query)).ids.length, batch);
  await thread.close();
  await t.rejects(thread.find(query), { message: 'The thread of the search index ended' });
  const again = await IndexThread.start(folder, ended);
  t.equal(again.state.position, 1 + 19 * batch);
  t.equal((await again.thread.find(query)).ids.length, batch);
  await again.thread.close();
});
