import t from 'tap';
import { LARGEST_ANCHOR } from '../../../../../schemas/limits.js';
import { MessageAccess } from '../../../../../src/organization/messages/message-access.js';
import { compileNarrow } from '../../../../../src/organization/messages/reading/narrow.js';
import {
  MAX_SEARCHED,
  PageReader,
} from '../../../../../src/organization/messages/reading/read-page.js';
import type { NarrowTerm } from '../../../../../schemas/messages/narrow.js';
import { SmallOrganization } from '../fixtures/small-organization.js';
import { selected, team } from '../fixtures/team.js';

void t.test('pages lie around their anchor', async (t) => {
  const small = team();
  const access = new MessageAccess(small.org, small.org.users.get(1)!);
  const page = async (anchor: number, before: number, after: number, includeAnchor = true) => {
    const reader = new PageReader(access, compileNarrow(access, [['is', 'dm']]));
    const { messages, ...found } = await reader.page({ anchor, includeAnchor, before, after });
    return [messages.map(({ id }) => id), found.foundAnchor, found.foundOldest, found.foundNewest];
  };
  t.same(await page(8, 1, 1), [[3, 8, 9], true, false, false]);
  t.same(await page(8, 2, 2), [[3, 8, 9], true, true, true], 'fewer than asked: the end was found');
  t.same(await page(8, 0, 1, false), [[9], false, false, false]);
  t.same(await page(5, 1, 1), [[3, 8], false, false, false], 'the anchor need not match');
  t.same(await page(LARGEST_ANCHOR, 2, 5), [[8, 9], false, false, true]);
  t.same(await page(0, 5, 2), [[3, 8], false, true, false]);
  t.same(await page(10, 1, 0), [[9], false, false, true], 'nothing is newer than the newest');
  t.same(await page(9, 0, 0), [[9], true, false, false]);
});

/** Ann reads 200 channels; of the 2,000 messages in them and in one that she does not read, `own` say which are hers. */
function readerOf(isOwn: (id: number) => boolean): { access: MessageAccess; looked: () => number } {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  for (let id = 1; id <= 200; id++) {
    small.channel(id, `channel ${id}`);
    small.subscribe(1, id);
  }
  small.channel(201, 'others');
  for (let id = 1; id <= 2000; id++) {
    const stream_id = isOwn(id) ? 1 + (id % 200) : 201;
    small.message({ id, stream_id, recipient_id: 100 + stream_id, has_link: id % 3 === 0 });
  }
  const access = new MessageAccess(small.org, small.org.users.get(1)!);
  const looked = new Set<number>();
  const received = access.received.bind(access);
  access.received = (recipientId) => {
    looked.add(recipientId);
    return received(recipientId);
  };
  return { access, looked: () => looked.size };
}

const OWN: [string, (id: number) => boolean][] = [
  ['all', () => true],
  ['every ninth', (id) => id % 9 === 0],
  ['a few, the newest of them old', (id) => id % 100 === 1 && id < 900],
  ['some old, some new', (id) => id < 200 || id > 1900],
];
for (const [name, isOwn] of OWN) {
  void t.test(
    `a reader of many channels gets what is theirs of the messages: ${name}`,
    async (t) => {
      const { access } = readerOf(isOwn);
      const ids = Array.from({ length: 2000 }, (_, i) => i + 1).filter(isOwn);
      const narrows: [NarrowTerm[], number[]][] = [
        [[], ids],
        [[['has', 'link']], ids.filter((id) => id % 3 === 0)],
        [[['is', 'unread']], ids],
      ];
      for (const [narrow, own] of narrows) {
        for (const anchor of [0, 150, 1000, 1950, LARGEST_ANCHOR]) {
          const pages = new PageReader(access, compileNarrow(access, narrow));
          const request = { anchor, includeAnchor: false, before: 40, after: 30 };
          const page = await pages.idPage(request);
          const below = anchor === 0 ? [] : own.filter((id) => id < anchor).slice(-40);
          const above = own.filter((id) => id > anchor).slice(0, 30);
          t.same(page.ids, [...below, ...above], `${JSON.stringify(narrow)} at ${anchor}`);
          t.equal(page.foundOldest, anchor === 0 || below.length < 40);
          t.equal(page.foundNewest, anchor >= 2000 || above.length < 30);
        }
      }
    },
  );
}

void t.test('a page looks at the channels that it shows, not at all of a reader', async (t) => {
  const { access, looked } = readerOf(() => true);
  const page = (narrow: NarrowTerm[]) =>
    new PageReader(access, compileNarrow(access, narrow)).idPage({
      anchor: LARGEST_ANCHOR,
      includeAnchor: false,
      before: 3,
      after: 0,
    });
  t.same((await page([])).ids, [1998, 1999, 2000]);
  t.equal(looked(), 3);
  t.same((await page([['is', 'unread']])).ids, [1998, 1999, 2000]);
  t.ok(looked() <= 4, `${looked()}`);
});

void t.test('what moves out of sight while documents are read is not shown', async (t) => {
  const small = team();
  let open = (): void => undefined;
  small.gate = new Promise((resolve) => (open = resolve));
  const reading = selected(small, 2, [['channel', 'general']]);
  small.run((tx) => {
    const move = { recipient_id: 102, stream_id: 2 };
    small.org.messages.update(small.stored.get(1)!, move, tx.seq);
  });
  open();
  t.same(await reading, [2, 10]);
});

