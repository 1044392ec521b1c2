/** What Mattermost exported in bulk, as the store has it afterwards. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { readCommand } from '../../../../src/cli/command-line.js';
import { loadCollections, messageSource } from '../../../../src/organization/state/load.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { openStore } from '../../../../src/store/open.js';
import { imported } from '../../../fixtures/archives/imported.js';
import { mattermostExport, post } from '../../../fixtures/archives/mattermost-export.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { RunningServer, storeFolder } from '../../../system/harness/server.js';

const WORDS = ['import-mattermost', '--organization', 'Works'];

void t.test('a server of Mattermost goes on here', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'mattermost.zip');
  writeFileSync(archive, zip(mattermostExport()));
  const told = await imported(t, [...WORDS, archive], folder);
  t.match(told, [
    /^Unpacking/,
    '1 of 1 parts',
    /^Imported 3 accounts, 3 channels, 3 subscriptions, 6 messages, 2 reactions, 1 files, 1 custom emoji, 1 pictures of people into /,
  ]);
  for (const line of [
    '  1 notices that Mattermost wrote itself, such as who joined (such as 1553166000500)',
    '  1 reactions by custom emoji, or by people, that are missing (such as no_such)',
    '  1 files that are not in the archive (such as gone.txt)',
    '  1 lines of the kind role (roles are fixed here)',
  ]) {
    t.ok(told.includes(line), line);
  }
  const store = await openStore(`embedded:${folder}`);
  const site = { url: '', botDomain: '', generation: 0 };
  const org = new Organization(site, messageSource(store), Date.now);
  await loadCollections(store, org);
  t.strictSame(
    [...org.users.values()]
      .filter((one) => !one.is_system_bot)
      .map((one) => [one.user_id, one.full_name, one.role, one.is_active]),
    [
      [1, 'Ada', 100, true],
      [2, 'Ben', 400, true],
      [3, 'tom', 400, false],
      [4, 'Mattermost', 400, false],
    ],
  );
  t.equal(org.settings.value(1, 'default_language'), 'de');
  t.match(org.profiles.get(1)?.values, { 1: { value: 'Countess' } });
  t.strictSame(
    Array.from(org.channels.values(), (one) => [one.name, one.description, one.invite_only]),
    [
      ['Площадь', 'For all · h', false],
      ['Board', '', true],
      ['Площадь (others)', '', false],
    ],
    'teams are one organization',
  );
  t.strictSame(org.channels.get(1)!.can_administer_channel_group, {
    direct_members: [1],
    direct_subgroups: [],
  });
  t.match(org.subscriptions.of(1, 1), { pin_to_top: true });
  const messages: MessageDocument[] = [];
  for await (const batch of store.scan('message')) {
    for (const { document } of batch) messages.push(document as unknown as MessageDocument);
  }
  const [file] = [...org.attachments.values()];
  const thread = 'thread of 2019-03-21 11:00:01.000';
  const plain = 'imported from Mattermost';
  t.strictSame(
    messages.map((one) => [one.stream_id, one.topic, one.sender_id, one.content]),
    [
      [1, plain, 1, 'ada updated the header'],
      [1, thread, 1, 'hello @**Ben|2**. `@ada` and @**all**'],
      [1, thread, 2, 'an answer'],
      [1, plain, 2, 'second, see #**Board**'],
      [null, '', 1, 'psst\n(gone.txt)'],
      [1, thread, 1, `last\n[план.txt](/user_uploads/${file!.path_id})`],
    ],
  );
  t.match(messages[1], { mentioned: [2], channel_wildcard: true, timestamp: 1_553_166_001 });
  t.match(messages[3]!.reactions, [
    { emoji_name: 'tick', reaction_type: 'realm_emoji', user_id: 1 },
    { emoji_name: 'smile', reaction_type: 'unicode_emoji', user_id: 2 },
  ]);
  t.ok(org.messageFlags.of(1, 4)?.starred, 'what was flagged is starred');
  t.match(file, { name: 'план.txt', message_ids: [6] });
  t.ok(org.readState.isRead(2, 1, 6));
  await store.close();
  const server = await RunningServer.serve(t, folder);
  t.equal((await fetch(`${server.url}/api/v1/server_settings`)).status, 200, 'it is served');
});

void t.test('what programs attach and the name they speak under come in', async (t) => {
  const archive = join(storeFolder(t), 'mattermost.zip');
  const folder = storeFolder(t);
  const props = {
    ...{ from_webhook: 'true', override_username: 'CI' },
    // As Mattermost's documentation of attachments has one.
    attachments: [
      {
        ...{ fallback: 'test', color: '#FF8000', pretext: 'This is optional pretext @ben.b' },
        ...{
          text: 'This is the text',
          author_name: 'Mattermost',
          author_link: 'https://mm.example/',
        },
        ...{ title: 'Example Attachment', title_link: 'https://mm.example/docs' },
        fields: [
          { short: false, title: 'Long Field', value: 'Testing' },
          { short: true, title: 'Column One', value: 7 },
        ],
        image_url: 'https://mm.example/icon.png',
        swing: 3,
      },
    ],
  };
  writeFileSync(
    archive,
    zip(mattermostExport([post('ada', 'town', 9000, 'Built', { props, mood: 'glad' })])),
  );
  const told = await imported(t, [...WORDS, archive], folder);
  const store = await openStore(`embedded:${folder}`);
  const [one] = await store.getMany([{ collection: 'message', id: '7' }]);
  const document = one as unknown as MessageDocument;
  await store.close();
  t.equal(
    document.content,
    [
      '**CI**: Built\n',
      'This is optional pretext @**Ben|2**',
      '[Mattermost](https://mm.example/)',
      '**[Example Attachment](https://mm.example/docs)**',
      'This is the text',
      '**Long Field**: Testing',
      '**Column One**: 7',
      '[image](https://mm.example/icon.png)',
    ].join('\n'),
  );
  t.ok(told.includes('  1 fields of messages that are unknown here: mood (such as 1553166009000)'));
  t.ok(
    told.includes('  1 fields of attachments that are unknown here: swing (such as 1553166009000)'),
  );
});

void t.test(
  'a line of an unknown kind and a file without a line end the import with 1',
  async (t) => {
    const archive = join(storeFolder(t), 'mattermost.zip');
    const files = mattermostExport([{ type: 'playbook', playbook: {} }]);
    writeFileSync(archive, zip([...files, ['data/whose.bin', 'x']]));
    const told = await imported(t, [...WORDS, archive], storeFolder(t), 1);
    t.ok(told.includes('  1 lines of the kind playbook that nothing took'), told.join('\n'));
    t.ok(told.includes('  1 files that no line names (such as data/whose.bin)'));
  },
);

void t.test('what is not read here is refused with what to do', async (t) => {
  const message =
    /not read here\. Write people, channels and messages as lines of JSON[^]*#other-services/;
  t.throws(() => readCommand(['import-telegram', 'x'], {}), { message });
  t.throws(() => readCommand(['import-google-chat', 'x'], {}), { message });
  const archive = join(storeFolder(t), 'archive.zip');
  for (const [name, advice] of [
    ['Telegram/result.json', /There is no import\.jsonl.*Telegram exports what one person sees/],
    ['Takeout/Google Chat/Groups/Space 1/messages.json', /Google Takeout and Vault export/],
    ['teams/teamsList.json', /for parley import-teams$/],
    ['slack/channels.json', /for parley import-slack$/],
    ['realm/realm.json', /for parley import-zulip$/],
    ['Works - general [200000001].json', /for parley import-discord$/],
    ['dump/a/rocketchat_message.bson', /for parley import-rocketchat$/],
    ['notes.txt', /There is no import\.jsonl: this is no such export$/],
  ] as const) {
    writeFileSync(archive, zip([[name, '{}']]));
    await t.rejects(imported(t, [...WORDS, archive], storeFolder(t)), { message: advice });
  }
});
