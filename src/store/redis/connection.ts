/**
 * One connection to Redis that replaces itself: a client that failed, or did not answer in time, is
 * thrown away, and the next command opens another.
 */
import { ErrorReply } from 'redis';
import { monotonicTime } from '../../platform/time.js';
import { pause as sleep, setTimeout, clearTimeout } from '../../platform/timers.js';
import { DamagedError } from '../port.js';
import type { NodeClient } from './server-client.js';
import { NotConnectedError, RedisUnavailableError } from './errors.js';
import { inBackground, onceSettled, untold } from '../../turns/background.js';

/** How long a connection is waited for. */
export interface Patience {
  /** How long a reply may take before the connection counts as dead. Milliseconds. */
  readonly replyMs: number;
  /** How long a request may wait in all, reconnecting and trying again. Milliseconds. */
  readonly waitMs: number;
}

/** What is sent right behind a command over the same connection. */
export interface Behind {
  readonly commands: readonly (readonly string[])[];
  /** How long they may wait on the server. Milliseconds. */
  readonly blockMs: number;
}

/** Answers that say "not now": nothing was done, and soon it may be. */
const NOT_NOW = /^(LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|READONLY|MOVED|ASK)/;
/**
 * Answers by the state the server is in: full, failing to persist, without its replicas, asking for
 * a password that was not asked for before, or no longer allowing a command, which it names (but for Redis 7 within a
 * script). It may last, so nobody waits for its end in line.
 */
const UNFIT =
  /^(OOM|MISCONF|NOREPLICAS|NOAUTH|NOPERM|ERR The user executing the script|ERR ACL failure in script)/;
/** Those that, as the first answer of all, say that the URL is wrong. */
const STRANGER = /^(NOAUTH|NOPERM)/;
/** Those of the first kind that another connection may lead past. */
const ELSEWHERE = /^(READONLY|MOVED|ASK|CLUSTERDOWN)/;
/** Refusals of what waits for replicas and lists them, which was sent behind a command that may have been done. */
const WAIT_REFUSED = /^UNBLOCKED|\bWAIT(AOF)?\b|'(wait(aof)?|info)\b/;
/** A server that has not answered for so long may have been replaced, milliseconds: Clusters take it for dead after a second or more. */
const LATE_MS = 1000;
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 500;

/** Whether the server answered, if only to refuse: what was asked has not been done and never will. */
export function isRefusal(error: unknown): error is ErrorReply {
  return error instanceof ErrorReply;
}

/** Whether asking again may help. */
export function mayPass(error: unknown): boolean {
  return !isRefusal(error) || NOT_NOW.test(error.message);
}

/** Whether what was asked may have been done, or may yet be, although no answer came. */
export function isLostReply(error: unknown): boolean {
  return !isRefusal(error) && !(error instanceof NotConnectedError);
}

/** A client from its opening to its end. */
interface Client {
  readonly opened: Promise<NodeClient>;
  readonly ended: AbortController;
  /** Others are being asked about its server. */
  isSuspected: boolean;
}

/** One connection that opens itself again; requests wait for it as long as its patience says. */
export class Connection {
  #client: Client | null = null;
  #closed = false;
  /** Whether the server ever did what it was told: address and password were right then. */
  #answered = false;
  /** Commands that wait for an answer. */
  #awaited = 0;
  /** Called when the server did not answer in time. */
  onSilence: () => void = () => undefined;

  constructor(
    /** Opens a client that ends when the signal aborts. */
    private readonly open: (ended: AbortSignal) => Promise<NodeClient>,
    readonly patience: Patience,
  ) {}

