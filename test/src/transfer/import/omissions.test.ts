/** What imports leave out: each reason, as the operator reads it. */
import t from 'tap';
import { Omissions } from '../../../../src/transfer/import/import-job.js';
import {
  made,
  mattermost,
  member,
  said,
  slack,
  wrote,
  zulip,
} from '../../../fixtures/archives/small-archives.js';

const NOBODY = 99;
const usual = zulip({})['realm.json'] as Record<string, object[]>;
const [ada, ben] = usual['zerver_userprofile'] as [object, object];
const [realm] = usual['zerver_realm'] as [object];

/** A bot of a type, whose account is beside Ada's and Ben's. */
const bot = (id: number, bot_type: number) => ({
  ...{ ...ben, id, full_name: `Bot ${id}`, delivery_email: `bot${id}@example.org` },
  ...{ is_bot: true, bot_type, bot_owner: 1 },
});

void t.test(
  'Zulip: messages keep ids that some clients cannot read, and are counted',
  async (t) => {
    const sent = [{ id: 2 ** 31 - 1 }, { id: 2 ** 31 }, { id: 2 ** 31 + 1 }];
    const { told, messages } = await made(t, 'zulip', zulip({}, sent));
    t.strictSame(told, [
      '2 messages with ids that some clients cannot read: they and all later ones are too long (such as 2147483648)',
    ]);
    t.strictSame(
      messages.map(({ id }) => id),
      [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1],
    );
  },
);

