import t, { type Test } from 'tap';
import { LARGEST_ANCHOR } from '../../../../../schemas/limits.js';
import type { MessageDocument } from '../../../../../schemas/messages/message.js';
import type { NarrowTerm } from '../../../../../schemas/messages/narrow.js';
import { encodeEntry } from '../../../../../src/journal/entry-text.js';
import type { JournalReader } from '../../../../../src/journal/journal.js';
import { MessageAccess } from '../../../../../src/organization/messages/message-access.js';
import { compileNarrow } from '../../../../../src/organization/messages/reading/narrow.js';
import { PageReader } from '../../../../../src/organization/messages/reading/read-page.js';
import { SearchFeed } from '../../../../../src/organization/messages/search/search-feed.js';
import type { Transaction } from '../../../../../src/organization/state/transaction.js';
import { merge } from '../../../../../src/services/search-index/merge.js';
import { SearchIndex } from '../../../../../src/services/search-index/search-index.js';
import type { StoredEntry } from '../../../../../src/store/port.js';
import { randomOfRun, scaled } from '../../../../system/harness/scale.js';
import { messageDocument, type SmallOrganization } from '../fixtures/small-organization.js';
import { team } from '../fixtures/team.js';
import { testFolder } from '../../../../fixtures/test-folder.js';

/** (text, query, viewer) that are compared. */
const TRIPLES = scaled(600, 50_000);
const MERGED_AT = 60;
const VOCABULARY =
  'soup Soupe bread bréad <b>br</b>ead dinner 北京大学 大学 a ab abc C++ the &amp; 7'.split(' ');
const OPERANDS =
  'soup soupe bread "soup bread" bre 大学 京 "a ab" c++ the 7 -x "dinner" & abc "bread the" zzz'.split(
    ' ',
  );
const TOPICS = ['lunch', 'Dinner', '✔ dinner', 'soup ab', ''];

/** A journal that keeps the entries of a small organization. */
class Journal {
  readonly entries: StoredEntry[] = [];
  oldest = 0;

  constructor(private readonly small: SmallOrganization) {}

  run(work: (tx: Transaction) => void): void {
    const { content, seq } = this.small.run(work);
    this.entries.push(encodeEntry(seq, this.small.now, content));
  }

  get log(): JournalReader {
    const { seq } = this.small;
    const known: Pick<JournalReader, 'durableHead' | 'nextSeq' | 'pending'> = {
      durableHead: { seq, span: 1, slots: 0 },
      nextSeq: seq,
      pending: 0,
    };
    return known as JournalReader;
  }

  firstSeq(): Promise<number> {
    return Promise.resolve(this.oldest);
  }

  readJournal(from: number, to: number, limit: number): Promise<StoredEntry[]> {
    const wanted = this.entries.filter(({ seq }) => seq >= from && seq <= to);
    return Promise.resolve(wanted.slice(0, limit));
  }
}

/** A feed of an index in a folder; `stop` leaves the folder as a kill would. */
function feed(t: Test, small: SmallOrganization, journal: Journal, folder: string) {
  let resets = 0;
  const anew: [why: string, isDamage: boolean][] = [];
  let ended: (error: Error) => void = () => undefined;
  const search = new SearchFeed({
    runtime: {
      org: small.org,
      get journal() {
        return journal.log;
      },
    },
    store: journal,
    collectingMs: 1,
    fewest: 0,
    onError: (error) => t.comment(String(error)),
    onAnew: (why, isDamage) => anew.push([why, isDamage]),
    open(atEnd) {
      ended = atEnd;
      const index = SearchIndex.open(folder, async (job) => merge(job), MERGED_AT);
      const state = index.opened;
      return Promise.resolve({
        state,
        index: {
          reset: async (to) => {
            resets += 1;
            index.reset(to);
          },
          apply: (batch) => index.apply(batch),
          find: (query) => index.find(query),
          close: async () => index.close(),
        },
      });
    },
  });
  search.start();
  return { search, anew, resets: () => resets, end: () => ended(new Error('killed')) };
}

const access = (small: SmallOrganization, userId: number) =>
  new MessageAccess(small.org, small.org.users.get(userId)!);

