import t from 'tap';
import type { JournalReader } from '../../../../../src/journal/journal.js';
import { SearchFeed } from '../../../../../src/organization/messages/search/search-feed.js';
import { team } from '../fixtures/team.js';

void t.test(
  'changes that are not durable are waited for, whatever else is left to bring',
  async (t) => {
    const small = team();
    for (let id = 11; id <= 1034; id++) small.message({ id, content: 'noise' });
    const journal = {
      firstSeq: () => Promise.resolve(0),
      readJournal: () => Promise.resolve([]),
    };
    let opened = (): void => undefined;
    const open = new Promise<void>((resolve) => (opened = resolve));
    const known = { durableHead: { seq: 0, span: 1, slots: 0 }, nextSeq: 1, pending: 1 };
    const search = new SearchFeed({
      runtime: { org: small.org, journal: known as unknown as JournalReader },
      store: journal,
      onError: (error) => t.fail(String(error)),
      onAnew: (why) => t.fail(why),
      open: async () => {
        search.changed(Array.from({ length: 200 }, (_, i) => 11 + i));
        opened();
        return {
          index: {
            reset: async () => undefined,
            apply: async () => undefined,
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
        };
      },
    });
    search.start();
    await open;
    // Where it asks again without a turn of the event loop, nothing comes after this.
    await new Promise((done) => setTimeout(done, 20));
    await search.stop();
    t.pass('others have had their turns');
  },
);
