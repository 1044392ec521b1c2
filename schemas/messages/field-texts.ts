import { fieldTexts } from '../field-texts.js';
import { GENERAL, MESSAGE, OPHELIA, OWNER, SENT, VERONA } from '../example-values.js';

/** Fields of messages, their changes, flags and reactions. */
export const messageFields = fieldTexts({
  /* The message. */
  'Message.id': [
    'Id of the message; later messages have larger ids, and clients show them in this order.',
    SENT,
  ],
  'send-message.id': ['Id of the new message.', SENT],
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
  'reaction.user_id': ['Who reacted, by user id.', OWNER],
  'Reaction.user': 'Older form of `user_id`, with more about the person.',
  'reaction.user': 'Older form of `user_id`, with more about the person.',
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
  submessage_id: ['Id of the new part.', 2],
  'submessage.message_id': ['Message with the poll or to-do list.', SENT],
  'submessage.sender_id': ['Who did it, by user id.', OWNER],
  'submessage.content': [
    'What was done, as `POST /submessage` took it.',
    '{"type":"vote","key":"canned,0","vote":1}',
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
  raw_content: [
    'Text of the message in Markdown, whatever `apply_markdown` says. Older clients read only this.',
    'Who’s **there**?',
  ],
  rendered: [
    'The text as HTML, as a message would show it.',
    '<p>To be or <strong>not</strong> to be</p>',
  ],
  'get-message.message': 'The message.',
  'get-messages.messages': 'Messages of the page, oldest first.',
  'update-message-flags.messages': [
    'Ids of the messages that were asked for and that the caller received.',
    [MESSAGE],
  ],
  'check-messages-match-narrow.messages': [
    'Those that match, by id, with their matches marked.',
    { 1: { match_content: '<p>Who’s there?</p>', match_subject: 'castle' } },
  ],
  'check-messages-match-narrow.match_content': [
    'Text of the message as HTML, with what a search found in `<span class="highlight">`.',
    '<p>Who’s there?</p>',
  ],
  'check-messages-match-narrow.match_subject': [
    'Topic of the message as HTML, marked in the same way.',
    'castle',
  ],
  'get-messages.anchor': [
    'Id the page lies around: that of the anchor, or of the message it stands for.',
    MESSAGE,
  ],
  found_anchor: 'Whether the message at the anchor is in the page.',
  found_oldest: 'Whether nothing older matches: the page begins with the first message.',
  found_newest: 'Whether nothing newer matches: the page ends with the last message.',
  history_limited: 'Whether a plan hides older messages; always false.',
  processed_count: ['Messages that were looked at.', 20],
  updated_count: ['Messages whose flag changed.', 3],
  first_processed_id: [
    'Id of the oldest message that was looked at, null without any; the anchor of a next step backwards.',
    MESSAGE,
  ],
  last_processed_id: [
    'Id of the newest message that was looked at, null without any; the anchor of a next step forwards.',
    SENT,
  ],
  ignored_because_not_subscribed_channels: [
    'Channels whose messages stay as they are because the caller is not subscribed there; only where messages are marked as unread.',
    [],
  ],
  automatic_new_visibility_policy: [
    'New policy of the topic for the sender: 2 unmuted, 3 followed. Left out if sending did not change it.',
    3,
  ],
  'get-read-receipts.user_ids': [
    'Users who have read the message, without its sender and users who send no read receipts.',
    [OWNER],
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
  negated: 'Whether messages match for which the term does not hold.',

  /* Changes. */
  'MessageEdit.user_id': ['Who made the change; null for old ones that did not note it.', OWNER],
  'MessageVersion.user_id': [
    'Who made this version; null for old ones that did not note it.',
    OWNER,
  ],
  'MessageEdit.timestamp': ['When the change was made, UNIX seconds.', 1_750_000_060],
  'MessageVersion.timestamp': ['When this version was made, UNIX seconds.', 1_750_000_060],
  prev_topic: ['Topic before the change; left out where it stayed.', 'ramparts'],
  'MessageEdit.topic': ['Topic after the change; left out where it stayed.', 'castle'],
  prev_stream: ['Channel before the change, by id; left out where it stayed.', GENERAL],
  'MessageEdit.stream': ['Channel after the change, by id; left out where it stayed.', VERONA],
  prev_content: ['Text in Markdown before the change; left out where it stayed.', 'Who is there?'],
  prev_rendered_content: [
    'Text as HTML before the change; left out where it stayed.',
    '<p>Who is there?</p>',
  ],
  'MessageVersion.topic': ['Topic of this version.', 'castle'],
  'MessageVersion.stream': [
    'Channel the message went to, by id; left out where it stayed.',
    VERONA,
  ],
  'MessageVersion.content': ['Text of this version in Markdown.', 'Who’s there?'],
  rendered_content: ['The text as HTML.', '<p>Who’s there?</p>'],
  content_html_diff: [
    'HTML that marks what differs from the version before.',
    '<p>Who<del> i</del>s there?</p>',
  ],
  message_history:
    'Versions of the message, oldest first; the first is the message as it was sent.',
  detached_uploads:
    'Uploaded files of the caller that no message links since the change; they can be deleted with `DELETE /attachments/{attachment_id}`.',
  'update_message.user_id': ['Who made the change; null where the server did.', OWNER],
  edit_timestamp: ['When the change was made, UNIX seconds.', 1_750_000_060],
  message_id: ['Id of the message.', MESSAGE],
  'update_message.message_id': [
    'Id of the message that was edited, whose text changed where one did.',
    MESSAGE,
  ],
  message_ids: ['Ids of messages, ascending.', [MESSAGE]],
  'update_message.message_ids': [
    'Ids of all messages the change concerns: those that got another topic or channel too.',
    [MESSAGE],
  ],
  'delete_message.message_ids': ['Ids of the deleted messages, ascending.', [MESSAGE]],
  'delete_message.message_id': ['Id of the deleted message.', MESSAGE],
  'update_message.flags': ['Flags of the edited message for this user.', ['read']],
  rendering_only: 'Whether only the HTML changed, by a preview that came later.',
  stream_name: ['Name of the channel.', 'general'],
  'update_message.stream_id': ['Channel in which the messages were before the change.', GENERAL],
  new_stream_id: ['Channel to which the messages went.', VERONA],
  orig_content: ['Text in Markdown before the change.', 'Who is there?'],
  orig_rendered_content: ['Text as HTML before the change.', '<p>Who is there?</p>'],
  orig_subject: ['Topic before the change.', 'ramparts'],
  'update_message.subject': ['Topic after the change.', 'castle'],
  'update_message.content': ['Text in Markdown after the change.', 'Who’s there?'],
  'update_message.rendered_content': ['Text as HTML after the change.', '<p>Who’s there?</p>'],
  'update_message.propagate_mode':
    'How many messages the editor chose: `change_one`, `change_later` or `change_all`.',

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
  'delete_message.stream_id': ['Channel of the deleted messages.', GENERAL],
  'delete_message.topic': ['Topic the messages had.', 'castle'],
  sender: 'Who is typing.',
  recipients: 'Everybody in the direct conversation, the sender included.',
  'typing.stream_id': ['Channel in which somebody types.', GENERAL],
  'typing.topic': ['Topic in which somebody types.', 'castle'],
  'typing_edit_message.sender_id': ['Who is editing, by user id.', OWNER],
  'typing_edit_message.message_id': ['Message that is being edited.', MESSAGE],
  recipient: 'Where the message is.',
  'recipient.type': 'Whether that is a channel or a direct conversation.',
  channel_id: ['Channel of the message.', GENERAL],
  'recipient.topic': ['Topic of the message.', 'castle'],
  'recipient.user_ids': ['Everybody in the conversation, by id.', [OWNER, OPHELIA]],
});
