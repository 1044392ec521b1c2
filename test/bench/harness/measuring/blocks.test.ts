import t from 'tap';
import { causesOf, type CpuProfile } from '../../../../bench/harness/measuring/blocks.js';

const node = (
  id: number,
  functionName: string,
  children: number[] = [],
  url = 'file:///app.js',
) => ({
  id,
  callFrame: { functionName, url },
  children,
});

/** One sample each millisecond, from second 1 on. */
const PROFILE: CpuProfile = {
  startTime: 1_000_000,
  nodes: [
    node(1, '(root)', [2, 3], ''),
    node(2, '(idle)', [], ''),
    node(3, 'processTicksAndRejections', [4], 'node:internal'),
    node(4, 'handle', [5, 6]),
    node(5, 'commit', [7]),
    node(6, 'reply'),
    node(7, '(garbage collector)', [], ''),
  ],
  samples: [2, 2, 5, 5, 5, 7, 6, 2, 7, 7, 7, 6],
  timeDeltas: Array.from({ length: 12 }, () => 1000),
};

void t.test('the cause of a block is what most of its samples lie below', (t) => {
  const blocks = [
    { endUs: 1_007_500, ms: 5 },
    { endUs: 1_012_500, ms: 4 },
    { endUs: 1_002_500, ms: 2 },
  ];
  t.same(causesOf(PROFILE, blocks), [
    'handle > commit 80 %',
    'handle > commit > garbage collector 75 %',
    '(idle) 100 %',
  ]);
  t.end();
});
