/**
 * The numbers of the wire contract: limits that snapshots show to clients, and by which the server refuses or
 * truncates. Lengths count Unicode code points unless a comment says otherwise.
 */

/** Level of that release; levels.md has what each level up to it changed, and what this server does. */
export const FEATURE_LEVEL = 500;
/**
 * Release of the reference by which clients decide whether they support the server (register.md#always-present): the
 * newest one all of whose levels are true here, never a development version.
 */
export const ZULIP_VERSION = '12.2';

/* register-realm.md#lengths-and-sizes: lengths and sizes. */
/** Longer message text is truncated, not refused (endpoints-messages.md#send-message). */
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
export const MAX_EMOJI_FILE_SIZE_MIB = 5;

/* register-realm.md#timing-and-protocol: timing and protocol. */
export const EVENT_QUEUE_LONGPOLL_TIMEOUT_SECONDS = 90;
export const PRESENCE_PING_INTERVAL_SECONDS = 60;
export const PRESENCE_OFFLINE_THRESHOLD_SECONDS = 200;
export const TYPING_STARTED_WAIT_PERIOD_MILLISECONDS = 30_000;
export const TYPING_STOPPED_WAIT_PERIOD_MILLISECONDS = 12_000;
export const TYPING_STARTED_EXPIRY_PERIOD_MILLISECONDS = 45_000;
export const MIN_DEACTIVATED_REALM_DELETION_DAYS = 14;

/* register.md#request and register-structures.md#presences: presence. */
export const PRESENCE_HISTORY_LIMIT_DAYS = 14;
/** A user whose last input is at most this older than the last report is `active`. */
export const PRESENCE_ACTIVE_WINDOW_SECONDS = 70;
/** At most one report per user in this time is written, unless an idle user becomes active. */
export const PRESENCE_WRITE_INTERVAL_SECONDS = 55;

/* event-queues.md#idle-expiry: idle expiry. */
export const IDLE_QUEUE_TIMEOUT_SECONDS = 600;
/** Meaning of the `idle_queue_timeout` `mobile`. */
export const MOBILE_IDLE_QUEUE_TIMEOUT_SECONDS = 43_200;
/** Larger timeouts are lowered to this. */
export const MAX_IDLE_QUEUE_TIMEOUT_SECONDS = 604_800;

/* register-realm.md#joining-and-accounts: passwords. */
export const PASSWORD_MIN_LENGTH = 8;
export const PASSWORD_MAX_LENGTH = 100;
export const PASSWORD_MIN_GUESSES = 10_000;

/* register-realm.md#identity and endpoints-organization.md#change-organization: the organization's own texts. */
export const MAX_REALM_NAME_LENGTH = 40;
/** Exports of the organization in seven days: each reads every message. */
export const MAX_EXPORTS_A_WEEK = 5;
/** Exports that are listed; the oldest goes for another one, with its file. */
export const MAX_EXPORTS = 50;
/** Of a video call: the link of the call contains it, encrypted. */
export const MAX_CALL_NAME_LENGTH = 200;
export const MAX_REALM_DESCRIPTION_LENGTH = 1000;
export const MAX_WELCOME_MESSAGE_LENGTH = 8000;
/** Shown in place of the empty topic to clients that cannot show it. */
export const EMPTY_TOPIC_DISPLAY_NAME = 'general chat';

/* endpoints-users.md#user-administration: display names, checked by the handler in its own words. */
export const MIN_FULL_NAME_LENGTH = 2;
export const MAX_FULL_NAME_LENGTH = 100;

/* endpoints-users.md#user-administration, endpoints-users.md#presence-and-status and endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields: what people say about themselves. */
export const MAX_STATUS_TEXT_LENGTH = 60;
/** Length of the comment that a deactivated user gets by mail. */
export const MAX_FAREWELL_LENGTH = 2000;
export const MAX_PROFILE_FIELDS = 100;
export const MAX_PROFILE_FIELD_NAME_LENGTH = 40;
export const MAX_PROFILE_FIELD_HINT_LENGTH = 80;
/** Fields that may show in the profile summary. */
export const MAX_PROFILE_SUMMARY_FIELDS = 2;
export const MAX_SHORT_PROFILE_TEXT_LENGTH = 50;
/** Length of long texts and links. */
export const MAX_PROFILE_TEXT_LENGTH = 500;

