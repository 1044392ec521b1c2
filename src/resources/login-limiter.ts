/**
 * Limits login attempts by user name (errors.md section 7), whoever makes them and from wherever. The
 * handler of `POST /fetch_api_key` calls `attempt` before it looks at the password, and `succeeded`
 * after a right one.
 */
export interface LoginLimiter {
  /**
   * Counts one attempt.
   * @throws ApiError `RATE_LIMIT_HIT` when there were too many; the refused attempt does not count
   */
  attempt(userName: string): Promise<void>;
  /** Forgets the attempts of this user name. */
  succeeded(userName: string): Promise<void>;
}

/** Counts nothing: for load tests, with rate limits switched off. */
export const unlimitedLogins: LoginLimiter = {
  attempt: async () => undefined,
  succeeded: async () => undefined,
};
