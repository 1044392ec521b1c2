/** Each reader names the fields that it knows of each kind of row: every other one with something in it is told. */
import t from 'tap';
import {
  made,
  mattermost,
  member,
  said,
  slack,
  SLACK_USER,
  wrote,
  zulip,
} from '../../../fixtures/archives/small-archives.js';

/** What an import knows no field of, by the kind of row that it is in, with the example that the operator is given. */
function unknownIn(told: readonly string[]): string[] {
  return told.filter((line) => line.includes('that are unknown here: ')).sort();
}

void t.test('everything was imported is said where no field is left', async (t) => {
  for (const [from, files] of [
    ['slack', slack({ 'general/2020-01-01.json': [said('U1', 'Hi')] })],
    ['mattermost', mattermost(wrote('ada', 1, 'Hi'))],
    ['zulip', zulip({}, [{}])],
  ] as const) {
    const { told, isWhole, messages } = await made(t, from, files);
    t.strictSame(told, [], from);
    t.ok(isWhole, from);
    t.equal(messages.length, 1);
  }
});

void t.test(
  'Slack: people, conversations, files, reactions, attachments and messages',
  async (t) => {
    const file = { id: 'F1', name: 'a.txt', url_private: 'https://f.example/a', thumb_64: 'x' };
    const message = said('U1', 'Hi', {
      mood: 'glad',
      // Nothing in them.
      ...{ quiet: false, none: null, no: '', nought: 0, empty: [], bare: {} },
      files: [{ ...file, transcription: { text: 'spoken' } }],
      reactions: [{ name: 'x', users: ['U2'], count: 1, why: 'so' }],
      attachments: [{ text: 'b', swing: 3, fields: [{ title: 'c', value: 'd', depth: 2 }] }],
    });
    const { told, isWhole } = await made(
      t,
      'slack',
      slack({
        'users.json': [
          SLACK_USER('U1', 'Ada', { locale: 'de-DE' }),
          SLACK_USER('U2', 'Ben', { profile: { real_name: 'Ben', status_text: 'away' } }),
        ],
        'channels.json': [
          { id: 'C1', name: 'general', members: ['U1'], is_read_only: true, topic: { colour: 7 } },
        ],
        'dms.json': [{ id: 'D1', members: ['U1', 'U2'], theme: 'dark' }],
        'general/2020-01-01.json': [message],
      }),
    );
    const ts = (message as { ts: string }).ts;
    t.strictSame(unknownIn(told), [
      '1 fields of attachments that are unknown here: swing (such as general ' + `${ts})`,
      '1 fields of conversations that are unknown here: is_read_only (such as general)',
      '1 fields of conversations that are unknown here: theme (such as D1)',
      '1 fields of fields of attachments that are unknown here: depth (such as general ' + `${ts})`,
      '1 fields of files that are unknown here: transcription (such as general ' + `${ts})`,
      '1 fields of messages that are unknown here: mood (such as general ' + `${ts})`,
      '1 fields of people that are unknown here: locale (such as ada)',
      '1 fields of profiles that are unknown here: status_text (such as ben)',
      '1 fields of purposes and topics that are unknown here: colour (such as general)',
      '1 fields of reactions that are unknown here: why (such as general ' + `${ts})`,
    ]);
    t.notOk(isWhole);
  },
);

void t.test('Mattermost: each kind of line, and what is within it', async (t) => {
  const { told, isWhole } = await made(
    t,
    'mattermost',
    mattermost(
      { type: 'team', team: { name: 'others', motto: 'x' } },
      { type: 'channel', channel: { team: 'others', name: 'hall', type: 'O', banner: { a: 1 } } },
      member(
        'cleo',
        ['town'],
        { custom_status: 'x', notify_props: { mention_keys: 'c' } },
        { z: 1 },
      ),
      { type: 'bot', bot: { username: 'robo', owner: 'ada', description: 'Says so' } },
      { type: 'direct_channel', direct_channel: { members: ['ada', 'ben'], wall: 1 } },
      wrote('ada', 1, 'Hi', {
        ...{ mood: 'glad', props: { card: 'long', from_bot: 'true' } },
        reactions: [{ user: 'ben', emoji_name: 'smile', why: 'so' }],
        replies: [
          { user: 'ben', message: 'Ho', create_at: 1_553_166_000_009, thread_followers: [1] },
        ],
      }),
      { type: 'emoji', emoji: { name: 'lost', image: 'x', speed: 2 } },
    ),
  );
  t.strictSame(unknownIn(told), [
    '1 fields of bots that are unknown here: description (such as robo)',
    '1 fields of channels that are unknown here: banner (such as hall)',
    '1 fields of conversations that are unknown here: wall (such as ada,ben)',
    '1 fields of custom emoji that are unknown here: speed (such as lost)',
    '1 fields of memberships that are unknown here: z (such as cleo)',
    '1 fields of messages that are unknown here: mood (such as 1553166000001)',
    '1 fields of messages that are unknown here: thread_followers (such as 1553166000009)',
    '1 fields of notifications of people that are unknown here: mention_keys (such as cleo)',
    '1 fields of people that are unknown here: custom_status (such as cleo)',
    '1 fields of props of messages that are unknown here: card (such as 1553166000001)',
    '1 fields of reactions that are unknown here: why (such as 1553166000001)',
    '1 fields of teams that are unknown here: motto (such as others)',
  ]);
  t.notOk(isWhole);
});

void t.test('Zulip: each table, also those beside messages', async (t) => {
  const { told, isWhole } = await made(
    t,
    'zulip',
    zulip(
      {
        zerver_client: [{ id: 1, name: 'website', colour: 'red' }],
        zerver_alertword: [{ id: 4, user_profile: 1, word: 'steam', loud: true }],
        zerver_recipient: [{ id: 21, type: 2, type_id: 11, wing: 'east' }],
        zerver_reaction: [
          {
            ...{ id: 5, message: 101, user_profile: 2, emoji_name: 'octopus', emoji_code: '1f419' },
            ...{ reaction_type: 'unicode_emoji', force: 9 },
          },
        ],
      },
      [{ mood: 'glad', rendered_content: '<p>', quiet: false }],
      {
        'messages-000002.json': {
          zerver_message: [],
          zerver_usermessage: [{ id: 6, user_profile: 2, message: 101, flags_mask: 1, weight: 3 }],
        },
      },
    ),
  );
  t.strictSame(unknownIn(told), [
    '1 fields of zerver_alertword that are unknown here: loud (such as 4)',
    '1 fields of zerver_client that are unknown here: colour (such as 1)',
    '1 fields of zerver_message that are unknown here: mood (such as 101)',
    '1 fields of zerver_reaction that are unknown here: force (such as 5)',
    '1 fields of zerver_recipient that are unknown here: wing (such as 21)',
    '1 fields of zerver_usermessage that are unknown here: weight (such as 6)',
  ]);
  t.notOk(isWhole);
});
