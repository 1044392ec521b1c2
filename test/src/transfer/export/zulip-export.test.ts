/** Nobody is locked in: what is imported, used, exported and imported again is the same organization. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { addressThere } from '../../../../src/transfer/export/people-rows.js';
import { runZulipExport } from '../../../../src/transfer/export/zulip-export.js';
import { readCommand } from '../../../../src/cli/command-line.js';
import { changesOf } from '../../../../src/journal/entry-reading.js';
import { FolderBlobStore } from '../../../../src/services/folder-blob-store.js';
import { openStore } from '../../../../src/store/open.js';
import { runExport } from '../../../../src/store/transfer/command.js';
import { runImport } from '../../../../src/store/transfer/import-command.js';
import { clientOf, imported } from '../../../fixtures/archives/imported.js';
import { pictureOf } from '../../../fixtures/archives/organization-picture.js';
import { zulip } from '../../../fixtures/archives/small-archives.js';
import { tarGz, type ArchivedFile } from '../../../fixtures/archives/tar.js';
import { MIGRATIONS, peerExport, READERS, walk } from '../../../fixtures/archives/zulip-readers.js';
import { zulipExport } from '../../../fixtures/archives/zulip-export.js';
import { openBelow } from '../../../fixtures/open-files.js';
import { RunningServer, storeFolder } from '../../../system/harness/server.js';

/** Of `realm.json`, in the order of the alphabet: all that Zulip exports but what it makes itself where it is absent. */
const TABLES =
  'alertword botconfigdata botstoragedata channelfolder client customprofilefield customprofilefieldvalue ' +
  'defaultstream draft externalauthid groupgroupmembership huddle muteduser namedusergroup navigationview ' +
  'onboardingstep onboardingusermessage reaction realm realmauthenticationmethod realmdomain realmemoji realmexport ' +
  'realmfilter realmplayground realmuserdefault recipient savedsnippet scheduledmessage service stream ' +
  'subscription useractivity useractivityinterval usergroup usergroupmembership userpresence userprofile ' +
  'userprofile_crossrealm userprofile_mirrordummy userstatus usertopic';

async function picture(folder: string, files = folder) {
  const store = await openStore(`embedded:${folder}`);
  try {
    return await pictureOf(store, new FolderBlobStore(join(files, 'files')));
  } finally {
    await store.close();
  }
}

async function exported(folder: string, path: string, more: string[] = []): Promise<string[]> {
  const told: string[] = [];
  const words = ['export', path, '--format', 'zulip', '--store', `embedded:${folder}`, ...more];
  const command = readCommand(words, {});
  if (command.kind !== 'foreign-export') throw new Error(command.kind);
  await runZulipExport(command, (line) => told.push(line));
  const left = [folder, dirname(path)].flatMap(openBelow);
  if (left.length > 0) throw new Error(`These stay open: ${left.join(', ')}`);
  return told;
}

/** What another program makes of an archive. */
function unpackedFrom(t: Test, path: string): string {
  const folder = storeFolder(t);
  execFileSync('tar', ['-xzf', path, '-C', folder]);
  return folder;
}

/** As the readers of three years of Zulip go through it. */
function walkAll(t: Test, unpacked: string): void {
  for (const [year, columns] of Object.entries(READERS)) {
    t.strictSame(walk(unpacked, columns), [], year);
  }
}

