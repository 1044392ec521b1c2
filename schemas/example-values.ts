/*
 * Values that the examples of requests share. Sent by the owner of a new organization, each example succeeds, as long
 * as those that create something come before those that need it. The numbers are ids in such an organization.
 */

/** The owner. */
export const OWNER = 4;
/** The account that `create-user` makes, and the bot of `create-bot`. */
export const [OPHELIA, BOT] = [5, 6];
/** The first channel, and that of `create-channel`. */
export const [GENERAL, VERONA] = [1, 2];
/** The first message, the number `create-scheduled-message` takes, and what `send-message` sends then. */
export const [MESSAGE, SCHEDULED, SENT] = [1, 2, 3];
/** The first group that is not the system's: that of `create-user-group`. */
export const GROUP = 9;
/** 2030-01-01T09:00:00Z. */
export const LATER = 1_893_488_400;

export const LINKIFIER = {
  pattern: '#(?P<id>[0-9]+)',
  url_template: 'https://tracker.example.com/{id}',
};
export const DRAFT = {
  type: 'stream',
  to: [GENERAL],
  topic: 'castle',
  content: 'Who’s',
  timestamp: 1_750_000_000,
};
export const FILE = { realm_id: 1, file_path: '4e/m2QxNGNlYTktMzU4NS00/ghost.txt' };