/* endpoints-bots.md#bots: bots. */
/** Active bots of one owner. */
export const MAX_BOTS_PER_OWNER = 1000;
/** Length of all keys and values of one bot's storage together. */
export const MAX_BOT_STORAGE_LENGTH = 1_000_000;
/** Keys of one bot's storage: it is one document, and each change writes all of it. */
export const MAX_BOT_STORAGE_KEYS = 10_000;

/* endpoints-bots.md#incoming-webhooks. */
/** Largest payload of a webhook, bytes: what takes at most 25 ms to parse; most services send some kilobytes. */
export const MAX_HOOK_BYTES = 1024 * 1024;
/** Kinds of events that one webhook selects. */
export const MAX_HOOK_EVENTS = 100;
/** Unknown kinds of events of which one bot tells its owner: the largest services have some 200, few of them unknown. */
export const MAX_TOLD_EVENTS = 100;
/** Messages that wait for delivery to one outgoing webhook bot; it is not called by more meanwhile. */
export const MAX_WAITING_HOOKS = 100;
/** Characters of the address of an outgoing webhook. */
export const MAX_HOOK_URL_LENGTH = 2000;
/** Characters of the secret that a service signs with. */
export const MAX_WEBHOOK_SECRET_LENGTH = 1000;

/* errors-by-endpoint.md#by-endpoint: names of user groups, checked by the handler in its own words. */
export const MAX_GROUP_NAME_LENGTH = 100;
export const MAX_GROUP_DESCRIPTION_LENGTH = 1024;

/* endpoints-messages.md#read-messages: reading messages. */
/** Largest `num_before` + `num_after`. */
export const MAX_MESSAGES_PER_FETCH = 5000;
/** The anchor that means "newest"; larger ones are lowered to it. */
export const LARGEST_ANCHOR = 10_000_000_000_000_000;

/* endpoints-queues.md#typing and register-structures.md#structures: fan-out. */
/** No typing events in channels with more subscribers. */
export const MAX_TYPING_SUBSCRIBERS = 100;
/** From this number of subscribers on, `partial_subscribers` omits users who were inactive for long. */
export const PARTIAL_SUBSCRIBERS_THRESHOLD = 250;
/** Size of the cache of encoded text that snapshots share; text above it is encoded for each snapshot. */
export const MAX_SNAPSHOT_TEXT_BYTES = 256 * 1024 * 1024;
/** `unread_msgs` lists at most this many of the newest unread messages. */
export const MAX_UNREAD_MESSAGES = 50_000;
/** `recent_private_conversations` looks at about this many of the newest direct messages. */
export const RECENT_CONVERSATION_MESSAGES = 1000;

/** A form body larger than this is refused whole (requests.md#bodies-sizes-faults). */
export const MAX_BODY_BYTES = 25 * 1024 * 1024;

/* Bounds of one request: other requests wait while it is processed (architecture.md#bounded-work). */
/**
 * Longest parameter, and longest all parameters of a request together, in UTF-16 units: parsing as much
 * JSON takes about 10 ms, and 25 ms where it is all brackets.
 */
export const MAX_PARAMETER_LENGTH = 1024 * 1024;
/** Most fields of a form, and of a query (requests.md#bodies-sizes-faults). */
export const MAX_FIELDS = 1000;
/** Longest list of ids, names or addresses in one request. */
export const MAX_LIST_ITEMS = 10_000;
/**
 * Approximate size of all messages in one reply, in UTF-16 units of JSON: a page ends there without claiming
 * to have found the oldest or newest message; a longer list of ids is refused.
 */
export const MAX_MESSAGES_LENGTH = 8 * 1024 * 1024;
/** Largest JSON reply, in bytes; a larger one is refused. */
export const MAX_REPLY_BYTES = 256 * 1024 * 1024;
/** Pairs of a user and a channel that one request subscribes or unsubscribes. */
export const MAX_SUBSCRIPTION_PAIRS = 10_000;
/** Channels that one request may create: each has events and a notice of its own. */
export const MAX_NEW_CHANNELS = 100;
/** Pairs of an invited address and a channel or group. */
export const MAX_INVITATION_PAIRS = 100_000;
/**
 * Pairs of a person whom a change of subgroups, or of a group's state, concerns and distinct permissions of the private
 * channels that name the group: about 30 ms.
 */
export const MAX_VISIBILITY_CHECKS = 50_000;
/** Pairs of people whom a changed group concerns and private channels that they may gain by it. */
export const MAX_VISIBILITY_PAIRS = 500_000;
/** Pairs of a message and a term of a narrow. */
export const MAX_NARROW_PAIRS = 500_000;

