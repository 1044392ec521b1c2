import t from 'tap';
import { LARGEST_ANCHOR } from '../../../../../schemas/limits.js';
import { MessageAccess } from '../../../../../src/organization/messages/message-access.js';
import { compileNarrow } from '../../../../../src/organization/messages/reading/narrow.js';
import { PageReader } from '../../../../../src/organization/messages/reading/read-page.js';
import type { NarrowTerm } from '../../../../../schemas/messages/narrow.js';
import type { IndexQuery } from '../../../../../src/services/search-index/protocol.js';
import { SmallOrganization } from '../fixtures/small-organization.js';

const CHANNELS = 70;
const MESSAGES = 400;

/** Ann reads 70 channels. Of 400 messages with the same word the oldest are hers, the others of a channel of others. */
function reader(own: number) {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  for (let id = 1; id <= CHANNELS + 1; id++) small.channel(id, `channel ${id}`);
  for (let id = 1; id <= CHANNELS; id++) small.subscribe(1, id);
  for (let id = 1; id <= MESSAGES; id++) {
    const stream_id = id <= own ? 1 + (id % CHANNELS) : CHANNELS + 1;
    small.message({
      id,
      stream_id,
      recipient_id: 100 + stream_id,
      rendered_content: '<p>soup</p>',
    });
  }
  const asked: IndexQuery[] = [];
  const { index } = small.org.messages;
  small.org.messages.textIndex = {
    coveredFrom: 0,
    changed: () => undefined,
    changedBetween: () => [],
    find: async (query) => {
      asked.push(query);
      const { from, limit } = query;
      const places = query.recipients && new Set(query.recipients);
      const ids: number[] = [];
      for (let id = from; id > 0 && ids.length < limit; id--) {
        if (!places || places.has(index.topicOf(id)!.recipientId)) ids.push(id);
      }
      const next = ids.length < limit ? undefined : ids[ids.length - 1]! - 1;
      return { ids, next };
    },
  };
  const search = async (count: number, ...narrow: NarrowTerm[]): Promise<readonly number[]> => {
    const access = new MessageAccess(small.org, small.org.users.get(1)!);
    const pages = new PageReader(access, compileNarrow(access, [['search', 'soup'], ...narrow]));
    const request = { anchor: LARGEST_ANCHOR, includeAnchor: false, before: count, after: 0 };
    return (await pages.idPage(request)).ids;
  };
  return { search, restrictedTo: () => asked.map(({ recipients }) => recipients?.length) };
}

void t.test(
  'a reader of many channels names them where most hits are of others, and not before',
  async (t) => {
    const all = reader(MESSAGES);
    t.same(await all.search(3), [398, 399, 400]);
    t.same(all.restrictedTo(), [undefined]);
    const few = reader(5);
    t.same(await few.search(3), [3, 4, 5]);
    t.same(few.restrictedTo(), [undefined, CHANNELS]);
    const publicOnes = reader(MESSAGES);
    t.same(await publicOnes.search(2, ['channels', 'public']), [399, 400]);
    t.same(publicOnes.restrictedTo(), [undefined]);
    const one = reader(MESSAGES);
    t.same(await one.search(1, ['channel', 5]), [354]);
    t.same(one.restrictedTo(), [1], 'the channel that is searched is named at once');
  },
);