void t.test('import, export, import: equal organizations', async (t) => {
  const first = storeFolder(t);
  const work = storeFolder(t);
  writeFileSync(join(work, 'realm.tar.gz'), tarGz(zulipExport()));
  await imported(t, ['import-zulip', join(work, 'realm.tar.gz')], first);
  const path = join(work, 'again.tar.gz');
  const told = await exported(first, path);
  t.match(told, [
    /^Exported 6 accounts, 3 channels, 10 messages, 2 reactions, 3 files from embedded:/,
  ]);
  t.equal(statSync(path).mode & 0o777, 0o600, 'for the operator alone');
  const second = storeFolder(t);
  t.match(await imported(t, ['import-zulip', path], second), [
    /^Unpacking/,
    '1 of 1 files of messages',
    /^Imported 6 accounts, 3 channels, 6 subscriptions, 10 messages, 2 reactions, 3 files, 2 custom emoji, 1 pictures/,
  ]);
  t.strictSame(await picture(second), await picture(first), 'the public format');
  await t.rejects(exported(first, path), /exists already/);

  const lines = join(work, 'own.jsonl');
  const own = storeFolder(t);
  const report = (): void => undefined;
  const command = { store: `embedded:${first}`, path: lines, move: false };
  const surroundings = { software: 'test', stdout: process.stdout, report, readChanges: changesOf };
  await runExport(command, surroundings);
  await runImport({ store: `embedded:${own}`, path: lines }, { stdin: process.stdin, report });
  t.strictSame(await picture(own, first), await picture(first), 'our own format');

  const unpacked = unpackedFrom(t, path);
  walkAll(t, unpacked);
  const tables = JSON.parse(readFileSync(join(unpacked, 'realm.json'), 'utf8')) as object;
  const named = TABLES.split(' ').map((name) => `zerver_${name}`);
  t.strictSame(Object.keys(tables).sort(), ['import_source', ...named]);
  t.strictSame(readdirSync(unpacked).sort(), [
    ...['analytics.json', 'attachment.json', 'avatars', 'emoji'],
    ...['messages-000001.json', 'realm.json', 'realm_icons', 'uploads'],
  ]);
});

void t.test('every table that readers ask for is there, also where it has no rows', async (t) => {
  const [folder, work] = [storeFolder(t), storeFolder(t)];
  const files = Object.entries(zulip({})).map(([name, content]): ArchivedFile => [
    name,
    JSON.stringify(content),
  ]);
  writeFileSync(join(work, 'bare.tar.gz'), tarGz(files));
  await imported(t, ['import-zulip', join(work, 'bare.tar.gz')], folder);
  await exported(folder, join(work, 'again.tar.gz'));
  const unpacked = unpackedFrom(t, join(work, 'again.tar.gz'));
  const tables = JSON.parse(readFileSync(join(unpacked, 'realm.json'), 'utf8')) as object;
  // Of drafts a reader asks only where there are some.
  const asked = TABLES.split(' ').filter((name) => name !== 'draft');
  t.strictSame(Object.keys(tables).sort(), [
    'import_source',
    ...asked.map((name) => `zerver_${name}`),
  ]);
});

void t.test('an organization that people used moves on as it was', async (t) => {
  const folder = storeFolder(t);
  const work = storeFolder(t);
  writeFileSync(join(work, 'realm.tar.gz'), tarGz(zulipExport()));
  await imported(t, ['import-zulip', join(work, 'realm.tar.gz')], folder);
  const server = await RunningServer.serve(t, folder);
  const [ada, ben, dora] = [
    await clientOf(server, 11),
    await clientOf(server, 12),
    await clientOf(server, 16),
  ];
  const ids: number[] = [];
  for (const text of ['one', 'two @**Ben**', 'three @**all**', '/todo Things']) {
    ids.push(await ada.say(text, 'engine', 'later'));
  }
  await ada.ok('PATCH', `/messages/${ids[0]}`, { content: 'one, *edited*' });
  await ada.ok('PATCH', `/messages/${ids[1]}`, { topic: 'moved', propagate_mode: 'change_one' });
  await ada.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: '議事録' }] });
  const { stream_id } = await ada.ok('GET', '/get_stream_id', { stream: '議事録' });
  await ada.ok('PATCH', `/messages/${ids[2]}`, { stream_id, propagate_mode: 'change_one' });
  await ada.say('among us', '議事録', 'first');
  await ben.ok('POST', '/messages/flags', { messages: [ids[0]], op: 'add', flag: 'read' });
  await ben.ok('POST', '/messages/flags', { messages: [ids[1]], op: 'add', flag: 'starred' });
  await ben.ok('POST', `/messages/${ids[0]}/reactions`, { emoji_name: 'octopus' });
  await dora.ok('DELETE', '/users/me/subscriptions', { subscriptions: ['engine'] });
  await ada.say('when Dora was away', 'engine', 'later');
  await dora.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'engine' }] });
  await ada.say('when Dora was back', 'engine', 'later');
  await ada.ok('DELETE', `/messages/${ids[3]}`);
  await ada.ok('PATCH', '/realm', {
    message_edit_history_visibility_policy: 'moves',
    can_create_public_channel_group: { new: { direct_members: [12, 16], direct_subgroups: [41] } },
    waiting_period_threshold: 3,
  });
  await ada.ok('POST', '/users/me/status', { status_text: 'off', emoji_name: 'octopus' });
  await ben.ok('PATCH', '/settings', { enter_sends: true, default_language: 'fr' });
  await server.stop();

  const path = join(work, 'again.tar.gz');
  t.match(
    (await exported(folder, path)).join('\n'),
    /^Exported 6 accounts, 4 channels, 19 messages, 3 reactions/,
  );
  const second = storeFolder(t);
  const told = await imported(t, ['import-zulip', path], second);
  const unknown = told.filter((line) => line.includes('that are unknown here: '));
  t.strictSame(unknown, [], 'each column that is written is read');
  t.strictSame(await picture(second), await picture(folder));

  walkAll(t, unpackedFrom(t, path));
});

