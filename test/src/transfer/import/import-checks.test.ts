/** What requests refuse, an import mends or leaves out, and counts; and what older and newer archives say elsewhere. */
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

const NAME = 'people with another name here: theirs was empty, too long or not allowed';
const CHANNEL = 'channels with another name here: theirs was empty, too long, taken or not allowed';
const DESCRIPTION = 'descriptions of channels above 1024 characters, which were cut';
const TWICE = 'reactions that somebody gave twice';
const NUL = 'messages with U+0000, which was left out';
const LONG = 'messages above 10000 characters, which were cut';
const NONE = 'messages without text, which say so';

void t.test('Slack: names, descriptions, texts and reactions', async (t) => {
  const { told, org, messages } = await made(
    t,
    'slack',
    slack({
      'users.json': [
        SLACK_USER('U1', 'A*d\u0007a', { profile: { real_name: 'A*d\u0007a', email: 'not one' } }),
        SLACK_USER('U2', 'Ben', {
          profile: { real_name: 'Ben', email: 'b@x.org', title: 't'.repeat(51) },
        }),
      ],
      'channels.json': [
        {
          ...{ id: 'C1', name: 'gen\u0007eral', members: ['U1'] },
          purpose: { value: `${'😀'.repeat(1030)}` },
          topic: { value: 'a topic' },
        },
        {
          id: 'C2',
          name: 'both',
          members: [],
          purpose: { value: 'Why' },
          topic: { value: 'What' },
        },
      ],
      'gen\u0007eral/2020-01-01.json': [
        said('U1', 'a\0b', {
          reactions: [
            { name: '+1', users: ['U1'] },
            { name: '+1::skin-tone-3', users: ['U1'] },
          ],
        }),
        said('U1', 'x'.repeat(10_001)),
        said('U1', '\0'),
        said('U1', '<!group> and <!channel>'),
      ],
    }),
  );
  t.equal(org.users.get(1)!.full_name, 'A d a');
  t.equal(org.users.get(1)!.email, 'slack-u1@parley.invalid');
  t.equal(
    org.profiles.get(2)?.values[1]?.value,
    't'.repeat(51),
    'a field of long texts, where one is',
  );
  t.equal(org.channels.get(1)!.name, 'general');
  t.equal(org.channels.get(1)!.description, `${'😀'.repeat(1023)}…`);
  t.equal(org.channels.get(2)!.description, 'Why · What');
  t.strictSame(
    messages.map((one) => one.content),
    ['ab', `${'x'.repeat(9980)}\n[message truncated]`, '(no text)', '@**all** and @**all**'],
  );
  t.equal(messages[0]!.reactions.length, 1);
  t.strictSame([...told].sort(), [
    '1 addresses of accounts, which are missing, taken, or no addresses (such as a*d\u0007a)',
    `1 ${CHANNEL} (such as general)`,
    `1 ${DESCRIPTION} (such as general)`,
    `1 ${LONG} (such as 2)`,
    `1 ${NONE} (such as 3)`,
    `1 ${NAME} (such as A d a)`,
    `1 ${TWICE} (such as 1)`,
    `2 ${NUL} (such as 1)`,
  ]);
});

void t.test('Mattermost: the same, and what its lines say besides', async (t) => {
  const direct = {
    members: ['ada', 'ben'],
    ...{ header: 'Us', favorited_by: ['ada', 'ben'], shown_by: ['ada'] },
  };
  const { told, org, messages } = await made(
    t,
    'mattermost',
    mattermost(
      {
        type: 'channel',
        channel: {
          ...{ team: 'works', name: 'hall', display_name: 'h'.repeat(64), type: 'O' },
          ...{ header: 'See there', purpose: 'p'.repeat(1030) },
        },
      },
      member(
        'c|eo',
        ['town', 'hall'],
        { roles: 'system_user' },
        {
          favorite: true,
          notify_props: { desktop: 'all', mobile: 'none', mark_unread: 'mention' },
        },
      ),
      { type: 'direct_channel', direct_channel: direct },
      wrote('ada', 1, 'a\0b', {
        is_pinned: true,
        reactions: [
          { user: 'ben', emoji_name: '+1' },
          { user: 'ben', emoji_name: 'thumbsup' },
        ],
      }),
      wrote('ada', 2, 'x'.repeat(10_001)),
      wrote('ada', 3, '\0'),
    ),
  );
  t.equal(org.users.get(3)!.full_name, 'C eo');
  t.equal(org.channels.get(2)!.name, 'h'.repeat(60));
  t.equal(org.channels.get(2)!.description, `${'p'.repeat(1023)}…`);
  t.match(org.subscriptions.of(3, 2), {
    ...{ pin_to_top: true, is_muted: true },
    ...{ desktop_notifications: true, push_notifications: false },
  });
  t.equal(messages[0]!.reactions.length, 1);
  t.equal(messages[2]!.content, '(no text)');
  t.strictSame([...told].sort(), [
    `1 ${CHANNEL} (such as ${'h'.repeat(60)})`,
    `1 ${DESCRIPTION} (such as ${'h'.repeat(60)})`,
    '1 headers of conversations, which have none here (such as ada,ben)',
    `1 ${LONG} (such as 2)`,
    `1 ${NONE} (such as 3)`,
    `1 ${NAME} (such as C eo)`,
    '1 pins of messages, which do not exist here (such as 1553166000001)',
    `1 ${TWICE} (such as 1)`,
    '2 favourites among conversations, which are not marked here (such as ada,ben)',
    `2 ${NUL} (such as 1)`,
  ]);
});

