import { FairLimiter, type FairLimits } from '../../turns/fair-limiter.js';
import type { HeldReplies } from './held-replies.js';

/**
 * Large replies in the making at once. They share one thread, so more would not be made faster; a page of messages
 * takes up to 40 MB until its text is encoded and compressed.
 */
const USUAL: FairLimits = { concurrency: 4, maxWaiting: 1000, maxWaitMs: 60_000 };

/** The turn of a request that has a large reply. */
export interface ReplyTurn {
  /** Resolves when its reply may be made. @throws ApiError 503 when too many wait, or it has waited for too long */
  begin(): Promise<void>;
  /** Its reply is made, or there will be none; also where it never began. */
  end(): void;
}

/**
 * ReplyTurns bounds the memory of large replies in the making: a few are made at once, the next one for the source
 * that had the fewest lately ({@link FairLimiter}), and none for a source that has not read what it has.
 */
export class ReplyTurns {
  private readonly limiter: FairLimiter;

  /** @param held replies that are made and wait for their readers */
  constructor(
    private readonly held: HeldReplies,
    limits: FairLimits = USUAL,
  ) {
    this.limiter = new FairLimiter(limits, 'Too many large replies are being made');
  }

  /** @param source whose it is: a user, or an address */
  of(source: string): ReplyTurn {
    let leave: (() => void) | null = null;
    let hasEnded = false;
    const begin = async (): Promise<void> => {
      for (;;) {
        await this.held.room(source);
        leave = await this.enter(source);
        if (!hasEnded && this.held.hasRoom(source)) return;
        leave();
        if (hasEnded) return;
      }
    };
    let begun: Promise<void> | undefined;
    return {
      begin: () => (begun ??= begin()),
      end: () => {
        hasEnded = true;
        leave?.();
      },
    };
  }

  /** Waits for a place. @returns gives it back */
  private enter(source: string): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const stay = (): Promise<void> => new Promise((leave) => resolve(leave));
      this.limiter.run({ source, account: source }, stay).catch(reject);
    });
  }
}