void t.test('Zulip: rows about what is missing, or has no form here', async (t) => {
  const [OUTGOING, INCOMING] = [3, 2];
  const hook = { base_url: 'https://example.org/hook', interface: 1, token: 'secret' };
  const scheduled = { content: 'Later', scheduled_timestamp: 1.9e9, delivered: false };
  const { told, taken } = await made(
    t,
    'zulip',
    zulip(
      {
        zerver_realm: [{ ...realm, enable_spectator_access: true, deactivated: true }],
        zerver_realmauthenticationmethod: [{ id: 1, name: 'Carrier pigeon' }],
        zerver_userprofile: [ada, ben, bot(3, OUTGOING), bot(4, INCOMING)],
        zerver_service: [
          { id: 1, user_profile: NOBODY, ...hook },
          { id: 2, user_profile: 4, ...hook },
          { id: 3, user_profile: 3, ...hook },
          { id: 4, user_profile: 3, ...hook },
        ],
        zerver_botconfigdata: [{ id: 1, bot_profile: NOBODY, key: 'a', value: 'b' }],
        zerver_botstoragedata: [{ id: 1, bot_profile: NOBODY, key: 'a', value: 'b' }],
        zerver_draft: [
          { id: 1, user_profile: NOBODY, recipient: 21, content: 'x', last_edit_time: 1.6e9 },
          { id: 2, user_profile: 1, recipient: NOBODY, content: 'x', last_edit_time: 1.6e9 },
        ],
        zerver_scheduledmessage: [
          { id: 501, sender: NOBODY, recipient: 21, ...scheduled },
          { id: 502, sender: 1, recipient: NOBODY, ...scheduled },
          { id: 503, sender: 1, delivery_type: 2, reminder_target_message: 999, ...scheduled },
        ],
        zerver_usergroup: [{ id: 41 }],
        zerver_namedusergroup: [
          { usergroup_ptr: 41, id: 41, name: 'role:of-elsewhere', is_system_group: true },
        ],
        zerver_usergroupmembership: [{ id: 1, user_group: 41, user_profile: NOBODY }],
        zerver_userstatus: [
          { id: 1, user_profile: NOBODY, status_text: 'away' },
          {
            ...{ id: 2, user_profile: 1, status_text: 'at lunch', emoji_name: 'lost' },
            ...{ emoji_code: '77', reaction_type: 'realm_emoji' },
          },
        ],
        zerver_onboardingstep: [{ id: 1, user: NOBODY, onboarding_step: 'intro_inbox_view_modal' }],
        zerver_navigationview: [{ id: 1, user: NOBODY, fragment: 'inbox', is_pinned: true }],
        zerver_usertopic: [
          { id: 1, user_profile: 1, stream: NOBODY, topic_name: 'x', visibility_policy: 1 },
          { id: 2, user_profile: 1, stream: 11, topic_name: 'x', visibility_policy: 9 },
        ],
        zerver_muteduser: [{ id: 1, user_profile: 1, muted_user: NOBODY, date_muted: 1.6e9 }],
        zerver_alertword: [{ id: 1, user_profile: NOBODY, word: 'steam' }],
        zerver_savedsnippet: [
          { id: 1, user_profile: NOBODY, title: 'x', content: 'y', date_created: 1.6e9 },
          { id: 2, user_profile: 1, title: '', content: '', date_created: 1.6e9 },
        ],
        zerver_customprofilefieldvalue: [
          { id: 1, user_profile: NOBODY, field: 1, value: 'x' },
          { id: 2, user_profile: 1, field: 1, value: 'of a field that is missing' },
        ],
        zerver_defaultstream: [{ id: 1, stream: NOBODY }],
        zerver_channelfolder: [
          { id: 1, name: 'Works', date_created: 1.6e9 },
          { id: 2, name: 'works', date_created: 1.6e9 },
        ],
        zerver_subscription: [
          ...usual['zerver_subscription']!,
          { id: 3, user_profile: NOBODY, recipient: 21, active: true },
          { id: 4, user_profile: 1, recipient: NOBODY, active: true },
          { id: 5, user_profile: 1, recipient: 21, active: true },
        ],
        zerver_realmdomain: [{ id: 1, domain: 'no domain', allow_subdomains: false }],
        zerver_realmplayground: [
          { id: 1, name: '', pygments_language: 'Rust', url_template: 'https://r.example/{code}' },
        ],
        zerver_reaction: [
          {
            ...{ id: 1, message: 999, user_profile: 2, emoji_name: 'octopus' },
            ...{ emoji_code: '1f419', reaction_type: 'unicode_emoji' },
          },
        ],
        // Tables that nothing here corresponds to.
        zerver_realmexport: [{ id: 1 }],
        zerver_useractivity: [{ id: 1 }],
        zerver_useractivityinterval: [{ id: 1 }],
        zerver_userpresence: [{ id: 1 }],
        zerver_presencesequence: [{ id: 1 }],
        zerver_onboardingusermessage: [{ id: 1 }],
        zerver_externalauthid: [{ id: 1 }],
        zerver_realmauditlog: [{ id: 1 }],
      },
      [{}, { recipient: NOBODY }],
      { 'migration_status.json': {}, 'stats.txt': 'x', 'consented_user_ids.json': [] },
    ),
  );
  t.strictSame([...told].sort(), [
    '1 domains that people may come from that are refused here (such as no domain: Invalid domain: Domain must have at least one dot (.))',
    '1 files about the database of the former server (such as migration_status.json)',
    '1 messages whose sender or recipient is missing (such as 102)',
    '1 organizations that visitors without an account could read, and can not here',
    '1 organizations that were deactivated there, and are active here',
    '1 organizations without a way to log in that exists here: by password it is',
    '1 playgrounds that are refused here (such as : name cannot be blank)',
    '1 reactions to messages that are missing (such as 999)',
    '1 rows of zerver_alertword of people who are missing (such as 1)',
    '1 rows of zerver_botconfigdata of bots that are missing (such as 1)',
    '1 rows of zerver_botstoragedata of bots that are missing (such as 1)',
    '1 rows of zerver_channelfolder of the name of another (such as 2)',
    '1 rows of zerver_customprofilefieldvalue of people who are missing',
    '1 rows of zerver_defaultstream of channels that are missing (such as 1)',
    '1 rows of zerver_draft of people who are missing (such as 1)',
    '1 rows of zerver_draft to recipients who are missing (such as 2)',
    '1 rows of zerver_externalauthid (ids of people at services for single sign-on: the first log-in is by address)',
    '1 rows of zerver_muteduser of people who are missing (such as 1)',
    '1 rows of zerver_namedusergroup that are system groups of no such name here (such as 41)',
    '1 rows of zerver_navigationview of people who are missing (such as 1)',
    '1 rows of zerver_onboardingstep of people who are missing (such as 1)',
    '1 rows of zerver_onboardingusermessage (messages that the former server showed to new people)',
    '1 rows of zerver_presencesequence (who was online)',
    '1 rows of zerver_realmauditlog (who changed what in the former server)',
    '1 rows of zerver_realmauthenticationmethod such as Carrier pigeon: this server has no such way to log in (such as 1)',
    '1 rows of zerver_realmexport (exports that the former server keeps)',
    '1 rows of zerver_savedsnippet of people who are missing (such as 1)',
    '1 rows of zerver_savedsnippet that are empty, or above 1000 of a person (such as 2)',
    '1 rows of zerver_scheduledmessage of messages that are missing (such as 503)',
    '1 rows of zerver_scheduledmessage of people who are missing (such as 501)',
    '1 rows of zerver_scheduledmessage to recipients who are missing (such as 502)',
    '1 rows of zerver_service beside another one of the same bot (such as 4)',
    '1 rows of zerver_service of bots that are missing (such as 1)',
    '1 rows of zerver_service of bots that are no outgoing webhooks: programs inside the server are not here (such as 2)',
    '1 rows of zerver_subscription of channels that are missing (such as 4)',
    '1 rows of zerver_subscription of people who are missing (such as 3)',
    '1 rows of zerver_subscription that are there twice (such as 5)',
    '1 rows of zerver_useractivity (when people used which program)',
    '1 rows of zerver_useractivityinterval (when people were active)',
    '1 rows of zerver_usergroupmembership of people who are missing (such as 1)',
    '1 rows of zerver_userpresence (who was online)',
    '1 rows of zerver_userstatus by custom emoji that are missing (such as 2)',
    '1 rows of zerver_userstatus of people who are missing (such as 1)',
    '1 rows of zerver_usertopic of a policy that is unknown here (such as 2)',
    '1 rows of zerver_usertopic of people or channels that are missing (such as 1)',
    '1 values of custom profile fields that were not taken (such as of a field that is missing)',
    '2 files about the export itself (such as consented_user_ids.json)',
  ]);
  t.match(taken, /, 1 messages, 0 reactions, /, 'what is left out is not counted');
});

