/** Waiting until replicas have what was written: nothing counts as durable before. */
import { inBackground, untold } from '../../turns/background.js';
import { type ReplicaCount } from '../port.js';
import { TooFewReplicasError } from '../too-few-replicas.js';
import type { Behind, Connection } from './connection.js';

/** How long the server waits for its replicas at a time. Milliseconds: a lost connection is noticed a while later. */
const WAIT_MS = 500;

/** The replicas that a writer waits for, and the connection over which it writes and waits. */
export class Replicas {
  #have: number | null = null;

  /**
   * @param connection for nothing that others wait for: while the server waits, it answers nothing else there
   * @param wanted how many of them must have a commit
   * @param inLog whether they, and the server itself, must have it in their append-only files
   */
  constructor(
    readonly connection: Connection,
    readonly wanted: number,
    private readonly inLog: boolean,
  ) {}

  /**
   * To be sent behind a script that writes: WAIT counts what its own connection wrote, so on one that has written nothing it
   * would answer at once, and say nothing.
   */
  get wait(): Behind {
    const [wanted, ms] = [String(this.wanted), String(WAIT_MS)];
    const command = this.inLog ? ['WAITAOF', '1', wanted, ms] : ['WAIT', wanted, ms];
    return { command, blockMs: WAIT_MS };
  }

  /** Whether enough have it, by the reply to `wait`. */
  areEnough(reply: unknown): boolean {
    const [own, replicas] = this.inLog ? (reply as [number, number]) : [1, reply as number];
    this.#have = replicas;
    return own > 0 && replicas >= this.wanted;
  }

  /** By the last answer; undefined before the first. */
  get count(): ReplicaCount | undefined {
    return this.#have === null ? undefined : { have: this.#have, wanted: this.wanted };
  }

  /** Counts them again: those that are gone are missed before a commit waits for them. */
  look(): void {
    const { command, blockMs } = this.wait;
    inBackground(async () => {
      this.areEnough(await this.connection.send(command, blockMs));
    }, untold);
  }

  /** Too few had it when they were last asked. */
  tooFew(): TooFewReplicasError {
    return new TooFewReplicasError(this.#have ?? 0, this.wanted);
  }
}

/** @throws Error for a server that does not let this user wait for its replicas */
export async function assertWaits({ connection }: Replicas): Promise<void> {
  await connection.retry(() => connection.send(['WAIT', '0', '1']));
}
