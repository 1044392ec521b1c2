/** Whether a master of a Cluster still has the place that it takes itself to have. */
import { timeoutSignal } from '../../platform/timers.js';
import { askAll } from './ask-all.js';
import { openServer, type Send, type SocketOptions } from './server-client.js';
import type { RedisAddress, RedisCredentials } from './url.js';

/** How long a master has to answer, milliseconds: those that are there take a few. */
const REPLY_MS = 1000;

/** A master with slots, as a node of the Cluster lists it. */
interface ListedMaster {
  readonly id: string;
  /** Where nodes of the Cluster reach it. */
  readonly address: RedisAddress;
  readonly flags: readonly string[];
  readonly slots: readonly string[];
}

/** The place of a server in a Cluster: what it is the master of, beside whom. */
interface Place {
  readonly id: string;
  readonly slot: number;
  readonly masters: readonly ListedMaster[];
  /** Where clients reach masters, by id: a certificate may name the host, and not the address by which nodes reach it. */
  readonly endpoints: ReadonlyMap<string, RedisAddress>;
}

/** Asks the masters of a Cluster about the one that has the slot of a key. */
export class ClusterMasters {
  private constructor(
    private readonly send: Send,
    private readonly key: string,
    private readonly credentials: RedisCredentials,
    private readonly socket: SocketOptions,
    private place: Place,
  ) {}

  /** @param send to the server that has the key */
  static async around(
    send: Send,
    key: string,
    credentials: RedisCredentials,
    socket: SocketOptions,
  ): Promise<ClusterMasters> {
    return new ClusterMasters(send, key, credentials, socket, await placeOf(send, key));
  }

  /**
   * Whether a majority of the masters takes the server for the owner of the slot and for alive, and none that answers takes
   * another for it. Whoever was elected in its place was so by a majority that took it for failing, which they do until they
   * hear of the new one, or for two timeouts of nodes: no other could be elected by their votes then.
   */
  async confirm(): Promise<boolean> {
    const place = (this.place = await placeOf(this.send, this.key));
    const { id, slot, masters } = place;
    const votes = [vote(masters, place)];
    const isMajority = (): boolean =>
      2 * votes.filter((one) => one === 'has it').length > masters.length;
    await this.ask((listed) => void votes.push(vote(listed, { id, slot })), isMajority);
    return isMajority() && votes.every((one) => one === 'has it' || one === 'may fail');
  }

  /** Whether some other master says that another server has taken its place. The server itself, which may stand still, is not asked. */
  async isReplaced(): Promise<boolean> {
    let isOther = false;
    await this.ask(
      (listed) => {
        isOther ||= vote(listed, this.place) === 'another';
      },
      () => isOther,
    );
    return isOther;
  }

  /** Asks the other masters; waits for the slower ones for a while when it is enough. */
  private async ask(
    told: (masters: readonly ListedMaster[]) => void,
    isEnough: () => boolean,
  ): Promise<void> {
    const ended = timeoutSignal(REPLY_MS);
    const { masters, endpoints, id: own } = this.place;
    const others = masters.filter(({ id }) => id !== own);
    const ask = async ({ id, address }: ListedMaster): Promise<void> => {
      const over = new AbortController();
      try {
        const either = AbortSignal.any([ended, over.signal]);
        const at = endpoints.get(id) ?? address;
        const send = await openServer(at, this.credentials, this.socket, either);
        told(mastersIn(String(await send(['CLUSTER', 'NODES']))));
      } catch {
        // It says nothing, or refuses to: no vote.
      } finally {
        over.abort();
      }
    };
    await askAll(others, ask, isEnough);
  }
}

async function placeOf(send: Send, key: string): Promise<Place> {
  const [slot, id, listed, ranges] = await Promise.all([
    send(['CLUSTER', 'KEYSLOT', key]),
    send(['CLUSTER', 'MYID']),
    send(['CLUSTER', 'NODES']),
    send(['CLUSTER', 'SLOTS']),
  ]);
  const masters = mastersIn(String(listed));
  return { id: String(id), slot: Number(slot), masters, endpoints: endpointsIn(ranges) };
}

/** What `CLUSTER SLOTS` tells clients of masters: the addresses by which the client of the Cluster goes, too. */
function endpointsIn(ranges: unknown): ReadonlyMap<string, RedisAddress> {
  const endpoints = new Map<string, RedisAddress>();
  for (const [, , [host, port, id]] of ranges as [number, number, [unknown, number, string]][]) {
    // Null is whoever was asked, and `?` a host that has not said its name.
    if (typeof host === 'string' && host !== '' && host !== '?') endpoints.set(id, { host, port });
  }
  return endpoints;
}

/** What a node says of the server that has a slot: that it is alive, may fail, has failed, or is another. */
function vote(
  masters: readonly ListedMaster[],
  { id, slot }: Pick<Place, 'id' | 'slot'>,
): 'has it' | 'may fail' | 'fails' | 'another' {
  const owner = masters.find(({ slots }) => slots.some((range) => isIn(range, slot)));
  if (owner?.id !== id) return 'another';
  if (owner.flags.includes('fail')) return 'fails';
  return owner.flags.includes('fail?') ? 'may fail' : 'has it';
}

/** Masters with slots in what `CLUSTER NODES` answers. */
function mastersIn(text: string): ListedMaster[] {
  return text.split('\n').flatMap((line) => {
    const [id = '', place = '', flags = '', , , , , , ...slots] = line.split(' ');
    // One that is moving to another node is listed once more, in brackets.
    const owned = slots.filter((range) => !range.startsWith('['));
    const [, host = '', port] = /^(.*):(\d+)(?:@|,|$)/.exec(place) ?? [];
    if (!flags.split(',').includes('master') || owned.length === 0) return [];
    return [{ id, address: { host, port: Number(port) }, flags: flags.split(','), slots: owned }];
  });
}

function isIn(range: string, slot: number): boolean {
  const [first, last = first] = range.split('-').map(Number);
  return slot >= first! && slot <= last!;
}
