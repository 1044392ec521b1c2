import t from 'tap';
import { Troubles } from '../../../src/services/troubles.js';

const refusal = { status: 400, code: 'BAD_REQUEST', user: 7, operation: 'get-message' };

void t.test('refusals are counted by user, else by address, and by code; the newest first', (t) => {
  let now = 1000;
  const troubles = new Troubles(() => now++);
  const from = (address: string) => ({ ...refusal, address: () => address });
  troubles.refused(from('192.0.2.1'));
  troubles.refused({ ...from('192.0.2.1'), user: null, status: 401, code: 'UNAUTHORIZED' });
  troubles.refused({ ...from('192.0.2.2'), operation: 'get-messages' });
  t.strictSame(troubles.lists('n').refusals, [
    {
      ...{ status: 400, code: 'BAD_REQUEST', user_id: 7, address: '192.0.2.1' },
      ...{ endpoint: 'get-messages', count: 2, last_at: 1002, node_id: 'n' },
    },
    {
      ...{ status: 401, code: 'UNAUTHORIZED', user_id: null, address: '192.0.2.1' },
      ...{ endpoint: 'get-message', count: 1, last_at: 1001, node_id: 'n' },
    },
  ]);
  t.end();
});

void t.test('reasons are told without addresses of people, and slow requests with stages', (t) => {
  const troubles = new Troubles(() => 5);
  for (let i = 0; i < 2; i++) {
    troubles.failed('mail', new Error('550 <ophelia@example.org> unknown'));
  }
  troubles.slowRequest('send-message', 7, [10, 0, 500]);
  const { failures, slow } = troubles.lists('n');
  t.strictSame(failures, [
    { kind: 'mail', reason: '550 <…> unknown', count: 2, last_at: 5, node_id: 'n' },
  ]);
  t.strictSame(slow, [
    {
      ...{ at: 5, endpoint: 'send-message', user_id: 7, took_ms: 510 },
      ...{ received_ms: 10, handled_ms: 0, replied_ms: 500, node_id: 'n' },
    },
  ]);
  t.end();
});

void t.test('each list keeps its newest 200', (t) => {
  const troubles = new Troubles(() => 0);
  for (let i = 1; i <= 300; i++) {
    troubles.refused({ ...refusal, user: i, address: () => '' });
    troubles.failed('push', `reason ${i}`);
    troubles.slowRequest('send-message', i, [1, 1, 1]);
  }
  const { refusals, failures, slow } = troubles.lists('n');
  t.same([refusals.length, failures.length, slow.length], [200, 200, 200]);
  t.same([refusals[0]!.user_id, refusals[199]!.user_id], [300, 101]);
  t.same([slow[0]!.user_id, failures[199]!.reason], [300, 'reason 101']);
  t.end();
});