void t.test('a file that is gone is told, and no reader looks for it', async (t) => {
  const folder = storeFolder(t);
  const work = storeFolder(t);
  writeFileSync(join(work, 'realm.tar.gz'), tarGz(zulipExport()));
  await imported(t, ['import-zulip', join(work, 'realm.tar.gz')], folder);
  const files = readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true });
  const paths = files.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  rmSync(paths.find((one) => readFileSync(one, 'utf8') === 'the plan')!);
  const path = join(work, 'again.tar.gz');
  t.match(
    (await exported(folder, path)).join('\n'),
    /^ {2}1 files that are missing \(such as uploads\/.*plan.txt\)$/m,
  );
  walkAll(t, unpackedFrom(t, path));
});

void t.test('addresses as Django checks them', (t) => {
  for (const address of ['ada@example.org', "o'hara+x@mail.example.co.uk", 'echo-bot@localhost']) {
    t.equal(addressThere(address, 7), address);
  }
  t.equal(addressThere('echo-bot@127.0.0.1', 7), 'echo-bot@parley.invalid');
  t.equal(addressThere('echo-bot@chat', 7), 'echo-bot@parley.invalid');
  t.equal(addressThere('jörg@example.org', 7), 'user7@parley.invalid');
  t.end();
});

void t.test(
  'for a server whose export is at hand: its columns, its migrations, and what it does not have',
  async (t) => {
    const folder = storeFolder(t);
    const work = storeFolder(t);
    writeFileSync(join(work, 'realm.tar.gz'), tarGz(zulipExport()));
    await imported(t, ['import-zulip', join(work, 'realm.tar.gz')], folder);
    const like = join(work, 'other.tar.gz');
    writeFileSync(like, peerExport());
    const path = join(work, 'there.tar.gz');
    const told = (await exported(folder, path, ['--like', like])).join('\n');
    t.match(
      told,
      /^ {2}6 values of zerver_userprofile\.role, which the other server does not have$/m,
    );
    t.match(told, /^The example has no row of these tables.*: zerver_.*zerver_subscription/m);
    t.strictSame(
      readdirSync(work).sort(),
      ['other.tar.gz', 'realm.tar.gz', 'there.tar.gz'],
      'nothing is left',
    );
    const unpacked = storeFolder(t);
    execFileSync('tar', ['-xzf', path, '-C', unpacked]);
    const read = (name: string): unknown => JSON.parse(readFileSync(join(unpacked, name), 'utf8'));
    t.equal(readFileSync(join(unpacked, 'migration_status.json'), 'utf8'), MIGRATIONS);
    const { zerver_realm, zerver_userprofile, zerver_namedusergroup } = read(
      'realm.json',
    ) as Record<string, Record<string, unknown>[]>;
    const administrators = zerver_namedusergroup!.find(
      ({ name }) => name === 'role:administrators',
    )!;
    t.strictSame(zerver_realm, [
      {
        id: 1,
        name: 'Analytical "Society"',
        deactivated: false,
        can_fly_group: administrators['id'],
        wings: 2,
        sky_stream: null,
        end_date: null,
        moved_redirect: null,
      },
    ]);
    t.strictSame(zerver_userprofile![0], {
      ...{ id: 11, email: 'user11@parley.invalid', full_name: 'Ada', enter_sends: false },
      ...{ hums: false, nest: '' },
    });
    const [first] = (read('messages-000001.json') as { zerver_message: object[] }).zerver_message;
    t.strictSame(Object.keys(first!), ['id', 'content', 'realm', 'mood']);

    writeFileSync(like, peerExport([]));
    await t.rejects(
      exported(folder, join(work, 'none.tar.gz'), ['--like', like]),
      /no export of Zulip 10 or later/,
    );
    t.notOk(readdirSync(work).includes('none.tar.gz'));
  },
);
