/**
 * Limits what makes this server send mail to addresses that somebody names (requests.md#rate-limits).
 * Refused attempts do not count.
 */
export interface MailLimiter {
  /**
   * Somebody without an account asks for a mail. @param address the network address they come from
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  mailFrom(address: string): void;
  /**
   * Somebody asks for a password reset, which causes a mail too.
   * @param address the network address they come from
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  passwordReset(email: string, address: string): void;
  /** A user asks for another address. @throws ApiError `RATE_LIMIT_HIT` */
  emailChange(userId: number): void;
}

/** Counts nothing: for load tests, with rate limits switched off. */
export const unlimitedMails: MailLimiter = {
  mailFrom: () => undefined,
  passwordReset: () => undefined,
  emailChange: () => undefined,
};