/** What a narrow selects, by a page and by a scan of everything. */
async function both(
  small: SmallOrganization,
  userId: number,
  narrow: NarrowTerm[],
  around: number[],
) {
  const viewer = access(small, userId);
  const [anchor, before, after] = around as [number, number, number];
  const reader = new PageReader(viewer, compileNarrow(viewer, narrow));
  const page = await reader.page({ anchor, includeAnchor: true, before, after });
  const query = compileNarrow(viewer, narrow);
  const all = [...small.stored.values()]
    .filter((message) => query.matches(message.id) && query.matchesText(message))
    .map(({ id }) => id)
    .sort((a, b) => a - b);
  const below = before === 0 ? [] : all.filter((id) => id < anchor).slice(-before);
  const above = all.filter((id) => id > anchor).slice(0, after);
  const expected = [...below, ...all.filter((id) => id === anchor), ...above];
  const foundOldest = anchor <= 0 || all.filter((id) => id < anchor).length < before;
  return [
    [page.messages.map(({ id }) => id), page.foundOldest],
    [expected, foundOldest],
  ];
}

void t.test('pages of searches have what a scan has, at any moment', async (t) => {
  const random = randomOfRun(t);
  const pick = (count: number): number => Math.floor(random() * count);
  const one = <T>(list: readonly T[]): T => list[pick(list.length)]!;
  const small = team();
  const journal = new Journal(small);
  const folder = testFolder(t);
  let fed = feed(t, small, journal, folder);
  const text = (): string => Array.from({ length: 1 + pick(5) }, () => one(VOCABULARY)).join(' ');
  const channelPlace = (): Partial<MessageDocument> => {
    const stream_id = 1 + pick(3);
    return { recipient_id: 100 + stream_id, stream_id, topic: one(TOPICS) };
  };
  const place = (): Partial<MessageDocument> => {
    if (pick(3) > 0) return channelPlace();
    return { recipient_id: one([201, 203]), stream_id: null, topic: '' };
  };
  let last = 10;
  const insert = (tx: Transaction): void => {
    const content = text();
    const fields = { ...place(), id: ++last, seq: tx.seq, sender_id: 1 + pick(4), content };
    small.org.messages.insert(messageDocument(fields));
  };
  const change = (): void =>
    journal.run((tx) => {
      const message = one([...small.stored.values()]);
      const { messages } = small.org;
      const kind = pick(8);
      if (kind < 4) insert(tx);
      else if (kind === 4)
        messages.update(message, { rendered_content: `<p>${text()}</p>` }, tx.seq);
      else if (kind === 5) messages.delete(message);
      else if (message.stream_id === null) insert(tx);
      else if (kind === 6) messages.update(message, { topic: one(TOPICS) }, tx.seq);
      else messages.update(message, channelPlace(), tx.seq);
    });
  const narrow = (): NarrowTerm[] => {
    const search = { operator: 'search', operand: one(OPERANDS), negated: pick(5) === 0 };
    const other = one<NarrowTerm[]>([
      [],
      [],
      [['channel', 1]],
      [['topic', one(TOPICS)]],
      [['sender', 2]],
      [['is', 'dm']],
      [{ operator: 'search', operand: one(OPERANDS) }],
      [['-channel', 1]],
    ]);
    return [search, ...other];
  };
  let compared = 0;
  for (let round = 0; compared < TRIPLES; round++) {
    for (let i = 0; i < 8; i++) change();
    if (round % 2 === 0) await fed.search.caughtUp();
    if (round % 25 === 10) {
      // What changes between two processes the journal tells.
      await fed.search.stop();
      for (let i = 0; i < 5; i++) change();
      fed = feed(t, small, journal, folder);
      await fed.search.caughtUp();
      t.equal(fed.resets(), 0, 'it goes on');
    }
    if (round % 40 === 30) {
      await fed.search.stop();
      journal.oldest = small.seq + 1;
      fed = feed(t, small, journal, folder);
      change();
      await fed.search.caughtUp();
      journal.oldest = 0;
      t.equal(fed.resets(), 1, 'it begins anew where the journal was trimmed');
      t.same(fed.anew, [['is too old for the journal', false]]);
    }
    if (round % 40 === 32) {
      await fed.search.stop();
      change();
      journal.entries.pop();
      change();
      fed = feed(t, small, journal, folder);
      await fed.search.caughtUp();
      t.equal(fed.resets(), 1, 'it begins anew where the journal lacks an entry');
      t.same(fed.anew, [['is too old for the journal', false]]);
    }
    if (round % 40 === 35) {
      await fed.search.stop();
      small.message({ id: ++last, content: text() });
      fed = feed(t, small, journal, folder);
      await fed.search.caughtUp();
      t.equal(fed.resets(), 1, 'it begins anew where a message is not in the journal');
      t.same(fed.anew, [['has other messages than there are', false]]);
    }
    if (round % 30 === 7) fed.end();
    for (let i = 0; i < 40; i++) {
      const terms = narrow();
      const viewer = one([1, 2, 4]);
      const around = [one([LARGEST_ANCHOR, 0, pick(last)]), pick(20), pick(20)];
      const [found, expected] = await both(small, viewer, terms, around);
      compared += 1;
      if (JSON.stringify(found) === JSON.stringify(expected)) continue;
      t.same(found, expected, JSON.stringify({ viewer, terms, around }));
      return;
    }
  }
  t.pass(`${compared} triples`);
  await fed.search.stop();
});