void t.test(
  'Mattermost: places that are missing, and what one organization has no form for',
  async (t) => {
    const direct = (members: readonly string[], more: object = {}) => ({
      type: 'direct_channel',
      direct_channel: { members, ...more },
    });
    const notify_props = { desktop: 'all', vibrate: 'yes' };
    const cleo = member('cleo', ['town', 'gone'], {}, { notify_props }) as {
      user: { teams: object[] };
    };
    Object.assign(cleo.user.teams[0]!, { roles: 'team_user team_admin', motto: 'x' });
    const team = (name: string) => ({
      type: 'team',
      team: { name, display_name: name, type: 'O', description: `We are ${name}` },
    });
    const { told, taken } = await made(
      t,
      'mattermost',
      mattermost(
        ...[team('first'), team('second'), cleo],
        direct(['ada', 'ben'], { participants: [{ username: 'ada', seat: 1 }] }),
        direct(['ben', 'ada']),
        wrote('ada', 1, ''),
        wrote('ada', 2, 'Hi', { channel: 'gone' }),
        wrote('ada', 3, 'ada joined', { type: 'system_join_channel' }),
      ),
    );
    t.strictSame([...told].sort(), [
      '1 administrators of teams, who are members here (such as cleo)',
      '1 descriptions of teams, which are many or too long for one organization (such as first)',
      '1 fields of memberships of teams that are unknown here: motto (such as cleo)',
      '1 fields of participants of conversations that are unknown here: seat (such as ada,ben)',
      '1 memberships of channels that are missing (such as gone)',
      '1 notices that Mattermost wrote itself, such as who joined (such as 1553166000003)',
      '2 fields of notifications of memberships that are unknown here: vibrate (such as cleo)',
      '2 messages without text or place (such as 1553166000001)',
    ]);
    t.match(taken, / 0 messages,/);
    const without = { 'import.jsonl': JSON.stringify({ type: 'version', version: 1 }) };
    await t.rejects(made(t, 'mattermost', without), {
      message: /The export has no people: this is no bulk export of Mattermost$/,
    });
  },
);

