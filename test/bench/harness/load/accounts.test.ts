import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import t from 'tap';
import type { ApiReply } from '../../../../bench/harness/api-client.js';
import { openAccounts } from '../../../../bench/harness/load/accounts.js';

const HERE = createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
const OLD = '2020-01-01T00:00:00Z';
const OWNER = { email: 'owner@example.org', authorization: 'Basic owner' };

void t.test(
  'accounts of a run that broke off are deactivated by the next, and no others',
  async (t) => {
    const user = (user_id: number, email: string, more: object = {}) => {
      const date_joined = new Date().toISOString();
      const full_name = `Bench ${user_id}`;
      return { user_id, email, full_name, is_active: true, date_joined, ...more };
    };
    const members = [
      // Above the largest number of a process that Linux gives: that one is gone.
      user(1, `bench-${HERE}-4194305-0123abcd-1@example.org`),
      user(2, `bench-${HERE}-${process.pid}-0123abcd-1@example.org`),
      user(3, 'bench-ffffff-77-0123abcd-1@example.org'),
      user(4, 'bench-ffffff-77-0123abcd-2@example.org', { date_joined: OLD }),
      user(5, 'bench-0123abcd-1@example.org', { date_joined: OLD }),
      user(6, `bench-${HERE}-4194305-0123abcd-2@example.org`, { is_active: false }),
      user(7, `bench-${HERE}-4194305-0123abcd-3@example.org`, { full_name: 'Benjamin' }),
      user(8, 'bench@example.org', { date_joined: OLD }),
      user(9, 'hidden@example.org', { delivery_email: 'bench-0123abcd-2@x.org', date_joined: OLD }),
    ];
    const removed: string[] = [];
    const api = {
      call: async (method: string, path: string): Promise<ApiReply> => {
        if (method === 'DELETE') removed.push(path);
        if (path === '/fetch_api_key') return { api_key: 'key' };
        return method === 'POST' ? { user_id: 50 } : { members };
      },
    };
    const opened = await openAccounts({ kind: 'made', count: 1 }, api, OWNER);
    t.same(removed, ['/users/1', '/users/4', '/users/5', '/users/9']);
    t.equal(opened.leftover, 4);
    t.equal(opened.accounts.length, 1);
    t.same(await opened.remove(api), []);
    t.equal(removed.at(-1), '/users/50');
  },
);
