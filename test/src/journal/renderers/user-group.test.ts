import t from 'tap';
import { userGroupRenderer } from '../../../../src/journal/renderers/user-group.js';
import { queueFilter } from '../../../fixtures/receive.js';
import type { EventRenderer } from '../../../../src/journal/renderers/event-renderer.js';

const renderer: EventRenderer = userGroupRenderer;

const modern = queueFilter({ capabilities: { include_deactivated_groups: true } });
const old = queueFilter();

function shown(data: Record<string, unknown>, filter = modern) {
  const event = { type: 'user_group', data, subject: undefined };
  const receiver = { userId: 1, queueId: 'queue', filter, inAudience: true };
  const variant = renderer.variant(event, receiver);
  return variant === null ? null : renderer.bodies(event, variant);
}

void t.test('deactivation is an update, or a remove', async (t) => {
  const group = { id: 9, name: 'x' };
  const gone = { op: 'update', group_id: 9, data: { deactivated: true }, group };
  const body = { type: 'user_group', op: 'update', group_id: 9, data: { deactivated: true } };
  t.strictSame(shown(gone), [body]);
  t.strictSame(shown(gone, old), [{ type: 'user_group', op: 'remove', group_id: 9 }]);
});

void t.test('reactivation is an update, or an add', async (t) => {
  const group = { id: 9, name: 'x' };
  const back = { op: 'update', group_id: 9, data: { deactivated: false }, group };
  const body = { type: 'user_group', op: 'update', group_id: 9, data: { deactivated: false } };
  t.strictSame(shown(back), [body]);
  t.strictSame(shown(back, old), [{ type: 'user_group', op: 'add', group }]);
});

void t.test('changes of deactivated groups are for those who list them', async (t) => {
  const body = { op: 'update', group_id: 9, data: { name: 'y' } };
  t.strictSame(shown({ ...body, hidden: true }), [{ type: 'user_group', ...body }]);
  t.equal(shown({ ...body, hidden: true }, old), null);
  t.strictSame(shown(body, old), [{ type: 'user_group', ...body }]);
});

void t.test('a new group looks the same to everybody', async (t) => {
  const added = { op: 'add', group: { id: 9 } };
  for (const filter of [modern, old]) {
    t.strictSame(shown(added, filter), [{ type: 'user_group', ...added }]);
  }
});
