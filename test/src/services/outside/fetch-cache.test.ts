import t from 'tap';
import { lruOfEntries } from '../../../../src/platform/lru.js';
import { FetchCache, type FetchResult } from '../../../../src/services/outside/fetch-cache.js';

interface Page {
  readonly text: string;
}

/** A cache whose fetches end when the test says so. */
class World {
  readonly asked: string[] = [];
  readonly waiting: { resolve(page: Page): void; reject(error: unknown): void }[] = [];
  readonly reasons: string[] = [];
  refusal: Error | undefined;
  readonly results = lruOfEntries<string, FetchResult<Page>>(2);
  readonly cache = new FetchCache<Page>({
    results: this.results,
    fetch: (address) => {
      this.asked.push(address);
      return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    },
    schedule: (_address, fetch) => (this.refusal ? Promise.reject(this.refusal) : fetch()),
    failed: (reason) => this.reasons.push(reason),
  });

  /** What one who asks for an address gets when a text comes. */
  async fetched(address: string): Promise<Page | null> {
    const page = this.cache.get(address);
    this.waiting.shift()!.resolve({ text: address });
    return page;
  }
}

void t.test('all who ask meanwhile get what one fetch brings, as those after them', async (t) => {
  const world = new World();
  const asking = [world.cache.get('a'), world.cache.get('a'), world.cache.get('b')];
  t.same(world.asked, ['a', 'b']);
  world.waiting[0]!.resolve({ text: 'A' });
  world.waiting[1]!.resolve({ text: 'B' });
  const [first, second, other] = await Promise.all(asking);
  t.same([first, other], [{ text: 'A' }, { text: 'B' }]);
  t.equal(second, first);
  t.equal(await world.cache.get('a'), first);
  t.equal(world.asked.length, 2);
  t.equal(world.results.getRemainingTTL('a') > 3_500_000, true, 'fresh for an hour');
});

void t.test('an address that gave nothing gives nothing for a minute', async (t) => {
  const world = new World();
  const asking = [world.cache.get('a'), world.cache.get('a')];
  world.waiting[0]!.reject(new Error('The address is not public'));
  t.same(await Promise.all(asking), [null, null]);
  t.equal(await world.cache.get('a'), null);
  t.same([world.asked.length, world.reasons], [1, ['The address is not public']]);
  const left = world.results.getRemainingTTL('a');
  t.ok(left > 50_000 && left <= 60_000, `${left} ms`);
});

void t.test('a refusal to fetch reaches all who ask and is not remembered', async (t) => {
  const world = new World();
  world.refusal = new Error('Too many');
  const asking = [world.cache.get('a'), world.cache.get('a')];
  for (const one of asking) await t.rejects(one, { message: 'Too many' });
  t.same([world.asked, world.reasons], [[], []]);
  world.refusal = undefined;
  t.same(await world.fetched('a'), { text: 'a' });
});

void t.test('what made room is fetched anew', async (t) => {
  const world = new World();
  for (const address of ['a', 'b', 'c']) await world.fetched(address);
  t.same(await world.cache.get('c'), { text: 'c' });
  t.equal(world.asked.length, 3);
  t.same(await world.fetched('a'), { text: 'a' });
  t.same(world.asked, ['a', 'b', 'c', 'a']);
});
