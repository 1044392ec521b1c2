import fc from 'fast-check';
import t from 'tap';
import {
  EventIds,
  slotsOf,
  spanOf,
  type EntryContent,
  type JournalEvent,
  type Position,
} from '../../../src/journal/entry.js';
import {
  changesOf,
  positionOf,
  readEntry,
  readFollowedEntry,
} from '../../../src/journal/entry-reading.js';
import { encodeEntry } from '../../../src/journal/entry-text.js';
import { prepareWrites } from '../../../src/store/embedded/encoding.js';
import type { Document, Write } from '../../../src/store/port.js';
import { prepareWrite } from '../../../src/store/redis/encoding.js';
import { KeySpace } from '../../../src/store/redis/keys.js';

function withSlots(...slots: number[]): Pick<EntryContent, 'events' | 'writes' | 'due'> {
  const event = { type: 'x', audience: { to: 'all' }, data: {} } as const;
  return {
    events: slots.map((own): JournalEvent => ({ ...event, slots: own })),
    writes: [],
    due: [],
  };
}

void t.test(
  'entries one behind the other have each id once, in order, and no id is wasted',
  (t) => {
    const origins = fc.integer({ min: 0, max: 2 ** 43 });
    const entries = fc.array(
      fc.record({
        slots: fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 4 }),
        room: fc.nat(20),
      }),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(origins, entries, (origin, all) => {
        const ids = new EventIds(() => origin);
        let seq = origin + 1;
        let next = 1;
        for (const { slots, room } of all) {
          const content = { ...withSlots(...slots), room };
          const stored = encodeEntry(seq, 1, content);
          const { position } = readEntry(stored)!;
          const { span, slots: taken } = position;
          const last = ids.at(seq) + Math.max(1, taken) - 1;
          const isRight =
            span === spanOf(content) &&
            taken === slotsOf(content) &&
            ids.at(seq) === next &&
            ids.newestOf(position) === last &&
            ids.seqOf(last) < seq + span &&
            ids.endOf(position) === next + Math.max(1, taken, room);
          if (!isRight) return false;
          next = ids.endOf(position);
          seq += span;
        }
        return true;
      }),
      { numRuns: 30 },
    );
    t.end();
  },
);

void t.test('a billion events of positions beyond 2^32 have ids below 2^31', (t) => {
  // A history of 2031 begins here: 4096 positions a second since 2026.
  const origin = 5 * 365 * 86_400 * 4096;
  const ids = new EventIds(() => origin);
  t.ok(origin > 2 ** 32);
  t.equal(ids.at(origin), 0);
  t.equal(ids.at(origin + 1_000_000_000), 1_000_000_000);
  const last: Position = { seq: origin + 2 ** 30, span: 700, slots: 700 };
  t.equal(ids.newestOf(last), 2 ** 30 + 699);
  t.ok(ids.endOf(last) < 2 ** 31);
  t.end();
});

void t.test('entries of earlier software have the positions that it gave them', (t) => {
  const event = (slots: number) =>
    `{"type":"x","audience":{"to":"all"},"data":{},"slots":${slots}}`;
  const read = (slots: number, rest = '') =>
    readEntry({ seq: 7, text: `{"at":1,"changes":[],"events":[${event(slots)}]${rest}}` })!
      .position;
  t.same(read(512), { seq: 7, span: 1, slots: 512 });
  t.same(read(513), { seq: 7, span: 2, slots: 513 });
  t.same(read(513, ',"span":513'), { seq: 7, span: 513, slots: 513 });
  const ids = new EventIds();
  t.equal(ids.newestOf(read(512)), 7, 'no id is that of a later entry');
  t.end();
});

void t.test('an entry is read back as it was written, with the documents its events show', (t) => {
  const content: EntryContent = {
    writes: [
      { op: 'set', key: { collection: 'message', id: '5' }, document: { id: 5, text: 'ä"\n' } },
      {
        op: 'merge',
        key: { collection: 'counter', id: 'message' },
        fields: { last: 5 },
        document: { name: 'message', last: 5 },
      },
      { op: 'delete', key: { collection: 'draft', id: '1' } },
    ],
    events: [
      {
        type: 'message',
        audience: { to: 'subscribers', channel: 3, except: [9] },
        data: { public: true },
        slots: 1,
        subject: { collection: 'message', id: 5 },
        first: 2,
      },
      { type: 'delete_message', audience: { to: 'users', users: [1, 2] }, data: {}, slots: 600 },
      {
        type: 'other',
        audience: { to: 'all' },
        data: { x: null },
        slots: 1,
        subject: { collection: 'message', id: 7 },
      },
    ],
    due: [],
  };
  const stored = encodeEntry(41, 1_800_000_000_000, content);
  t.equal(stored.seq, 41);
  const read = readEntry(stored)!;
  t.same(read.position, { seq: 41, span: 602, slots: 602 });
  t.same(readFollowedEntry(stored), { ...read, changes: changesOf(stored).changes });
  t.same(
    read.events.map(({ event }) => event),
    content.events,
  );
  t.same(
    read.events.map(({ subject }) => subject),
    [{ id: 5, text: 'ä"\n' }, undefined, undefined],
  );
  t.end();
});

