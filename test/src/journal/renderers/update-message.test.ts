import t from 'tap';
import { CLIENT_CAPABILITIES } from '../../../../schemas/queues/register.js';
import { type JournalEvent, includes } from '../../../../src/journal/entry.js';
import { readEntry } from '../../../../src/journal/entry-reading.js';
import { encodeEntry } from '../../../../src/journal/entry-text.js';
import { SharedEvent } from '../../../../src/journal/queues/delivery.js';
import { EVENT_RENDERERS } from '../../../../src/journal/renderers/registry.js';
import type { MessageUpdated } from '../../../../src/journal/renderers/update-message.js';
import { PLAIN_FILTER } from '../../../fixtures/core-node.js';

const data: MessageUpdated = {
  user_id: 1,
  edit_timestamp: 5,
  message_id: 7,
  message_ids: [7, 9],
  rendering_only: false,
  stream_id: 3,
  stream_name: 'general',
  orig_subject: '',
  subject: 'tea',
  topic_links: [],
  propagate_mode: 'change_all',
  flags: ['read'],
  others: [
    { flags: [], users: [2, 5] },
    { flags: ['mentioned'], users: [4] },
  ],
};
const event: JournalEvent = {
  type: 'update_message',
  audience: { to: 'subscribers', channel: 3, also: [6], except: [8] },
  data,
  slots: 1,
};
const modern = {
  ...PLAIN_FILTER,
  capabilities: Object.fromEntries(CLIENT_CAPABILITIES.map((name) => [name, true])),
};

function textFor(shown: JournalEvent, userId: number, filter = modern): string {
  const shared = new SharedEvent(shown, undefined, 12, 0, EVENT_RENDERERS);
  return shared.textFor({ userId, queueId: 'q', filter, inAudience: true })!.json;
}

void t.test(
  'each receiver has flags of their own; receivers with equal ones share a text',
  async (t) => {
    const flags = (userId: number) =>
      (JSON.parse(textFor(event, userId)) as { flags: unknown }).flags;
    t.same([1, 2, 3, 4, 5].map(flags), [['read'], [], ['read'], ['mentioned'], []]);
    const shared = new SharedEvent(event, undefined, 12, 0, EVENT_RENDERERS);
    const of = (userId: number) =>
      shared.textFor({ userId, queueId: 'q', filter: modern, inAudience: true });
    t.equal(of(2), of(5));
    t.equal(of(1), of(3));
  },
);

void t.test('an empty topic is named where a queue cannot show it', async (t) => {
  t.match(JSON.parse(textFor(event, 1)), { orig_subject: '', subject: 'tea' });
  t.match(JSON.parse(textFor(event, 1, PLAIN_FILTER)), {
    orig_subject: 'general chat',
    subject: 'tea',
  });
});

void t.test('replayed from the journal it is the same text for the same people', async (t) => {
  const stored = encodeEntry(12, 0, { writes: [], events: [event], due: [] });
  const [replayed] = readEntry(stored)!.events;
  const nobody = {
    subscribers: () => [],
    wasSubscribed: (userId: number) => userId < 6 || userId === 8,
  };
  for (let userId = 1; userId <= 9; userId++) {
    t.equal(textFor(replayed!.event, userId), textFor(event, userId));
    const told = includes(replayed!.event.audience, userId, 12, nobody);
    t.equal(told, userId < 7, `user ${userId}`);
  }
});
