/** What Zulip exported, seen by clients of the server that it was imported into. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { runForeignImport } from '../../../../src/app/takeover/run-import.js';
import { readCommand } from '../../../../src/command-line.js';
import { ApiKeys, readSecret } from '../../../../src/services/auth/api-keys.js';
import { openStore } from '../../../../src/store/open.js';
import type { Commit, Document, Store } from '../../../../src/store/port.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { createMemory, createMemoryStore } from '../../../../src/store/memory.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { FolderBlobStore } from '../../../../src/services/folder-blob-store.js';
import { Omissions } from '../../../../src/app/takeover/omissions.js';
import { importZulip } from '../../../../src/app/takeover/zulip/import-zulip.js';
import { unpack } from '../../../../src/app/takeover/archive.js';
import { tarGz } from '../../../fixtures/archives/tar.js';
import { zulipExport } from '../../../fixtures/archives/zulip-export.js';
import { storeWith } from '../../../fixtures/gated-store.js';
import { ApiClient, type Body } from '../../../system/harness/client.js';
import { RunningServer, storeFolder } from '../../../system/harness/server.js';

/** Runs the command as the command line reads it. */
async function imports(archive: string, folder: string): Promise<string[]> {
  const told: string[] = [];
  const command = readCommand(['import-zulip', archive, '--store', `embedded:${folder}`], {});
  if (command.kind !== 'foreign-import') throw new Error(command.kind);
  await runForeignImport(command, (line) => told.push(line));
  return told;
}

async function clientOf(server: RunningServer, userId: number): Promise<ApiClient> {
  const keys = new ApiKeys((await readSecret(join(server.folder, 'api-keys.secret')))!);
  const store = await openStore(`embedded:${server.folder}`);
  const [document] = await store.getMany([{ collection: 'user', id: String(userId) }]);
  await store.close();
  const user = document as unknown as UserDocument;
  return new ApiClient(server.url, user.email, keys.derive(userId, user.key_version), userId);
}

const messagesOf = async (client: ApiClient, narrow: unknown[]): Promise<Body[]> => {
  const parameters = { anchor: 'oldest', num_before: 0, num_after: 100, narrow };
  return (await client.ok('GET', '/messages', parameters)).messages as Body[];
};

void t.test('an organization of Zulip goes on here', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'realm.tar.gz');
  writeFileSync(archive, tarGz(zulipExport()));
  const told = await imports(archive, folder);
  t.match(told, [
    /^Unpacks /,
    '2 of 2 files of messages',
    /^Imported 5 accounts, 3 channels, 6 subscriptions, 8 messages, 1 reactions, 2 files into /,
    'Not taken, or taken otherwise:',
    '  2 uploaded files that are missing, too large, or have no owner (such as 3/cd/gone_gone/gone.txt)',
  ]);
  for (const line of [
    '  1 pictures of people (such as ben@example.org)',
    '  1 channels that were open to visitors without an account, and are public (such as old)',
    '  1 messages whose sender or recipient is missing (such as 1010)',
    '  1 reactions by custom emoji, or by people who are missing (such as ours)',
    '  1 rows of zerver_realmfilter',
  ]) {
    t.ok(told.includes(line), line);
  }
  t.notOk(existsSync(join(folder, 'import-unpacked')), 'nothing is left beside the store');

  const server = await RunningServer.serve(t, folder);
  const [ada, ben, dora] = [
    await clientOf(server, 11),
    await clientOf(server, 12),
    await clientOf(server, 16),
  ];
  const snapshot = await ada.register({
    fetch_event_types: [
      'realm',
      'realm_user',
      'stream',
      'subscription',
      'realm_user_groups',
      'user_topic',
      'update_message_flags',
      'muted_users',
      'alert_words',
      'message',
    ],
  });
  t.match(snapshot, {
    realm_name: 'Analytical "Society"',
    realm_description: 'Engines, [of all] {kinds}\\',
    realm_org_type: 20,
    is_owner: true,
    alert_words: ['steam'],
    max_message_id: 1011,
  });
  const people = (snapshot.realm_users as Body[]).map((one) => [
    one.user_id,
    one.full_name,
    one.role,
  ]);
  t.strictSame(people.sort(), [
    [11, 'Ada', 100],
    [12, 'Ben', 400],
    [15, 'Echo', 400],
    [16, 'Dora', 400],
  ]);
  t.match(snapshot.realm_non_active_users, [{ user_id: 14, full_name: 'Cleo' }]);
  const groups = snapshot.realm_user_groups as Body[];
  const named = (name: string) => groups.find((one) => one.name === name)!;
  t.match(named('builders'), { id: 41, members: [12] });
  const subscriptions = snapshot.subscriptions as Body[];
  t.match(
    subscriptions.map((one) => [one.stream_id, one.name, one.is_muted, one.can_send_message_group]),
    [
      [21, 'engine', true, named('role:administrators').id],
      [22, 'secret', false, named('role:moderators').id],
    ],
  );

  const engine = await messagesOf(ada, [{ operator: 'channel', operand: 21 }]);
  t.match(engine, [
    {
      id: 1001,
      sender_full_name: 'Ada',
      client: 'website',
      timestamp: 1_600_001_001,
      flags: ['read'],
      reactions: [{ emoji_code: '1f419', user_id: 12 }],
      content:
        '<p>Hello <span class="user-mention" data-user-id="12">@Ben</span>, see <a href="/user_uploads/3/ab/c0ffee_c0ffee/plan.txt">plan</a></p>',
    },
    { id: 1002, flags: ['starred'], last_edit_timestamp: 1_600_001_500 },
    { id: 1009, sender_full_name: 'Notification Bot' },
    { id: 1011, content: /href="\/user_uploads\/3\/00\/AbCdEfGhIjKl\/notes.txt"/ },
  ]);
  const { message_history: history } = await ada.ok('GET', '/messages/1002/history');
  t.match(history, [
    { rendered_content: '<p>first &lt;b&gt;thoughts&lt;/b&gt;</p>' },
    { prev_content: 'first <b>thoughts</b>', user_id: 12 },
  ]);
  t.match(await messagesOf(ben, [{ operator: 'channel', operand: 21 }]), [
    { id: 1001, flags: ['read', 'mentioned'] },
    { id: 1002, flags: ['read'] },
    { id: 1009, flags: [] },
    { id: 1011, flags: [] },
  ]);
  t.strictSame(
    (await messagesOf(ben, [{ operator: 'channel', operand: 22 }])).map(({ id }) => id),
    [1007],
    'what came before he did stays hidden',
  );
  t.match(await messagesOf(ben, [{ operator: 'dm', operand: [11] }]), [{ id: 1004, flags: [] }]);
  t.match(await messagesOf(dora, [{ operator: 'dm', operand: [11, 12] }]), [
    { id: 1008, flags: ['read'] },
  ]);
  const unread = (await ben.register({ fetch_event_types: ['message', 'update_message_flags'] }))
    .unread_msgs as Body;
  t.match(unread, { count: 4, pms: [{ unread_message_ids: [1004] }] });

  for (const [path, text] of [
    ['/user_uploads/3/ab/c0ffee_c0ffee/plan.txt', 'the plan'],
    ['/user_uploads/3/00/AbCdEfGhIjKl/notes.txt', 'the notes'],
  ] as const) {
    const reply = await fetch(server.url + path, { headers: { Authorization: ada.authorization } });
    t.equal(await reply.text(), text);
  }
  const sent = await ada.say('and on it goes', 'engine', 'plans');
  t.ok(sent > 1011, 'later messages have later numbers');
  t.strictSame(
    (await messagesOf(ben, [{ operator: 'search', operand: 'thoughts' }])).map(({ id }) => id),
    [1002],
  );
});

