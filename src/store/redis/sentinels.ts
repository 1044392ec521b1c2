/**
 * Asks the Sentinels of a master: which server it is, whether it still is, and whether they promote another. All are asked at
 * once, because the first may be on the machine that is gone.
 */
import { setInterval, clearInterval } from '../../platform/timers.js';
import { inBackground, untold } from '../../turns/background.js';
import { askAll } from './ask-all.js';
import { Connection, isRefusal } from './connection.js';
import { openServer, socketOptions, type TlsMaterial } from './server-client.js';
import type { RedisAddress, RedisTarget } from './url.js';

/** How long a Sentinel has to answer, milliseconds: those that are there take one or two. */
const PATIENCE = { replyMs: 1000, waitMs: 0 };
/** How often they are asked whether another server is the master, milliseconds. */
const LOOK_MS = 500;

/** A master as Sentinels name it. */
export interface NamedMaster {
  readonly address: RedisAddress;
  /** Number of the failover that made it the master. */
  readonly epoch: number;
}

/** What a Sentinel says. */
interface Answer extends NamedMaster {
  /** Random name of the Sentinel. */
  readonly id: string;
  /** The server that its flags are of: during a failover it is the former master for a while. */
  readonly watched: RedisAddress;
  readonly flags: readonly string[];
  /** How many Sentinels must take the master for dead before they promote another: there are as many at least. */
  readonly quorum: number;
  /** The other Sentinels that it knows, dead or alive, by their ids. */
  readonly others: ReadonlyMap<string, RedisAddress>;
}

/** The Sentinels of one master. Has connections as long as somebody watches it, or asks. */
export class Sentinels {
  readonly #connections = new Map<string, Connection>();
  /** Those that told of themselves or of others, beside the ones that the URL names. */
  readonly #listed = new Map<string, RedisAddress>();
  readonly #watchers = new Map<() => void, NamedMaster>();
  #looks: NodeJS.Timeout | undefined;
  #asking = 0;

  constructor(
    private readonly target: RedisTarget,
    private readonly tls: TlsMaterial,
  ) {}

  /** The master, by those that know of the newest failover. @throws Error what one of them answered, or why none did */
  async master(): Promise<NamedMaster> {
    const answers = await this.#ask(this.target.addresses, (answered) => answered.length > 0);
    const named = answers.filter(isAnswer);
    if (named.length === 0) {
      const reasons = answers.filter(isError);
      throw reasons.find(isRefusal) ?? reasons[0] ?? new Error('No Sentinel answers');
    }
    return named.reduce((a, b) => (b.epoch > a.epoch ? b : a));
  }

