/** What mongodump wrote of a Rocket.Chat server, as the store has it afterwards. */
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { RocketChatArchive } from '../../../../src/transfer/import/rocketchat/rocketchat-archive.js';
import { importRooms } from '../../../../src/transfer/import/rooms/import-rooms.js';
import { attachmentKey } from '../../../../src/organization/uploads/attachments.js';
import { loadCollections, messageSource } from '../../../../src/organization/state/load.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { openStore } from '../../../../src/store/open.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { goesOnWhereItStopped } from '../../../fixtures/archives/cut-off.js';
import { imported, importJob } from '../../../fixtures/archives/imported.js';
import { message, rocketChatDump } from '../../../fixtures/archives/rocketchat-dump.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { RunningServer, storeFolder } from '../../../system/harness/server.js';

const WORDS = ['import-rocketchat', '--organization', 'Works'];

void t.test('without lists of members whoever wrote in a private room reads it', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'dump.zip');
  const kept = rocketChatDump().filter(([name]) => !name.includes('rocketchat_subscription'));
  writeFileSync(archive, zip(kept));
  const told = await imported(t, [...WORDS, archive], folder);
  const what =
    'private rooms whose members the dump does not list: those who wrote there read them';
  t.ok(told.includes(`  1 ${what} (such as whisper)`), told.join('\n'));
  const store = await openStore(`embedded:${folder}`);
  const site = { url: '', botDomain: '', generation: 0 };
  const org = new Organization(site, messageSource(store), Date.now);
  await loadCollections(store, org);
  await store.close();
  const whisper = [...org.channels.values()].find(({ name }) => name === 'About pay')!;
  t.strictSame([...org.subscriptions.subscribers(whisper.stream_id)], [2]);
});

void t.test('a server of Rocket.Chat goes on here', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'dump.zip');
  writeFileSync(archive, zip(rocketChatDump()));
  const told = await imported(t, [...WORDS, archive], folder);
  t.match(told, [
    /^Unpacking/,
    '15 of 15 messages',
    /^Imported 5 accounts, 0 groups, 5 channels, 4 subscriptions, 11 messages, 3 reactions, 1 files, 2 custom emoji, 1 pictures of people into /,
  ]);
  t.strictSame(told.slice(3, -1).sort(), [
    '  1 addresses of accounts, which are missing, taken, or no addresses (such as u9)',
    '  1 collections about what is not here, such as settings and statistics (such as dump/rocketchat/rocketchat_settings.bson)',
    '  1 encrypted messages, which no archive can read (such as m14)',
    '  1 fields of messages that are unknown here: swing (such as m9)',
    '  1 former versions of edited messages (such as m12)',
    '  1 messages of rooms that are left out, or in no list (such as m13)',
    '  1 messages that were pinned: here is no such mark (such as m1)',
    '  1 notices that Rocket.Chat wrote itself, such as who joined (such as m0)',
    '  1 reactions by custom emoji, or by people, that are missing (such as tick)',
    '  1 rooms of live chats and calls with people outside (such as visit)',
    'Not imported, or imported differently:',
  ]);
  const store = await openStore(`embedded:${folder}`);
  const site = { url: '', botDomain: '', generation: 0 };
  const org = new Organization(site, messageSource(store), Date.now);
  await loadCollections(store, org);
  const people = [...org.users.values()].filter((one) => !one.is_system_bot);
  t.strictSame(
    people.map((one) => [one.full_name, one.email, one.role, one.is_active, one.is_bot]),
    [
      ['Rocket.Cat', 'rocketchat-rocket.cat@parley.invalid', 400, true, true],
      ['Ada', 'ada@example.org', 100, true, false],
      ['Ben', 'ben.b@example.org', 400, true, false],
      ['Gone', 'gone@example.org', 400, false, false],
      ['u9', 'rocketchat-stranger@parley.invalid', 400, false, false],
    ],
    'an author in no list is a deactivated account',
  );
  t.strictSame(
    people.map((one) => one.is_imported_stub),
    [false, true, true, false, false],
  );
  t.match(org.users.get(2), { avatar_file: String });
  t.strictSame(
    Array.from(
      org.channels.values(),
      ({ stream_id, name, description, invite_only, is_archived }) => [
        ...[name, description, invite_only, is_archived],
        [...org.subscriptions.subscribers(stream_id)].sort(),
      ],
    ),
    [
      ['general', 'For all · news', false, false, [2, 3]],
      ['Secret Room', '', true, false, [2]],
      ['crew', '', true, false, [2]],
      ['mates', '', false, true, []],
      ['About pay', '', true, false, []],
    ],
    'a private discussion is no topic of a public channel',
  );
  t.strictSame(
    Array.from(org.channels.values(), (one) => org.channelFolders.get(one.folder_id ?? 0)?.name),
    [undefined, undefined, 'crew', 'crew', undefined],
  );
  t.match(org.channels.get(2), {
    can_administer_channel_group: { direct_members: [2] },
    can_send_message_group: org.groups.system('role:moderators').id,
  });
  const messages: MessageDocument[] = [];
  for await (const batch of store.scan('message')) {
    for (const { document } of batch) messages.push(document as unknown as MessageDocument);
  }
  const [file] = [...org.attachments.values()];
  const [plain, thread] = ['imported from Rocket.Chat', 'thread of 2019-03-21 11:00:01.000'];
  t.strictSame(
    messages.map((one) => [one.stream_id, one.topic, one.sender_id, one.content]),
    [
      [
        ...[1, thread, 2],
        '**hello** @**Ben|3**. *a* ~~b~~ #**general** and #**general>About tea** :cross_mark: :tick: `@ben.b *c*`',
      ],
      [1, 'About tea', 3, 'milk?'],
      [1, thread, 3, 'an answer'],
      [5, plain, 2, 'less'],
      [null, '', 2, 'psst @**all**'],
      [null, '', 3, '@_**Ada|2** said:\n```quote\npsst @**all**\n```\nyes'],
      [1, plain, 2, `the **plan**\n[план.txt](/user_uploads/${file!.path_id})`],
      [1, plain, 3, '@_**Ada|2** said:\n```quote\nhello\n```\nindeed'],
      [1, plain, 1, '**CI**: Built [here](https://ci.example.org/1)\n**main**\n**Took**: 3 min'],
      [1, plain, 5, 'who am I?'],
      [1, plain, 2, '/me changed the topic to: tea'],
    ],
  );
  t.match(messages[0], {
    ...{ timestamp: 1_553_166_001, last_edit_timestamp: 1_553_166_005, mentioned: [3] },
    reactions: [
      { emoji_name: 'big_smile', emoji_code: '1f604', user_id: 3 },
      { emoji_name: 'big_smile', emoji_code: '1f604', user_id: 2 },
      { emoji_name: 'tick', reaction_type: 'realm_emoji', user_id: 2 },
    ],
  });
  t.match(file, { name: 'план.txt', message_ids: [7], size: 8 });
  const bytes = readFileSync(join(folder, 'files', attachmentKey(file!)), 'utf8');
  t.equal(bytes, 'the plan', 'pieces are in their order');
  t.strictSame(
    Array.from(org.customEmoji.values(), (one) => one.name),
    ['tick', 'check_it'],
  );
  t.ok(org.messageFlags.of(3, 1)?.starred);
  t.ok(org.readState.isRead(3, 1, 11), 'all of it is read');
  await store.close();
  const server = await RunningServer.serve(t, folder);
  t.equal((await fetch(`${server.url}/api/v1/server_settings`)).status, 200, 'it is served');
});

