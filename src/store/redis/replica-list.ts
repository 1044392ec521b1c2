/** The replicas of a master as it lists them. */
import type { RedisAddress } from './url.js';

/** One of them. */
export interface ListedReplica extends RedisAddress {
  /** Whether it has everything as it comes; one that is still loading has nothing. */
  readonly isOnline: boolean;
  /** How much it has said to have, of what the master has written, bytes. */
  readonly offset: number;
}

/** Those in the facts of `INFO replication`. */
export function replicasIn(info: ReadonlyMap<string, string>): ListedReplica[] {
  const count = Number(info.get('connected_slaves') ?? 0);
  const lines = Array.from({ length: count }, (_, i) => info.get(`slave${i}`) ?? '');
  return lines.flatMap((line) => {
    const fields = new Map(line.split(',').map((field) => field.split('=') as [string, string]));
    const [host, port] = [fields.get('ip'), fields.get('port')];
    if (!host || !port) return [];
    const isOnline = fields.get('state') === 'online';
    return [{ host, port: Number(port), isOnline, offset: Number(fields.get('offset')) }];
  });
}