void t.test('what is no entry is told apart, and takes more positions than any entry', (t) => {
  const event = '{"type":"x","audience":{"to":"all"},"data":{}}';
  t.ok(readEntry({ seq: 1, text: `{"at":1,"changes":[],"events":[${event}]}` }));
  const texts = [
    '{"at":',
    'null',
    '{"at":1,"changes":[]}',
    '{"at":1,"changes":7,"events":[]}',
    '{"changes":[],"events":[]}',
    '{"at":1,"changes":[7],"events":[]}',
    '{"at":1,"changes":[["message",5,"delete"]],"events":[]}',
    '{"at":1,"changes":[["message","5","swap",{}]],"events":[]}',
    '{"at":1,"changes":[["message","5","set"]],"events":[]}',
    '{"at":1,"changes":[["message","5","merge",null]],"events":[]}',
    '{"at":1,"changes":[],"events":[],"due":[{"index":"mail","id":"1"}]}',
    '{"at":1,"changes":[],"events":[],"due":7}',
    '{"at":1,"changes":[],"events":[null]}',
    `{"at":1,"changes":[],"events":[${event.replace('"all"', '"qll"')}]}`,
    `{"at":1,"changes":[],"events":[${event.replace('"data":{}', '"data":7')}]}`,
    `{"at":1,"changes":[],"events":[${event.replace('"type":"x"', '"type":"x","slots":0.5')}]}`,
    '{"at":1,"changes":[],"events":[],"span":0}',
    '{"at":1,"changes":[],"events":[],"span":"2"}',
    '{"at":1,"changes":[],"events":[],"span":268435457}',
  ];
  for (const text of texts) {
    t.equal(readEntry({ seq: 1, text }), null, text);
    t.equal(readFollowedEntry({ seq: 1, text }), null, text);
    t.throws(() => changesOf({ seq: 1, text }), text);
  }
  t.equal(readEntry({ seq: 1, text: '', damaged: true }), null);
  t.same(positionOf({ seq: 9, text: '', damaged: true }), {
    seq: 9,
    span: 2 ** 28,
    slots: 2 ** 28,
  });
  t.end();
});

void t.test('an entry of very many writes is written as any other', (t) => {
  const shared = { topic: 'dinner "é"', edit_history: [{ user_id: 1 }] };
  const writes: Write[] = Array.from({ length: 150 }, (_, i) => {
    const key = { collection: 'message', id: i === 7 ? 'a "7"' : String(i) };
    if (i % 10 === 3) return { op: 'delete', key };
    if (i % 10 === 5) return { op: 'set', key, document: { n: i } };
    return { op: 'merge', key, fields: shared, document: { ...shared, n: i } };
  });
  const event = { type: 'x', audience: { to: 'all' } as const, data: {}, slots: 1 };
  const subject = { ...event, subject: { collection: 'message', id: 5 }, slots: 3 };
  const content: EntryContent = { writes, events: [event, subject], due: [] };
  const stored = encodeEntry(3, 4, content);
  const one = (write: Write): unknown =>
    (JSON.parse(encodeEntry(1, 1, { ...content, writes: [write] }).text) as { changes: unknown[] })
      .changes[0];
  const { at, changes } = JSON.parse(stored.text) as { at: number; changes: unknown[] };
  t.equal(at, 4);
  t.same(changes, writes.map(one));
  const read = readEntry(stored)!;
  t.same(read.position, { seq: 3, span: 4, slots: 4 });
  t.same(
    read.events.map((each) => each.subject),
    [undefined, { n: 5 }],
  );
  t.end();
});

void t.test('a whole document is encoded once, for its entry and for the store', (t) => {
  let times = 0;
  const document = { toJSON: () => ({ id: 5, n: (times += 1) }) } as unknown as Document;
  const key = { collection: 'message', id: '5' };
  const content: EntryContent = {
    writes: [{ op: 'set', key, document }],
    events: [],
    due: [],
  };
  const { text } = encodeEntry(1, 7, content);
  t.equal(text, '{"at":7,"changes":[["message","5","set",{"id":5,"n":1}]],"events":[]}');
  const [embedded] = prepareWrites(content.writes);
  t.equal(embedded!.text!.slice(10), '{"id":5,"n":1}', 'behind its checksum');
  const redis = prepareWrite(new KeySpace('parley'), 'text', content.writes[0]!);
  t.equal(redis.text!.slice(10), '{"id":5,"n":1}');
  t.equal(times, 1);
  t.end();
});
