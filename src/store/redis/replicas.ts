/** Waiting until replicas have what was written: nothing counts as durable before. */
import { Elapsed } from '../../platform/clock.js';
import { inBackground, untold } from '../../turns/background.js';
import { type ReplicaCount } from '../port.js';
import { TooFewReplicasError, UnconfirmedMasterError } from '../too-few-replicas.js';
import type { Behind, Connection } from './connection.js';
import { InSync, type Acknowledged } from './in-sync.js';

/** How long the server waits for its replicas at a time. Milliseconds: a lost connection is noticed a while later. */
const WAIT_MS = 500;
/**
 * How long it waits until they have it in their append-only files. Milliseconds: with `appendfsync everysec` they say so once a
 * second, and each further attempt writes something that they must have, too.
 */
const LOG_WAIT_MS = 1500;
/**
 * A master that took so long may have stood still, and been replaced: others take it for dead after a second or more, and
 * one that waited in vain for a replica answers sooner. Milliseconds.
 */
const LONG_MS = 800;

/** What replicas are waited for, and how. */
export interface ReplicasWanted {
  /** How many of them must have a commit. */
  readonly wanted: number;
  /** Whether they, and the server itself, must have it in their append-only files. */
  readonly inLog: boolean;
  /** Whether somebody promotes replicas by himself, and can be asked: Sentinels, or a Cluster. */
  readonly hasPromoters: boolean;
}

/** A script that was sent, with what is behind it. */
export interface Sent {
  /** What it was sent over. */
  readonly client: object | null;
  /** How many replicas were waited for. */
  readonly asked: number;
  readonly took: Elapsed;
}

/**
 * The replicas that a writer waits for, and the connection over which it writes and waits. Where others promote replicas, the
 * word of `wanted` is not enough: a master that stood still meanwhile, or is cut off, may have some of its replicas on its side
 * when another has taken its place. So a change counts when all that were in step have it, or when those who promote say,
 * after `wanted` had it, that the master still is one.
 */
export class Replicas {
  #have: number | null = null;
  #isUnconfirmed = false;
  #inSync = new InSync();
  /** Whose replicas these are. */
  #client: object | null = null;

  /** @param connection for nothing that others wait for: while the server waits, it answers nothing else there */
  constructor(
    readonly connection: Connection,
    private readonly options: ReplicasWanted,
  ) {}

  get wanted(): number {
    return this.options.wanted;
  }

  /**
   * To be sent behind a script that writes: WAIT counts what its own connection wrote, so on one that has written nothing it
   * would answer at once, and say nothing.
   */
  get behind(): Behind {
    return this.#waitFor(this.#count);
  }

  /** Waits for none: what the server lets this user do. */
  get waits(): readonly (readonly string[])[] {
    const wait = ['WAIT', '0', '1'];
    return this.options.inLog ? [wait, ['WAITAOF', '0', '0', '1']] : [wait];
  }

  /** How many are waited for. */
  get #count(): number {
    const isSame = this.#client === this.connection.present;
    return Math.max(this.wanted, isSame ? this.#inSync.size : 0);
  }

  #waitFor(count: number): Behind {
    const { wanted, inLog, hasPromoters } = this.options;
    const wait = ['WAIT', String(count), String(WAIT_MS)];
    const commands = [
      ...(inLog ? [wait, waitForLog(wanted)] : [wait]),
      ...(hasPromoters ? [INFO] : []),
    ];
    return { commands, blockMs: WAIT_MS + (inLog ? LOG_WAIT_MS : 0) };
  }

  /** To be called when a script was sent, before anything else happens. */
  sent(): Sent {
    return { client: this.connection.present, asked: this.#count, took: new Elapsed() };
  }

  /** Whether what was written counts, by the replies to `behind`. */
  async keep({ client, asked, took }: Sent, replies: readonly unknown[]): Promise<boolean> {
    const said = this.#take(asked, replies);
    this.#isUnconfirmed = false;
    if (said === null) return false;
    if (!this.options.hasPromoters) return true;
    if (client !== this.#client) {
      this.#client = client;
      this.#inSync = new InSync();
    }
    const inSync = this.#inSync;
    const isSame = client !== null && client === this.connection.present;
    if (isSame && inSync.haveAll(said) && took.ms < LONG_MS) return true;
    this.#isUnconfirmed = !(await this.connection.confirm(client));
    if (this.#isUnconfirmed) return false;
    inSync.confirmed(said);
    return true;
  }

  /** What the server says, where enough have it; null where too few do. */
  #take(asked: number, replies: readonly unknown[]): Acknowledged | null {
    const { inLog } = this.options;
    const [have, ...others] = replies as [number, ...unknown[]];
    const [own, logged] = inLog ? (others.shift() as [number, number]) : [1, have];
    this.#have = Math.min(have, logged);
    return own > 0 && this.#have >= this.wanted ? { asked, have, info: String(others[0]) } : null;
  }

  /** By the last answer; undefined before the first. */
  get count(): ReplicaCount | undefined {
    return this.#have === null ? undefined : { have: this.#have, wanted: this.wanted };
  }

  /** Counts them again: those that are gone are missed before a commit waits for them. */
  look(): void {
    const { commands, blockMs } = this.#waitFor(this.wanted);
    const [wait, ...others] = commands;
    inBackground(async () => {
      const sent = this.connection.send(wait!, 0, { commands: others, blockMs });
      const { client } = this.sent();
      const said = this.#take(this.wanted, (await sent) as unknown[]);
      // Before a commit waits for all of them: one that has come may be promoted before the next.
      if (said !== null && client === this.#client) this.#inSync.admit(said.info);
    }, untold);
  }

  /** Why what was written did not count when it was last asked. */
  tooFew(): TooFewReplicasError {
    const [have, { wanted }] = [this.#have ?? 0, this];
    return this.#isUnconfirmed
      ? new UnconfirmedMasterError(have, wanted)
      : new TooFewReplicasError(have, wanted);
  }
}

const INFO = ['INFO', 'replication'];

/**
 * To be sent behind WAIT, for as many as must have a change: one without a file never says that it has it, and would cost
 * each change the whole time. Alone it takes a second, whatever `appendfsync` says: a replica that is asked answers before it writes
 * its file, and is not asked again. Behind WAIT it asks once more, of what is in the file by then: 0.4 ms in place of 975.
 */
function waitForLog(count: number): string[] {
  return ['WAITAOF', '1', String(count), String(LOG_WAIT_MS)];
}

/** @throws Error for a server that does not let this user wait for its replicas, or for their files */
export async function assertWaits({ connection, waits }: Replicas): Promise<void> {
  for (const command of waits) await connection.retry(() => connection.send(command));
}
