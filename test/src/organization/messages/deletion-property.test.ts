import fc from 'fast-check';
import t from 'tap';
import { removeMessages } from '../../../../src/organization/messages/deletion/remove-messages.js';
import { messageDocument, SmallOrganization } from './fixtures/small-organization.js';

const USERS = [1, 2, 3];
const TOPICS = ['Lunch', 'lunch', 'LUNCH', 'dinner', ''];
const MOST = 60;

function organization(): SmallOrganization {
  const small = new SmallOrganization();
  USERS.forEach((id) => small.user(id, `User ${id}`));
  for (const id of [1, 2]) {
    small.channel(id, `channel ${id}`);
    USERS.forEach((userId) => small.subscribe(userId, id));
  }
  small.conversation(500, USERS);
  return small;
}

/** Everything the index answers that could differ after deletions. */
function picture({ org }: SmallOrganization): unknown {
  const { index } = org.messages;
  const ids = Array.from({ length: MOST + 2 }, (_, i) => i);
  return {
    size: index.size,
    rows: ids.map((id) => index.peek(id) ?? null),
    spelled: ids.map((id) => index.topicNameOf(id) ?? null),
    conversations: [101, 102, 500].map((id) => index.conversation(id).toArray()),
    topics: [101, 102, 500].map((id) =>
      index
        .topics(id)
        .map(({ key, name, list }) => [key, name, list.toArray()] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    senders: USERS.map((id) => index.sentBy(id).toArray()),
    mentions: USERS.map((id) => index.notified.mentionsOf(id).toArray()),
    wildcards: index.notified.channelWildcards.toArray(),
    topicWildcards: USERS.map((id) => index.notified.topicWildcardsOf(id).toArray()),
    alerts: USERS.map((id) => index.notified.alertsOf(id).toArray()),
    starred: USERS.map((id) => org.messageFlags.starred(id).toArray()),
    firstAtSeq: ids.map((seq) => firstFrom(org, index.columns.firstIdAtSeq(seq))),
  };
}

/** The first message at or after an id: the ids of rows that are gone mean nothing. */
function firstFrom(org: SmallOrganization['org'], from: number): number | null {
  for (let id = from; id <= MOST; id++) if (org.messages.has(id)) return id;
  return null;
}

/** What a process that starts would have. */
function reloaded(of: SmallOrganization, marks: ReadonlyMap<string, object>): SmallOrganization {
  const fresh = organization();
  const ids = [...of.stored.keys()].sort((a, b) => a - b);
  for (const id of ids) fresh.load('message', of.stored.get(id)!);
  for (const mark of marks.values()) fresh.load('mark', mark);
  return fresh;
}

const people = fc.subarray(USERS);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      place: fc.constantFrom(101, 102, 500),
      topic: fc.constantFrom(...TOPICS),
      sender: fc.constantFrom(...USERS),
      mentioned: people,
      topic_wildcard: people,
      alerted: people,
      channel_wildcard: fc.boolean(),
      starred: people,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      /** Which message's topic. */
      of: fc.nat(MOST),
      /** Which of its messages, newest first. */
      which: fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }),
      fails: fc.boolean(),
    }),
  },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function send(small: SmallOrganization, id: number, one: Step & { kind: 'send' }): void {
  const { kind: _kind, place, sender, starred, topic, ...rest } = one;
  const direct = place === 500;
  small.run((tx) => {
    tx.org.messages.insert(
      messageDocument({
        ...rest,
        id,
        seq: tx.seq,
        recipient_id: place,
        stream_id: direct ? null : place - 100,
        topic: direct ? '' : topic,
        sender_id: sender,
      }),
    );
    for (const userId of starred) tx.org.messageFlags.set(userId, id, 'starred', true);
  });
}

function remove(small: SmallOrganization, one: Step & { kind: 'delete' }): void {
  const topic = small.org.messages.index.topicOf(one.of);
  if (!topic) return;
  const all = topic.list.toArray().reverse();
  const ids = all.filter((_, i) => one.which[i] ?? false).reverse();
  if (ids.length === 0) return;
  const work = () =>
    small.run((tx) => {
      const { recipientId } = topic;
      removeMessages(tx, { recipientId, ids, topic: topic.name, actor: null });
      if (one.fails) throw new Error('refused');
    });
  if (!one.fails) {
    work();
    return;
  }
  const before = JSON.stringify(picture(small));
  t.throws(work, /refused/);
  if (JSON.stringify(picture(small)) !== before) throw new Error('a refusal changed something');
}

void t.test('after any deletions memory is what a fresh load gives', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: MOST }), (steps) => {
      const small = organization();
      let id = 0;
      for (const one of steps) {
        if (one.kind === 'send') send(small, ++id, one);
        else remove(small, one);
      }
      const marks = new Map<string, object>();
      for (const mark of small.org.messageFlags.values()) {
        marks.set(`${mark.user_id}:${mark.message_id}`, mark);
        if (!small.stored.has(mark.message_id)) return false;
      }
      return JSON.stringify(picture(small)) === JSON.stringify(picture(reloaded(small, marks)));
    }),
    { numRuns: 300 },
  );
  t.pass('held for all sequences');
});
