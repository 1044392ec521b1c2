/**
 * The servers of a Redis store as they tell of themselves: who copies whom, and who can take the place of a master that
 * dies. What the user may not ask, and whoever does not answer, is left out.
 */
import { inspectServer, parseInfo, readSettings } from './checks.js';
import { clientsOf, readTlsFiles } from './clients.js';
import { Connection, isRefusal, type Patience } from './connection.js';
import { KeySpace } from './keys.js';
import { replicasIn, type ListedReplica } from './replica-list.js';
import { addressIn, fieldsOf } from './sentinels.js';
import type { RedisAddress, RedisTarget } from './url.js';

/** A replica of the master that has the organization. */
export interface ReplicaFacts {
  readonly address: string;
  /** Whether it has everything as it comes; one that is still loading has nothing. */
  readonly isOnline: boolean;
  /** With 0 it is never promoted, with less it is before others. Null where it does not say. */
  readonly priority: number | null;
  /** Whether it has an append-only file. Null likewise. */
  readonly hasLog: boolean | null;
}

/** Those who promote a replica when the master dies; null where only the operator does. */
export type Promoters =
  | {
      readonly kind: 'sentinels';
      readonly count: number;
      /** How many of them answer here, at the addresses that they name. */
      readonly reached: number;
      readonly problem: string | null;
    }
  | { readonly kind: 'cluster'; readonly masters: number };

/** What is known of the servers. */
export interface Topology {
  readonly replicas: readonly ReplicaFacts[];
  readonly promoters: Promoters | null;
  /** Whether those who promote say now that the master is one, as a change may need it. Null where nobody is asked. */
  readonly isConfirmed: boolean | null;
  /** With fewer replicas the master refuses writes. Null where it does not say. */
  readonly minReplicas: number | null;
  /** Replicas that were silent for longer do not count among them. Seconds; null likewise. */
  readonly maxLagSeconds: number | null;
  /** Whether the master can wait until a change is in append-only files: replicas without one are not counted then. */
  readonly waitsForLog: boolean;
}

/** Asks the master, its replicas, and its Sentinels or Cluster; changes nothing. @throws Error where the master does not answer */
export async function readTopology(target: RedisTarget, patience: Patience): Promise<Topology> {
  const tls = await readTlsFiles(target.tls);
  const { journal } = new KeySpace(target.organization);
  const connect = (to: RedisTarget): Connection =>
    new Connection(clientsOf(to, journal, tls), patience);
  const ask: Ask = async (address, commands, isSentinel = false) => {
    const { credentials, sentinelCredentials } = target;
    const own = isSentinel ? sentinelCredentials : credentials;
    const one = { ...target, kind: 'server', addresses: [address], database: 0 } as const;
    const connection = connect({ ...one, credentials: own });
    const replies: unknown[] = [];
    for (const command of commands)
      replies.push(await connection.send(command).catch(refusalOrNull));
    connection.close();
    return replies;
  };
  const master = connect(target);
  try {
    const { waitsForLog } = await inspectServer(master);
    const info = parseInfo(String(await master.retry(() => master.send(['INFO', 'replication']))));
    const settings = await readSettings(master, ['min-replicas-to-write', 'min-replicas-max-lag']);
    return {
      replicas: await Promise.all(replicasIn(info).map((one) => replicaFacts(one, ask))),
      promoters: await promotersOf(target, master, ask),
      isConfirmed: target.kind === 'server' ? null : await master.confirm(master.present),
      minReplicas: numberIn(settings, 'min-replicas-to-write'),
      maxLagSeconds: numberIn(settings, 'min-replicas-max-lag'),
      waitsForLog,
    };
  } finally {
    master.close();
  }
}

/** Sends commands to one server: its replies, its refusals, and null where it does not answer. */
type Ask = (
  address: RedisAddress,
  commands: readonly (readonly string[])[],
  isSentinel?: boolean,
) => Promise<unknown[]>;

function refusalOrNull(error: unknown): unknown {
  return isRefusal(error) ? error : null;
}

async function replicaFacts(listed: ListedReplica, ask: Ask): Promise<ReplicaFacts> {
  const { host, port, isOnline } = listed;
  const [info] = await ask({ host, port }, [['INFO']]);
  const own = typeof info === 'string' ? parseInfo(info) : new Map<string, string>();
  const log = own.get('aof_enabled');
  return {
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    isOnline,
    priority: numberIn(own, 'slave_priority'),
    hasLog: log === undefined ? null : log === '1',
  };
}

async function promotersOf(
  { kind, addresses, masterName }: RedisTarget,
  master: Connection,
  ask: Ask,
): Promise<Promoters | null> {
  if (kind === 'server') return null;
  if (kind === 'cluster') {
    const info = await master.send(['CLUSTER', 'INFO']).catch(refusalOrNull);
    const masters = typeof info === 'string' ? numberIn(parseInfo(info), 'cluster_size') : null;
    return masters === null ? null : { kind, masters };
  }
  for (const address of addresses) {
    const commands = ['SENTINELS', 'CKQUORUM'].map((name) => ['SENTINEL', name, masterName]);
    const [others, quorum] = await ask(address, commands, true);
    if (!Array.isArray(others)) continue;
    const problem = isRefusal(quorum) && /^NOQUORUM/.test(quorum.message) ? quorum.message : null;
    const named = (others as string[][]).map(fieldsOf).map(addressIn);
    const asked = named.map((one) => ask(one, [['SENTINEL', 'MASTER', masterName]], true));
    const answers = (await Promise.all(asked)).filter(([answer]) => Array.isArray(answer));
    const count = others.length + 1;
    return { kind: 'sentinels', count, reached: answers.length + 1, problem };
  }
  return null;
}

function numberIn(facts: ReadonlyMap<string, string>, name: string): number | null {
  const text = facts.get(name);
  return text === undefined ? null : Number(text);
}