/* Invitations and links that are mailed (specification.md#limits; endpoints-invitations.md#invitations and endpoints-invitations.md#sign-up). */
/** `INVITATION_LINK_VALIDITY_MINUTES` unless configured: 10 days. */
export const INVITATION_LINK_VALIDITY_MINUTES = 14_400;
/** A century; longer validities are refused as mistakes. */
export const MAX_INVITATION_MINUTES = 52_560_000;
/** Invitations of one organization in a day of UTC. */
export const MAX_INVITATIONS_PER_DAY = 500;
/** Minimal age of an account, in days, before it may invite in an organization that anybody may join. */
export const MIN_INVITER_AGE_DAYS = 3;
/** Days for which links that confirm an address or reset a password are valid. */
export const CONFIRMATION_LINK_VALIDITY_DAYS = 1;
/** Records of posted mails that are kept, so that a mail that is delivered again is not posted twice. */
export const MAX_RECEIVED_MAILS = 10_000;
/** Queued mails above which more are refused with 503. */
export const MAX_WAITING_MAILS = 20_000;
/**
 * Queued mails above which none about messages are added: these wait, so that links to log in and to sign up still find
 * room.
 */
export const MAX_WAITING_MESSAGE_MAILS = 10_000;
/**
 * Mails that nobody tried to send yet above which no digest is added: the mail server gets them bit by bit, and what
 * somebody waits for is never far behind.
 */
export const MAX_WAITING_DIGESTS = 200;
/** Messages that a round of digests looks at, the newest: 0.2 s of the processor, in stretches. */
export const MAX_DIGEST_MESSAGES = 200_000;
/** Topics of a digest. */
export const MAX_DIGEST_TOPICS = 4;
/** New channels that a digest knows; it names the first ten. */
export const MAX_DIGEST_CHANNELS = 100;
/** Messages that one notification mail shows a user; further ones are counted. */
export const MAX_MISSED_MESSAGES = 100;
/**
 * Messages in all that wait for notification by mail, some 40 bytes each; above it none are added, and the log says so.
 */
export const MAX_MISSED_IN_ALL = 1_000_000;
/**
 * Lists of receivers who are told of a message if their clients turn out to have vanished, some 300 bytes each: each is
 * kept for ten minutes. Above it nobody is asked again.
 */
export const MAX_NOTIFICATION_WATCHES = 50_000;
/** Pushes that wait for their services, some 300 bytes each; above it none are added, and the log says so. */
export const MAX_WAITING_PUSHES = 50_000;
/** Messages whose notices on a user's devices are remembered, to take them away: more than a device shows. */
export const MAX_PUSHED_MESSAGES = 200;
/** Domains an organization may allow. */
export const MAX_REALM_DOMAINS = 1000;

/* endpoints-invitations.md#new-account: earlier messages that a new account gets. */
export const NEW_USER_HISTORY_MESSAGES = 1000;
export const NEW_USER_HISTORY_DAYS = 84;
export const NEW_USER_UNREAD_MESSAGES = 20;

/* endpoints-personal.md#scheduled-messages and endpoints-personal.md#personal-things. */
/** Scheduled messages of one user, and reminders of one user; bounds what GET and register read. */
/** Days for which messages that retention removed can be restored, unless configured otherwise. */
export const KEEP_REMOVED_MESSAGES_DAYS = 30;

/**
 * Messages of one queue whose `local_id` is remembered, so that a repeated request does not send twice: as
 * many as the default rate limit lets a user send in a minute, longer than any client waits for a reply.
 */
export const REMEMBERED_LOCAL_IDS = 200;

export const MAX_SCHEDULED_PER_USER = 10_000;
/** Text and HTML of one user's scheduled messages, and of their reminders, UTF-16 units: a reply lists them all. */
export const MAX_SCHEDULED_LENGTH = 16 * 1024 * 1024;
/** A scheduled message overdue by more is not sent, unless configured otherwise. */
export const LATE_DELIVERY_MINUTES = 120;

/* specification-endpoints.md#add-navigation-view; endpoints-personal.md#personal-things. */
export const MAX_VIEW_FRAGMENT_LENGTH = 1000;
export const MAX_VIEW_NAME_LENGTH = 100;
export const MAX_NAVIGATION_VIEWS = 200;