void t.test('an import that is cut off anywhere goes on to the same organization', async (t) => {
  const place = join(storeFolder(t), 'unpacked');
  for (const [name, content] of rocketChatDump()) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), content);
  }
  const reports: string[] = [];
  const report = (line: string) => void reports.push(line);
  await goesOnWhereItStopped(t, (store, name, told) =>
    withLease(store, async (held) => {
      const [files, scratch] = [join(place, '..', name), join(place, '..', `${name}-scratch`)];
      const job = importJob(t, { store, held, folder: realpathSync(place), files }, report, told);
      return importRooms(job, await RocketChatArchive.read(job, scratch), 'Works');
    }),
  );
  t.ok(
    reports.includes('Continues after 1 parts of 2000 messages'),
    'it does not write them again',
  );
});

void t.test('what is no whole dump is refused, and rows that are odd are counted', async (t) => {
  const archive = join(storeFolder(t), 'dump.zip');
  const dump = rocketChatDump();
  const messages = dump.find(([name]) => name.endsWith('message.bson'))![1] as Buffer;
  const others = dump.filter(([, content]) => content !== messages);
  const name = 'dump/rocketchat/rocketchat_message.bson';
  for (const [files, fault] of [
    [[...others, [name, messages.subarray(0, -3)]], /rocketchat_message\.bson is cut short$/],
    [
      [...others, [name, Buffer.from('no BSON at all')]],
      /is no file of BSON as mongodump writes it/,
    ],
    [[[`${name}.gz`, 'x']], /gunzip \*\.gz/],
    [
      [['result.json', '{}']],
      /There is no rocketchat_message\.bson.*Telegram.*parley import-mattermost/,
    ],
  ] as const) {
    writeFileSync(archive, zip(files));
    await t.rejects(imported(t, [...WORDS, archive], storeFolder(t)), { message: fault });
  }
  const odd = message('m20', 20, 'u1', 'when?', { ts: 'never' });
  const answer = message('m21', 21, 'u1', 'to what?', { tmid: 'm99' });
  const link = 'https://chat.example.org/channel/general?msg=m1';
  const more = [
    odd,
    answer,
    // Servers that show full names write them; small pictures had no mark formerly.
    message('m22', 22, 'u1', `[ ](${link}) so`, {
      attachments: [{ text: 'hello', author_name: 'Ben', message_link: link }],
    }),
    message('m23', 23, 'u1', '', {
      files: [
        { _id: 'f1', name: 'план.txt', type: 'image/png' },
        { _id: 'f9', name: 'thumb-план.txt', type: 'image/png' },
      ],
      attachments: [{ title: 'план.txt', type: 'file', title_link: '/file-upload/f1/x.txt' }],
    }),
  ];
  writeFileSync(archive, zip([...rocketChatDump(more), ['notes.txt', 'x']]));
  const folder = storeFolder(t);
  const told = await imported(t, [...WORDS, archive], folder, 1);
  const store = await openStore(`embedded:${folder}`);
  const found = await store.getMany(['13', '14'].map((id) => ({ collection: 'message', id })));
  await store.close();
  const [quoted, shown] = found.map((one) => (one as unknown as MessageDocument).content);
  t.equal(quoted, '@_**Ben|3** said:\n```quote\nhello\n```\nso');
  t.match(shown, /^\[план\.txt\]\(\/user_uploads\/[^)]+\)$/);
  for (const line of [
    '  1 messages without a time (such as m20)',
    '  1 answers to messages that are not in the archive (such as m21)',
    '  1 files that are none of a dump (such as notes.txt)',
  ]) {
    t.ok(told.includes(line), line);
  }
});
