import t from 'tap';
import { modelled, type NodeCosts } from '../../../../bench/harness/measuring/nodes-model.js';

const COSTS: NodeCosts = {
  entry: 100,
  perFollower: 5,
  fold: 40,
  delivery: 20,
  storeEntry: 30,
  storePerFollower: 4,
  storeBytes: 1000,
};

void t.test('a node spends on deliveries what the journal leaves of its core', async (t) => {
  t.same(modelled(COSTS, 1, 1000), {
    // 0.7 - 0.1 of a core, at 20 microseconds each.
    ops_per_second: 30_000,
    leader_share: 0.1,
    follower_share: null,
    redis_share: 0.03,
    redis_mbit_per_second: 0,
  });
  t.same(modelled(COSTS, 3, 1000), {
    // 0.59 of the leader's core and twice 0.66 of a follower's.
    ops_per_second: 95_500,
    leader_share: 0.11,
    follower_share: 0.04,
    redis_share: 0.038,
    redis_mbit_per_second: 16,
  });
});

void t.test('a leader whose core is used up delivers nothing, and no less', async (t) => {
  const costs = { ...COSTS, perFollower: 100, storeEntry: null, storePerFollower: null };
  const figures = modelled({ ...costs, storeBytes: null }, 8, 1000);
  // Seven followers, 0.66 of a core each.
  t.match(figures, { ops_per_second: 231_000, leader_share: 0.8, redis_share: null });
});
