import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { changeUserRight } from '../../../src/operator/user-rights.js';
import { encodeEntry } from '../../../src/journal/entry-text.js';
import { openStore } from '../../../src/store/open.js';
import type { Store } from '../../../src/store/port.js';
import { account } from '../../fixtures/core-node.js';

void t.test('a right is given and taken in a store that nobody serves', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-rights-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const url = `embedded:${join(folder, 'data')}`;
  const within = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const store = await openStore(url);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const users = [
    account(1, { is_system_bot: true, email: 'system@example.com' }),
    account(2),
    account(3, { is_bot: true, email: 'Echo-bot@example.com' }),
  ];
  const hold = (store: Store) => store.acquireLease('test', 60_000);
  await within(async (store) => {
    const lease = await hold(store);
    const writes = users.map((user) => ({
      op: 'set' as const,
      key: { collection: 'user', id: String(user.user_id) },
      document: user,
    }));
    const entries = [encodeEntry(1, 0, { writes, events: [], due: [] })];
    await store.commit(lease!, { entries, writes, due: [] });
    await store.releaseLease(lease!);
  });
  const told: string[] = [];
  const change = (email: string, granted: boolean) =>
    changeUserRight(
      { store: url, state: null },
      { email, right: 'can_create_users', granted },
      (line) => told.push(line),
    );
  const stored = () =>
    within(async (store) => {
      const [user] = await store.getMany([{ collection: 'user', id: '3' }]);
      return user as unknown as UserDocument;
    });
  await change(' echo-BOT@example.com ', true);
  t.strictSame(await stored(), { ...users[2], creates_users: true });
  await change('echo-bot@example.com', false);
  t.strictSame(await stored(), { ...users[2], creates_users: false });
  t.strictSame(told, [
    'User 3 <Echo-bot@example.com> has can_create_users',
    'User 3 <Echo-bot@example.com> no longer has can_create_users',
  ]);
  t.equal(await within((store) => store.lastEntry().then((last) => last !== null)), true);
  for (const email of ['nobody@example.com', 'system@example.com']) {
    await t.rejects(change(email, true), { message: new RegExp(`has no account ${email}`) });
  }
  await within(async (store) => {
    const lease = await hold(store);
    await t.rejects(change('echo-bot@example.com', true), /stop it first/);
    await store.releaseLease(lease!);
  });
  t.equal((await stored()).creates_users, false);
});
