import * as fc from 'fast-check';
import t from 'tap';
import { MessageAccess } from '../../../../../src/organization/messages/message-access.js';
import { compileNarrow } from '../../../../../src/organization/messages/reading/narrow.js';
import { PageReader } from '../../../../../src/organization/messages/reading/read-page.js';
import { unreadPlacesNow } from '../../../../../src/organization/messages/reading/unread-places.js';
import { unreadMessages } from '../../../../../src/organization/messages/reading/unread.js';
import type { NarrowTerm } from '../../../../../schemas/messages/narrow.js';
import { SmallOrganization } from '../fixtures/small-organization.js';

const ANN = 1;
const CHANNELS = 70;

/** Ann reads 70 channels with a message in each, of Bob; there is one that she does not read. */
function reader(): SmallOrganization {
  const small = new SmallOrganization();
  small.user(ANN, 'Ann');
  small.user(2, 'Bob');
  for (let id = 1; id <= CHANNELS + 1; id++) small.channel(id, `channel ${id}`);
  for (let id = 1; id <= CHANNELS; id++) small.subscribe(ANN, id);
  for (let id = 1; id <= CHANNELS; id++) send(small, id, id);
  return small;
}

function send(small: SmallOrganization, id: number, channel: number): void {
  small.message({ id, stream_id: channel, recipient_id: 100 + channel, sender_id: 2 });
}

function accessOf({ org }: SmallOrganization): MessageAccess {
  return new MessageAccess(org, org.users.get(ANN)!);
}

function mark(small: SmallOrganization, id: number, read: boolean): void {
  const { messages, readState } = small.org;
  const recipientId = messages.index.topicOf(id)?.recipientId;
  if (recipientId === undefined) return;
  const list = messages.index.conversation(recipientId);
  if (read) readState.markRead(ANN, recipientId, [id], list);
  else readState.markUnread(ANN, recipientId, [id], list);
}

function markAll(small: SmallOrganization): void {
  small.run(() => {
    for (let id = 1; id <= CHANNELS; id++) mark(small, id, true);
  });
}

/** Ids of a narrow, oldest first. */
async function idsOf(small: SmallOrganization, narrow: NarrowTerm[]): Promise<readonly number[]> {
  const access = accessOf(small);
  const pages = new PageReader(access, compileNarrow(access, narrow));
  const request = { anchor: 0, includeAnchor: true, before: 0, after: 1000 };
  return (await pages.idPage(request)).ids;
}

type Step = (small: SmallOrganization) => void;

const someChannel = fc.integer({ min: 1, max: CHANNELS + 1 });
const someId = fc.integer({ min: 1, max: CHANNELS + 10 });

const steps: fc.Arbitrary<Step> = fc.oneof(
  someChannel.map((channel): Step => (small) => {
    send(small, small.org.messages.index.columns.lastId + 1, channel);
  }),
  fc.tuple(someId, fc.boolean()).map(([id, read]): Step => (small) => {
    small.run(() => mark(small, id, read));
  }),
  fc.tuple(someId, someChannel).map(([id, channel]): Step => (small) => {
    const message = small.stored.get(id);
    if (!message) return;
    const place = { stream_id: channel, recipient_id: 100 + channel };
    small.run((tx) => small.org.messages.update(message, place, tx.seq));
  }),
  someId.map((id): Step => (small) => {
    const message = small.stored.get(id);
    if (message) small.run(() => void small.org.messages.delete(message));
  }),
  someChannel.map((channel): Step => (small) => {
    const { subscriptions } = small.org;
    small.run((tx) => {
      const sub = subscriptions.of(ANN, channel);
      if (!sub) return;
      const spans = sub.active
        ? sub.spans.map(([from, to]) => [from, to ?? tx.seq] as [number, number])
        : [...sub.spans, [tx.seq, null] as [number, null]];
      subscriptions.insert({ ...sub, active: !sub.active, spans });
    });
  }),
  fc.constant<Step>(markAll),
);

