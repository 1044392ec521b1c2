import t from 'tap';
import { topologyRisks } from '../../../../src/store/redis/topology-risks.js';
import type { ReplicaFacts, Topology } from '../../../../src/store/redis/topology.js';

/** Replicas r1, r2 …, by their priorities. */
function replicas(...priorities: (number | null)[]): ReplicaFacts[] {
  return priorities.map((priority, i) => ({
    ...{ address: `r${i + 1}:6379`, isOnline: true, priority, hasLog: true },
  }));
}

/** With two replicas and three Sentinels, unless told. */
function risks(wanted: number, topology: Partial<Topology>): string[] {
  const promoters = { kind: 'sentinels', count: 3, reached: 2, problem: null } as const;
  const fixed = { minReplicas: 0, maxLagSeconds: 10, waitsForLog: true };
  const usual = { promoters, isConfirmed: true, ...fixed };
  return topologyRisks({ ...usual, replicas: replicas(100, 100), ...topology }, wanted);
}

const LAGS = [
  '2 replicas can be promoted, and --store-replicas is 1: if the master dies together with the one that has the newest ' +
    'change, another is promoted that may lack it',
];

void t.test('changes that count as soon as the master has them', async (t) => {
  const lost = (who: string): string =>
    `--store-replicas is 0, and Redis has 2 replicas: one that is promoted ${who} may lack the last acknowledged ` +
    'changes, which are lost then, and clients register again';
  const cutOff =
    'min-replicas-to-write is 0: a master that is cut off goes on to acknowledge changes that are lost then';
  t.same(risks(0, {}), [lost('by Sentinel'), cutOff]);
  t.same(risks(0, { promoters: { kind: 'cluster', masters: 3 }, minReplicas: null }), [
    lost('by the Cluster'),
  ]);
  t.same(risks(0, { promoters: null, minReplicas: 1 }), [
    lost('by hand'),
    'min-replicas-to-write 1 bounds that to 10 seconds of changes',
  ]);
  t.same(risks(0, { replicas: [], promoters: null }), [
    'Redis has no replica: if its machine dies for good, all changes since the last backup are lost',
  ]);
});

void t.test('fewer replicas than must have a change, just as many, and more', async (t) => {
  t.same(risks(3, {}), [
    '--store-replicas is 3, and Redis has 2 replicas that can be counted: all changes wait and get 503',
  ]);
  t.same(risks(2, {}), [
    '--store-replicas is 2, and Redis has 2 replicas: changes wait while one is away. One more keeps them going',
  ]);
  t.same(risks(1, {}), LAGS);
  t.same(risks(1, { promoters: null }), LAGS);
  const loading = replicas(100, 100).map((one, i) => ({ ...one, isOnline: i === 0 }));
  t.match(risks(2, { replicas: loading }), [/Redis has 1 replica that can be counted/]);
  t.same(risks(1, { minReplicas: 3 }), [
    ...LAGS,
    'min-replicas-to-write is 3, and Redis has 2 replicas: it refuses all changes',
  ]);
});

void t.test('a replica without a file is not counted where files must have a change', async (t) => {
  const without = replicas(100, 100).map((one, i) => ({ ...one, hasLog: i === 0 }));
  t.same(risks(1, { replicas: without }), [
    'appendonly is no on the replica r2:6379: --store-replicas does not count it. Set appendonly yes',
    '--store-replicas is 1, and Redis has 1 replica: changes wait while one is away. One more keeps them going',
  ]);
  t.same(risks(1, { replicas: without, waitsForLog: false }), LAGS);
  const unknown = replicas(100, 100).map((one) => ({ ...one, hasLog: null }));
  t.same(risks(1, { replicas: unknown }), LAGS);
});

void t.test('a change must not be only where nobody is promoted', async (t) => {
  const never = (set: number): string =>
    `Of r2:6379 replica-priority is 0: a change may be only there, which is never promoted, and the replica that is may ` +
    `lack it. Set --store-replicas ${set}, or another priority`;
  t.same(risks(1, { replicas: replicas(100, 0) }), [never(2)]);
  t.match(risks(2, { replicas: replicas(100, 0) }), [/changes wait while one is away/]);
  t.same(
    risks(1, { replicas: replicas(100, 0), promoters: { kind: 'cluster', masters: 3 } }),
    LAGS,
  );
  t.same(risks(1, { replicas: replicas(0, 0) }), [
    'replica-priority is 0 on all replicas: Sentinel promotes none when the master dies',
  ]);
  t.same(risks(1, { replicas: replicas(100, 10, 10) }), [
    'replica-priority of r2:6379, r3:6379 is 10, less than of others: Sentinel promotes it before them, also where it ' +
      'lacks changes that they have. Set the same on all',
  ]);
  t.match(risks(1, { replicas: replicas(100, null) }), LAGS, 'one does not say');
});

void t.test('those who promote must be a majority when one of them dies', async (t) => {
  const of = (promoters: Topology['promoters']): string[] => risks(1, { promoters }).slice(1);
  t.same(of({ kind: 'sentinels', count: 1, reached: 1, problem: null }), [
    'One Sentinel alone watches the master: if it dies too, nobody promotes a replica; if it is cut off, it promotes one ' +
      'beside a master that serves. Run three, on machines of their own',
  ]);
  t.same(of({ kind: 'sentinels', count: 2, reached: 2, problem: 'NOQUORUM 1 usable Sentinels' }), [
    '2 Sentinels watch the master: when one dies, the other is no majority, and promotes no replica. Run three, on machines ' +
      'of their own',
    'The Sentinels promote no replica now: NOQUORUM 1 usable Sentinels',
  ]);
  t.same(of({ kind: 'cluster', masters: 2 }), [
    'The Cluster has 2 masters: when one dies the others are no majority, and promote no replica. Three do',
  ]);
  t.same(of({ kind: 'cluster', masters: 3 }), []);
});

void t.test('those who are asked whether the master still is one must say so', async (t) => {
  const asked = (wanted: number, topology: Partial<Topology>): string[] =>
    risks(wanted, { isConfirmed: false, ...topology });
  const promoters = { kind: 'sentinels', count: 3, reached: 1, problem: null } as const;
  const waits = (who: string): string =>
    ': changes wait and get 503, as nobody says that the master still is one. Let nodes reach the addresses that ' +
    `${who} name`;
  t.same(asked(1, { promoters }), [
    ...LAGS,
    `1 of 3 Sentinels answer here, which is no majority${waits('Sentinels')}`,
  ]);
  t.same(asked(1, {}), [
    ...LAGS,
    `No majority of the Sentinels says here that this server is the master${waits('Sentinels')}`,
  ]);
  t.same(asked(1, { promoters: { kind: 'cluster', masters: 3 } }), [
    ...LAGS,
    'No majority of the masters of the Cluster says here that this server is the master' +
      waits('masters of the Cluster'),
  ]);
  t.same(risks(1, {}), LAGS);
  t.same(asked(1, { promoters: null, isConfirmed: null }), LAGS);
  t.match(asked(0, {}), [/^--store-replicas is 0/, /^min-replicas-to-write is 0/], 'nobody asks');
});
