import t from 'tap';
import { streamRenderer } from '../../../../src/journal/renderers/stream.js';
import { queueFilter } from '../../../fixtures/receive.js';
import type { EventRenderer } from '../../../../src/journal/renderers/event-renderer.js';

const renderer: EventRenderer = streamRenderer;

const OLD = queueFilter();
const NEW = queueFilter({ capabilities: { archived_channels: true } });
const live = { stream_id: 1, name: 'live', is_archived: false };
const archived = { stream_id: 2, name: 'archived', is_archived: true };

function shown(data: Record<string, unknown>, filter = OLD): unknown {
  const event = { type: 'stream', data, subject: undefined };
  const receiver = { userId: 1, queueId: 'queue', filter, inAudience: true };
  const variant = renderer.variant(event, receiver);
  return variant === null ? null : renderer.bodies(event, variant);
}

// [c:stream-created]
void t.test('created: archived channels only where they are known', async (t) => {
  const body = (...streams: object[]) => [{ type: 'stream', op: 'create', streams }];
  const data = { op: 'create', streams: [live, archived] };
  t.strictSame(shown(data), body(live));
  t.strictSame(shown(data, NEW), body(live, archived));
  t.equal(shown({ op: 'create', streams: [archived] }), null);
});

// [c:stream-deleted]
void t.test('deleted: both lists of ids', async (t) => {
  const body = [
    {
      type: 'stream',
      op: 'delete',
      streams: [{ stream_id: 1 }, { stream_id: 2 }],
      stream_ids: [1, 2],
    },
  ];
  t.strictSame(shown({ op: 'delete', stream_ids: [1, 2] }), body);
  t.strictSame(shown({ op: 'delete', stream_ids: [1, 2], archived: true }, NEW), body);
  t.equal(shown({ op: 'delete', stream_ids: [1, 2], archived: true }), null);
});

// [c:stream-updated]
void t.test('updated: as stored, of archived channels only where they are known', async (t) => {
  const update = {
    op: 'update',
    stream_id: 1,
    name: 'live',
    property: 'name',
    value: 'x',
    more: 1,
  };
  t.strictSame(shown(update), [{ type: 'stream', ...update }]);
  t.strictSame(shown({ ...update, archived: true }, NEW), [{ type: 'stream', ...update }]);
  t.equal(shown({ ...update, archived: true }), null);
});

void t.test('archiving is an update, or the channel goes and comes', async (t) => {
  const update = { op: 'update', stream_id: 2, name: 'archived', property: 'is_archived' };
  const gone = { ...update, value: true, channel: archived };
  t.strictSame(shown(gone, NEW), [{ type: 'stream', ...update, value: true }]);
  t.strictSame(shown(gone), [
    { type: 'stream', op: 'delete', streams: [{ stream_id: 2 }], stream_ids: [2] },
  ]);
  const back = { ...update, value: false, channel: live };
  t.strictSame(shown(back, NEW), [{ type: 'stream', ...update, value: false }]);
  t.strictSame(shown(back), [{ type: 'stream', op: 'create', streams: [live] }]);
});