void t.test(
  'Slack: messages and conversations with nothing in them, and words of notices',
  async (t) => {
    const { told, messages } = await made(
      t,
      'slack',
      slack({
        'dms.json': [
          { id: 'D1', members: [] },
          { id: 'D2', members: ['U1', 'U2'] },
          { id: 'D3', members: ['U2', 'U1'] },
        ],
        'general/2020-01-01.json': [
          said('U1', ''),
          said('U1', '', { subtype: 'pinned_item' }),
          said('U1', '', { subtype: 'unpinned_item' }),
          said('U1', '', { attachments: [{ is_msg_unfurl: true, text: 'of somebody' }] }),
          said('U1', 'Ada joined', { subtype: 'channel_join' }),
        ],
      }),
    );
    t.match([...told].sort(), [
      /^1 messages without text or place \(such as general \d+\.000100\)$/,
      /^1 notices that Slack wrote itself, such as who joined \(such as general \d+\.000100\)$/,
      /^2 conversations without participants, or listed twice \(such as D1\)$/,
    ]);
    t.equal(told.length, 3);
    t.strictSame(
      messages.map(({ content }) => content),
      [
        '/me pinned a message to this channel.',
        '/me unpinned a message from this channel.',
        'A shared message:\n> of somebody',
      ],
    );
    await t.rejects(made(t, 'slack', slack({ 'users.json': [] })), {
      message: /users\.json is missing or empty: this is no Slack export$/,
    });
  },
);

void t.test(
  'a report names a thousand kinds, the most frequent first, and of an example its beginning',
  (t) => {
    const omissions = new Omissions();
    for (let i = 1; i <= 1002; i++) omissions.add(`kind ${i}`);
    omissions.add('kind 2', 'another');
    omissions.add('kind 2', 'a third');
    const rows = omissions.rows();
    t.equal(rows.length, 1001);
    t.strictSame(rows.slice(0, 3), [
      { what: 'kind 2', count: 3, example: '' },
      { what: 'things of more kinds than a report names', count: 2, example: '' },
      { what: 'kind 1', count: 1, example: '' },
    ]);
    const long = new Omissions();
    long.add('whole', 'x'.repeat(200));
    long.add('cut', '\u{1f600}'.repeat(201));
    t.strictSame(
      long.rows().map(({ example }) => example),
      ['x'.repeat(200), `${'\u{1f600}'.repeat(200)}\u2026`],
    );
    t.end();
  },
);

void t.test('what the archive has is taken, noted, or told as missing', (t) => {
  const omissions = new Omissions();
  omissions.found('rows of a', 3);
  omissions.settle('rows of a', 2);
  omissions.found('rows of b');
  omissions.settle('rows of b');
  omissions.balance();
  t.strictSame(omissions.rows(), [{ what: 'rows of a that nothing took', count: 1, example: '' }]);
  t.equal(omissions.isIncomplete, true);
  const twice = new Omissions();
  twice.found('rows of a');
  twice.settle('rows of a', 3);
  twice.balance();
  twice.balance();
  t.strictSame(twice.rows(), [
    { what: 'rows of a more than the archive has', count: 2, example: '' },
  ]);
  t.equal(new Omissions().isIncomplete, false);
  t.end();
});
