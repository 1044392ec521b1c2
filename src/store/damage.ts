/** Errors for what a store does not have as it was written. */

/** What an operator does about damage; `parley verify` itself leaves the first half out. */
export const VERIFY_ADVICE =
  'Run parley verify to see what else is, and restore the store from a backup';

/** The store does not have what was written: bits flipped, keys deleted, or somebody else wrote there. */
export class DamagedError extends Error {
  /**
   * @param store its description
   * @param subject what is damaged, e.g. `user:4`
   * @param problem what is wrong with it, after "is damaged: "
   */
  constructor(
    store: string,
    readonly subject: string,
    readonly problem: string,
    options?: ErrorOptions,
  ) {
    super(`${subject} in ${store} is damaged: ${problem}. ${VERIFY_ADVICE}`, options);
    this.name = 'DamagedError';
  }
}

/** An uploaded file is not what was stored. */
export class DamagedFileError extends DamagedError {
  /** @param subject e.g. `file of attachment:4` */
  constructor(subject: string, problem: string, options?: ErrorOptions) {
    super('the uploaded files', subject, problem, options);
    this.message =
      `The ${subject} is damaged: ${problem}. ` +
      'Run parley verify --files to see which others are, and restore them from a backup';
    this.name = 'DamagedFileError';
  }
}
