/** What Slack exported, as the store has it afterwards; the server checks each document when it starts. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { runForeignImport } from '../../../../src/transfer/import/run-import.js';
import { readCommand } from '../../../../src/cli/command-line.js';
import { openStore } from '../../../../src/store/open.js';
import { loadCollections, messageSource } from '../../../../src/organization/state/load.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { markdownOf } from '../../../../src/transfer/import/slack/slack-text.js';
import { attachmentKey } from '../../../../src/organization/uploads/media.js';
import { avatarKeys } from '../../../../src/organization/users/avatar-change.js';
import { importSlack } from '../../../../src/transfer/import/slack/import-slack.js';
import { unpack } from '../../../../src/transfer/import/archive.js';
import { FolderBlobStore } from '../../../../src/services/folder-blob-store.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { goesOnWhereItStopped } from '../../../fixtures/archives/cut-off.js';
import { openBelow } from '../../../fixtures/open-files.js';
import { pictures } from '../../../fixtures/pictures.js';
import { PICTURE } from '../../../fixtures/archives/zulip-things.js';
import { slackExport } from '../../../fixtures/archives/slack-export.js';
import type { ArchivedFile } from '../../../fixtures/archives/tar.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { storeFolder } from '../../../system/harness/server.js';

async function imports(archive: string, folder: string, status = 0): Promise<string[]> {
  const told: string[] = [];
  const args = [
    'import-slack',
    archive,
    '--store',
    `embedded:${folder}`,
    '--organization',
    'Engines',
  ];
  const command = readCommand(args, {});
  if (command.kind !== 'foreign-import') throw new Error(command.kind);
  const ended = await runForeignImport(command, (line) => told.push(line));
  t.equal(ended.status, status, 'exit status');
  return told;
}

void t.test('a workspace of Slack goes on here', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'slack.zip');
  writeFileSync(archive, zip(slackExport()));
  const told = await imports(archive, folder);
  t.match(told, [
    /^Unpacking /,
    '2 of 2 days',
    /^Imported 5 accounts, 3 channels, 5 subscriptions, 9 messages, 3 reactions, 1 files, 0 custom emoji, 1 pictures of people into /,
  ]);
  for (const line of [
    '  1 reactions by custom emoji, or by people, that are missing (such as partyparrot)',
    '  1 people who are in no list, deactivated here by the name that messages give (such as U9)',
    '  1 notices that Slack wrote itself, such as who joined (such as general 1577923150.000000)',
    '  1 files, which Slack keeps: messages have their addresses there (such as plan.pdf)',
    '  1 pictures of people, which Slack keeps (such as Ben)',
    '  1 custom profile fields whose names are not in the export, named by ids (such as Xf1)',
    '  1 addresses of accounts, which are missing, taken, or no addresses (such as left)',
  ]) {
    t.ok(told.includes(line), line);
  }

  const store = await openStore(`embedded:${folder}`);
  t.teardown(() => store.close());
  const org = new Organization(
    { url: '', botDomain: '', generation: 0 },
    messageSource(store),
    Date.now,
  );
  await loadCollections(store, org);
  t.equal(org.realm.current.name, 'Engines');
  const people = [...org.users.values()].filter((one) => !one.is_system_bot);
  t.strictSame(
    people.map((one) => [one.user_id, one.full_name, one.email, one.role, one.is_active]),
    [
      [1, 'Ada', 'ada@example.org', 100, true],
      [2, 'Ben', 'ben@example.org', 400, true],
      [3, 'Guest', 'guest@example.org', 600, true],
      [4, 'Left', 'slack-u4@parley.invalid', 400, false],
      [5, 'Slack integrations', 'slack-integrations@parley.invalid', 400, false],
      [6, 'U9', 'slack-u9@parley.invalid', 400, false],
    ],
  );
  t.strictSame(
    people.filter((one) => one.is_imported_stub).map((one) => one.user_id),
    [1, 2, 3],
    'people who may log in are stubs until they do',
  );
  t.equal(org.settings.value(1, 'timezone'), 'Europe/Berlin');
  t.strictSame(
    Array.from(org.channels.values(), (one) => [
      one.name,
      one.invite_only,
      one.is_archived,
      one.is_default,
    ]),
    [
      ['general', false, false, true],
      ['quiet', false, true, false],
      ['board', true, false, false],
    ],
  );
  t.equal(org.channels.byName('general')?.description, 'For all');
  t.strictSame([...org.subscriptions.subscribers(1)], [1, 2, 4], 'also who left');
  t.strictSame(
    org.profileFields.ordered().map(({ id, name, type }) => [id, name, type]),
    [
      [1, 'Title', 1],
      [2, 'Xf1', 2],
    ],
  );
  t.match(org.profiles.get(1)?.values, { 1: { value: 'Countess' }, 2: { value: 'analytical' } });
  t.equal(org.profiles.get(2), undefined);
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(String);
  const found = await store.getMany(ids.map((id) => ({ collection: 'message', id })));
  const messages = found as unknown as MessageDocument[];
  const shown = (one: MessageDocument) => [one.stream_id, one.topic, one.sender_id, one.content];
  const [file] = [...org.attachments.values()];
  const thread = 'thread of 2020-01-01 23:58:20.000';
  t.strictSame(messages.map(shown), [
    [1, thread, 1, '@**Ben|2** and @**all**, see #**quiet**'],
    [
      1,
      'imported from Slack',
      2,
      'later <b> **bold** *slanted* ~~gone~~ `a*b*c` [the _site_](https://example.org/a_b_c)',
    ],
    [3, 'imported from Slack', 1, 'between us'],
    [null, '', 1, 'psst\n\n```\nlet x = 1 < 2\n```'],
    [1, thread, 2, 'an answer'],
    [1, 'imported from Slack', 5, '**Deploys**: done'],
    [1, 'imported from Slack', 1, '[plan.pdf](https://files.example.org/plan.pdf)'],
    [1, 'imported from Slack', 2, `fetched\n[the view.png](/user_uploads/${file!.path_id})`],
    [1, 'imported from Slack', 1, `and again\n[the view.png](/user_uploads/${file!.path_id})`],
  ]);
  t.match(file, {
    ...{ user_id: 2, name: 'the view.png', size: PICTURE.length, message_ids: [8, 9] },
    path_id: /^1\/[0-9a-f]{2}\/[0-9a-f]{32}\/the-view.png$/,
    image: { state: 'pending' },
  });
  t.ok(existsSync(join(folder, 'files', attachmentKey(file!))), 'the file is there');
  const ada = org.users.get(1)!;
  t.ok(existsSync(join(folder, 'files', avatarKeys(ada.avatar_file!).medium)));
  t.equal(ada.avatar_source, 'U');
  t.match(messages[0], {
    mentioned: [2],
    channel_wildcard: true,
    timestamp: 1_577_923_100,
    reactions: [
      { emoji_name: 'thumbsup', emoji_code: '1f44d', user_id: 2 },
      { emoji_name: 'thumbsup', emoji_code: '1f44d', user_id: 6 },
      { emoji_name: 'cross_mark', emoji_code: '274c', user_id: 2 },
    ],
  });
  t.ok(org.readState.isRead(1, 1, 1), 'all of it is read');
  t.ok(org.readState.isRead(2, messages[3]!.recipient_id, 4));
  t.equal(org.counters.last('message'), 9);
});

void t.test('an import that was cut off goes on, and ends as one that was not', async (t) => {
  const folder = storeFolder(t);
  const archive = join(folder, 'slack.zip');
  const unpacked = join(folder, 'unpacked');
  writeFileSync(archive, zip(slackExport()));
  await unpack(archive, unpacked);
  const reports: string[] = [];
  await goesOnWhereItStopped(t, (store, files, told) =>
    withLease(store, (held) =>
      importSlack(
        {
          ...{ store, held, url: '', botDomain: 'example.com', now: () => 1_800_000_000_000 },
          folder: unpacked,
          blobs: new FolderBlobStore(join(folder, files)),
          pictures,
          ...told,
          report: (line) => reports.push(line),
        },
        { name: 'Engines', threads: 'topics' },
      ),
    ),
  );
  t.ok(reports.includes('Continues after 1 days'), 'the first day is not written again');
  const filesOf = (name: string): string[] =>
    readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).sort();
  t.strictSame(filesOf('parts'), filesOf('whole'));
});

/** Channels and contents of messages of a store, in the order of their numbers. */
async function contents(t: Test, folder: string): Promise<string[][]> {
  const store = await openStore(`embedded:${folder}`);
  t.teardown(() => store.close());
  const ids = Array.from({ length: 9 }, (_, i) => ({ collection: 'message', id: String(i + 1) }));
  const found = (await store.getMany(ids)).filter(Boolean) as unknown as MessageDocument[];
  const channels = found.map((one) => ({ collection: 'channel', id: String(one.stream_id) }));
  const of = (await store.getMany(channels)) as unknown as ChannelDocument[];
  return found.map((one, i) => [of[i]!.name, one.content]);
}

