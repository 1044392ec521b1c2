/**
 * One process of each process id at a time, within a directory.
 *
 * LMDB knows the processes that read a database by their ids alone: it locks the byte of the lock file whose number is
 * the id, and frees the slots of readers with its own id when it closes. Two processes in different PID namespaces, as
 * two containers have, may have the same id: the second cannot begin to read, waits for a lock of the first, and would
 * take its slots away. So each process listens on a socket that is named by its id, before LMDB is touched; one that
 * finds another listening there is not alone with its id.
 */
import { join } from 'node:path';
import { pid as ownPid } from 'node:process';
import { readdirSync, realpathSync, unlinkSync } from '../../../platform/files.js';
import { isAlive, LeaseSocket } from './lease-socket.js';

const CLAIM = /^process-\d+\.sock$/;

/** How often this process has a directory open, and the socket that says so. */
interface Claim {
  uses: number;
  /** Null where no socket can be made, as on a file system that is read-only. */
  readonly socket: LeaseSocket | null;
}

const claims = new Map<string, Claim>();

/**
 * Claims the id of this process in a directory; for a process that has the lock of opening.
 * @returns gives it back, to be called after LMDB closed
 * @throws Error when another process has the same id
 */
export async function claimProcessId(directory: string): Promise<() => Promise<void>> {
  const path = realpathSync(directory);
  const known = claims.get(path);
  const claim = known ?? { uses: 0, socket: await listen(path) };
  if (!known) claims.set(path, claim);
  claim.uses += 1;
  let isFree = false;
  return async () => {
    if (isFree) return;
    isFree = true;
    claim.uses -= 1;
    if (claim.uses > 0) return;
    claims.delete(path);
    await claim.socket?.close();
  };
}

async function listen(directory: string): Promise<LeaseSocket | null> {
  const own = `process-${ownPid}.sock`;
  for (const name of readdirSync(directory)) {
    if (!CLAIM.test(name)) continue;
    if (!(await isAlive(directory, name))) remove(join(directory, name));
    else if (name === own) throw new Error(sameId(ownPid));
  }
  return LeaseSocket.listen(directory, own).catch(() => null);
}

function sameId(pid: number): string {
  return (
    `a process of another container (PID namespace) has it open, and has the same process id, ${pid}, ` +
    'by which LMDB tells processes apart. Run commands within that container (docker exec NAME parley …); ' +
    'give containers that share a store one PID namespace (docker run --pid=container:NAME, in Kubernetes ' +
    'shareProcessNamespace); or keep the organization on Redis, where nodes need nothing in common'
  );
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process removed it first, or the file system is read-only.
  }
}
