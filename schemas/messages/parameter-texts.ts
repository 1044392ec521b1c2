import { parameterTexts } from '../parameter-texts.js';

/** Parameters about sending, reading, changing and deleting messages; reactions and typing. */
export const messageTexts = parameterTexts({
  message_id: 'Id of a message that the caller can see.',
  type: '`channel` (older: `stream`) for a message in a channel, `direct` (older: `private`) for one to people.',
  to: 'Channel messages: the channel, by id or name. Direct messages: a list of user ids, or of API e-mail addresses, without mixing them.',
  'set-typing-status.type':
    'Where one types: `direct`, or `channel` (older: `stream`) with `stream_id` and `topic`.',
  'set-typing-status.stream_id': 'The channel one types in; with `type` `channel`.',
  topic:
    'Topic of a channel message, at most `max_topic_length` characters; longer is cut. `(no topic)` and the shown name of the empty topic mean the empty one, which the organization may forbid. Ignored for direct messages.',
  'set-typing-status.topic': 'The topic one types in; with `type` `channel`.',
  'update-message.topic':
    'New topic of the message and, by `propagate_mode`, of others. `✔ ` in front marks a resolved one.',
  content:
    'Text of the message in Markdown, at most `max_message_length` code points; trailing white space goes.',
  'render-message.content': 'Markdown to be turned into HTML; nothing is stored or sent.',
  'update-message.content':
    'New text in Markdown; only the author may change it, within the organization’s time limit.',
  read_by_sender:
    'Whether the sender has read the message by sending it. Without it, that holds for clients with a person in front of them.',
  widget_content: [
    'A widget that clients show in place of the text, as JSON: `widget_type` (`poll`, `todo` or `zform`) and `extra_data`. Texts that begin with `/poll` or `/todo` make theirs themselves.',
    '{"widget_type":"poll","extra_data":{"question":"Lunch?","options":["Soup","Salad"]}}',
  ],
  msg_type: 'Always `widget`.',
  'add-submessage.message_id': 'Message with the poll or to-do list.',
  'add-submessage.content': [
    'What is done, as JSON; its forms are listed above.',
    '{"type":"vote","key":"canned,0","vote":1}',
  ],
  anchor:
    'Message to read around: an id, `newest`, `oldest`, `first_unread`, or `date` with `anchor_date`. An id without a message stands between its neighbors; one above all means the newest.',
  anchor_date: ['Time to read around, ISO 8601, with `anchor` `date`.', '2026-01-31T09:00:00Z'],
  use_first_unread_anchor: 'Older form of `anchor` `first_unread`, which wins over an id.',
  num_before: 'Messages before the anchor, at most 5000 together with `num_after`.',
  num_after: 'Messages after the anchor, at most 5000 together with `num_before`.',
  'update-message-flags-for-narrow.num_before':
    'Messages before the anchor to be looked at, at most 5000.',
  'update-message-flags-for-narrow.num_after':
    'Messages after the anchor to be looked at, at most 5000.',
  include_anchor: 'Whether the message at the anchor itself counts.',
  narrow:
    'Which messages: a list of terms `{"operator", "operand", "negated"}` (or pairs of operator and operand) that must all hold, such as `{"operator":"channel","operand":7}`; empty for all that one can see.',
  'check-messages-match-narrow.narrow':
    'The terms each message is judged by, as in `GET /messages`.',
  message_ids: 'These messages instead of an anchor; those one cannot see are left out.',
  msg_ids: 'Messages to be judged; those one cannot see are left out of the answer.',
  apply_markdown: 'Whether texts come as HTML (true) or as the Markdown that was written (false).',
  client_gravatar:
    'Whether the client makes up pictures of gravatar.com from the e-mail address itself; `avatar_url` is null for them.',
  allow_empty_topic_name:
    'Whether the empty topic is shown as an empty text; otherwise under the organization’s name for it. Since level 334.',
  messages: 'Ids of the messages to be flagged, at most 100,000.',
  flag: 'Personal flag: `read`, `starred` or `collapsed`.',
  op: '`start` when the person begins to type and every few seconds while they do, `stop` when they end.',
  'update-message-flags.op': '`add` sets the flag, `remove` takes it away.',
  'update-message-flags-for-narrow.op': '`add` sets the flag, `remove` takes it away.',
  topic_name:
    'Name of the topic, in any case of its letters; the shown name of the empty topic means the empty one.',
  propagate_mode:
    'Which messages get the new topic or channel: `change_one` this one, `change_later` also those after it, `change_all` the whole topic.',
  send_notification_to_old_thread:
    'Whether a notice in the former topic says where the messages went.',
  send_notification_to_new_thread:
    'Whether a notice in the new topic says where the messages come from.',
  'update-message.stream_id': 'Channel to move the message to, by `propagate_mode` with others.',
  emoji_name: 'Name of the emoji without colons, such as `tada`, or of a custom one.',
  report_type:
    'What is wrong, by a key of `server_report_message_types`: `spam`, `harassment`, `inappropriate`, `norms` or `other`.',
  'report-message.description':
    'What the reporter says about it, at most 1000 characters; required for `other`.',
  'mark-stream-as-read.stream_id': 'Id of the channel whose messages are read from now on.',
});
