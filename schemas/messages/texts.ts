/* Words that several things of this area share, or for which the file of the thing has no room. */
import { GENERAL, MESSAGE, OPHELIA, OWNER, SENT, VERONA } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';

/** Fields of messages, their changes, flags and reactions. */
export const FIELD_TEXTS = fieldTexts({
  /* The message. */
  'Message.id': [
    'Id of the message; later messages have larger ids, and clients show them in this order.',
    SENT,
  ],
  sender_id: ['Who wrote it, by user id.', OWNER],
  sender_email: ['API e-mail address of the sender.', 'owner@example.com'],
  sender_full_name: ['Name of the sender, as it is now.', 'Hamlet'],
  sender_realm_str: ['Short name of the sender’s organization.', 'elsinore'],
  'Message.type':
    '`stream` for a message in a channel, `private` for a direct one; the newer words `channel` and `direct` are never used here.',
  'Message.stream_id': ['Channel of the message; left out for direct messages.', GENERAL],
  display_recipient: [
    'Name of the channel; of a direct message everybody in the conversation by id, the sender included.',
    'general',
  ],
  'Participant.id': ['Id of somebody in the conversation.', OWNER],
  is_mirror_dummy: 'Left from mirrored services; always false.',
  subject: [
    'Topic of the message; empty for direct messages, and for the empty topic where the client can show that.',
    'castle',
  ],
  recipient_id: [
    'Id of the conversation: one for each channel, and one for each set of people.',
    7,
  ],
  content: ['Text, in Markdown as it was written.', 'Who’s **there**?'],
  'Message.content': [
    'Text: HTML, or Markdown where `apply_markdown` is false.',
    '<p>Who’s <strong>there</strong>?</p>',
  ],
  content_type: 'Which of the two `content` is.',
  timestamp: ['When that was, UNIX seconds.', 1_750_000_000],
  'Message.timestamp': ['When the message was sent, UNIX seconds.', 1_750_000_000],
  client: [
    'Name of the client that reported it; `website` and `ZulipMobile` are well-known ones.',
    'website',
  ],
  'Message.client': ['Name of the client that sent it.', 'website'],
  reactions: 'Reactions in the order in which they were made.',
  emoji_name: ['Name of the emoji, without colons.', 'tada'],
  emoji_code: [
    'Code points of the emoji in hexadecimal, joined by hyphens; the id of a custom emoji; or its name for a special one.',
    '1f389',
  ],
  reaction_type: [
    'Kind of the emoji: `unicode_emoji`, `realm_emoji` (a custom one), or `zulip_extra_emoji` (a special one).',
    'unicode_emoji',
  ],
  'Reaction.user_id': ['Who reacted, by user id.', OWNER],
  'Reaction.user': 'Older form of `user_id`, with more about the person.',
  is_me_message:
    'Whether it begins with `/me `, so that clients show it as something the sender does.',
  topic_links: 'Links in the topic: addresses, and what linkifiers make of it.',
  'TopicLink.text': ['The words in the topic that are a link.', '#123'],
  'TopicLink.url': ['Where the link leads.', 'https://tracker.example.com/123'],
  'topic_links.text': ['The words in the topic that are a link.', '#123'],
  'topic_links.url': ['Where the link leads.', 'https://tracker.example.com/123'],
  submessages:
    'The poll or to-do list of the message, and what people did with it since, oldest first; empty for other messages.',
  'Submessage.id': ['Id of the part; later ones have larger ids.', 1],
  'Submessage.message_id': ['The message that has it.', SENT],
  'Submessage.sender_id': ['Who did it, by user id.', OWNER],
  msg_type: 'Always `widget`.',
  'Submessage.content': [
    'JSON text: of the first part `widget_type` and `extra_data`, of others what was done, as `POST /submessage` took it.',
    '{"widget_type":"poll","extra_data":{"question":"Lunch?","options":["Soup","Salad"]}}',
  ],
  last_edit_timestamp: [
    'When the text was last edited, UNIX seconds; left out where it never was.',
    1_750_000_060,
  ],
  last_moved_timestamp: [
    'When it last got another topic or channel, UNIX seconds; left out where it never did. Resolving a topic does not count.',
    1_750_000_060,
  ],
  flags: [
    'Flags of the message for the caller: `read`, `starred`, `collapsed`, `mentioned`, `stream_wildcard_mentioned`, `topic_wildcard_mentioned`, `wildcard_mentioned`, `has_alert_word`, `historical` (sent before the caller came).',
    ['read', 'starred'],
  ],
  edit_history:
    'Changes of the message, newest first; left out without any, or where the organization hides them.',
  match_content: [
    'The text as HTML with what a search found in `<span class="highlight">`; only in search results.',
    '<p>Who’s <span class="highlight">there</span>?</p>',
  ],
  match_subject: [
    'The topic as HTML, marked in the same way; only in search results.',
    '<span class="highlight">castle</span>',
  ],
  found_oldest: 'Whether nothing older matches: the page begins with the first message.',
  found_newest: 'Whether nothing newer matches: the page ends with the last message.',
  ignored_because_not_subscribed_channels: [
    'Channels whose messages stay as they are because the caller is not subscribed there; only where messages are marked as unread.',
    [],
  ],

  /* Terms of a search. */
  operator: [
    'What the term is about: `channel`, `topic`, `sender`, `dm`, `is`, `has`, `search` and others; older names are understood too.',
    'channel',
  ],
  operand: [
    'What is looked for: a text, an id, or a list of ids or addresses, as the operator needs it.',
    GENERAL,
  ],

  /* Changes. */
  'MessageEdit.user_id': ['Who made the change; null for old ones that did not note it.', OWNER],
  'MessageEdit.timestamp': ['When the change was made, UNIX seconds.', 1_750_000_060],
  prev_topic: ['Topic before the change; left out where it stayed.', 'ramparts'],
  'MessageEdit.topic': ['Topic after the change; left out where it stayed.', 'castle'],
  prev_stream: ['Channel before the change, by id; left out where it stayed.', GENERAL],
  'MessageEdit.stream': ['Channel after the change, by id; left out where it stayed.', VERONA],
  prev_content: ['Text in Markdown before the change; left out where it stayed.', 'Who is there?'],
  prev_rendered_content: [
    'Text as HTML before the change; left out where it stayed.',
    '<p>Who is there?</p>',
  ],
  rendered_content: ['The text as HTML.', '<p>Who’s there?</p>'],
  message_id: ['Id of the message.', MESSAGE],
  message_ids: ['Ids of messages, ascending.', [MESSAGE]],

  /* Flags, typing, new messages. */
  'message.message': 'The new message, without `flags`.',
  'message.flags': [
    'Flags of the message for the receiver, as in `flags` of a fetched message.',
    ['mentioned'],
  ],
  local_message_id: [
    'The client’s own name for the message, `local_id` of the request; only in the queue it named.',
    '1750000000.01',
  ],
  notice: [
    'Why the client shows its user a notice of the message; left out where it shows none. Only with `message_notices`.',
    'mention',
  ],
  flag: ['The flag that changed: `read`, `starred` or `collapsed`.', 'read'],
  operation: 'Older name of `op`.',
  'update_message_flags.messages': ['Ids of the messages whose flag changed.', [MESSAGE]],
  all: 'Whether all messages were marked as read at once; always false, their ids are listed.',
  message_details: [
    'Conversations of the messages that are unread again, by message id; only if `read` is removed.',
    { 1: { type: 'stream', stream_id: GENERAL, topic: 'castle', unmuted_stream_msg: true } },
  ],
  mentioned: 'True where the message mentions the user; else left out.',
  unmuted_stream_msg: 'Whether neither its channel nor its topic is muted.',
  'message_details.type': 'Whether the message is in a channel (`stream`) or direct (`private`).',
  'message_details.stream_id': ['Channel of the message.', GENERAL],
  'message_details.topic': ['Topic of the message.', 'castle'],
  'message_details.user_ids': ['The others in the conversation, by id.', [OPHELIA]],
  message_type:
    'Whether it concerns messages of a channel (`stream`) or direct ones (`private`, when typing `direct`).',
});