/* specification-endpoints.md#add-linkifier; endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const MAX_LINKIFIERS = 100;
/** Characters of a pattern or a template. */
export const MAX_LINKIFIER_TEXT_LENGTH = 1000;
export const MAX_ALTERNATIVE_TEMPLATES = 20;

/* specification-endpoints.md#add-apns-token; endpoints-devices.md#push-devices. */
/** Characters of a push token. */
export const MAX_PUSH_TOKEN_LENGTH = 4096;
/** Push tokens of one user and service; a further one replaces the oldest. */
export const MAX_PUSH_TOKENS = 100;
/** Devices of one user; a further one replaces the oldest. */
export const MAX_DEVICES = 200;

/* endpoints-personal.md#personal-things and endpoints-users.md#muted-users-and-alert-words. */
/** Drafts of one user; as many as a snapshot lists. */
export const MAX_DRAFTS = 1000;
export const MAX_SNIPPET_TITLE_LENGTH = 60;
export const MAX_SNIPPETS = 1000;
export const MAX_ALERT_WORD_LENGTH = 100;
export const MAX_ALERT_WORDS = 1000;

/* endpoints-flags.md#reactions, endpoints-files.md#files, endpoints-organization.md#custom-emoji and endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields: what hangs on messages. */
/** Reactions of all users to one message. */
export const MAX_REACTIONS = 5000;
/** Actions of all people on one poll or to-do list, without those that later ones made void. */
export const MAX_SUBMESSAGES = 5000;
/** UTF-16 units of all of these together: each action writes them all, which takes some milliseconds then. */
export const MAX_SUBMESSAGES_LENGTH = 500_000;
/** Questions, options, tasks and titles. */
export const MAX_WIDGET_TEXT_LENGTH = 1000;
/** One action, as text: a task and its description, with every character escaped as two times six. */
export const MAX_SUBMESSAGE_LENGTH = 25_000;
/** Largest number that a client may give to its options, and to its tasks; clients ignore larger ones. */
export const MAX_WIDGET_INDEX = 1000;
/** Custom emoji of an organization, deactivated ones included, because every snapshot lists them. */
export const MAX_CUSTOM_EMOJI = 1000;
/** Uploaded files of one user. */
export const MAX_ATTACHMENTS = 20_000;
/** Mebibytes of one person's files that no message links: ten of the largest. */
export const MAX_UNCLAIMED_UPLOADS_MIB = 250;
/** Uploads of one user that are not complete; a client has some five under way. */
export const MAX_RESUMABLE_UPLOADS = 50;
/** Mebibytes of all files of an organization, unless configured otherwise. */
export const UPLOAD_QUOTA_MIB = 10_240;
/** The files of one user who is not an administrator take at most this fraction (1/4) of the quota. */
export const UPLOAD_QUOTA_SHARES = 4;
/** Days for which a file without a message that links it is kept, unless configured otherwise. */
export const KEEP_UPLOADS_DAYS = 35;
/** Messages that count as linking one uploaded file. */
export const MAX_ATTACHMENT_MESSAGES = 10_000;
export const MAX_PLAYGROUNDS = 100;
export const MAX_PLAYGROUND_NAME_LENGTH = 60;
export const MAX_PLAYGROUND_LANGUAGE_LENGTH = 40;

/* endpoints-channels.md#change-channel, endpoints-users.md#muted-users-and-alert-words and endpoints-flags.md#flags. */
/** Topics with a visibility policy of one user; above it topics are not followed automatically. */
export const MAX_USER_TOPICS = 10_000;
export const MAX_MUTED_USERS = 5000;
/** In channels with more subscribers, notices about resolved topics are not marked as read for users. */
export const MAX_NOTICE_READERS = 1000;
/** Messages that one `POST /mark_all_as_read` marks before it replies that there are more. */
export const MAX_MARKED_AS_READ = 50_000;

/* endpoints-organization.md#audit-log. */
/** Days for which it is known who changed which setting, unless configured otherwise. */
export const KEEP_AUDIT_DAYS = 365;
/**
 * Records kept of administrators, the operator and the server together, and as many of all others: what members do to
 * their own accounts pushes nothing out that administrators did.
 */
export const MAX_AUDIT_RECORDS = 20_000;
/** Length of the changes of one record, as JSON in UTF-16 units. */
export const MAX_AUDIT_RECORD_LENGTH = 4000;
/** Length of one value in a record, UTF-16 units. */
export const MAX_AUDIT_VALUE_LENGTH = 300;
/** Records of one reply. */
export const MAX_AUDIT_PAGE = 200;