  /**
   * Whether a majority of the Sentinels takes a server for the master and for alive, and none that answers promotes another,
   * or has. The one that leads a failover alone knows of it at first, so all are asked.
   */
  async confirm(master: NamedMaster): Promise<boolean> {
    const asked = [...this.target.addresses];
    const found = new Map<string, Answer>();
    for (let next: readonly RedisAddress[] = asked; next.length > 0;) {
      const isEnough = (answers: readonly Answer[]): boolean =>
        2 * (found.size + answers.length) > asked.length;
      for (const one of await this.#ask(next, isEnough)) {
        if (isAnswer(one)) found.set(one.id, one);
      }
      for (const { others } of found.values()) {
        for (const [id, address] of others) this.#listed.set(id, address);
      }
      next = [...this.#listed].flatMap(([id, address]) => {
        const isAsked = found.has(id) || asked.some((one) => placeOf(one) === placeOf(address));
        return isAsked ? [] : [address];
      });
      asked.push(...next);
    }
    const answers = [...found.values()];
    // One that has lost its file, and hears nobody, knows of no other.
    const known = Math.max(
      1,
      ...answers.map(({ others, quorum }) => Math.max(1 + others.size, quorum)),
    );
    const agree = answers.filter((one) => agrees(one, master));
    return 2 * agree.length > known && !answers.some((one) => objects(one, master));
  }

  /** Calls once when Sentinels name another server than this as the master. @returns ends that */
  watch(master: NamedMaster, replaced: () => void): () => void {
    this.#watchers.set(replaced, master);
    this.#looks ??= setInterval(() => inBackground(() => this.#look(), untold), LOOK_MS).unref();
    return () => {
      this.#watchers.delete(replaced);
      this.#rest();
    };
  }

  async #look(): Promise<void> {
    if (this.#asking > 0) return;
    const newest = await this.master();
    for (const [replaced, master] of [...this.#watchers]) {
      const isOther = placeOf(newest.address) !== placeOf(master.address);
      if (!isOther || newest.epoch <= master.epoch) continue;
      this.#watchers.delete(replaced);
      replaced();
    }
    this.#rest();
  }

  /** Asks some; waits for others for a while when those that answered are enough. */
  async #ask(
    addresses: readonly RedisAddress[],
    isEnough: (answers: readonly Answer[]) => boolean,
  ): Promise<(Answer | Error)[]> {
    const said: (Answer | Error)[] = [];
    this.#asking += 1;
    const ask = async (address: RedisAddress): Promise<void> => {
      try {
        said.push(await this.#askOne(address));
      } catch (error) {
        said.push(error instanceof Error ? error : new Error(String(error)));
      }
    };
    try {
      await askAll(addresses, ask, () => isEnough(said.filter(isAnswer)));
      return [...said];
    } finally {
      this.#asking -= 1;
      this.#rest();
    }
  }

  async #askOne(address: RedisAddress): Promise<Answer> {
    const { masterName, sentinelCredentials, tls: files } = this.target;
    const place = placeOf(address);
    let connection = this.#connections.get(place);
    if (!connection) {
      const socket = socketOptions(files !== null, this.tls);
      connection = new Connection(
        async (ended) => ({ send: await openServer(address, sentinelCredentials, socket, ended) }),
        PATIENCE,
      );
      this.#connections.set(place, connection);
    }
    const ask = (what: string, ...name: string[]): Promise<unknown> =>
      connection.send(['SENTINEL', what, ...name]);
    const [named, watched, others, id] = (await Promise.all([
      ask('GET-MASTER-ADDR-BY-NAME', masterName),
      ask('MASTER', masterName),
      ask('SENTINELS', masterName),
      ask('MYID'),
    ])) as [[string, string], string[], string[][], string];
    const facts = fieldsOf(watched);
    return {
      id,
      address: { host: named[0], port: Number(named[1]) },
      epoch: Number(facts['config-epoch']),
      watched: addressIn(facts),
      flags: facts['flags']!.split(','),
      quorum: Number(facts['quorum'] ?? 0),
      others: new Map(others.map(fieldsOf).map((one) => [one['runid']!, addressIn(one)])),
    };
  }

  /** Ends connections that nobody needs. */
  #rest(): void {
    if (this.#watchers.size > 0 || this.#asking > 0) return;
    clearInterval(this.#looks);
    this.#looks = undefined;
    for (const connection of this.#connections.values()) connection.close();
    this.#connections.clear();
  }
}

function isError(said: Answer | Error): said is Error {
  return said instanceof Error;
}

function isAnswer(said: Answer | Error): said is Answer {
  return !isError(said);
}

/** Whether a Sentinel takes a server for the master and, unless it has just promoted it, for alive. */
function agrees({ address, watched, flags }: Answer, master: NamedMaster): boolean {
  if (placeOf(address) !== placeOf(master.address)) return false;
  return placeOf(watched) !== placeOf(address) || flags.join() === 'master';
}

/** Whether a Sentinel promotes another server than this, or knows of a later master. */
function objects({ address, epoch, watched, flags }: Answer, master: NamedMaster): boolean {
  const ours = placeOf(master.address);
  if (placeOf(address) !== ours && epoch > master.epoch) return true;
  return placeOf(address) === placeOf(watched) && flags.includes('failover_in_progress');
}

export function addressIn(facts: Record<string, string>): RedisAddress {
  return { host: facts['ip'] ?? '', port: Number(facts['port']) };
}

function placeOf({ host, port }: RedisAddress): string {
  return `${host}:${port}`;
}

/** Names and values that stand one after the other. */
export function fieldsOf(words: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < words.length; i += 2) fields[words[i]!] = words[i + 1]!;
  return fields;
}
