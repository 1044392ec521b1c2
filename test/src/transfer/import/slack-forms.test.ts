/** Forms that messages of Slack have had, and archives as other programs make them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { openStore } from '../../../../src/store/open.js';
import { imported } from '../../../fixtures/archives/imported.js';
import { slackForms } from '../../../fixtures/archives/slack-forms.js';
import type { ArchivedFile } from '../../../fixtures/archives/tar.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { storeFolder } from '../../../system/harness/server.js';

interface Content {
  readonly messages: readonly MessageDocument[];
  readonly channels: ReadonlyMap<number, string>;
}

async function contentOf(folder: string): Promise<Content> {
  const store = await openStore(`embedded:${folder}`);
  const messages: MessageDocument[] = [];
  const channels = new Map<number, string>();
  for await (const batch of store.scan('message')) {
    for (const { document } of batch) messages.push(document as unknown as MessageDocument);
  }
  for await (const batch of store.scan('channel')) {
    for (const { document } of batch) {
      const { stream_id, name } = document as unknown as ChannelDocument;
      channels.set(stream_id, name);
    }
  }
  await store.close();
  return { messages, channels };
}

const SLACK = ['import-slack', '--organization', 'Engines'];

async function imports(t: Test, files: readonly ArchivedFile[], more: readonly string[] = []) {
  const [folder, archive] = [storeFolder(t), join(storeFolder(t), 'slack.zip')];
  writeFileSync(archive, zip(files));
  const told = await imported(t, [...SLACK, archive, ...more], folder);
  return { told, ...(await contentOf(folder)) };
}

void t.test('comments on files, notices, programs and strangers are messages', async (t) => {
  const { told, messages } = await imports(t, slackForms());
  const there = '[notes.txt](https://files.slack.example/files-pri/T1-F1/notes.txt)';
  const thread = 'thread of 2018-01-20 13:18:21.000';
  const path = /^\[日報.txt\]\(\/user_uploads\/1\/[0-9a-f]{2}\/[0-9a-f]{32}\/日報.txt\)$/;
  const kept = 'https://files.slack.example/files-pri';
  const code = `[build_7.js](${kept}/T1-F4/build_7.js)\n\`\`\`javascript\nconst n = 7;\nrun(n);\n\`\`\``;
  const wanted: [number, string, string | RegExp][] = [
    [1, thread, 'Where **shall** we begin?'],
    [2, thread, 'At the beginning'],
    [2, thread, 'everyone should see this'],
    [1, '', '@**Ада|1** set the channel purpose: all things'],
    [1, '', 'set the channel topic: #**総務** & more'],
    [1, '', '@**Ада|1** archived the channel'],
    [2, '', '/me pinned a message to this channel.'],
    [2, '', '@**Ben|2** pinned a message to this channel.'],
    [1, '', `the **first**\n${there}`],
    [2, '', `Thanks @**Ада|1**\n${there}`],
    [1, '', '(gone.txt)'],
    [1, '', path],
    [1, '', `${code}\n[The &#42;new&#42; bridge](${kept}/T1-F5/Screen%20Shot%201.png)`],
    [3, '', /Build 7[\s\S]*all \*\*green\*\*/],
    [6, '', 'from another workspace'],
    [1, '', '/me started a call'],
    [2, '', ':party_parrot: :shipit:'],
    [1, 'direct', 'psst'],
    [2, 'direct', '@_**Ада|1** said:\n```quote\npsst\n```\nwhat?'],
  ];
  t.equal(messages.length, wanted.length);
  for (const [i, [sender, topic, content]] of wanted.entries()) {
    const message = messages[i]!;
    t.equal(message.sender_id, sender, String(content));
    const place = message.stream_id === null ? 'direct' : message.topic;
    t.equal(place, topic === '' ? 'imported from Slack' : topic);
    t.match(message.content, content);
  }
  t.match(
    messages[16]!.reactions.map((one) => [one.emoji_name, one.reaction_type, one.user_id]),
    [
      ['party_parrot', 'realm_emoji', 1],
      ['party_parrot', 'realm_emoji', 2],
      ['clap', 'unicode_emoji', 1],
    ],
    'custom emoji, also by another name',
  );
  t.match(messages[16]!.rendered_content, /<img [^>]*:party_parrot:/);
  for (const line of [
    '  4 files, which Slack keeps: messages have their addresses there (such as notes.txt)',
    '  1 files that Slack had deleted or hidden already (such as gone.txt)',
    '  1 custom emoji, which Slack keeps (such as squirrel2)',
    '  2 people who are in no list, deactivated here by the name that messages give (such as U8)',
    '  1 notices that Slack wrote itself, such as who joined (such as random 1516454304.000069)',
  ]) {
    t.ok(told.includes(line), line);
  }
});

void t.test('answers quote what they answer, where that is wanted', async (t) => {
  const { messages } = await imports(t, slackForms(), ['--threads', 'quotes']);
  t.match(messages.slice(0, 3), [
    { topic: 'imported from Slack', content: 'Where **shall** we begin?' },
    {
      topic: 'imported from Slack',
      content: '@_**Ада|1** said:\n```quote\nWhere **shall** we begin?\n```\nAt the beginning',
    },
    { content: /quote[\s\S]*everyone should see this$/ },
  ]);
});

