/** Asks the masters of a Cluster whether one of them still has the place that it takes itself to have. */
import { pause, timeoutSignal } from '../../platform/timers.js';
import { openServer, type Send, type SocketOptions } from './server-client.js';
import type { RedisAddress, RedisCredentials } from './url.js';

/** How long a master has to answer, milliseconds: those that are there take a few. */
const REPLY_MS = 1000;
/** How long others are waited for when a majority has answered, milliseconds. */
const OTHERS_MS = 250;

/** A master with slots, as a node of the Cluster lists it. */
interface ListedMaster extends RedisAddress {
  readonly id: string;
  readonly flags: readonly string[];
  readonly slots: readonly string[];
}

/**
 * Whether a majority of the masters takes a server for the owner of its slots and for alive, and none that answers takes
 * another for it. Whoever was elected in its place was so by a majority that took it for failing, which they do until they hear
 * of the new one, or for two timeouts of nodes: no other could be elected by their votes then.
 * @param send to the server
 */
export async function confirmInCluster(
  send: Send,
  key: string,
  credentials: RedisCredentials,
  socket: SocketOptions,
): Promise<boolean> {
  const [slot, own, listed] = await Promise.all([
    send(['CLUSTER', 'KEYSLOT', key]),
    send(['CLUSTER', 'MYID']),
    send(['CLUSTER', 'NODES']),
  ]);
  const masters = mastersIn(String(listed));
  const ended = timeoutSignal(REPLY_MS);
  const votes: (boolean | null)[] = [vote(masters, Number(slot), String(own))];
  const isMajority = (): boolean => 2 * votes.filter((one) => one === true).length > masters.length;
  let enough = (): void => undefined;
  const some = new Promise<void>((resolve) => (enough = resolve));
  const others = masters.filter(({ id }) => id !== own);
  const asked = others.map(async (address) => {
    const over = new AbortController();
    try {
      const ask = await openServer(
        address,
        credentials,
        socket,
        AbortSignal.any([ended, over.signal]),
      );
      votes.push(
        vote(mastersIn(String(await ask(['CLUSTER', 'NODES']))), Number(slot), String(own)),
      );
    } catch {
      // It says nothing, or refuses to: no vote.
    } finally {
      over.abort();
    }
    if (isMajority()) enough();
  });
  const all = Promise.all(asked);
  await Promise.race([all, some]);
  await Promise.race([all, pause(OTHERS_MS)]);
  return isMajority() && !votes.includes(false);
}

/** Whether a node takes a master for the owner of a slot; null where it does so, and not for alive. */
function vote(masters: readonly ListedMaster[], slot: number, id: string): boolean | null {
  const owner = masters.find(({ slots }) => slots.some((range) => isIn(range, slot)));
  if (owner?.id !== id || owner.flags.includes('fail')) return false;
  return owner.flags.includes('fail?') ? null : true;
}

/** Masters with slots in what `CLUSTER NODES` answers. */
function mastersIn(text: string): ListedMaster[] {
  return text.split('\n').flatMap((line) => {
    const [id = '', place = '', flags = '', , , , , , ...slots] = line.split(' ');
    // One that is moving to another node is listed once more, in brackets.
    const owned = slots.filter((range) => !range.startsWith('['));
    const [, host = '', port] = /^(.*):(\d+)(?:@|,|$)/.exec(place) ?? [];
    if (!flags.split(',').includes('master') || owned.length === 0) return [];
    return [{ id, host, port: Number(port), flags: flags.split(','), slots: owned }];
  });
}

function isIn(range: string, slot: number): boolean {
  const [first, last = first] = range.split('-').map(Number);
  return slot >= first! && slot <= last!;
}