void t.test(
  'what is unread of many conversations is what a look at each message tells',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (all) => {
        const small = reader();
        for (const step of all) {
          step(small);
          const { index } = small.org.messages;
          const access = accessOf(small);
          const unread = [];
          for (let id = 1; id <= index.columns.lastId; id++)
            if (access.isUnread(id)) unread.push(id);
          t.same(await idsOf(small, [['is', 'unread']]), unread);
          const { streams } = unreadMessages(small.org, access.user);
          const listed = streams.flatMap(({ unread_message_ids: ids }) => ids);
          t.same(
            listed.sort((a, b) => a - b),
            unread,
          );
          const here = unread.filter((id) => index.topicOf(id)!.recipientId === 101);
          t.same(
            await idsOf(small, [
              ['is', 'unread'],
              ['channel', 1],
            ]),
            here,
          );
          const lunch: NarrowTerm[] = [
            ['channel', 1],
            ['topic', 'lunch'],
            ['is', 'unread'],
          ];
          t.same(await idsOf(small, lunch), here);
        }
      }),
      { numRuns: 40 },
    );
  },
);

/** How many conversations are looked at, one as often as it is. */
async function looks(small: SmallOrganization, work: () => unknown): Promise<number> {
  const { index } = small.org.messages;
  const conversation = index.conversation.bind(index);
  let count = 0;
  index.conversation = (recipientId) => {
    count += 1;
    return conversation(recipientId);
  };
  await work();
  index.conversation = conversation;
  return count;
}

void t.test(
  'a reader of many conversations pays for those that changed, not for all',
  async (t) => {
    const small = reader();
    markAll(small);
    const unread = (): Promise<readonly number[]> => idsOf(small, [['is', 'unread']]);
    t.equal(await looks(small, unread), CHANNELS, 'at first each is looked at');
    t.equal(await looks(small, unread), 0);
    t.equal(await looks(small, () => unreadMessages(small.org, accessOf(small).user)), 0);
    send(small, 101, 5);
    send(small, 102, CHANNELS + 1);
    t.same(await unread(), [101]);
    t.equal(await looks(small, unread), 1, 'the one with an unread message');
    small.run(() => mark(small, 101, true));
    t.equal(await looks(small, unread), 1, 'the one that was read');
    t.equal(await looks(small, unread), 0);
    t.equal(unreadPlacesNow(accessOf(small)).size, 0);
  },
);

void t.test(
  'what is unread in a topic is looked for among its unread messages alone',
  async (t) => {
    const small = reader();
    markAll(small);
    for (let id = 101; id <= 1100; id++) send(small, id, 1);
    // So that the channel has more than the topic.
    small.message({ id: 1101, topic: 'dinner', sender_id: 2 });
    small.run(() => {
      const list = small.org.messages.index.conversation(101);
      small.org.readState.markRead(ANN, 101, list.toArray().slice(0, -3), list);
    });
    const access = accessOf(small);
    for (const place of [[['topic', 'lunch']], [], [['with', 101]]] as NarrowTerm[][]) {
      const query = compileNarrow(access, [['channel', 1], ...place, ['is', 'unread']]);
      let tested = 0;
      const counted = { ...query, matches: (id: number) => (tested++, query.matches(id)) };
      const first = await new PageReader(access, counted).first(0);
      t.equal(first?.id, 1099);
      t.equal(tested, 1);
    }
  },
);

void t.test(
  'the newest message of a reader of many channels is found among the newest of all',
  async (t) => {
    const small = reader();
    send(small, 101, CHANNELS + 1);
    const newest = (): number => accessOf(small).newestEverSent();
    t.equal(await looks(small, () => t.equal(newest(), CHANNELS)), 0);
    for (let id = 102; id <= 700; id++) send(small, id, CHANNELS + 1);
    t.equal(newest(), CHANNELS, 'or in their channels');
  },
);