const person = { id: 'U1', name: 'zoe', profile: { real_name: 'Zoë', email: 'zoe@example.org' } };
const channel = (id: string, name: string) => ({ id, name, created: 1, members: ['U1'] });
const day = (text: string) =>
  JSON.stringify([{ type: 'message', user: 'U1', ts: '1577923200.000200', text }]);

void t.test('names outside ASCII are UTF-8, though the archive does not say so', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'slack.zip');
  const names = ['käse', 'объявления', '総務'];
  const files: ArchivedFile[] = [
    ['users.json', JSON.stringify([person])],
    ['channels.json', JSON.stringify(names.map((name, i) => channel(`C${i}`, name)))],
    // As macOS decomposes it.
    ['ka\u0308se/2020-01-02.json', day('naïve')],
    ['объявления/2020-01-02.json', day('привет')],
    ['総務/2020-01-02.json', day('おはよう')],
    ['総務/canvas_in_the_conversation.json', '{}'],
    ['integration_logs.json', '[]'],
    ['__MACOSX/users.json', ''],
    ['.DS_Store', ''],
  ];
  writeFileSync(archive, zip(files));
  const told = await imports(archive, folder);
  t.match(told[2], /^Imported 1 accounts, 3 channels, 3 subscriptions, 3 messages, /);
  const about = 'files about what is not here, such as canvases and integrations';
  t.ok(told.includes(`  2 ${about} (such as integration_logs.json)`));
  t.strictSame((await contents(t, folder)).sort(), [
    ['käse', 'naïve'],
    ['объявления', 'привет'],
    ['総務', 'おはよう'],
  ]);
});

