import t from 'tap';
import { Backoff } from '../../../../src/host/workers/supervisor.js';

void t.test(
  'a worker that ends soon after each start is started less and less often',
  async (t) => {
    const backoff = new Backoff();
    const pauses = Array.from({ length: 10 }, () => backoff.next(1000));
    t.same(pauses, [50, 100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  },
);

void t.test('one that lived for half a minute is started at once again', async (t) => {
  const backoff = new Backoff();
  for (let i = 0; i < 5; i++) backoff.next(1000);
  t.equal(backoff.next(30_000), 50);
  t.equal(backoff.next(29_999), 100);
});