void t.test('a message without a time is missing, and an unknown folder is named', async (t) => {
  const [folder, archive] = [storeFolder(t), join(storeFolder(t), 'slack.zip')];
  const kept = slackForms().filter(([name]) => !name.startsWith('__uploads'));
  const files = kept.map(([name, content]): ArchivedFile => {
    if (name !== 'D1/2018-01-21.json') return [name, content];
    return [name, JSON.stringify([{ type: 'message', user: 'U1', text: 'when?' }])];
  });
  writeFileSync(archive, zip([...files, ['lost/2018-01-20.json', '[]']]));
  const told = await imported(t, [...SLACK, archive], folder, 1);
  t.ok(told.includes('  1 messages that nothing took'), told.join('\n'));
  const named = 'folders that no conversation of the lists is named by: their messages are missing';
  t.ok(told.includes(`  1 ${named} (such as lost)`));
});

/** Channels in five scripts, and one whose letter macOS takes apart. */
const NAMES = ['объявления', '総務', 'عام', 'ประกาศ', 'घोषणाएँ', 'käse'];

function inScripts(): ArchivedFile[] {
  const user = { id: 'U1', name: 'zoe', profile: { real_name: 'Zoë', email: 'zoe@example.org' } };
  const channels = NAMES.map((name, i) => ({ id: `C${i}`, name, created: 1, members: ['U1'] }));
  const day = (text: string, i: number) =>
    JSON.stringify([{ type: 'message', user: 'U1', ts: `15779232${10 + i}.000200`, text }]);
  return [
    ['users.json', JSON.stringify([user])],
    ['channels.json', JSON.stringify(channels)],
    ...NAMES.map((name, i): ArchivedFile => [`${name}/2020-01-02.json`, day(`in ${name}`, i)]),
  ];
}

const PYTHON = `
import os, sys, zipfile
class Bare(zipfile.ZipInfo):
    def _encodeFilenameFlags(self):
        return self.filename.encode('utf-8'), self.flag_bits
class Pipe:
    def __init__(self, file):
        self.write, self.flush = file.write, file.flush
target = sys.argv[1]
if sys.argv[2] == 'pipe':
    target = Pipe(open(target, 'wb'))
with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED) as out:
    for folder, _, names in os.walk('.'):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), '.')
            if sys.argv[2] in ('flag', 'pipe'):
                out.write(path, path)
            elif sys.argv[2] == 'zip64':
                with out.open(path, 'w', force_zip64=True) as entry, open(path, 'rb') as source:
                    entry.write(source.read())
            else:
                with open(path, 'rb') as source:
                    out.writestr(Bare(path), source.read())
`;

/** Commands that pack the folder they run in. */
const PROGRAMS: readonly [name: string, command: (archive: string) => readonly string[]][] = [
  ['zip', (archive) => ['zip', '-qr', archive, '.']],
  ['7z', (archive) => ['7z', 'a', '-tzip', '-bd', archive, '.']],
  ['7z', (archive) => ['7z', 'a', '-tzip', '-bd', '-mcu=on', archive, '.']],
  ['python3', (archive) => ['python3', '-c', PYTHON, archive, 'flag']],
  ['python3', (archive) => ['python3', '-c', PYTHON, archive, 'no flag']],
  // Sizes behind the contents, as a program writes that can't go back.
  ['python3', (archive) => ['python3', '-c', PYTHON, archive, 'pipe']],
  ['python3', (archive) => ['python3', '-c', PYTHON, archive, 'zip64']],
];

