/** What can be lost with the servers of a Redis store, and what keeps changes waiting, in words for the operator. */
import type { ReplicaFacts, Topology } from './topology.js';

/** Sentinels, and masters of a Cluster, of which one may die and the others still are a majority. */
const MAJORITY_OF = 3;

/** One sentence each. @param wanted how many replicas must have a change before it counts */
export function topologyRisks(topology: Topology, wanted: number): string[] {
  const online = topology.replicas.filter(({ isOnline }) => isOnline);
  return [
    ...(wanted > 0 ? waitingRisks(topology, online, wanted) : lossRisks(topology, online)),
    ...minimumRisks(topology, online),
    ...(wanted > 0 ? questionRisks(topology) : []),
    ...(topology.replicas.length > 0 ? promotionRisks(topology) : []),
  ];
}

/** Of changes that count as soon as the master has them. */
function lossRisks(
  { minReplicas, maxLagSeconds, promoters }: Topology,
  online: readonly ReplicaFacts[],
): string[] {
  if (online.length === 0) {
    return [
      'Redis has no replica: if its machine dies for good, all changes since the last backup are lost',
    ];
  }
  const bound =
    minReplicas === null || minReplicas === 0 || maxLagSeconds === null || maxLagSeconds === 0
      ? 'min-replicas-to-write is 0: a master that is cut off goes on to acknowledge changes that are lost then'
      : `min-replicas-to-write ${minReplicas} bounds that to ${maxLagSeconds} seconds of changes`;
  const who = promoters === null ? 'by hand' : `by ${NAMES[promoters.kind]}`;
  return [
    `--store-replicas is 0, and Redis has ${count(online.length, 'replica')}: one that is promoted ${who} may lack ` +
      'the last acknowledged changes, which are lost then, and clients register again',
    ...(minReplicas === null ? [] : [bound]),
  ];
}

const NAMES = { sentinels: 'Sentinel', cluster: 'the Cluster' } as const;

/** Of changes that count when replicas have them. */
function waitingRisks(
  { waitsForLog, promoters }: Topology,
  online: readonly ReplicaFacts[],
  wanted: number,
): string[] {
  const risks: string[] = [];
  const counted = waitsForLog ? online.filter(({ hasLog }) => hasLog !== false) : online;
  for (const { address } of online.filter((one) => !counted.includes(one))) {
    risks.push(
      `appendonly is no on the replica ${address}: --store-replicas does not count it. Set appendonly yes`,
    );
  }
  const there = count(counted.length, 'replica');
  if (counted.length < wanted) {
    risks.push(
      `--store-replicas is ${wanted}, and Redis has ${there} that can be counted: all changes wait and get 503`,
    );
  } else if (counted.length === wanted) {
    risks.push(
      `--store-replicas is ${wanted}, and Redis has ${there}: changes wait while one is away. One more keeps them going`,
    );
  }
  // A Cluster promotes the replica that has most, whatever its priority, and operators whichever they choose.
  const knowsPriority = promoters?.kind === 'sentinels';
  const each = knowsPriority ? counted : counted.map((one) => ({ ...one, priority: null }));
  return [...risks, ...lagRisks(each, wanted)];
}

/** Of those that can be promoted and may lack what others have. */
function lagRisks(counted: readonly ReplicaFacts[], wanted: number): string[] {
  const never = counted.filter(({ priority }) => priority === 0);
  const promotable = counted.filter(({ priority }) => priority !== 0);
  if (promotable.length === 0) return [];
  const risks: string[] = [];
  if (never.length >= wanted) {
    risks.push(
      `Of ${listed(never)} replica-priority is 0: a change may be only there, which is never promoted, and the replica ` +
        `that is may lack it. Set --store-replicas ${never.length + 1}, or another priority`,
    );
  }
  const first = Math.min(...promotable.map(({ priority }) => priority ?? Infinity));
  const preferred = promotable.filter(({ priority }) => priority === first);
  if (
    preferred.length < promotable.length &&
    promotable.every(({ priority }) => priority !== null)
  ) {
    risks.push(
      `replica-priority of ${listed(preferred)} is ${first}, less than of others: Sentinel promotes it before them, also ` +
        'where it lacks changes that they have. Set the same on all',
    );
  } else if (promotable.length > wanted && never.length < wanted) {
    const having = wanted === 1 ? 'the one that has' : `the ${wanted} that have`;
    risks.push(
      `${promotable.length} replicas can be promoted, and --store-replicas is ${wanted}: if the master dies together with ` +
        `${having} the newest change, another is promoted that may lack it`,
    );
  }
  return risks;
}

function minimumRisks({ minReplicas }: Topology, online: readonly ReplicaFacts[]): string[] {
  if (minReplicas === null || minReplicas <= online.length) return [];
  const there = count(online.length, 'replica');
  return [
    `min-replicas-to-write is ${minReplicas}, and Redis has ${there}: it refuses all changes`,
  ];
}

/** Of those who are asked whether the master still is one. */
function questionRisks({ promoters, isConfirmed }: Topology): string[] {
  if (promoters === null || isConfirmed !== false) return [];
  const { kind } = promoters;
  const why =
    kind === 'sentinels' && 2 * promoters.reached <= promoters.count
      ? `${promoters.reached} of ${promoters.count} Sentinels answer here, which is no majority`
      : `No majority of the ${VOTERS[kind]} says here that this server is the master`;
  return [
    `${why}: changes wait and get 503, as nobody says that the master still is one. Let nodes reach the addresses that ` +
      `${VOTERS[kind]} name`,
  ];
}

const VOTERS = { sentinels: 'Sentinels', cluster: 'masters of the Cluster' } as const;

/** Of those who decide that the master is dead. */
function promotionRisks({ promoters, replicas }: Topology): string[] {
  if (promoters === null) return [];
  const risks: string[] = [];
  if (promoters.kind === 'cluster' && promoters.masters < MAJORITY_OF) {
    risks.push(
      `The Cluster has ${count(promoters.masters, 'master')}: when one dies the others are no majority, and promote no ` +
        'replica. Three do',
    );
  }
  if (promoters.kind === 'sentinels') {
    if (promoters.count === 1) {
      risks.push(
        'One Sentinel alone watches the master: if it dies too, nobody promotes a replica; if it is cut off, it promotes ' +
          'one beside a master that serves. Run three, on machines of their own',
      );
    } else if (promoters.count < MAJORITY_OF) {
      risks.push(
        `${promoters.count} Sentinels watch the master: when one dies, the other is no majority, and promotes no replica. ` +
          'Run three, on machines of their own',
      );
    }
    if (promoters.problem !== null)
      risks.push(`The Sentinels promote no replica now: ${promoters.problem}`);
    if (replicas.every(({ priority }) => priority === 0)) {
      risks.push(
        'replica-priority is 0 on all replicas: Sentinel promotes none when the master dies',
      );
    }
  }
  return risks;
}

function count(number: number, noun: string): string {
  return number === 1 ? `1 ${noun}` : `${number} ${noun}s`;
}

function listed(replicas: readonly ReplicaFacts[]): string {
  return replicas.map(({ address }) => address).join(', ');
}
