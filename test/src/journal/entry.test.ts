import fc from 'fast-check';
import t from 'tap';
import {
  cursorBefore,
  endOfIds,
  eventId,
  lastEventId,
  seqOfId,
  spanOf,
  type EntryContent,
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

void t.test('an entry leaves the upper half of its ids free, however many events it has', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 42 }), fc.nat(5000), (seq, slots) => {
      const position: Position = { seq, span: spanOf(slots), slots };
      const ids = endOfIds(position) - cursorBefore(seq);
      return (
        slots <= ids / 2 &&
        lastEventId(position) <= endOfIds(position) - slots &&
        endOfIds(position) === cursorBefore(seq + position.span)
      );
    }),
  );
  t.end();
});

void t.test('ids follow the cursor, in order, and stay safe integers', (t) => {
  t.equal(spanOf(0), 1);
  t.equal(spanOf(512), 1);
  t.equal(spanOf(513), 2);
  // 1024 ids to a position.
  t.equal(cursorBefore(7), 7168);
  t.equal(eventId(7, 0), 7169);
  t.equal(lastEventId({ seq: 7, span: 1, slots: 0 }), 7168);
  t.equal(lastEventId({ seq: 7, span: 2, slots: 600 }), 7768);
  t.equal(seqOfId(7680), 7);
  t.equal(seqOfId(7168), 7);
  t.ok(Number.isSafeInteger(eventId(2 ** 42, 511)));
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
  t.same(read.position, { seq: 41, span: 2, slots: 602 });
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
  ];
  for (const text of texts) {
    t.equal(readEntry({ seq: 1, text }), null, text);
    t.equal(readFollowedEntry({ seq: 1, text }), null, text);
    t.throws(() => changesOf({ seq: 1, text }), text);
  }
  t.equal(readEntry({ seq: 1, text: '', damaged: true }), null);
  t.same(positionOf({ seq: 9, text: '', damaged: true }), {
    seq: 9,
    span: 1024,
    slots: 512 * 1024,
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
  t.same(read.position, { seq: 3, span: 1, slots: 4 });
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