  /**
   * Sends a command once. Rejects with the server's refusal, with NotConnectedError, or with another
   * error when it is not known whether the command was received.
   * @param blockMs how long the command itself may wait on the server
   * @param behind others, sent right behind it over the same connection: all replies are the result then. Where one of those
   *   is refused, it is not known what became of the first
   */
  async send(command: readonly string[], blockMs = 0, behind?: Behind): Promise<unknown> {
    if (this.#closed) throw new Error('The connection is closed');
    const client = (this.#client ??= this.#open());
    this.#awaited += 1;
    try {
      const blocked = blockMs + (behind?.blockMs ?? 0);
      const ms = this.patience.replyMs + blocked;
      const reply = await this.#answer(client, command, ms, blocked, behind?.commands);
      this.#answered = true;
      return reply;
    } catch (given) {
      const isOfWait = behind && isRefusal(given) && WAIT_REFUSED.test(given.message);
      const error = isOfWait ? new Error(given.message, { cause: given }) : given;
      if (!isRefusal(error) || ELSEWHERE.test(error.message)) this.#discard(client);
      throw error;
    } finally {
      this.#awaited -= 1;
    }
  }

  /**
   * Does something that may safely be done twice, until it succeeds or patience ends.
   * @throws RedisUnavailableError at once, too, where the server's state forbids it
   */
  async retry<T>(action: () => Promise<T>): Promise<T> {
    const pauses = this.pauses();
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (this.#closed || error instanceof DamagedError) throw error;
        if (!mayPass(error)) throw this.#isUnfit(error) ? new RedisUnavailableError(error) : error;
        if (!(await pauses.next())) throw new RedisUnavailableError(error);
      }
    }
  }

  /** Pauses between attempts, longer each time; `next` answers false when patience has ended. */
  pauses(): { next(): Promise<boolean> } {
    const end = monotonicTime() + this.patience.waitMs;
    let pause = FIRST_PAUSE_MS;
    return {
      next: async () => {
        const left = end - monotonicTime();
        if (left <= 0) return false;
        await sleep(Math.min(pause, left));
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
        return !this.#closed;
      },
    };
  }

  /**
   * Another connection to the server found it silent, and so would the next command here, after as long: it opens another client,
   * unless one waits for an answer.
   */
  doubt(): void {
    if (this.#client !== null && this.#awaited === 0) this.#discard(this.#client);
  }

  /** What commands are sent over now; another one once it has ended. */
  get present(): object | null {
    return this.#client;
  }

  /** Whether those who promote replicas say that commands are sent to the master now, and were over this. */
  async confirm(client: object | null): Promise<boolean> {
    const asked = this.#client;
    if (asked === null || asked !== client) return false;
    try {
      const { isConfirmed } = await asked.opened;
      return (await isConfirmed?.()) === true;
    } catch {
      return false;
    }
  }

  /** Opens another client where this is still the present one: its server is not the one that is meant. */
  replace(client: object | null): void {
    if (this.#client !== null && this.#client === client) this.#discard(this.#client);
  }

  /** Ends the connection for good. */
  close(): void {
    this.#closed = true;
    if (this.#client !== null) this.#discard(this.#client);
  }

  #open(): Client {
    const ended = new AbortController();
    return { opened: this.open(ended.signal), ended, isSuspected: false };
  }

  #answer(
    client: Client,
    command: readonly string[],
    timeoutMs: number,
    blockMs: number,
    behind?: readonly (readonly string[])[],
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      let late = false;
      const begun = monotonicTime();
      const wait = (ms: number): NodeJS.Timeout =>
        setTimeout(() => {
          const left = begun + timeoutMs - monotonicTime();
          if (left > 1) {
            inBackground(() => this.#suspect(client), untold);
            timer = wait(Math.min(left, LATE_MS));
            return;
          }
          late = true;
          reject(new Error(`No answer within ${timeoutMs} ms`));
          this.onSilence();
        }, ms);
      let timer = wait(Math.min(timeoutMs, blockMs + LATE_MS));
      const answered = client.opened
        .then(
          ({ send }) => (late ? undefined : send(command, behind)),
          (cause: unknown) => {
            this.#discard(client);
            // What was let in once may be again: e.g. a password is being changed.
            throw isRefusal(cause) && !this.#answered ? cause : new NotConnectedError(cause);
          },
        )
        .finally(() => clearTimeout(timer));
      onceSettled(answered, resolve, reject);
    });
  }

  /** Its server does not answer: where another has its place, nobody waits for it any longer. */
  async #suspect(client: Client): Promise<void> {
    if (client.isSuspected) return;
    client.isSuspected = true;
    try {
      const { isReplaced } = await client.opened;
      if (await isReplaced?.()) this.#discard(client);
    } finally {
      client.isSuspected = false;
    }
  }

  #isUnfit(error: unknown): boolean {
    if (!isRefusal(error) || !UNFIT.test(error.message)) return false;
    return this.#answered || !STRANGER.test(error.message);
  }

  #discard(client: Client): void {
    if (this.#client === client) this.#client = null;
    client.ended.abort();
  }
}
