import { randomBytes } from 'node:crypto';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import { PASSWORD_MAX_LENGTH } from '../../schemas/limits.js';
import { Turns } from './turns.js';

/** How hard hashing is and how much of it may go on at once. */
export interface PasswordsOptions {
  /** Memory of one hash in KiB. */
  readonly memoryKiB: number;
  /** Passes over that memory. */
  readonly passes: number;
  /** Hashes computed at once, so that logins never take all threads of the runtime's pool. */
  readonly concurrency: number;
  /** Requests that may wait for their turn; further ones are refused. */
  readonly maxWaiting: number;
}

/** OWASP's second recommendation for Argon2id (19 MiB, 2 passes, 1 lane). */
const DEFAULT_PASSWORDS: PasswordsOptions = {
  memoryKiB: 19_456,
  passes: 2,
  concurrency: 2,
  maxWaiting: 256,
};

/**
 * Hashes and checks passwords with Argon2id. At most `concurrency` run at once and `maxWaiting` wait,
 * first come, first served; beyond that calls are refused with 503 `SERVICE_UNAVAILABLE`, which
 * clients retry.
 */
export class Passwords {
  private readonly turns: Turns;

  private constructor(
    private readonly options: PasswordsOptions,
    /** Hash of a password nobody knows; checked where there is no account. */
    private readonly dummy: string,
  ) {
    const { concurrency, maxWaiting } = options;
    this.turns = new Turns(concurrency, maxWaiting, 'Too many passwords are being checked');
  }

  /** Makes the service and the hash that stands for accounts that do not exist. */
  static async create(options: PasswordsOptions = DEFAULT_PASSWORDS): Promise<Passwords> {
    return new Passwords(options, await hashWith(options, randomBytes(32).toString('hex')));
  }

  /**
   * The hash to store.
   * @throws ApiError 503 when too many wait
   */
  hash(password: string): Promise<string> {
    return this.turns.take(() => hashWith(this.options, password));
  }

  /**
   * Whether the password belongs to the stored hash. Without a hash (no such account, or one that
   * never had a password) it takes as long and says no, so that the time tells nothing.
   * @throws ApiError 503 when too many wait
   */
  async verify(hash: string | null, password: string): Promise<boolean> {
    // Twice, because a code point is one or two units. No stored password is longer.
    const possible = hash !== null && password.length <= 2 * PASSWORD_MAX_LENGTH;
    const right = await this.turns.take(() =>
      possible ? argon2Verify(hash, password) : argon2Verify(this.dummy, 'no such password'),
    );
    return possible && right;
  }
}

/** The package makes Argon2id, version 19, unless told otherwise. It hashes in the runtime's thread pool. */
function hashWith(options: PasswordsOptions, password: string): Promise<string> {
  return argon2Hash(password, {
    memoryCost: options.memoryKiB,
    timeCost: options.passes,
    parallelism: 1,
  });
}