void t.test('a message is found at once, and no more when it is taken back', async (t) => {
  const small = team();
  const journal = new Journal(small);
  const { search } = feed(t, small, journal, testFolder(t));
  await search.caughtUp();
  const found = async () =>
    (await both(small, 1, [['search', 'novel']], [LARGEST_ANCHOR, 5, 0]))[0]![0];
  journal.run((tx) => {
    small.org.messages.insert(messageDocument({ id: 11, seq: tx.seq, content: 'novel' }));
  });
  t.same(await found(), [11]);
  t.same(search.changedBetween(0, 100), [11], 'the index does not know it yet');
  await search.caughtUp();
  t.same(await found(), [11]);
  t.same(search.changedBetween(0, 100), []);
  t.throws(() =>
    journal.run((tx) => {
      small.org.messages.update(small.stored.get(11)!, { topic: 'x' }, tx.seq);
      small.org.messages.delete(small.stored.get(11)!);
      throw new Error('refused');
    }),
  );
  t.same(await found(), [11]);
  t.equal(search.figures().indexed, 11);
  t.equal(search.figures().lag >= 0, true);
  await search.stop();
  t.equal(small.org.messages.textIndex, null);
  t.same(await found(), [11], 'without an index, messages are read');
});

/** Keeps the processor busy. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

void t.test('others get a turn while a start reads what the index lacks', async (t) => {
  const small = team();
  const journal = new Journal(small);
  const folder = testFolder(t);
  const first = feed(t, small, journal, folder);
  await first.search.caughtUp();
  await first.search.stop();
  const ids = Array.from({ length: 8 }, (_, i) => 11 + i);
  for (const id of ids) {
    journal.run((tx) => {
      small.org.messages.insert(messageDocument({ id, seq: tx.seq, content: 'novel' }));
    });
  }
  let turns = 0;
  let turnsAtLast = 0;
  journal.entries.splice(
    -ids.length,
    ids.length,
    ...journal.entries.slice(-ids.length).map(({ seq, text }) => ({
      seq,
      get text() {
        work(10);
        turnsAtLast = turns;
        return text;
      },
    })),
  );
  const count = (): void => {
    turns += 1;
    if (turnsAtLast < ids.length && turns < 1000) setImmediate(count);
  };
  setImmediate(count);
  const { search } = feed(t, small, journal, folder);
  await search.caughtUp();
  turns = 1000;
  t.ok(turnsAtLast >= ids.length / 2, `others had ${turnsAtLast} turns before the last entry`);
  t.equal(search.figures().indexed, ids.length);
  await search.stop();
});

void t.test(
  'an index that is built has the next messages before it has taken the last ones',
  async (t) => {
    const small = team();
    // Four batches of 256.
    for (let id = 11; id <= 1034; id++) small.message({ id, content: 'noise' });
    const journal = new Journal(small);
    const given: number[] = [];
    let take = (): void => undefined;
    const taken = new Promise<void>((resolve) => (take = resolve));
    let all = (): void => undefined;
    const gotAll = new Promise<void>((resolve) => (all = resolve));
    const search = new SearchFeed({
      runtime: { org: small.org, journal: journal.log },
      store: journal,
      onError: (error) => t.fail(String(error)),
      onAnew: (why) => t.fail(why),
      open: async () => ({
        index: {
          reset: async () => undefined,
          apply: ({ documents }) => {
            given.push(documents.length);
            if (given.length === 4) all();
            return taken;
          },
          find: () => Promise.reject(new Error('not asked')),
          close: async () => undefined,
        },
        state: {
          history: null,
          position: 0,
          coveredFrom: 0,
          messages: 0,
          lastId: 0,
          problem: null,
        },
      }),
    });
    search.start();
    await gotAll;
    t.strictSame(given, [256, 256, 256, 256], 'though it has taken none');
    take();
    await search.stop();
  },
);
