/** What DiscordChatExporter wrote, as the store has it afterwards. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { DiscordArchive } from '../../../../src/transfer/import/discord/discord-archive.js';
import { importRooms } from '../../../../src/transfer/import/rooms/import-rooms.js';
import { readCommand } from '../../../../src/cli/command-line.js';
import { loadCollections, messageSource } from '../../../../src/organization/state/load.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { openStore } from '../../../../src/store/open.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { ADA, BEN, discordExport, message } from '../../../fixtures/archives/discord-export.js';
import { goesOnWhereItStopped } from '../../../fixtures/archives/cut-off.js';
import { imported, importJob } from '../../../fixtures/archives/imported.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { RunningServer, storeFolder } from '../../../system/harness/server.js';

const WORDS = ['import-discord', '--organization', 'Works'];

void t.test('a server of Discord goes on here', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'discord.zip');
  writeFileSync(archive, zip(discordExport()));
  const told = await imported(t, [...WORDS, archive], folder);
  t.match(told, [/^Unpacking/, '13 of 13 messages', /^Imported 5 accounts, 1 groups, 4 channels,/]);
  t.strictSame(told.slice(3, -1).sort(), [
    '  1 fields of messages that are unknown here: mood (such as 700000005)',
    '  1 files, which Discord keeps: messages have their addresses there (such as b.bin)',
    '  1 messages that were pinned: here is no such mark (such as 700000002)',
    '  1 notices that Discord wrote itself, such as who joined (such as 700000001)',
    '  1 pictures of previews, of emoji that are here, and of who changed theirs (such as media/1f389-1.svg)',
    '  1 previews that Discord made of linked pages (such as https://example.org/page)',
    '  4 addresses of accounts, which are missing, taken, or no addresses (such as Ada)',
    'Not imported, or imported differently:',
  ]);
  const store = await openStore(`embedded:${folder}`);
  const site = { url: '', botDomain: '', generation: 0 };
  const org = new Organization(site, messageSource(store), Date.now);
  await loadCollections(store, org);
  const people = [...org.users.values()].filter((one) => !one.is_system_bot);
  t.strictSame(
    people.map((one) => [one.user_id, one.full_name, one.email, one.is_active, one.is_bot]),
    [
      [1, 'Ada', 'discord-ada@parley.invalid', true, false],
      [2, 'Deleted User', 'discord-deleted_user_0a1b@parley.invalid', false, false],
      [3, 'CI', 'discord-ci@parley.invalid', true, true],
      [4, 'Ben B', 'discord-ben-0042@parley.invalid', true, false],
      [5, 'Cleo', 'discord-cleo@parley.invalid', false, false],
    ],
    'who appears is somebody; of a conversation also whoever only got messages',
  );
  t.strictSame(
    people.map((one) => one.is_imported_stub),
    [true, false, false, true, false],
  );
  t.match(org.users.get(1), { avatar_file: String });
  t.match(org.realm.current, { icon_file: String });
  const [crew] = [...org.groups.values()].filter((one) => !one.is_system_group);
  t.match(crew, { name: 'Night Crew', members: [1] });
  t.strictSame(
    Array.from(org.channels.values(), ({ stream_id, name, description, invite_only }) => [
      ...[name, description, invite_only],
      [...org.subscriptions.subscribers(stream_id)].sort(),
    ]),
    [
      ['general', 'For all', true, [1, 3, 4]],
      ['help', '', true, []],
      ['general: pay', '', true, [1]],
      ['Forum', '', true, []],
    ],
    'nobody reads more than they did',
  );
  t.strictSame(
    Array.from(org.channels.values(), (one) => org.channelFolders.get(one.folder_id ?? 0)?.name),
    ['Text Channels', 'Text Channels', undefined, undefined],
  );
  const messages: MessageDocument[] = [];
  for await (const batch of store.scan('message')) {
    for (const { document } of batch) messages.push(document as unknown as MessageDocument);
  }
  const [file] = [...org.attachments.values()];
  const plain = 'imported from Discord';
  const hello = '**hello** *all* @**Ben B|4**, see #**help** :blob: @*Night Crew*';
  t.strictSame(
    messages.map((one) => [one.stream_id, one.topic, one.sender_id, one.content]),
    [
      [1, plain, 1, hello],
      [1, 'Releases', 4, 'in a thread'],
      [
        ...[1, plain, 4],
        '@**all** \n```spoiler\nthe plan\n```\n <time:2023-11-14T22:13:20Z> `@Ada`\n' +
          `[plan.txt](/user_uploads/${file!.path_id})\n[b.bin](https://cdn.discordapp.com/a/b.bin)`,
      ],
      [1, plain, 4, `@_**Ada|1** said:\n\`\`\`quote\n${hello}\n\`\`\`\nyes`],
      [1, plain, 1, 'look https://example.org/page'],
      [
        ...[1, plain, 3],
        '**builds**: Built\n**[main](https://ci.example.org/1)**\n**green**\n**Took**: 3 min\n*CI 2*',
      ],
      [1, plain, 1, '/me pinned a message.'],
      [1, plain, 4, '```quote\nfrom afar\n```'],
      [4, 'How to', 2, 'in a forum'],
      [3, plain, 1, 'between us'],
      [null, '', 1, 'psst'],
      [1, plain, 3, '@_**Ben B|4** used /ping:\npong'],
    ],
  );
  t.match(messages[0], {
    ...{ timestamp: 1_767_322_860, last_edit_timestamp: 1_767_326_460, mentioned: [4] },
    reactions: [
      { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji', user_id: 4 },
      { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji', user_id: 2 },
      { emoji_name: 'blob', reaction_type: 'realm_emoji', user_id: 4 },
    ],
  });
  t.match(file, { name: 'plan.txt', message_ids: [3] });
  t.strictSame(org.conversations.get(messages[10]!.recipient_id)?.user_ids, [1, 5]);
  t.ok(org.readState.isRead(1, 1, 12), 'all of it is read');
  await store.close();
  const server = await RunningServer.serve(t, folder);
  t.equal((await fetch(`${server.url}/api/v1/server_settings`)).status, 200, 'it is served');
});

void t.test('an import that is cut off anywhere goes on to the same organization', async (t) => {
  const place = join(storeFolder(t), 'unpacked');
  for (const [name, content] of discordExport()) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), content);
  }
  const reports: string[] = [];
  const report = (line: string) => void reports.push(line);
  await goesOnWhereItStopped(t, (store, name, told) =>
    withLease(store, async (held) => {
      const files = join(place, '..', name);
      const job = importJob(t, { store, held, folder: realpathSync(place), files }, report, told);
      return importRooms(job, await DiscordArchive.read(job, 'public'), 'Works');
    }),
  );
  t.ok(
    reports.includes('Continues after 1 parts of 2000 messages'),
    'it does not write them again',
  );
});

void t.test('ids in the place of names, other signs, and what is damaged', async (t) => {
  const raw = message(
    '700000020',
    '11:00:00',
    ADA,
    [
      '<@100000002> <@!9> <#200000001> <@&500000001> <:Blob:600000001> <a:other:1>',
      '</ping:1> <https://example.org/a_b_c> ```js\n_a_\n``` __x__y',
      '>>> two\nlines',
    ].join('\n'),
  );
  const archive = join(storeFolder(t), 'discord.zip');
  const folder = storeFolder(t);
  const broken = { ...message('700000021', '', ADA, 'when?'), timestamp: 'never' };
  writeFileSync(archive, zip([...discordExport([raw, broken]), ['media/whose.bin', 'x']]));
  const told = await imported(t, [...WORDS, '--channels', 'public', archive], folder, 1);
  t.ok(told.includes('  1 messages without a time (such as 700000021)'), told.join('\n'));
  t.ok(told.includes('  1 files that no message names (such as media/whose.bin)'));
  const store = await openStore(`embedded:${folder}`);
  const [one, channel] = await store.getMany([
    { collection: 'message', id: '13' },
    { collection: 'channel', id: '1' },
  ]);
  await store.close();
  t.equal(
    (one as unknown as MessageDocument).content,
    '@**Ben B|4** <@!9> #**general** @*Night Crew* :blob: :other:\n' +
      '/ping https://example.org/a_b_c \n```js\n_a_\n```\n __x__y\n> two\n> lines',
  );
  t.equal(channel?.['invite_only'], false);
});

void t.test(
  'what earlier exporters wrote: answers without a name, and counts of reactions',
  async (t) => {
    const at = { messageId: '700000002', guildId: '400000001' };
    const thumbs = { id: '', name: '👍', code: 'thumbsup', isAnimated: false, imageUrl: '' };
    const preview = {
      title: 'A page',
      url: 'https://other.example.org/',
      description: '',
      fields: [],
    };
    const more = [
      message('700000030', '12:00:00', BEN, 'so it is', {
        reference: { ...at, channelId: '200000001' },
        reactions: [{ emoji: thumbs, count: 3 }],
      }),
      // Of a channel that this one follows.
      message('700000031', '12:01:00', BEN, 'news', {
        reference: { ...at, channelId: '200000077' },
      }),
      message('700000032', '12:02:00', BEN, 'see', {
        embeds: [
          { ...preview, image: { url: 'https://img.example.org/p.png?x=1', width: 1, height: 1 } },
        ],
      }),
    ];
    const archive = join(storeFolder(t), 'discord.zip');
    const folder = storeFolder(t);
    writeFileSync(archive, zip(discordExport(more)));
    const told = await imported(t, [...WORDS, archive], folder);
    t.ok(
      told.includes('  3 reactions of which the export does not say whose they are (such as 👍)'),
      told.join('\n'),
    );
    t.notMatch(told, [/answers to messages that are not in the archive/]);
    const store = await openStore(`embedded:${folder}`);
    const found = await store.getMany(
      ['13', '14', '15'].map((id) => ({ collection: 'message', id })),
    );
    await store.close();
    const hello = '**hello** *all* @**Ben B|4**, see #**help** :blob: @*Night Crew*';
    t.strictSame(
      found.map((one) => (one as unknown as MessageDocument).content),
      [
        `@_**Ada|1** said:\n\`\`\`quote\n${hello}\n\`\`\`\nso it is`,
        'news',
        'see\n**[A page](https://other.example.org/)**\n[image](https://img.example.org/p.png)',
      ],
    );
  },
);

void t.test(
  'what the exporter writes in other forms, and what is no export, is refused',
  async (t) => {
    const folder = storeFolder(t);
    const archive = join(storeFolder(t), 'other.zip');
    for (const [files, fault] of [
      [
        [['general.html', '<html>']],
        /export with DiscordChatExporter and --format Json \(HTML, CSV/,
      ],
      [
        [
          ['a/users.json', '[]'],
          ['a/channels.json', '[]'],
        ],
        /for parley import-slack$/,
      ],
    ] as const) {
      writeFileSync(archive, zip(files));
      await t.rejects(imported(t, [...WORDS, archive], folder), { message: fault });
    }
    t.throws(() => readCommand([...WORDS, '--channels', 'all', 'x'], {}), {
      message: '--channels is private or public',
    });
  },
);
