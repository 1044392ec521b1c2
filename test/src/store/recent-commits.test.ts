import t from 'tap';
import { RecentCommits } from '../../../src/store/metered.js';

void t.test('each who looks is told what came since, and other meters all', (t) => {
  const told: unknown[] = [];
  const other = {
    committed: (...given: unknown[]) => told.push(given),
    failed: (...given: unknown[]) => told.push(given),
  };
  const commits = new RecentCommits();
  commits.tell(other);
  commits.committed(7, 9);
  const look = commits.look();
  t.same(look(), { entries: 0, groups: 0, p99Ms: null });
  for (let i = 1; i <= 100; i++) commits.committed(2, i / 1000);
  t.same(look(), { entries: 200, groups: 100, p99Ms: 99 });
  commits.committed(3, 0.5);
  t.same(look(), { entries: 3, groups: 1, p99Ms: 500 });
  commits.failed('read', 'Error');
  t.equal(told.length, 103);
  t.same(
    [told[0], told.at(-1)],
    [
      [7, 9],
      ['read', 'Error'],
    ],
  );
  t.end();
});

void t.test('of very many commits the newest are known', (t) => {
  const commits = new RecentCommits();
  const look = commits.look();
  for (let i = 0; i < 3000; i++) commits.committed(1, i < 1900 ? 5 : 0.001);
  t.same(look(), { entries: 3000, groups: 3000, p99Ms: 1 });
  const { within, count } = commits.latencies();
  // 0.5 ms, 1 ms … 2.5 s, 5 s, 10 s.
  t.same([within[0], within[1], within[11], within[12], count], [0, 1100, 1100, 3000, 3000]);
  t.end();
});