void t.test(
  'channel names in five scripts come over whole from archives of other programs',
  async (t) => {
    const source = storeFolder(t);
    for (const [name, content] of inScripts()) {
      mkdirSync(join(source, dirname(name)), { recursive: true });
      writeFileSync(join(source, name), content);
    }
    for (const [i, [program, command]] of PROGRAMS.entries()) {
      const archive = join(storeFolder(t), `${i}.zip`);
      const [file, ...args] = command(archive);
      try {
        execFileSync(file!, args, { cwd: source, stdio: 'ignore' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        t.comment(`skipped: ${program} is not installed`);
        continue;
      }
      const folder = storeFolder(t);
      await imported(t, [...SLACK, archive], folder);
      const { messages, channels } = await contentOf(folder);
      t.strictSame([...channels.values()].sort(), [...NAMES].sort(), `${program} ${i}`);
      t.strictSame(
        messages.map((one) => [channels.get(one.stream_id!), one.content]),
        NAMES.map((name) => [name, `in ${name}`]),
      );
    }
  },
);

/** Messages as exports have them; the attachment is the example of Slack's documentation of attachments. */
const BESIDE: readonly object[] = [
  {
    text: 'Deployed, see below',
    attachments: [
      {
        ...{ mrkdwn_in: ['text'], color: '#36a64f', pretext: 'Optional pre-text', ts: 123456789 },
        ...{ author_name: 'author_name', author_link: 'http://flickr.com/bobby/' },
        ...{ title: 'title', title_link: 'https://api.slack.com/', text: 'Optional `text`' },
        fields: [
          { title: "A field's title", value: "This field's value", short: false },
          { title: 'Assignee', value: '<@U2>', short: true },
        ],
        ...{ thumb_url: 'http://placekitten.com/g/200/200', footer: 'footer', fallback: 'x' },
      },
    ],
  },
  {
    text: 'Look what he says',
    attachments: [
      {
        ...{ from_url: 'https://t.slack.com/archives/C1/p1', is_msg_unfurl: true, is_share: true },
        ...{ author_id: 'U2', author_name: 'Ben', channel_id: 'C1', fallback: '[x] Ben: y' },
        text: 'first *line*\nand <@U1>',
        reply_broadcast: true,
      },
    ],
  },
  {
    text: 'https://example.org/page',
    attachments: [
      { from_url: 'https://example.org/page', title: 'A page', text: 'says this', id: 1 },
    ],
  },
  {
    text: 'This content cannot be displayed.',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Build & test' } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*Failed* for <@U1> on <#C2>' },
        fields: [{ type: 'mrkdwn', text: 'step: `lint`' }],
      },
      {
        type: 'table',
        rows: [
          [
            { type: 'raw_text', text: 'Name' },
            { type: 'raw_text', text: 'a|b' },
          ],
          [
            { type: 'raw_text', text: 'x' },
            {
              type: 'rich_text',
              elements: [
                {
                  type: 'rich_text_section',
                  elements: [{ type: 'text', text: 'y', style: { bold: true } }],
                },
              ],
            },
          ],
        ],
      },
      { type: 'image', image_url: 'https://x.example/i.png', alt_text: 'a graph' },
      { type: 'hologram', waves: 3 },
    ],
  },
  {
    text: '',
    blocks: [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'user', user_id: 'U2' },
              { type: 'text', text: ' 1 < 2, ' },
              { type: 'link', url: 'https://x.example/a', text: 'see' },
            ],
          },
        ],
      },
    ],
  },
  { text: 'plain', blocks: [{ type: 'rich_text', elements: [] }], sparkles: ['a'] },
  {
    text: 'a\0b',
    reactions: [
      { name: '+1', users: ['U1', 'U2'] },
      { name: '+1::skin-tone-3', users: ['U1'] },
    ],
  },
  { text: 'x'.repeat(10_001) },
];

void t.test('what stands beside the words comes in, and what does not is told', async (t) => {
  const beside = BESIDE.map((one, i) => ({
    ...{ type: 'message', user: 'U1', ts: `151645430${i}.000100` },
    ...one,
  }));
  const path = 'random/2018-01-20.json';
  const kept = slackForms().filter(([name]) => !name.startsWith('__uploads'));
  const files = kept.map(([name, content]): ArchivedFile => {
    return [name, name === path ? JSON.stringify(beside) : content];
  });
  const { told, messages } = await imports(t, files);
  t.strictSame(
    messages.filter((one) => one.stream_id !== null).map((one) => one.content),
    [
      [
        'Deployed, see below\n\nOptional pre-text',
        '[author_name](http://flickr.com/bobby/)',
        '**[title](https://api.slack.com/)**',
        'Optional `text`',
        "**A field's title**: This field's value",
        '**Assignee**: @**Ben|2**',
        '*footer*',
      ].join('\n'),
      'Look what he says\n\n[Ben wrote](https://t.slack.com/archives/C1/p1):\n> first **line**\n> and @**Ада|1**',
      'https://example.org/page',
      [
        '**Build & test**\n',
        '**Failed** for @**Ада|1** on #**総務**\nstep: `lint`\n',
        '| Name | a\\|b |\n| --- | --- |\n| x | **y** |\n',
        '[a graph](https://x.example/i.png)',
      ].join('\n'),
      '@**Ben|2** 1 < 2, [see](https://x.example/a)',
      'plain',
      'ab',
      `${'x'.repeat(9_980)}\n[message truncated]`,
    ],
  );
  t.ok(messages.every((one) => one.sender_id === 1 || one.stream_id === null));
  const said = told.join('\n');
  t.match(said, /^ {2}1 previews that Slack made of linked pages \(such as A page\)$/m);
  t.strictSame(
    messages.find((one) => one.content === 'ab')!.reactions.map((one) => one.user_id),
    [1, 2],
  );
  t.match(said, /^ {2}1 reactions that somebody gave twice \(such as 7\)$/m);
  t.match(said, /^ {2}1 messages with U\+0000, which was left out \(such as 7\)$/m);
  t.match(said, /^ {2}1 messages above 10000 characters, which were cut \(such as 8\)$/m);
  t.match(said, / 2 reactions, /);
  t.match(said, /^ {2}1 blocks of kinds that say nothing here \(such as hologram\)$/m);
  t.match(
    said,
    /^ {2}1 fields of messages that are unknown here: sparkles \(such as random 1516454305\.000100\)$/m,
  );
  t.match(said, /^ {2}1 fields of attachments that are unknown here: reply_broadcast /m);
});