void t.test(
  'an import that leaves out a part of the archive says so and ends with 1',
  async (t) => {
    const folder = storeFolder(t);
    const archive = join(storeFolder(t), 'slack.zip');
    // The names of a program that wrote neither UTF-8 nor what the lists have: `käse` in Latin-1.
    const latin = zip([
      ['users.json', JSON.stringify([person])],
      ['channels.json', JSON.stringify([channel('C1', 'käse'), channel('C2', 'other')])],
      ['k?se/2020-01-02.json', day('lost')],
      ['other/2020-01-02.json', day('taken')],
      ['other/2020-01-03.jsonl', 'lost too'],
      ['__uploads/F1/a.txt', 'whose?'],
      ['__avatars/U7/a.png', PICTURE],
      ['more.json', '[]'],
    ]);
    for (let at = latin.indexOf('k?se'); at >= 0; at = latin.indexOf('k?se')) latin[at + 1] = 0xe4;
    writeFileSync(archive, latin);
    const told = await imports(archive, folder, 1);
    t.match(told[2], /^Imported 1 accounts, 2 channels, 2 subscriptions, 1 messages, /);
    t.strictSame(told.slice(3, 9), [
      'Not imported, or imported differently:',
      '  2 files that are unknown to the import (such as more.json)',
      '  1 pictures of people who are not in users.json (such as __avatars/U7)',
      '  1 uploaded files that no message has (such as __uploads/F1)',
      '  1 folders that no conversation of the lists is named by: their messages are missing (such as kΣse)',
      'The import is incomplete: parts of the archive were taken by nothing, see above. To repeat it, use an empty store.',
    ]);
    t.strictSame(await contents(t, folder), [['other', 'taken']]);
  },
);

void t.test('what is no export is refused before anything is written', async (t) => {
  const folder = storeFolder(t);
  const place = storeFolder(t);
  const archive = (name: string, content: Buffer): string => {
    writeFileSync(join(place, name), content);
    return join(place, name);
  };
  await t.rejects(imports(archive('empty', Buffer.alloc(0)), folder), /The archive is empty/);
  await t.rejects(
    imports(archive('text', Buffer.alloc(600, 'x')), folder),
    /text is no \.tar, \.tar\.gz or \.zip archive/,
  );
  await t.rejects(imports(archive('zip', Buffer.from('PK and more')), folder), /no zip archive/);
  const strange = zip([['users.txt', '[]']]);
  await t.rejects(imports(archive('strange.zip', strange), folder), /There is no users.json/);
  const out = zip([['../users.json', '[]']]);
  await t.rejects(
    imports(archive('out.zip', out), folder),
    /leads out of its folder: \.\.\/users\.json/,
  );
  const cut = zip([['users.json', '[{"id":"U1"']]);
  await t.rejects(imports(archive('cut.zip', cut), folder), /users\.json is cut short/);
  const none = zip([['users.json', '[]']]);
  await t.rejects(imports(archive('none.zip', none), folder), /this is no Slack export/);
  mkdirSync(join(place, 'unpacked'));
  await t.rejects(imports(join(place, 'unpacked'), folder), /There is no users.json/);
  t.strictSame(openBelow(place), [], 'nothing stays open');
  const store = await openStore(`embedded:${folder}`);
  t.teardown(() => store.close());
  t.strictSame(await store.collections(), []);
});

void t.test('the text of Slack as Markdown', async (t) => {
  const names = { user: () => undefined, channel: () => undefined };
  const cases: readonly [string, string][] = [
    ['*a* and_not_this *b*', '**a** and_not_this **b**'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['_*both*_', '***both***'],
    ['<@U9|cleo> <#C9|gone> <!subteam^S1|@team>', '@cleo #**gone** @team'],
    ['<mailto:a@example.org|a@example.org>', '[a@example.org](mailto:a@example.org)'],
    ['<https://example.org>', 'https://example.org'],
    ['`*raw* &amp;`', '`*raw* &`'],
  ];
  for (const [slack, markdown] of cases) t.equal(markdownOf(slack, names), markdown);
});
