/** Archives with what no service exports: ids twice, values of other types, names that lead elsewhere. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { imported } from '../../../fixtures/archives/imported.js';
import { mattermostExport } from '../../../fixtures/archives/mattermost-export.js';
import { slackExport } from '../../../fixtures/archives/slack-export.js';
import { tarGz, type ArchivedFile } from '../../../fixtures/archives/tar.js';
import { zulipExport } from '../../../fixtures/archives/zulip-export.js';
import { storeFolder } from '../../../system/harness/server.js';

type Row = Record<string, unknown>;
type Tables = Record<string, Row[]>;

/** Files with one of them changed. */
function changed<T>(
  files: readonly ArchivedFile[],
  ending: string,
  change: (content: T) => unknown,
): ArchivedFile[] {
  return files.map(([name, content]) => {
    if (!name.endsWith(ending)) return [name, content];
    return [name, JSON.stringify(change(JSON.parse(String(content)) as T))];
  });
}

/** A folder with files. */
function folderOf(t: Test, files: readonly ArchivedFile[]): string {
  const folder = storeFolder(t);
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** What was imported, and the lines that a report has beyond those of an import of unchanged files. */
async function reported(
  t: Test,
  command: readonly string[],
  files: readonly ArchivedFile[],
  usual: readonly ArchivedFile[],
): Promise<string[]> {
  const [name, ...rest] = command;
  const before = await imported(t, [name!, folderOf(t, usual), ...rest], storeFolder(t));
  const told = await imported(t, [name!, folderOf(t, files), ...rest], storeFolder(t), 1);
  const isOther = (line: string): boolean => /^ {2}|^Imported/.test(line) && !before.includes(line);
  const lines = told
    .filter(isOther)
    .map((line) => line.trim().replace(/(messages), .* into .*/, '$1'));
  return lines.sort((a, b) => (a < b ? -1 : 1));
}

void t.test('a Zulip export: what is there twice, or no row, is named', async (t) => {
  const realm = (tables: Tables): unknown => ({
    ...tables,
    zerver_realm: [
      {
        ...tables['zerver_realm']![0],
        name: 'n'.repeat(100),
        message_content_edit_limit_seconds: -5,
      },
    ],
    zerver_stream: [
      ...tables['zerver_stream']!,
      { ...tables['zerver_stream']![0], name: 'hidden behind the first one' },
      { ...tables['zerver_stream']![0], id: 29, recipient: 39, name: 'ENGINE' },
      null,
      'engine',
    ],
    zerver_usertopic: { 1: tables['zerver_usertopic']![0] },
    zerver_service: [{ ...tables['zerver_service']![0], interface: 'of words' }],
    zerver_groupgroupmembership: [
      ...tables['zerver_groupgroupmembership']!,
      // A cycle of two, and one of itself.
      { id: 901, supergroup: 41, subgroup: 46 },
      { id: 902, supergroup: 41, subgroup: 41 },
    ],
  });
  const messages = (tables: Tables): unknown => ({
    ...tables,
    zerver_message: [
      ...tables['zerver_message']!,
      { ...tables['zerver_message']![0], content: 'hidden behind the first one' },
      { ...tables['zerver_message']![0], id: 2001, edit_history: '{"not": "a list"}' },
      { ...tables['zerver_message']![0], id: 2002, subject: 'half \ud800' },
      [7],
    ],
    zerver_usermessage: [...tables['zerver_usermessage']!, ...tables['zerver_usermessage']!],
  });
  const later = (tables: Tables): unknown => ({
    ...tables,
    zerver_message: [
      ...tables['zerver_message']!,
      { ...tables['zerver_message']![0], id: 1001, content: 'hidden in another file' },
    ],
  });
  const attachments = (tables: Tables): unknown => ({
    zerver_attachment: [
      ...tables['zerver_attachment']!,
      { ...tables['zerver_attachment']![0], path_id: '3/aa/other_other/other.txt' },
    ],
  });
  const usual = zulipExport();
  let files = changed(usual, 'realm.json', realm);
  files = changed(files, 'messages-000001.json', messages);
  files = changed(files, 'messages-000002.json', later);
  files = changed(files, 'attachment.json', attachments);
  t.strictSame(await reported(t, ['import-zulip'], files, usual), [
    '1 channels with another name here: theirs was empty, too long, taken or not allowed (such as ENGINE (2))',
    '1 histories of messages that are not as expected (such as 2001)',
    '1 messages with another topic here: theirs was too long or not allowed (such as 2002)',
    '1 rows of zerver_attachment with the id of another (such as 71)',
    '1 rows of zerver_service of a form that is unknown here (such as 1)',
    '1 rows of zerver_stream with the id of another (such as 21)',
    '2 rows of zerver_message with the id of another (such as 1001)',
    '2 settings of the organization with a value that is unknown here (such as digest_weekday)',
    '2 subgroups that contain the group that they are in (such as 41 of 41)',
    '4 values in the place of rows or of lists of rows (such as realm.json zerver_stream)',
    'Imported 6 accounts, 4 channels, 6 subscriptions, 12 messages',
  ]);
});

void t.test('a Slack export: names that lead elsewhere are not followed', async (t) => {
  const outside = folderOf(t, [
    [
      'general/2020-01-02.json',
      '[{"type":"message","user":"U1","ts":"1577923999.000200","text":"of others"}]',
    ],
  ]);
  const usual = slackExport();
  const lead = `../${outside.split('/').at(-1)!}/general`;
  let files = changed<Row[]>(usual, 'channels.json', (rows) => [
    ...rows,
    { id: 'C8', name: lead, members: ['U1'] },
    { id: 'C9', name: 'general', members: ['U1'] },
    { id: 'C1', name: 'other', members: ['U1'] },
    null,
  ]);
  files = changed<Row[]>(files, 'users.json', (rows) => [
    ...rows
      .slice(0, 1)
      .map((row) => ({ ...row, profile: { real_name: 'Ada', fields: { Xf1: null } } })),
    ...rows.slice(1),
    rows[1],
  ]);
  files = changed<Row[]>(files, 'general/2020-01-02.json', (rows) => [
    ...rows.map((row) => ({ ...row, ...(row['reactions'] ? { reactions: [null] } : {}) })),
    rows[0],
    { ...rows[0], text: 'another at the same time' },
    5,
  ]);
  files = changed(files, 'board/2020-01-02.json', () => ({ ok: false, error: 'not_in_channel' }));
  files.push(['__uploads/F1/.DS_Store', 'litter'], ['__uploads/F1/zweite.png', 'x']);
  t.strictSame(await reported(t, ['import-slack', '--organization', 'X'], files, usual), [
    '1 accounts with the id of another (such as U2)',
    '1 conversations with the id of another (such as C1)',
    '1 conversations with the name of another (such as general)',
    '1 files beside another one of the same id (such as __uploads/F1/zweite.png)',
    '1 messages that the archive has twice (such as general 1577923200.000200)',
    '2 addresses of accounts, which are missing, taken, or no addresses (such as ada)',
    '3 values in the place of rows or of lists of rows (such as channels.json)',
    'Imported 4 accounts, 4 channels, 6 subscriptions, 9 messages',
  ]);
});

void t.test('a Mattermost export: lists with nothing in them, and names twice', async (t) => {
  const usual = mattermostExport();
  const [lines, ...rest] = mattermostExport([
    { type: 'user', user: { username: 'ada', email: 'other@example.org', teams: [null] } },
    { type: 'user', user: { username: 'zoe', email: 'zoe@example.org', teams: [null] } },
    { type: 'channel', channel: { team: 'works', name: 'town', display_name: 'Other', type: 'P' } },
    { type: 'post', post: null },
    {
      type: 'post',
      post: { team: 'works', channel: 'town', user: 'zoe', message: 'late', create_at: 1e300 },
    },
    {
      type: 'post',
      post: {
        ...{ team: 'works', channel: 'town', user: 'zoe', message: 'of zoe', create_at: 1.6e12 },
        ...{ attachments: [null], reactions: [null], replies: [null] },
      },
    },
  ]);
  t.strictSame(
    await reported(t, ['import-mattermost', '--organization', 'X'], [lines!, ...rest], usual),
    [
      '1 accounts with the name of another (such as ada)',
      '1 channels with the name of another in their team (such as works/town)',
      '1 values in the place of rows or of lists of rows (such as answers of a message)',
      '2 messages that nothing took',
      'Imported 4 accounts, 3 channels, 3 subscriptions, 7 messages',
    ],
  );
});

void t.test('an archive that is refused leaves nothing behind', async (t) => {
  const [folder, place] = [storeFolder(t), storeFolder(t)];
  const archive = join(place, 'realm.tar.gz');
  const usual = zulipExport();
  const odd = changed<Tables>(usual, 'realm.json', (tables) => ({
    ...tables,
    zerver_subscription: [...tables['zerver_subscription']!, { id: 990, user_profile: null }],
  }));
  writeFileSync(archive, tarGz(odd));
  await t.rejects(imported(t, ['import-zulip', archive], folder), {
    name: 'ArchiveError',
    message: /has no number as user_profile: \{"id":990,"user_profile":null\}/,
  });
  t.notOk(existsSync(join(folder, 'import-unpacked')));
  writeFileSync(archive, tarGz(usual));
  await imported(t, ['import-zulip', archive], folder);
});
