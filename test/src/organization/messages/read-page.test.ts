import t from 'tap';
import { LARGEST_ANCHOR } from '../../../../schemas/limits.js';
import { MessageAccess } from '../../../../src/organization/messages/access.js';
import { compileNarrow } from '../../../../src/organization/messages/narrow.js';
import { MAX_SEARCHED, PageReader } from '../../../../src/organization/messages/read-page.js';
import { selected, team } from './fixtures/team.js';

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

void t.test('what moves out of sight while documents are read is not shown', async (t) => {
  const small = team();
  let open = (): void => undefined;
  small.gate = new Promise((resolve) => (open = resolve));
  const reading = selected(small, 2, [['channel', 'general']]);
  small.act((tx) => {
    const move = { recipient_id: 102, stream_id: 2 };
    small.org.messages.update(small.stored.get(1)!, move, tx.seq);
  });
  open();
  t.same(await reading, [2, 10]);
});

void t.test(
  'a text search stops at its bound and does not claim to have seen the end',
  async (t) => {
    const small = team();
    for (let id = 11; id <= MAX_SEARCHED + 20; id++) small.message({ id, content: 'noise' });
    const access = new MessageAccess(small.org, small.org.users.get(1)!);
    const reader = new PageReader(access, compileNarrow(access, [['search', 'soup']]));
    const request = { anchor: LARGEST_ANCHOR, includeAnchor: true, before: 10, after: 0 };
    const page = await reader.page(request);
    t.same([page.messages, page.foundOldest, page.foundNewest], [[], false, true]);
    const second = new PageReader(access, compileNarrow(access, [['search', 'noise']]));
    t.equal((await second.page(request)).messages.length, 10);
  },
);
