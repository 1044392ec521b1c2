import fc from 'fast-check';
import t from 'tap';
import { contains } from '../../../../src/organization/state/message-index/intervals.js';
import {
  BulkDeliveryHistory,
  readableIds,
  receivedBy,
  receivedIds,
  sentThrough,
} from '../../../../src/organization/messages/delivery-history.js';
import { SmallOrganization } from './fixtures/small-organization.js';

const CHANNELS = [1, 2, 3];
const USERS = [1, 2, 3, 4];
const MESSAGES = 40;

type Spans = [number, number | null][];

/** When somebody was subscribed: until the end, or in two periods. */
const spans = fc.oneof(
  fc.constant<Spans>([]),
  fc.nat(MESSAGES).map((from): Spans => [[from, null]]),
  fc
    .uniqueArray(fc.nat(MESSAGES + 20), { minLength: 4, maxLength: 4 })
    .map((ends) => ends.sort((a, b) => a - b))
    .map(([a, b, c, d]): Spans => [
      [a!, b!],
      [c!, d!],
    ]),
);

/** Where a message was sent, and when it came to which channel. */
const way = fc.record({
  sent: fc.constantFrom(...CHANNELS),
  hops: fc.array(fc.tuple(fc.constantFrom(...CHANNELS), fc.constantFrom(50, 51, 52)), {
    maxLength: 2,
  }),
});

void t.test('who received what, in intervals and message by message', (t) => {
  fc.assert(
    fc.property(
      fc.array(spans, { minLength: 12, maxLength: 12 }),
      // A message of the same way as the one before is the usual case.
      fc.array(fc.tuple(way, fc.nat(6)), { minLength: MESSAGES, maxLength: MESSAGES }),
      (subscribed, ways) => {
        const small = new SmallOrganization();
        const channels = CHANNELS.map((id) => small.channel(id, `c${id}`));
        USERS.forEach((userId, i) =>
          CHANNELS.forEach((streamId, j) => {
            const when = subscribed[i * CHANNELS.length + j]!;
            if (when.length > 0) small.subscribe(userId, streamId, { spans: when });
          }),
        );
        let current = ways[0]![0];
        ways.forEach(([next, dice], i) => {
          if (dice === 0) current = next;
          const { sent, hops } = current;
          const stream_id = hops.at(-1)?.[0] ?? sent;
          const route = hops.length > 0 ? { from: sent, hops } : undefined;
          small.message({ id: i + 1, seq: i + 1, stream_id, recipient_id: 100 + stream_id, route });
        });
        const { org } = small;
        const { index } = org.messages;
        for (const channel of channels) {
          const ids = index.conversation(channel.recipient_id).toArray();
          const received = new BulkDeliveryHistory(org, channel, ids);
          const readable = new BulkDeliveryHistory(org, channel, ids, 'readable');
          for (const userId of USERS) {
            const isHere = (seq: number) =>
              org.subscriptions.wasSubscribed(userId, channel.stream_id, seq);
            const mine = ids.filter((id) => receivedBy(org, id)(userId));
            const read = ids.filter((id) => {
              const hops = index.moved.of(id)?.hops;
              return isHere(hops ? hops[hops.length - 1]![1] : id);
            });
            t.same(received.of(userId), mine);
            const sub = org.subscriptions.of(userId, channel.stream_id);
            if (!sub) continue;
            t.same(readable.of(userId), read);
            const within = (intervals: ReturnType<typeof receivedIds>) =>
              ids.filter((id) => contains(intervals, id));
            t.same(within(receivedIds(org, channel, sub)), mine);
            t.same(within(readableIds(org, channel, sub)), read);
            const sent = mine.filter((id) => !index.moved.of(id));
            t.same(within(sentThrough(org, channel, sub)), sent);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
  t.end();
});
