import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import { randomBytes } from '../../platform/randomness.js';
import { PASSWORD_MAX_LENGTH } from '../../../schemas/limits.js';
import { addressKey } from './address-key.js';
import { FairLimiter, type Claimant } from '../../turns/fair-limiter.js';

/** How hard hashing is and how much of it may go on at once. */
export interface PasswordsOptions {
  /** Memory of one hash in KiB. */
  readonly memoryKiB: number;
  /** Passes over that memory. */
  readonly passes: number;
  /** Hashes computed at once, so that logins never take all threads of the runtime's pool. */
  readonly concurrency: number;
  /** Requests that may wait for their turn; whoever would be last is refused when there are more. */
  readonly maxWaiting: number;
}

/** OWASP's second recommendation for Argon2id (19 MiB, 2 passes, 1 lane). */
const DEFAULT_PASSWORDS: PasswordsOptions = {
  memoryKiB: 19_456,
  passes: 2,
  concurrency: 2,
  // Some 2 s of work at 30 ms a hash, two at once.
  maxWaiting: 128,
};

/** Nobody waits longer for a hash, in milliseconds: by then most clients have given up. */
const MAX_WAIT_MS = 5000;

/** The claimant where no request asks: the server itself. */
const SERVER: Claimant = { source: '', account: '', isKnown: true };

/**
 * Somebody who is not logged in, by the address of the request, and the account they mean.
 * @param isKnown whether somebody logged in to the account from there before
 */
export function claimantAt(remoteAddress: string, account: string, isKnown = false): Claimant {
  return { source: addressKey(remoteAddress), account, isKnown };
}

/** A user who is logged in. */
export function claimantOf(userId: number): Claimant {
  return { source: `user ${userId}`, account: '', isKnown: true };
}

/**
 * Hashes and checks passwords with Argon2id. At most `concurrency` run at once and `maxWaiting` wait; whose
 * turn is next, and who is refused with 503 `SERVICE_UNAVAILABLE`, depends on what their source and account
 * had lately ({@link FairLimiter}): a storm of guesses from some addresses does not delay the login of others. Who is
 * logged in, or comes from a place of their account, goes first: a storm from very many addresses delays strangers alone.
 */
export class Passwords {
  private readonly limiter: FairLimiter;

  private constructor(
    private readonly options: PasswordsOptions,
    /** Checked where there is no account. */
    private readonly dummy: string,
  ) {
    const { concurrency, maxWaiting } = options;
    const limits = { concurrency, maxWaiting, maxWaitMs: MAX_WAIT_MS };
    this.limiter = new FairLimiter(limits, 'Too many passwords are being checked');
  }

  /** Makes the service and the hash that stands for accounts that do not exist. */
  static create(options: PasswordsOptions = DEFAULT_PASSWORDS): Passwords {
    return new Passwords(options, hashOfNobody(options));
  }

  /**
   * The hash to store.
   * @param claimant who has to wait when there is much to do; the server itself where nobody is named
   * @throws ApiError 503 when too many wait
   */
  hash(password: string, claimant = SERVER): Promise<string> {
    return this.limiter.run(claimant, () => hashWith(this.options, password));
  }

  /**
   * Whether the password belongs to the stored hash. Without a hash (no such account, or one that
   * never had a password) it takes as long and says no, so that the time tells nothing.
   * @param claimant as for `hash`
   * @throws ApiError 503 when too many wait
   */
  async verify(hash: string | null, password: string, claimant = SERVER): Promise<boolean> {
    // Twice, because a code point is one or two units. No stored password is longer.
    const possible = hash !== null && password.length <= 2 * PASSWORD_MAX_LENGTH;
    const right = await this.limiter.run(claimant, () =>
      possible ? argon2Verify(hash, password) : argon2Verify(this.dummy, 'no such password'),
    );
    return possible && right;
  }
}

/** A hash that no password is known to have, in the PHC string format: as dear to check as any. */
function hashOfNobody({ memoryKiB, passes }: PasswordsOptions): string {
  const [salt, digest] = [16, 32].map((length) =>
    randomBytes(length).toString('base64').replaceAll('=', ''),
  );
  return `$argon2id$v=19$m=${memoryKiB},t=${passes},p=1$${salt}$${digest}`;
}

/** The package makes Argon2id, version 19, unless told otherwise. It hashes in the runtime's thread pool. */
function hashWith(options: PasswordsOptions, password: string): Promise<string> {
  return argon2Hash(password, {
    memoryCost: options.memoryKiB,
    timeCost: options.passes,
    parallelism: 1,
  });
}
