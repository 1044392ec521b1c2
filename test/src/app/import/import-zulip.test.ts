/** What Zulip exported, seen by clients of the server that it was imported into. */
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { runForeignImport } from '../../../../src/app/import/run-import.js';
import { readCommand } from '../../../../src/cli/command-line.js';
import { ApiKeys, readSecret } from '../../../../src/services/auth/api-keys.js';
import { openStore } from '../../../../src/store/open.js';
import type { Store } from '../../../../src/store/port.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { createMemory, createMemoryStore } from '../../../../src/store/memory.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { FolderBlobStore } from '../../../../src/services/folder-blob-store.js';
import { Omissions } from '../../../../src/app/import/import-job.js';
import { importZulip } from '../../../../src/app/import/zulip/import-zulip.js';
import { unpack } from '../../../../src/app/import/archive.js';
import { cutOffAfter, goesOnWhereItStopped } from '../../../fixtures/archives/cut-off.js';
import { tarGz } from '../../../fixtures/archives/tar.js';
import { zulipExport } from '../../../fixtures/archives/zulip-export.js';
import { pictures } from '../../../fixtures/pictures.js';
import { ApiClient, type Body } from '../../../system/harness/client.js';
import { thumbnailMade } from '../../../system/harness/thumbnail.js';
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
    /^Unpacking /,
    '2 of 2 files of messages',
    /^Imported 5 accounts, 3 channels, 6 subscriptions, 9 messages, 2 reactions, 3 files, 2 custom emoji, 1 pictures of people into /,
    'Not imported, or imported differently:',
    '  2 uploaded files that are missing, too large, or have no owner (such as 3/cd/gone_gone/gone.txt)',
  ]);
  for (const line of [
    '  1 pictures of people that are missing, above 5 MiB, or no pictures (such as avatars of Cleo)',
    '  1 custom emoji that are missing, above 5 MiB, or no pictures (such as emoji/3/emoji/images/9.png)',
    '  1 custom emoji that are refused here (such as Not a name: Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.)',
    '  1 custom profile fields of unknown type, of the same name, or too many (such as Unknown)',
    "  1 values of custom profile fields that do not fit here (such as Ben: 'no such choice' is not a valid choice for 'Editor'.)",
    '  1 channels that were open to visitors without an account, and are public (such as old)',
    '  1 messages whose sender or recipient is missing (such as 1010)',
    '  1 reactions by custom emoji, or by people, that are missing (such as lost)',
    '  1 rows of zerver_userstatus',
  ]) {
    t.ok(told.includes(line), line);
  }
  t.ok(told.some((line) => /^ {2}1 linkifiers that are refused here \(such as \(: /.test(line)));
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
      'realm_emoji',
      'realm_playgrounds',
      'realm_domains',
      'custom_profile_fields',
      'saved_snippets',
    ],
  });
  t.match(snapshot, {
    realm_name: 'Analytical "Society"',
    realm_description: 'Engines, [of all] {kinds}\\',
    realm_org_type: 20,
    is_owner: true,
    alert_words: ['steam'],
    max_message_id: 1012,
    realm_icon_source: 'U',
    realm_logo_source: 'D',
    realm_emoji: {
      7: { name: 'ours', deactivated: false, author_id: 11, still_url: null },
      8: { name: 'ours', deactivated: true, author_id: null },
      9: undefined,
    },
    realm_playgrounds: [{ name: 'Rust playground', pygments_language: 'Rust' }],
    realm_domains: [{ domain: 'example.org', allow_subdomains: true }],
    custom_profile_fields: [
      { id: 1, name: 'Editor', type: 3, order: 1, display_in_profile_summary: true },
      { id: 3, name: 'Mentor', type: 6, order: 2 },
      { id: 4, name: 'Castle', type: 1, order: 3 },
    ],
    saved_snippets: [{ title: 'Hi', content: 'Good day', date_created: 1_600_000_000 }],
  });
  t.match((await ada.ok('GET', '/realm/linkifiers')).linkifiers, [
    { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.org/{id}' },
    { pattern: 'T(?P<id>[0-9]+)', url_template: 'https://t.example.org/{id}' },
  ]);
  const shown = snapshot.realm_users as Body[];
  const profileOf = (name: string) =>
    shown.find((one) => one.full_name === name)!.profile_data as Body;
  t.strictSame(profileOf('Ada'), { 1: { value: '1' }, 3: { value: '[12]' } });
  t.strictSame(
    profileOf('Ben'),
    { 4: { value: '*Elsinore*', rendered_value: '<p><em>Elsinore</em></p>' } },
    'a value that does not fit is left out',
  );
  const emoji = snapshot.realm_emoji as Record<string, { source_url: string }>;
  const [pictured] = shown.filter((one) => one.full_name === 'Ben');
  for (const path of [
    snapshot.realm_icon_url,
    emoji[7]!.source_url,
    emoji[8]!.source_url,
    pictured!.avatar_url,
  ]) {
    const reply = await fetch(server.url + String(path));
    t.equal(reply.headers.get('content-type'), 'image/png', String(path));
    await reply.arrayBuffer();
  }
  t.match(
    shown.find((one) => one.full_name === 'Dora'),
    { avatar_url: /\/identicon\/16.png/ },
    'a picture is made of her as there',
  );
  const muted = await dora.register({ fetch_event_types: ['user_topic'] });
  t.match(muted.user_topics, [{ stream_id: 21, topic_name: 'noise', visibility_policy: 1 }]);
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
      reactions: [
        { emoji_code: '1f419', user_id: 12 },
        { emoji_code: '7', emoji_name: 'ours', reaction_type: 'realm_emoji', user_id: 11 },
      ],
      content:
        '<p>Hello <span class="user-mention" data-user-id="12">@Ben</span>, see <a href="/user_uploads/3/ab/c0ffee_c0ffee/plan.txt">plan</a></p>',
    },
    { id: 1002, flags: ['starred'], last_edit_timestamp: 1_600_001_500 },
    { id: 1009, sender_full_name: 'Notification Bot' },
    { id: 1011, content: /href="\/user_uploads\/3\/00\/AbCdEfGhIjKl\/notes.txt"/ },
  ]);
  t.match(engine[3]!.content, /<a href="https:\/\/example.org\/12">#12<\/a> <img [^>]*:ours:/);
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
    [1007, 1012],
    'what came before he did stays hidden',
  );
  t.match(await messagesOf(ben, [{ operator: 'dm', operand: [11] }]), [{ id: 1004, flags: [] }]);
  t.match(await messagesOf(dora, [{ operator: 'dm', operand: [11, 12] }]), [
    { id: 1008, flags: ['read'] },
  ]);
  const unread = (await ben.register({ fetch_event_types: ['message', 'update_message_flags'] }))
    .unread_msgs as Body;
  t.match(unread, { count: 4, pms: [{ unread_message_ids: [1004] }] });

  // The server makes thumbnails of pictures once it runs.
  await thumbnailMade(ada, '3/ef/beef_beef/view.png');
  const [view] = await messagesOf(ada, [{ operator: 'id', operand: 1012 }]);
  t.match(view!.content, /\/user_uploads\/thumbnail\/3\/ef\/beef_beef\/view.png/);
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
        pictures,
        markdown: createMarkdown(),
        omissions: new Omissions(),
        report: () => undefined,
      }),
    );
  const whole = await goesOnWhereItStopped(t, attempt);
  await t.rejects(attempt(whole, 'whole'), /not empty: import into an empty/);

  const text = readFileSync(join(unpacked, 'zulip-export-x7', 'realm.json'), 'utf8');
  const other = createMemoryStore(createMemory());
  const once = cutOffAfter(other, 1);
  await t.rejects(attempt(once, 'other'), /cut off/);
  writeFileSync(join(unpacked, 'zulip-export-x7', 'realm.json'), text.replace('Engines', 'Motors'));
  await t.rejects(attempt(other, 'other'), /holds part of another import/);
});

