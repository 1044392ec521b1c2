/** Who comes with an import: stubs, people in no list, programs, and what each is in. */
import t from 'tap';
import { recordLogin } from '../../../../src/organization/accounts/accounts.js';
import { OPERATOR } from '../../../../src/organization/state/audited.js';
import { Transaction } from '../../../../src/organization/state/transaction.js';
import {
  made,
  type Made,
  mattermost,
  member,
  said,
  slack,
  SLACK_USER,
  wrote,
  zulip,
} from '../../../fixtures/archives/small-archives.js';

/** Accounts but for those that each server has. */
function people({ org }: Made): unknown[] {
  const own = [...org.users.values()].filter((one) => !one.is_system_bot);
  return own.map((one) => [one.user_id, one.full_name, one.email.split('@')[0], one.is_active]);
}

void t.test('people are stubs until their first login, which is when they join', async (t) => {
  const zulipStub = {
    ...{ id: 2, full_name: 'Ben', delivery_email: 'ben@example.org', role: 400, is_active: true },
    ...{ is_bot: false, date_joined: 1.6e9, is_imported_stub: true },
  };
  const ada = { ...zulipStub, id: 1, full_name: 'Ada', delivery_email: 'ada@example.org' };
  const archives: readonly [Parameters<typeof made>[1], Record<string, unknown>][] = [
    ['slack', slack({})],
    ['mattermost', mattermost()],
    // Those who had logged in there have joined; those whom its own import brought have not.
    ['zulip', zulip({ zerver_userprofile: [{ ...ada, is_imported_stub: false }, zulipStub] })],
  ];
  for (const [from, files] of archives) {
    const { org } = await made(t, from, files);
    t.equal(org.users.get(1)!.is_imported_stub, from !== 'zulip', from);
    const ben = org.users.get(2)!;
    t.equal(ben.is_imported_stub, true, from);
    const now = ben.date_joined + 86_400_000;
    const tx = new Transaction(org, 1000, now, OPERATOR);
    const { events } = org.unit.run(tx, () => recordLogin(tx, ben)).content;
    const after = org.users.get(2)!;
    t.strictSame([after.is_imported_stub, after.date_joined], [false, now], from);
    const told = JSON.stringify(events);
    t.match(told, /"is_imported_stub":false/, `${from}: the event of the stub`);
    t.match(told, /"date_joined":"/, `${from}: the event of the date`);
  }
});

void t.test(
  'Slack Connect: conversations with people of other workspaces stay apart',
  async (t) => {
    const result = await made(
      t,
      'slack',
      slack({
        'channels.json': [{ id: 'C1', name: 'shared', members: ['U1', 'U2', 'U8'] }],
        'mpims.json': [
          { id: 'G1', name: 'mpdm-ada--x-1', members: ['U1', 'U8', 'W9'] },
          { id: 'G2', name: 'mpdm-ada--y-1', members: ['U1', 'U8', 'U7'] },
        ],
        'dms.json': [{ id: 'D1', members: ['U1', 'U8'] }],
        'shared/2020-01-01.json': [
          said('U8', 'from over there', {
            user_profile: { real_name: 'Wanda', name: 'wanda' },
            reactions: [{ name: 'x', users: ['U6'], count: 1 }],
          }),
          said('', 'Built', { subtype: 'bot_message', bot_id: 'B5', username: 'CI' }),
        ],
        'mpdm-ada--x-1/2020-01-01.json': [said('W9', 'first', { user_profile: { name: 'xenia' } })],
        'mpdm-ada--y-1/2020-01-01.json': [said('U7', 'second')],
        'D1/2020-01-01.json': [said('U1', '<@U8> third')],
      }),
    );
    const { org, messages, told } = result;
    t.strictSame(people(result), [
      [1, 'Ada', 'ada', true],
      [2, 'Ben', 'ben', true],
      [3, 'Slack integrations', 'slack-integrations', false],
      [4, 'Wanda', 'slack-u8', false],
      [5, 'xenia', 'slack-w9', false],
      [6, 'U7', 'slack-u7', false],
      [7, 'U6', 'slack-u6', false],
    ]);
    t.notOk(org.users.get(4)!.is_imported_stub);
    const whose = messages.map((one) => [
      one.content,
      one.sender_id,
      one.stream_id ?? org.conversations.get(one.recipient_id)!.user_ids,
    ]);
    t.strictSame(whose, [
      ['from over there', 4, 1],
      ['**CI**: Built', 3, 1],
      ['first', 5, [1, 4, 5]],
      ['second', 6, [1, 4, 6]],
      ['@**Wanda|4** third', 1, [1, 4]],
    ]);
    t.strictSame([...org.subscriptions.subscribers(1)], [1, 2, 4]);
    t.match(messages[0]!.reactions, [{ user_id: 7 }]);
    t.strictSame(told, [
      '4 people who are in no list, deactivated here by the name that messages give (such as U8)',
    ]);
  },
);

void t.test(
  'Mattermost: programs, people in no line, and conversations of newer exports',
  async (t) => {
    const direct = (...names: string[]) => ({
      type: 'direct_channel',
      direct_channel: { participants: names.map((username) => ({ username })) },
    });
    const between = (message: string, at: number, ...channel_members: string[]) => ({
      type: 'direct_post',
      direct_post: { channel_members, user: channel_members.at(-1), message, create_at: 1e12 + at },
    });
    const result = await made(
      t,
      'mattermost',
      mattermost(
        {
          type: 'bot',
          bot: { username: 'robo', display_name: 'Robo', owner: 'ada', delete_at: 0 },
        },
        {
          type: 'bot',
          bot: { username: 'old', display_name: '', owner: 'no.plugin', delete_at: 5 },
        },
        direct('ada', 'gone.a'),
        direct('ada', 'gone.b'),
        between('one', 1, 'ada', 'gone.a'),
        between('two', 2, 'ada', 'gone.b'),
        wrote('robo', 1, 'Built, @gone.a', {
          reactions: [{ user: 'gone.c', emoji_name: 'smile' }],
        }),
        wrote('gone.c', 2, 'in no line'),
      ),
    );
    const { org, messages, told } = result;
    t.strictSame(people(result), [
      [1, 'Ada', 'ada', true],
      [2, 'Ben', 'ben', true],
      [3, 'Robo', 'mattermost-robo', true],
      [4, 'old', 'mattermost-old', false],
      [5, 'gone.a', 'mattermost-gone.a', false],
      [6, 'gone.b', 'mattermost-gone.b', false],
      [7, 'gone.c', 'mattermost-gone.c', false],
      [8, 'Mattermost', 'mattermost-strangers', false],
    ]);
    t.match(org.users.get(3), {
      is_bot: true,
      bot_type: 1,
      bot_owner_id: 1,
      is_imported_stub: false,
    });
    t.match(org.users.get(4), { is_bot: true, bot_owner_id: null });
    t.strictSame(
      messages.map((one) => [
        one.content,
        one.sender_id,
        one.stream_id ?? org.conversations.get(one.recipient_id)!.user_ids,
      ]),
      [
        ['one', 5, [1, 5]],
        ['two', 6, [1, 6]],
        ['Built, @**gone.a|5**', 3, 1],
        ['in no line', 7, 1],
      ],
    );
    t.match(messages[2]!.reactions, [{ user_id: 7 }]);
    t.strictSame(told, [
      '3 people who are in no list, deactivated here by the name that messages give (such as gone.a)',
    ]);
  },
);

void t.test('whoever was deactivated is still in their private channels and groups', async (t) => {
  const locked = { id: 'G1', name: 'board', members: ['U1', 'U3'] };
  const left = SLACK_USER('U3', 'Cleo', { deleted: true });
  const users = [SLACK_USER('U1', 'Ada'), SLACK_USER('U2', 'Ben'), left];
  const ofSlack = await made(t, 'slack', slack({ 'users.json': users, 'groups.json': [locked] }));
  t.strictSame([...ofSlack.org.subscriptions.subscribers(2)], [1, 3]);
  const board = { team: 'works', name: 'board', display_name: 'Board', type: 'P' };
  const ofMattermost = await made(
    t,
    'mattermost',
    mattermost({ type: 'channel', channel: board }, member('cleo', ['board'], { delete_at: 7 })),
  );
  t.equal(ofMattermost.org.users.get(3)!.is_active, false);
  t.strictSame([...ofMattermost.org.subscriptions.subscribers(2)], [3]);
  const cleo = { id: 3, full_name: 'Cleo', delivery_email: 'c@x.org', is_active: false, role: 400 };
  const usual = zulip({})['realm.json'] as Record<string, object[]>;
  const ofZulip = await made(
    t,
    'zulip',
    zulip({
      zerver_userprofile: [...usual['zerver_userprofile']!, cleo],
      zerver_stream: [
        ...usual['zerver_stream']!,
        { id: 12, name: 'board', description: '', invite_only: true, recipient: 22 },
      ],
      zerver_recipient: [...usual['zerver_recipient']!, { id: 22, type: 2, type_id: 12 }],
      zerver_subscription: [{ id: 9, user_profile: 3, recipient: 22, active: true }],
      zerver_usergroup: [{ id: 41 }],
      zerver_namedusergroup: [{ id: 41, usergroup_ptr: 41, name: 'builders', description: '' }],
      zerver_usergroupmembership: [{ id: 1, user_group: 41, user_profile: 3 }],
    }),
  );
  t.match(ofZulip.org.subscriptions.of(3, 12), { active: true });
  t.strictSame(ofZulip.org.groups.get(41)!.members, [3]);
});
