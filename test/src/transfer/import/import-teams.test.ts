/** What Microsoft Teams exports for its administrators, as the store has it afterwards. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { loadCollections, messageSource } from '../../../../src/organization/state/load.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { openStore } from '../../../../src/store/open.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { importRooms } from '../../../../src/transfer/import/rooms/import-rooms.js';
import { TeamsArchive } from '../../../../src/transfer/import/teams/teams-archive.js';
import { goesOnWhereItStopped } from '../../../fixtures/archives/cut-off.js';
import { imported, importJob } from '../../../fixtures/archives/imported.js';
import { teamsExport, teamsMessage } from '../../../fixtures/archives/teams-export.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { storeFolder } from '../../../system/harness/server.js';

const WORDS = ['import-teams', '--organization', 'Works'];

void t.test('an organization of Microsoft Teams goes on here', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'teams.zip');
  writeFileSync(archive, zip(teamsExport()));
  const told = await imported(t, [...WORDS, archive], folder);
  t.match(told, [
    /^Unpacking/,
    '19 of 19 messages',
    /^Imported 5 accounts, 0 groups, 3 channels, 3 subscriptions, 13 messages, 2 reactions, 0 files, /,
  ]);
  t.strictSame(told.slice(3, -1).sort(), [
    '  1 attachments of kinds that say nothing here: application/vnd.unheard (such as what)',
    '  1 channels for a part of a team, of which the export lists no members (such as secret)',
    '  1 code snippets, which Microsoft Teams keeps (such as main.py)',
    '  1 fields of people that are unknown here: JobTitle (such as u-ada)',
    '  1 files, which Microsoft Teams keeps: messages have their addresses there (such as plan.docx)',
    '  1 groups that are no teams (such as All Company)',
    '  1 messages that were deleted there (such as 1755000007000)',
    '  1 messages that were marked as important: here is no such mark (such as 1755000001000)',
    '  1 messages with pictures that Microsoft Teams keeps: they have their addresses there (such as 1755000004000)',
    '  1 notices that Microsoft Teams wrote itself, such as who joined (such as 1755000000000)',
    '  1 reactions by custom emoji, or by people, that are missing (such as :parrot:)',
    '  2 addresses of accounts, which are missing, taken, or no addresses (such as Guest guy)',
    '  2 lists of installed apps and of meetings (such as teams/team-1/teamInstalledApps_team-1.json)',
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
      ['Ada Low', 'ada@example.org', 400, true, false],
      ['Ben', 'ben@example.org', 400, true, false],
      ['Guest guy', 'microsoftteams-gus_mail.example@parley.invalid', 600, true, false],
      ['CI', 'microsoftteams-app-ci@parley.invalid', 400, true, true],
      ['Gone', 'microsoftteams-u-gone@parley.invalid', 400, false, false],
    ],
    'members and authors in no list, too',
  );
  t.strictSame(
    Array.from(org.channels.values(), (one) => [
      ...[one.name, one.description, one.invite_only, one.is_archived],
      [...org.subscriptions.subscribers(one.stream_id)].sort(),
    ]),
    [
      ['Works & more', 'Contributors', false, false, [1, 3]],
      ['Old', 'Contributors', true, true, []],
      ['Works & more: secret', '', true, false, [1]],
    ],
    'what some of a team read is no topic of its channel',
  );
  t.match(org.channels.get(1), {
    date_created: Date.UTC(2025, 7, 11, 10) / 1000,
    can_administer_channel_group: { direct_members: [1] },
  });
  t.strictSame(
    Array.from(org.conversations.values(), (one) => one.user_ids),
    [[1, 2, 5], [1, 2], [1], [2]],
    'notes of each are their own',
  );
  const messages: MessageDocument[] = [];
  for await (const batch of store.scan('message')) {
    for (const { document } of batch) messages.push(document as unknown as MessageDocument);
  }
  await store.close();
  const picture =
    'https://graph.microsoft.com/v1.0/teams/team-1/channels/c/messages/1/hostedContents/a=/$value';
  t.strictSame(
    messages.map((one) => [one.stream_id, one.topic, one.sender_id, one.content]),
    [
      [1, 'General', 1, '**Welcome!**\nHello **all**, ~~bye~~\n\n*end*'],
      [
        ...[1, 'General', 2],
        '@**Ada Low|1**, @**topic**: 😌\n\n```python\nif x:\n  y()\n```\n\n' +
          '| A | *B* |\n| --- | --- |\n| 1&#124;2 | [there](https://a.example/) |',
      ],
      [
        ...[1, 'General', 2],
        '@_**Ada Low|1** said:\n```quote\nHello **all**, ~~bye~~\n\n*end*\n```\nThread reply',
      ],
      [
        ...[1, 'General', 1],
        `**Big news**\nSee\n\n[image](${picture})\n(main.py)\n[plan.docx](https://s.example/plan.docx)`,
      ],
      [
        ...[1, 'General', 4],
        'Build 7 passed\n**Branch**: main\n[log](https://ci.example/7.png)\n[Open](https://ci.example/7)',
      ],
      [3, 'imported from Microsoft Teams', 1, 'for some'],
      [1, 'imported from Microsoft Teams', 1, 'where?'],
      [null, '', 2, 'psst'],
      [null, '', 5, 'who was I?'],
      [null, '', 1, '@_**Ben|2** said:\n```quote\npsst\n```\nindeed'],
      [null, '', 1, '@_**Ada Low|1** said:\n```quote\nHello **all**\n```\nlook'],
      [null, '', 1, 'mine'],
      [null, '', 2, 'own'],
    ],
    'what several people have is there once',
  );
  t.match(messages[0], {
    ...{ timestamp: 1_755_000_001, last_edit_timestamp: 1_755_001_800 },
    reactions: [
      { emoji_code: '1f62e', user_id: 2 },
      { emoji_code: '1f44d', user_id: 1 },
    ],
  });
});

void t.test('an import that is cut off anywhere goes on to the same organization', async (t) => {
  const place = join(storeFolder(t), 'unpacked');
  for (const [name, content] of teamsExport()) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), content);
  }
  await goesOnWhereItStopped(t, (store, name, told) =>
    withLease(store, async (held) => {
      const files = join(place, '..', name);
      const job = importJob(
        t,
        { store, held, folder: realpathSync(place), files },
        undefined,
        told,
      );
      return importRooms(job, await TeamsArchive.read(job), 'Works');
    }),
  );
});

void t.test('what is no whole export is refused, and rows that are odd are counted', async (t) => {
  const archive = join(storeFolder(t), 'teams.zip');
  for (const [files, fault] of [
    [[['result.json', '{}']], /There is no users\/usersList\.json.*Telegram.*import-mattermost/],
    [[['users/usersList.json', '[{]']], /usersList\.json is not JSON$/],
    [[['users/usersList.json', '[]']], /has no people/],
  ] as const) {
    writeFileSync(archive, zip(files));
    await t.rejects(imported(t, [...WORDS, archive], storeFolder(t)), { message: fault });
  }
  const inTeam = { ChannelIdentity: { ChannelId: '19:general@thread.tacv2', TeamId: 'team-1' } };
  const more = [
    teamsMessage(20, 'u-ada', '<p>when?</p>', { ...inTeam, CreatedDateTime: 'never' }),
    teamsMessage(21, 'u-ada', '<p>to what?</p>', { ...inTeam, ReplyToId: '7' }),
    teamsMessage(22, 'u-ada', '<p>where?</p>', {
      ChannelIdentity: { ChannelId: 'x', TeamId: 'y' },
    }),
    teamsMessage(23, 'u-ada', '<p>so</p>', { ...inTeam, Mood: 'good', Reactions: [{ Age: 7 }] }),
    teamsMessage(24, 'u-ada', '1 < 2 & <b>', {
      ...inTeam,
      Body: { ContentType: 'text', Content: '1 < 2 & <b>' },
    }),
  ];
  const files = [...teamsExport(more), ['TeamsDataExport/notes.txt', 'x'] as const];
  writeFileSync(archive, zip(files.filter(([name]) => !name.endsWith('teamsSettings.json'))));
  const folder = storeFolder(t);
  const told = await imported(t, [...WORDS, archive], folder, 1);
  for (const line of [
    '  1 messages without a time (such as 1755000020000)',
    '  1 answers to messages that are not in the archive (such as 1755000021000)',
    '  1 messages of channels that are in no list (such as 1755000022000)',
    '  1 fields of messages that are unknown here: Mood (such as 1755000023000)',
    '  1 fields of reactions that are unknown here: Age (such as 1755000023000)',
    '  1 files that are unknown to the import (such as notes.txt)',
    '  1 lists of the export that are not there (such as teams/teamsSettings.json)',
  ]) {
    t.ok(told.includes(line), line);
  }
  const store = await openStore(`embedded:${folder}`);
  const [plain] = await store.getMany([{ collection: 'message', id: '16' }]);
  await store.close();
  t.match(plain, { content: '1 < 2 & <b>' });
});
