import t from 'tap';
import { readOptions, UsageError } from '../../../bench/options.js';
import { verdictOf } from '../../../bench/versus/pairs.js';
import { runVersus } from '../../../bench/versus/versus.js';

void t.test('pairs of windows tell a difference that their spread would hide', (t) => {
  // Costs swing threefold from pair to pair; ours are 5 % dearer in each.
  const other = Array.from({ length: 40 }, (_, pair) => 10 + 20 * ((pair * 7) % 40) * 0.025);
  const noise = (pair: number): number => 1 + ((pair % 5) - 2) / 100;
  const ours = other.map((cost, pair) => cost * 1.05 * noise(pair));
  const { ratio, from, to } = verdictOf({ other, ours });
  t.ok(Math.abs(ratio - 1.05) < 0.011, String(ratio));
  t.ok(from > 1.03 && to < 1.08, `${from} to ${to}`);
  t.end();
});

void t.test('three pairs give an interval as wide as their ratios', (t) => {
  t.strictSame(verdictOf({ other: [1, 1, 1], ours: [0.5, 1.1, 3] }), {
    ratio: 1.1,
    from: 0.5,
    to: 3,
  });
  t.end();
});

void t.test('what cannot be compared is refused before anything starts', async (t) => {
  const options = { checkout: '/nowhere', rounds: 1, margin: 0.03, only: null };
  await t.rejects(
    runVersus(options, () => t.fail()),
    new UsageError('versus: /nowhere is not built'),
  );
  t.throws(() => readOptions(['versus']), new UsageError('versus takes one folder'));
  t.strictSame(readOptions(['versus', '../other', '--margin', '5', '--only', 'poll,PATCH']), {
    command: 'versus',
    checkout: '../other',
    rounds: 40,
    margin: 0.05,
    only: new Set(['poll', 'PATCH']),
  });
});
