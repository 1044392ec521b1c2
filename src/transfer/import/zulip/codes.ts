/** Numbers that the database behind a Zulip export has for what is a word here. */

/** Words by their numbers. */
export type Codes = Readonly<Record<number, string>>;

/** Settings of the organization. */
export const REALM_CODES: Readonly<Record<string, Codes>> = {
  message_edit_history_visibility_policy: { 1: 'all', 2: 'moves', 3: 'none' },
  topics_policy: { 2: 'allow_empty_topic', 3: 'disable_empty_topic' },
};

/** Settings of people. */
export const USER_CODES: Readonly<Record<string, Codes>> = {
  resolved_topic_notice_auto_read_policy: { 1: 'always', 2: 'except_followed', 3: 'never' },
};

/** `topics_policy` of channels. */
export const CHANNEL_TOPICS: Codes = {
  1: 'inherit',
  2: 'allow_empty_topic',
  3: 'disable_empty_topic',
  4: 'empty_topic_only',
};

/** Kinds of what waits to be sent. */
export const DELIVERY = { message: 1, reminder: 2 } as const;

/** The word for a number; what is no number of them stays as it is. */
export function worded(codes: Codes | undefined, value: unknown): unknown {
  return codes && typeof value === 'number' ? (codes[value] ?? value) : value;
}

/** The number for a word. */
export function coded(codes: Codes | undefined, value: unknown): unknown {
  if (!codes) return value;
  const found = Object.entries(codes).find(([, word]) => word === value);
  return found ? Number(found[0]) : value;
}
