/**
 * Limits login attempts by user name (requests.md#rate-limits), whoever makes them and from wherever: names
 * that look alike count together, and so do all names of one account (`guess-counts.ts`). A handler calls
 * `attempt` before it looks at a password, and `succeeded` after a right one.
 */
export interface LoginLimiter {
  /**
   * Counts one attempt.
   * @throws ApiError `RATE_LIMIT_HIT` when there were too many; the refused attempt does not count
   */
  attempt(key: string): Promise<void>;
  /** Forgets the attempts of this key. */
  succeeded(key: string): Promise<void>;
}

/** Counts nothing: for load tests, with rate limits switched off. */
export const unlimitedLogins: LoginLimiter = {
  attempt: async () => undefined,
  succeeded: async () => undefined,
};