void t.test('an import that was cut off goes on, and ends as one that was not', async (t) => {
  const folder = storeFolder(t);
  const archive = join(folder, 'realm.tar.gz');
  writeFileSync(archive, tarGz(zulipExport()));
  const unpacked = join(folder, 'unpacked');
  await unpack(archive, unpacked);
  const attempt = async (store: Store, files: string): Promise<string> =>
    withLease(store, (held) =>
      importZulip({
        ...{ store, held, url: '', botDomain: 'example.com', now: () => 1_800_000_000_000 },
        folder: join(unpacked, 'zulip-export-x7'),
        blobs: new FolderBlobStore(join(folder, files)),
        markdown: createMarkdown(),
        omissions: new Omissions(),
        report: () => undefined,
      }),
    );
  const contentOf = async (store: Store): Promise<Record<string, Document>> => {
    const all: Record<string, Document> = {};
    for (const collection of await store.collections()) {
      for await (const batch of store.scan(collection)) {
        for (const { id, document } of batch) {
          const { key_version: _key, uuid: _uuid, ...rest } = document;
          all[`${collection}:${id}`] = rest;
        }
      }
    }
    return all;
  };
  const memory = createMemory();
  const whole = createMemoryStore(memory);
  let commits = 0;
  const counted = storeWith(whole, {
    commit: (lease, commit) => {
      commits += 1;
      return whole.commit(lease, commit);
    },
  });
  await attempt(counted, 'whole');
  const wanted = await contentOf(whole);
  t.ok(commits > 6, `${commits} commits`);

  const inner = createMemoryStore(createMemory());
  let left = 0;
  const failing = storeWith(inner, {
    commit: (lease, commit: Commit) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('cut off')) : inner.commit(lease, commit);
    },
  });
  for (let most = 1; most < commits; most++) {
    left = most;
    const outcome = await attempt(failing, 'parts').catch((error: Error) => error.message);
    if (outcome !== 'cut off') break;
  }
  left = Infinity;
  if (Object.keys(await contentOf(inner)).some((key) => key.startsWith('unfinished'))) {
    await attempt(failing, 'parts');
  }
  t.strictSame(await contentOf(inner), wanted);

  await t.rejects(attempt(createMemoryStore(memory), 'whole'), /not empty: import into an empty/);
  const text = readFileSync(join(unpacked, 'zulip-export-x7', 'realm.json'), 'utf8');
  const other = createMemoryStore(createMemory());
  left = 0;
  const once = storeWith(other, {
    commit: (lease, commit: Commit) => {
      left += 1;
      return left > 1 ? Promise.reject(new Error('cut off')) : other.commit(lease, commit);
    },
  });
  await t.rejects(attempt(once, 'other'), /cut off/);
  writeFileSync(join(unpacked, 'zulip-export-x7', 'realm.json'), text.replace('Engines', 'Motors'));
  await t.rejects(attempt(other, 'other'), /holds part of another import/);
});