void t.test('Mattermost: what newer exports say that somebody has seen is read', async (t) => {
  const seen = (name: string, at: number | undefined) =>
    member(name, ['town'], {}, at === undefined ? {} : { last_viewed_at: 1_553_166_000_000 + at });
  const { org } = await made(
    t,
    'mattermost',
    mattermost(
      ...[seen('cleo', 5), seen('dora', undefined)],
      ...[wrote('ben', 1, 'one'), wrote('ben', 9, 'two'), wrote('cleo', 10, 'three')],
    ),
  );
  const read = (userId: number) => [1, 2, 3].map((id) => org.readState.isRead(userId, 1, id));
  t.strictSame(read(3), [true, false, true], 'their own is read');
  t.strictSame(read(4), [true, true, true], 'older exports do not say');
});

void t.test(
  'Zulip: names of people, channels, groups and topics, texts, and reactions',
  async (t) => {
    const person = { delivery_email: 'x@example.org', role: 400, is_active: true };
    const usual = zulip({})['realm.json'] as Record<string, object[]>;
    const reaction = (id: number, emoji_code: string, reaction_type = 'unicode_emoji') => ({
      ...{ id, message: 101, user_profile: 2, emoji_name: 'octopus', emoji_code, reaction_type },
    });
    const named = (id: number, name: string) => ({ id, usergroup_ptr: id, name, description: '' });
    const { told, org, messages } = await made(
      t,
      'zulip',
      zulip(
        {
          zerver_userprofile: [
            ...usual['zerver_userprofile']!,
            { ...person, id: 3, full_name: 'C*l' },
          ],
          zerver_stream: [
            { ...usual['zerver_stream']![0], name: 'to\u200bwn', description: 'd'.repeat(1025) },
          ],
          zerver_usergroup: [41, 42, 43].map((id) => ({ id })),
          zerver_namedusergroup: [
            named(41, 'role:mine'),
            named(42, 'all'),
            named(43, 'fi\u0007ne'),
          ],
          zerver_reaction: [
            ...[reaction(1, '1f419'), reaction(2, '1f419'), reaction(3, 'fffff')],
            reaction(4, 'zulip', 'zulip_extra_emoji'),
          ],
        },
        [
          { subject: 'pl\u0007ans\nhere', content: 'a\0b' },
          { content: 'x'.repeat(10_001) },
          { content: '' },
        ],
      ),
    );
    t.equal(org.users.get(3)!.full_name, 'C l');
    t.equal(org.channels.get(11)!.name, 'town');
    t.equal([...org.channels.get(11)!.description].length, 1024);
    t.strictSame(
      [41, 42, 43].map((id) => org.groups.get(id)!.name),
      ['group 41', 'all (42)', 'fine'],
    );
    t.equal(messages[0]!.topic, 'plans here');
    t.strictSame(
      messages[0]!.reactions.map((one) => one.emoji_code),
      ['1f419', 'zulip'],
    );
    t.strictSame(
      messages.map((one) => one.content.length),
      [2, 10_000, 9],
    );
    t.strictSame([...told].sort(), [
      `1 ${CHANNEL} (such as town)`,
      `1 ${DESCRIPTION} (such as town)`,
      `1 ${LONG} (such as 102)`,
      `1 ${NUL} (such as 101)`,
      '1 messages with another topic here: theirs was too long or not allowed (such as 101)',
      `1 ${NONE} (such as 103)`,
      `1 ${NAME} (such as C l)`,
      '1 reactions by emoji, or by people, that are missing (such as octopus)',
      `1 ${TWICE} (such as 101)`,
      '3 groups with another name here: theirs was empty, too long, taken or not allowed (such as group 41)',
    ]);
  },
);

void t.test('an archive of Zulip from 2019 comes in as it was meant, and is whole', async (t) => {
  // Columns and files as zerver/models.py and zerver/lib/export.py had them at the beginning of 2019.
  const account = { is_active: true, is_bot: false, date_joined: 1.5e9, pointer: 7 };
  const { told, org } = await made(
    t,
    'zulip',
    zulip(
      {
        zerver_userprofile: [
          { ...account, id: 1, full_name: 'Ada', email: 'ada@example.org', is_realm_admin: true },
          { ...account, id: 2, full_name: 'Ben', email: 'ben@example.org', is_guest: true },
          { ...account, id: 3, full_name: 'Cleo', email: 'c@x.org', alert_words: '["steam"]' },
        ],
        zerver_stream: [
          {
            id: 11,
            name: 'news',
            description: '',
            date_created: 1.5e9,
            is_announcement_only: true,
          },
        ],
        zerver_subscription: [
          { id: 1, user_profile: 2, recipient: 21, active: true, in_home_view: false },
        ],
        zerver_usergroup: [{ id: 4, name: 'builders', description: 'Who builds', members: [3] }],
        zerver_usergroupmembership: [{ id: 1, user_group: 4, user_profile: 3 }],
        zerver_userhotspot: [{ id: 1, user: 1, hotspot: 'intro_reply' }],
      },
      [{ pub_date: 1.5e9, date_sent: undefined }],
      { 'stats.txt': 'realm.json\n 12 records zerver_stream\n' },
    ),
  );
  t.strictSame(
    [1, 2, 3].map((id) => org.users.get(id)!.role),
    [200, 600, 400],
  );
  t.strictSame(org.alertWords.get(3)?.words, ['steam']);
  t.match(org.groups.get(4), { name: 'builders', members: [3], is_system_group: false });
  const administrators = org.groups.system('role:administrators').id;
  t.equal(org.channels.get(11)!.can_send_message_group, administrators);
  t.match(org.subscriptions.of(2, 11), { is_muted: true });
  t.strictSame(told, [
    '1 rows of zerver_userhotspot (hints of the pages of the former server)',
    '1 files about the export itself (such as stats.txt)',
  ]);
});