/** Parameters about sending, reading, changing and deleting messages; reactions and typing. */
export const PARAMETER_TEXTS = parameterTexts({
  message_id: 'Id of a message that the caller can see.',
  type: '`channel` (older: `stream`) for a message in a channel, `direct` (older: `private`) for one to people.',
  to: 'Channel messages: the channel, by id or name. Direct messages: a list of user ids, or of API e-mail addresses, without mixing them.',
  topic:
    'Topic of a channel message, at most `max_topic_length` characters; longer is cut. `(no topic)` and the shown name of the empty topic mean the empty one, which the organization may forbid. Ignored for direct messages.',
  content:
    'Text of the message in Markdown, at most `max_message_length` code points; trailing white space goes.',
  anchor:
    'Message to read around: an id, `newest`, `oldest`, `first_unread`, or `date` with `anchor_date`. An id without a message stands between its neighbors; one above all means the newest.',
  num_before: 'Messages before the anchor, at most 5000 together with `num_after`.',
  num_after: 'Messages after the anchor, at most 5000 together with `num_before`.',
  include_anchor: 'Whether the message at the anchor itself counts.',
  narrow:
    'Which messages: a list of terms `{"operator", "operand", "negated"}` (or pairs of operator and operand) that must all hold, such as `{"operator":"channel","operand":7}`; empty for all that one can see.',
  message_ids: 'These messages instead of an anchor; those one cannot see are left out.',
  allow_empty_topic_name:
    'Whether the empty topic is shown as an empty text; otherwise under the organization’s name for it. Since level 334.',
  messages: 'Ids of the messages to be flagged, at most 100,000.',
  flag: 'Personal flag: `read`, `starred` or `collapsed`.',
  op: '`start` when the person begins to type and every few seconds while they do, `stop` when they end.',
  topic_name:
    'Name of the topic, in any case of its letters; the shown name of the empty topic means the empty one.',
});
