import { atFullScale, upTo, type Rows } from './world.js';

/** A text of so many characters that Markdown has much to do with. */
export function text(length: number): string {
  return '**b** `c` [l](https://x.example/) @**x** #**y** _i_ '
    .repeat(length / 50 + 1)
    .slice(0, length);
}

const LONGEST = text(10_000);

/**
 * Messages of 10,000 characters that one reply has room for (`MAX_MESSAGES_LENGTH`), less one in a hundred
 * for names and addresses, which differ: by id, and with every `o` of their texts highlighted.
 */
const LONG_IN_REPLY = 777;
const HIGHLIGHTED_IN_REPLY = 321;
const TOO_MUCH_TEXT =
  'Too much text requested (limit: 8388608 characters). Ask for fewer messages.';
const NARROW_ALL = Array.from({ length: 100 }, (_, i) => ({
  operator: i % 2 ? 'search' : 'is',
  operand: i % 2 ? `x${i}` : 'unread',
  negated: true,
}));

/** Requests about messages. */
export const MESSAGE_ROWS: Rows = {
  'add-reaction': ({ messages }) => ({ params: { message_id: messages[0], emoji_name: 'tada' } }),
  'remove-reaction': ({ messages }) => ({
    params: { message_id: messages[0], emoji_name: 'tada' },
  }),
  'add-submessage': ({ poll }) => ({
    params: {
      message_id: poll,
      msg_type: 'widget',
      content: JSON.stringify({ type: 'new_option', idx: 1000, option: 'x'.repeat(1000) }),
    },
  }),
  'check-messages-match-narrow': ({ longMessages, messages }) => [
    {
      what: 'long messages, one letter',
      params: {
        msg_ids: longMessages.slice(0, upTo(HIGHLIGHTED_IN_REPLY)),
        narrow: [{ operator: 'search', operand: 'o' }],
      },
    },
    ...atFullScale({
      what: 'too many long messages, one letter',
      params: { msg_ids: longMessages, narrow: [{ operator: 'search', operand: 'o' }] },
      refusal: TOO_MUCH_TEXT,
    }),
    {
      what: 'many terms',
      params: { msg_ids: messages.slice(0, upTo(5000)), narrow: NARROW_ALL },
    },
  ],
  'get-messages': ({ longMessages, messages, everybody, people }) => [
    {
      what: 'long messages',
      params: {
        anchor: 'newest',
        num_before: upTo(5000),
        num_after: 0,
        narrow: [{ operator: 'channel', operand: 'long' }],
      },
    },
    { what: 'by id', params: { message_ids: longMessages.slice(0, upTo(LONG_IN_REPLY)) } },
    ...atFullScale({
      what: 'too many by id',
      params: { message_ids: longMessages },
      refusal: TOO_MUCH_TEXT,
    }),
    {
      what: 'a rare word',
      params: {
        anchor: 'newest',
        num_before: 5000,
        num_after: 0,
        narrow: [{ operator: 'search', operand: 'nosuchword' }],
      },
    },
    {
      what: 'a rare word, all rows of the index',
      params: {
        anchor: 'oldest',
        num_before: 0,
        num_after: 5000,
        narrow: [
          { operator: 'channel', operand: everybody },
          { operator: 'has', operand: 'reaction', negated: true },
          { operator: 'search', operand: 'bench', negated: true },
        ],
      },
    },
    {
      what: 'highlighted',
      params: {
        anchor: 'newest',
        num_before: upTo(5000),
        num_after: 0,
        narrow: [
          { operator: 'channel', operand: 'long' },
          { operator: 'search', operand: 'o' },
        ],
      },
    },
    {
      what: 'no conversation of many with many',
      params: {
        anchor: 'newest',
        num_before: 5000,
        num_after: 0,
        narrow: Array.from({ length: 10 }, (_, i) => ({
          operator: 'dm-including',
          operand: people.slice(i, upTo(988) + i),
          negated: true,
        })),
      },
    },
    {
      what: 'conversations of too many',
      params: {
        anchor: 'newest',
        num_before: 1,
        num_after: 0,
        narrow: Array.from({ length: 100 }, () => ({
          operator: 'dm',
          operand: people.slice(0, 1).concat(Array.from({ length: 999 }, () => people[1]!)),
        })),
      },
      refusal: 'Invalid narrow operator: too many users',
    },
    {
      what: 'around the middle',
      params: { anchor: messages[messages.length >> 1], num_before: 2500, num_after: 2500 },
    },
  ],
  'get-message': ({ longMessages }) => ({ params: { message_id: longMessages[0] } }),
  'get-message-history': ({ longMessages }) => ({ params: { message_id: longMessages[0] } }),
  'get-read-receipts': ({ messages }) => ({ params: { message_id: messages[0] } }),
  'render-message': () => [
    { params: { content: LONGEST } },
    { params: { content: '>'.repeat(10_000) } },
    { params: { content: '['.repeat(10_000) } },
    { params: { content: '* '.repeat(5000) } },
    { params: { content: 'a*'.repeat(5000) } },
    { params: { content: '$$'.repeat(5000) } },
    { params: { content: '@**x'.repeat(2500) } },
    { params: { content: '|a'.repeat(5000) + '\n' + '|-'.repeat(5000) } },
    { params: { content: 'https://a.b/('.repeat(800) } },
    { what: 'far too long', params: { content: 'x*'.repeat(500_000) } },
  ],
  'send-message': ({ people, long }) => [
    { params: { type: 'channel', to: 'everybody', topic: 't', content: LONGEST } },
    { params: { type: 'channel', to: 'everybody', topic: 't', content: '@**all** ' + text(9000) } },
    {
      what: 'too many recipients',
      params: {
        type: 'direct',
        to: Array.from({ length: 1001 }, () => people[0]!),
        content: 'hello',
      },
      refusal: 'Too many recipients (maximum 1000).',
    },
    {
      what: 'all recipients admitted',
      params: { type: 'direct', to: people.slice(0, upTo(1000)), content: 'hello' },
    },
    {
      what: 'far too long',
      params: { type: 'channel', to: long, topic: 't', content: 'x'.repeat(1_000_000) },
    },
  ],
  'update-message': ({ topicMessages, longMessages, long, topics }) => [
    {
      what: 'a large topic gets a new name',
      params: { message_id: topicMessages[0], topic: 'renamed', propagate_mode: 'change_all' },
    },
    {
      what: 'and moves to another channel',
      params: { message_id: topicMessages[0], stream_id: long, propagate_mode: 'change_all' },
    },
    {
      what: 'and back',
      params: { message_id: topicMessages[0], stream_id: topics, propagate_mode: 'change_all' },
    },
    { what: 'content', params: { message_id: longMessages[0], content: LONGEST }, status: 400 },
  ],
  'set-typing-status-for-message-edit': ({ topicMessages }) => ({
    params: { message_id: topicMessages[1], op: 'start' },
    status: 400,
  }),
  'set-typing-status': ({ people, everybody }) => [
    { what: 'to everybody', params: { op: 'start', to: people.slice(0, upTo(10_000)) } },
    {
      what: 'to too many',
      params: { op: 'start', to: Array.from({ length: 10_001 }, () => people[0]!) },
      refusal: 'to is too long (limit: 10000 items)',
    },
    { params: { op: 'start', type: 'stream', stream_id: everybody, topic: 'x' } },
  ],
  'report-message': ({ longMessages }) => ({
    params: { message_id: longMessages[1], report_type: 'other', description: 'x'.repeat(1000) },
    status: 400,
  }),
  'update-message-flags': ({ messages }) => [
    {
      what: 'star',
      params: { messages: messages.slice(0, upTo(10_000)), op: 'add', flag: 'starred' },
    },
    {
      what: 'unstar',
      params: { messages: messages.slice(0, upTo(10_000)), op: 'remove', flag: 'starred' },
    },
    {
      what: 'read',
      params: { messages: messages.slice(0, upTo(10_000)), op: 'add', flag: 'read' },
    },
    {
      what: 'unread',
      params: { messages: messages.slice(0, upTo(10_000)), op: 'remove', flag: 'read' },
    },
  ],
  'update-message-flags-for-narrow': () => [
    {
      params: {
        anchor: 'newest',
        num_before: 5000,
        num_after: 0,
        narrow: [],
        op: 'add',
        flag: 'starred',
      },
    },
    {
      what: 'searched',
      params: {
        anchor: 'newest',
        num_before: 5000,
        num_after: 0,
        narrow: [{ operator: 'search', operand: 'nosuchword' }],
        op: 'add',
        flag: 'read',
      },
    },
    {
      what: 'searched, all',
      params: {
        anchor: 'newest',
        num_before: 5000,
        num_after: 0,
        narrow: [{ operator: 'search', operand: 'o' }],
        op: 'add',
        flag: 'read',
      },
    },
  ],
  'mark-topic-as-read': ({ topics, accounts }) => ({
    params: { stream_id: topics, topic_name: 'topic 0' },
    as: accounts[5]!.authorization,
  }),
  'mark-stream-as-read': ({ everybody, accounts }) => ({
    params: { stream_id: everybody },
    as: accounts[6]!.authorization,
  }),
  'mark-all-as-read': ({ accounts }) => ({ as: accounts[7]!.authorization }),
  'delete-message': ({ longMessages }) => ({ params: { message_id: longMessages[2] } }),
  'delete-topic': ({ topics }) => ({ params: { stream_id: topics, topic_name: 'topic 1' } }),
  'create-scheduled-message': ({ people }) => [
    {
      params: {
        type: 'direct',
        to: people.slice(0, upTo(1000)),
        content: LONGEST,
        scheduled_delivery_timestamp: 4_000_000_000,
      },
    },
    ...atFullScale({
      what: 'too much text',
      params: {
        type: 'direct',
        to: people.slice(0, 1),
        content: '$$x$$ '.repeat(1600),
        scheduled_delivery_timestamp: 4_000_000_000,
      },
      refusal: 'Too much text in scheduled messages (maximum 16777216 characters).',
    }),
  ],
  'update-scheduled-message': () => ({
    params: { scheduled_message_id: 2, content: LONGEST },
    status: 404,
  }),
  'delete-scheduled-message': () => ({ params: { scheduled_message_id: 1 }, status: 404 }),
  'create-reminder': ({ messages }) => ({
    params: {
      message_id: messages[0],
      scheduled_delivery_timestamp: 4_000_000_000,
      note: 'x'.repeat(1000),
    },
  }),
  'delete-reminder': () => ({ params: { reminder_id: 1 } }),
};