void t.test(
  'a text search that stops at its bound says so, and the next page goes on from there',
  async (t) => {
    const small = team();
    // Far enough behind the bound: documents are read some at a time.
    const last = MAX_SEARCHED + 500;
    for (let id = 11; id < last; id++) small.message({ id, content: 'noise' });
    small.message({ id: last, content: 'more soup' });
    const access = new MessageAccess(small.org, small.org.users.get(1)!);
    const search = async (words: string, anchor: number) => {
      const unhurried = { total: Infinity, lengthOf: () => 0, searchMs: Infinity };
      const reader = new PageReader(access, compileNarrow(access, [['search', words]]), unhurried);
      const request = { anchor, includeAnchor: false, before: 10, after: 0 };
      const { messages, foundOldest } = await reader.page(request);
      return [messages.map(({ id }) => id), foundOldest];
    };
    t.same(await search('soup', LARGEST_ANCHOR), [[last], false], 'has found one, goes no further');
    t.same(await search('soup', last), [[2], true], 'has found none: goes on until it does');
  },
);

void t.test(
  'a text search ends after its time, and the next page goes on from there',
  async (t) => {
    const small = team();
    for (let id = 11; id < 200; id++) small.message({ id, content: 'noise' });
    const access = new MessageAccess(small.org, small.org.users.get(1)!);
    const hurried = { total: Infinity, lengthOf: () => 0, searchMs: 0 };
    const reader = (word: string): PageReader =>
      new PageReader(access, compileNarrow(access, [['search', word]]), hurried);
    let anchor = LARGEST_ANCHOR;
    const found: number[] = [];
    for (let pages = 1; ; pages++) {
      const request = { anchor, includeAnchor: false, before: 10, after: 0 };
      const { messages, foundOldest, continueAt } = await reader('soup').page(request);
      found.push(...messages.map(({ id }) => id));
      if (foundOldest) break;
      t.ok(pages < 100, 'each page goes on');
      anchor = continueAt ?? messages[0]!.id;
    }
    t.same(found, [2]);
    const all = { anchor: LARGEST_ANCHOR, includeAnchor: false, before: 10, after: 0 };
    t.equal(
      (await reader('soup').page(all)).foundOldest,
      false,
      'the first one does not say it is all',
    );
    // Flags are changed by ids, and there is none to go on from.
    await t.rejects(reader('soup').idPage(all), {
      status: 503,
      message: 'The search takes too long',
    });
  },
);

void t.test('a page is cut where its text is too long, near the anchor last', async (t) => {
  const small = team();
  const access = new MessageAccess(small.org, small.org.users.get(1)!);
  const page = async (total: number, anchor: number, before: number, after: number) => {
    const query = compileNarrow(access, [['is', 'dm']]);
    const reader = new PageReader(access, query, { total, lengthOf: () => 10 });
    const found = await reader.page({ anchor, includeAnchor: true, before, after });
    return [found.messages.map(({ id }) => id), found.foundOldest, found.foundNewest];
  };
  t.same(await page(20, LARGEST_ANCHOR, 5, 0), [[8, 9], false, true]);
  t.same(await page(20, 8, 5, 0), [[3, 8], true, false], 'the rest, from there');
  t.same(await page(1, LARGEST_ANCHOR, 5, 0), [[9], false, true], 'one message always');
  t.same(await page(1, 8, 5, 5), [[3, 8, 9], true, true]);
  t.same(await page(30, LARGEST_ANCHOR, 5, 0), [[3, 8, 9], true, true], 'all fit');
});

void t.test('a page of much text waits for its turn, and reads on when it has it', async (t) => {
  const small = team();
  for (let id = 11; id <= 111; id++) small.message({ id, content: 'x'.repeat(4000) });
  const access = new MessageAccess(small.org, small.org.users.get(1)!);
  const query = compileNarrow(access, [['channel', 'general']]);
  let asked = 0;
  let give = (): void => undefined;
  const budget = {
    total: Infinity,
    lengthOf: () => 1,
    large: () => {
      asked += 1;
      return new Promise<void>((resolve) => (give = resolve));
    },
  };
  const page = (before: number) =>
    new PageReader(access, query, budget).page({
      ...{ anchor: LARGEST_ANCHOR, includeAnchor: false, before, after: 0 },
    });
  t.equal((await page(10)).messages.length, 10);
  t.equal(asked, 0, 'a small one does not wait');
  let isRead = false;
  const large = page(100).then((read) => {
    isRead = true;
    return read;
  });
  while (asked === 0) await new Promise(setImmediate);
  t.equal(isRead, false);
  give();
  const ids = (await large).messages.map(({ id }) => id);
  t.same(
    ids,
    Array.from({ length: 100 }, (_, i) => 12 + i),
    'with each message once',
  );
  t.equal(asked, 1, 'a page has one turn');
  const among = new PageReader(access, query, budget).among(ids);
  while (asked === 1) await new Promise(setImmediate);
  give();
  t.equal((await among)?.length, 100, 'so has a list of ids');
});
