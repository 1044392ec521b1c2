/** What an option of the command line is, and the words that some of them take. */

/** How much is logged, from most to nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
/** What of other servers messages show, from nothing to most. */
export const LINK_PREVIEWS = ['off', 'pictures', 'pages'] as const;
/** One of {@link LINK_PREVIEWS}. */
export type LinkPreviews = (typeof LINK_PREVIEWS)[number];
/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One option: a flag and the environment variable with the same meaning. */
export interface Option {
  readonly flag: string;
  readonly variable: string;
  readonly value: string;
  readonly fallback: string;
  readonly help: string;
  /** May be given several times; the values are put together. */
  readonly isList?: boolean;
  /** Matches the secret in values that hold one; such an option may also be given by a file. */
  readonly secret?: RegExp;
}
