import t from 'tap';
import { merge } from '../../../../src/services/search-index/merge.js';
import { SearchIndex } from '../../../../src/services/search-index/search-index.js';
import { readTerms } from '../../../../src/services/search/terms.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const CAT = { recipient_id: 1, sender_id: 1, topic: 'talk', rendered_content: '<p>cat</p>' };
const merged: Parameters<typeof SearchIndex.open>[1] = (job) =>
  Promise.resolve().then(() => merge(job));

void t.test('a thread that stood still goes on within the range, part by part', async (t) => {
  // Each look at the clock takes a second.
  let time = 0;
  const index = SearchIndex.open(testFolder(t), merged, undefined, () => (time += 1000));
  index.reset({ history: 'h', position: 0, coveredFrom: 0 });
  const documents = [100, 200, 300, 70_000].map((id) => ({ ...CAT, id }));
  await index.apply({ documents, removed: [], position: 1, coveredFrom: 0 });
  const query = {
    clauses: [{ terms: readTerms('cat'), negated: false }],
    direction: 'down',
    from: 70_000,
    to: 0,
    limit: 9,
  } as const;
  const first = await index.find(query);
  t.same(first, { ids: [70_000], next: 65_535 });
  t.same(await index.find({ ...query, from: 65_535 }), { ids: [300, 200, 100], next: undefined });
  t.same(await index.find({ ...query, from: 200 }), { ids: [200, 100], next: undefined });
  index.close();
});
