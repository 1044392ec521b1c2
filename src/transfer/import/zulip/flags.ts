/** Bits of `flags_mask`: what a message is to somebody in a Zulip export. */
export const FLAGS = {
  read: 1,
  starred: 1 << 1,
  collapsed: 1 << 2,
  mentioned: 1 << 3,
  channelWildcard: 1 << 4,
  topicWildcard: 1 << 5,
  groupMentioned: 1 << 6,
  alerted: 1 << 9,
  /** The user got it later than others, for a flag alone. */
  historical: 1 << 10,
  direct: 1 << 11,
} as const;
