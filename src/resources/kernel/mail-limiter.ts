/**
 * Limits requests that make this server send mail to an address in the request (requests.md#rate-limits).
 * Refused attempts do not count.
 */
export interface MailLimiter {
  /**
   * Counts a mail requested without an account. @param address network address of the client
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  mailFrom(address: string): void;
  /**
   * Counts a password reset, which sends a mail too.
   * @param address network address of the client
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  passwordReset(email: string, address: string): void;
  /** Counts a user's change of address. @throws ApiError `RATE_LIMIT_HIT` */
  emailChange(userId: number): void;
}

/** Counts nothing: for load tests, with rate limits switched off. */
export const unlimitedMails: MailLimiter = {
  mailFrom: () => undefined,
  passwordReset: () => undefined,
  emailChange: () => undefined,
};