void t.test(
  'a folder with links imports what is in it, and nothing that they lead to',
  async (t) => {
    const folder = storeFolder(t);
    const packed = join(folder, 'realm.tar.gz');
    writeFileSync(packed, tarGz(zulipExport()));
    const given = join(folder, 'given');
    await unpack(packed, given);
    const uploads = join(given, 'zulip-export-x7', 'uploads');
    writeFileSync(join(folder, 'secret'), 'of the operator alone');
    rmSync(join(uploads, '3/ab/c0ffee_c0ffee/plan.txt'));
    symlinkSync(join(folder, 'secret'), join(uploads, '3/ab/c0ffee_c0ffee/plan.txt'));
    renameSync(join(uploads, 'AbCdEfGhIjKl'), join(folder, 'elsewhere'));
    symlinkSync(join(folder, 'elsewhere'), join(uploads, 'AbCdEfGhIjKl'));
    const store = join(folder, 'store');
    const told = await imports(given, store);
    t.match(told.join('\n'), /9 messages, 2 reactions, 1 files,/);
    t.match(told.join('\n'), /4 uploaded files that are missing/);
    const files = readdirSync(join(store, 'files'), { recursive: true, withFileTypes: true });
    const texts = files.map((one) =>
      one.isFile() ? readFileSync(join(one.parentPath, one.name)) : '',
    );
    t.ok(texts.length > 3, 'pictures are there');
    t.notOk(
      texts.some((text) => text.includes('of the operator alone') || text.includes('the notes')),
    );
  },
);
