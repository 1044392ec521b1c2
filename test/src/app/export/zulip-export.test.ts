/** Nobody is locked in: what is imported, used, exported and imported again is the same organization. */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runZulipExport } from '../../../../src/app/export/zulip-export.js';
import { readCommand } from '../../../../src/cli/command-line.js';
import { changesOf } from '../../../../src/journal/entry-reading.js';
import { FolderBlobStore } from '../../../../src/services/folder-blob-store.js';
import { openStore } from '../../../../src/store/open.js';
import { runExport } from '../../../../src/store/transfer/command.js';
import { runImport } from '../../../../src/store/transfer/import-command.js';
import { clientOf, imported } from '../../../fixtures/archives/imported.js';
import { pictureOf } from '../../../fixtures/archives/organization-picture.js';
import { tarGz } from '../../../fixtures/archives/tar.js';
import { zulipExport } from '../../../fixtures/archives/zulip-export.js';
import { RunningServer, storeFolder } from '../../../system/harness/server.js';

async function picture(folder: string, files = folder) {
  const store = await openStore(`embedded:${folder}`);
  try {
    return await pictureOf(store, new FolderBlobStore(join(files, 'files')));
  } finally {
    await store.close();
  }
}

async function exported(folder: string, path: string): Promise<string[]> {
  const told: string[] = [];
  const words = ['export', path, '--format', 'zulip', '--store', `embedded:${folder}`];
  const command = readCommand(words, {});
  if (command.kind !== 'foreign-export') throw new Error(command.kind);
  await runZulipExport(command, (line) => told.push(line));
  return told;
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

  // What other programs make of the archive.
  const unpacked = storeFolder(t);
  execFileSync('tar', ['-xzf', path, '-C', unpacked]);
  t.strictSame(readdirSync(unpacked).sort(), [
    ...['analytics.json', 'attachment.json', 'avatars', 'emoji'],
    ...['messages-000001.json', 'realm.json', 'realm_icons', 'uploads'],
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
  await imported(t, ['import-zulip', path], second);
  t.strictSame(await picture(second), await picture(folder));
});
