/**
 * The numbers of the wire contract. Everything a client is told in a snapshot, and everything the
 * server refuses or cuts by, comes from here. Lengths count Unicode code points unless said.
 */

/** Highest feature level the seed's Versioning table names; register.md section 2. */
export const FEATURE_LEVEL = 496;
/** What clients parse to decide whether they support us; register.md section 2. */
export const ZULIP_VERSION = '12.0';

/* register.md section 4.4: lengths and sizes. */
/** Longer message text is cut, not refused (endpoints.md section B.2). */
export const MAX_MESSAGE_LENGTH = 10_000;
export const MAX_TOPIC_LENGTH = 60;
export const MAX_STREAM_NAME_LENGTH = 60;
export const MAX_STREAM_DESCRIPTION_LENGTH = 1024;
export const MAX_CHANNEL_FOLDER_NAME_LENGTH = 60;
export const MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH = 1024;
export const MAX_REMINDER_NOTE_LENGTH = 1000;
export const MAX_BULK_NEW_SUBSCRIPTION_MESSAGES = 100;
export const MAX_FILE_UPLOAD_SIZE_MIB = 25;
export const MAX_AVATAR_FILE_SIZE_MIB = 5;
export const MAX_ICON_FILE_SIZE_MIB = 5;
export const MAX_LOGO_FILE_SIZE_MIB = 5;

/* register.md section 4.5: timing and protocol. */
export const EVENT_QUEUE_LONGPOLL_TIMEOUT_SECONDS = 90;
export const PRESENCE_PING_INTERVAL_SECONDS = 60;
export const PRESENCE_OFFLINE_THRESHOLD_SECONDS = 200;
export const TYPING_STARTED_WAIT_PERIOD_MILLISECONDS = 30_000;
export const TYPING_STOPPED_WAIT_PERIOD_MILLISECONDS = 12_000;
export const TYPING_STARTED_EXPIRY_PERIOD_MILLISECONDS = 45_000;
export const MIN_DEACTIVATED_REALM_DELETION_DAYS = 14;

/* register.md sections 1 and 6.4: presence. */
export const PRESENCE_HISTORY_LIMIT_DAYS = 14;
/** A user whose last input is at most this older than the last report is `active`. */
export const PRESENCE_ACTIVE_WINDOW_SECONDS = 70;
/** At most one stored report per user in this time, unless idle becomes active. */
export const PRESENCE_WRITE_INTERVAL_SECONDS = 55;

/* events.md sections 2.4 and 2.5: heartbeat and idle expiry. */
/** A held poll gets a heartbeat after this, plus a random time up to the jitter. */
export const HEARTBEAT_SECONDS = 45;
export const HEARTBEAT_JITTER_SECONDS = 10;
export const IDLE_QUEUE_TIMEOUT_SECONDS = 600;
/** What `idle_queue_timeout` `mobile` means. */
export const MOBILE_IDLE_QUEUE_TIMEOUT_SECONDS = 43_200;
/** Larger timeouts are lowered to this. */
export const MAX_IDLE_QUEUE_TIMEOUT_SECONDS = 604_800;

/* register.md section 4.2: passwords. */
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 100;
export const PASSWORD_MIN_GUESSES = 10_000;

/* register.md section 4.1 and endpoints.md section G.1: the organization's own texts. */
export const MAX_REALM_NAME_LENGTH = 40;
export const MAX_REALM_DESCRIPTION_LENGTH = 1000;
export const MAX_WELCOME_MESSAGE_LENGTH = 8000;
/** Shown in place of the empty topic to clients that cannot show it. */
export const EMPTY_TOPIC_DISPLAY_NAME = 'general chat';

/* endpoints.md section C.3: display names, checked by the handler in its own words. */
export const MIN_FULL_NAME_LENGTH = 2;
export const MAX_FULL_NAME_LENGTH = 100;

/* endpoints.md section B.3: reading messages. */
/** Largest `num_before` + `num_after`. */
export const MAX_MESSAGES_PER_FETCH = 5000;
/** The anchor that means "newest"; larger ones are lowered to it. */
export const LARGEST_ANCHOR = 10_000_000_000_000_000;

/* endpoints.md section A.1 and register.md section 6: fan-out. */
/** No typing events in channels with more subscribers. */
export const MAX_TYPING_SUBSCRIBERS = 100;
/** With `include_subscribers=partial`, channels from this size on list some subscribers only. */
export const PARTIAL_SUBSCRIBERS_THRESHOLD = 250;
/** `unread_msgs` lists at most this many of the newest unread messages. */
export const MAX_UNREAD_MESSAGES = 50_000;
/** `recent_private_conversations` looks at about this many of the newest direct messages. */
export const RECENT_CONVERSATION_MESSAGES = 1000;

/** A form body larger than this is refused whole (errors.md section 8), so no text can be longer. */
export const MAX_BODY_BYTES = 25 * 1024 * 1024;
