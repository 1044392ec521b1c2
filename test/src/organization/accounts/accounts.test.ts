import t from 'tap';
import { ROLE, type Role } from '../../../../schemas/users/user-document.js';
import {
  checkedFullName,
  checkedNewEmail,
} from '../../../../src/organization/accounts/account-checks.js';
import { createUser } from '../../../../src/organization/accounts/accounts.js';
import { createOrganization } from '../../../../src/organization/realm/bootstrap.js';
import { postJoinNotice } from '../../../../src/organization/invitations/welcome.js';
import { Transaction } from '../../../../src/organization/state/transaction.js';
import {
  LivingOrganization,
  MODERN,
  PLAIN,
  START_SECONDS,
} from '../../../fixtures/living-organization.js';
import { foldPeople, peopleSnapshot } from '../../../fixtures/people-client.js';

function groupId(world: LivingOrganization, name: 'role:members' | 'role:fullmembers'): number {
  return world.org.groups.system(name).id;
}

void t.test('a new organization has its groups, bots, owner and first channel', async (t) => {
  const { org, owner } = new LivingOrganization();
  t.strictSame(
    [...org.groups.values()].map((group) => [group.id, group.name, group.direct_subgroup_ids]),
    [
      [1, 'role:nobody', []],
      [2, 'role:owners', []],
      [3, 'role:administrators', [2]],
      [4, 'role:moderators', [3]],
      [5, 'role:fullmembers', [4]],
      [6, 'role:members', [4]],
      [7, 'role:everyone', [6]],
      [8, 'role:internet', [7]],
    ],
  );
  const bots = [...org.users.values()].filter((user) => user.is_system_bot);
  t.strictSame(
    bots.map((bot) => bot.email),
    [
      'notification-bot@chat.example.com',
      'welcome-bot@chat.example.com',
      'emailgateway@chat.example.com',
    ],
  );
  t.match(owner, { role: ROLE.owner, full_name: 'Olive Owner', can_change_user_emails: true });
  const general = org.channels.byName('general')!;
  t.match(general, { is_default: true, invite_only: false, date_created: START_SECONDS });
  t.ok(org.subscriptions.isSubscribed(owner.user_id, general.stream_id));
  t.equal(org.realm.current.name, 'Example');
});

void t.test('the first message is sent through what is given for it', async (t) => {
  const sent: unknown[] = [];
  const world = new LivingOrganization();
  const fresh = world.emptyOrganization();
  fresh.unit.run(new Transaction(fresh, 1, world.clock.now()), (tx) =>
    createOrganization(
      tx,
      { name: 'Second', ownerEmail: 'o@example.com', ownerPasswordHash: null },
      { sendNotice: (_tx, { channel, topic }) => sent.push([channel.name, topic]) },
    ),
  );
  t.strictSame(sent, [['general', 'greetings']]);
});

void t.test('a new account is announced in the order of the contract', async (t) => {
  const world = new LivingOrganization();
  const since = world.position;
  const user = world.addUser('hamlet@example.com', { full_name: 'King Hamlet' });
  const events = world.received(world.owner, since);
  t.strictSame(
    events.map(({ type, op }) => [type, op]),
    [
      ['realm_user', 'add'],
      ['user_group', 'add_members'],
      ['user_group', 'add_members'],
      ['subscription', 'peer_add'],
    ],
  );
  t.strictSame(events[0]!.person, {
    user_id: user.user_id,
    delivery_email: 'hamlet@example.com',
    email: 'hamlet@example.com',
    full_name: 'King Hamlet',
    date_joined: '2026-01-31T10:00+00:00',
    is_active: true,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    role: 400,
    timezone: '',
    avatar_url: (events[0]!.person as { avatar_url: string }).avatar_url,
    avatar_version: 1,
    is_imported_stub: false,
    presence_enabled: true,
    profile_data: {},
  });
  t.match((events[0]!.person as { avatar_url: string }).avatar_url, /^https:\/\/secure\.gravatar/);
  t.strictSame(events.slice(1, 3), [
    {
      type: 'user_group',
      op: 'add_members',
      group_id: groupId(world, 'role:members'),
      user_ids: [user.user_id],
    },
    {
      type: 'user_group',
      op: 'add_members',
      group_id: groupId(world, 'role:fullmembers'),
      user_ids: [user.user_id],
    },
  ]);
});

void t.test('clients that compute pictures get null for the address', async (t) => {
  const world = new LivingOrganization();
  const since = world.position;
  world.addUser('hamlet@example.com');
  const [add] = world.received(world.owner, since, { ...PLAIN, client_gravatar: true });
  t.equal((add!.person as { avatar_url: unknown }).avatar_url, null);
  t.notOk('computable_avatar' in add!);
});

void t.test('nobody is a full member while the waiting period runs', async (t) => {
  const world = new LivingOrganization();
  world.setRealm({ waiting_period_threshold: 3 });
  const since = world.position;
  world.addUser('hamlet@example.com');
  const groups = world.received(world.owner, since, { ...MODERN, event_types: ['user_group'] });
  t.strictSame(
    groups.map((event) => event.group_id),
    [groupId(world, 'role:members')],
  );
});

for (const role of [ROLE.administrator, ROLE.member, ROLE.guest] satisfies Role[]) {
  void t.test(`what a viewer of role ${role} folds is what they would be given anew`, async (t) => {
    const world = new LivingOrganization();
    const viewer = world.addWithRole('viewer@example.com', role);
    const before = peopleSnapshot(world.org, viewer);
    const since = world.position;
    for (const other of [ROLE.owner, ROLE.administrator, ROLE.moderator, ROLE.member, ROLE.guest]) {
      world.addWithRole(`role${other}@example.com`, other);
    }
    const folded = foldPeople(before, world.received(viewer, since));
    t.strictSame(folded, peopleSnapshot(world.org, viewer));
    t.strictSame(folded, peopleSnapshot(world.reloaded(), viewer), 'also after a restart');
  });
}

void t.test('names are checked in the words of the contract', async (t) => {
  const { org } = new LivingOrganization();
  const check = (name: string, userId: number | null = null) => checkedFullName(org, name, userId);
  t.equal(check('  King Hamlet '), 'King Hamlet');
  t.equal(check('李'.repeat(100)).length, 100);
  t.throws(() => check(' x '), { message: 'Name too short!' });
  t.throws(() => check('x'.repeat(101)), { message: 'Name too long!' });
  for (const bad of ['*', '`', '"', '>', '@', '\\', '\n', '\u0000']) {
    t.throws(() => check(`Ham${bad}let`), { message: 'Invalid characters in name!' });
  }
  t.throws(() => check('Hamlet|12'), { message: 'Invalid format!' });
  t.equal(check('olive OWNER'), 'olive OWNER');
});

void t.test('where names are unique, one that differs only in case is taken', async (t) => {
  const world = new LivingOrganization();
  world.setRealm({ require_unique_names: true });
  const taken = { message: 'Unique names required in this organization.' };
  t.throws(() => checkedFullName(world.org, 'olive OWNER', null), taken);
  t.equal(checkedFullName(world.org, 'olive OWNER', world.owner.user_id), 'olive OWNER');
});

void t.test('addresses are checked in the words of the contract', async (t) => {
  const world = new LivingOrganization();
  const check = (email: string) =>
    checkedNewEmail(world.org, email, [{ domain: 'example.com', allow_subdomains: false }]);
  t.equal(check(' new+one@elsewhere.test '), 'new+one@elsewhere.test');
  t.equal(check('o.k_-@mail-1.example.org'), 'o.k_-@mail-1.example.org');
  const dots = ['a@.com', 'a@x..com', 'a@x.', '.a@x.com', 'a.@x.com', 'a..b@x.com'];
  const hyphens = ['a@-x.com', 'a@x-.com', 'a@x.-com', 'a@x.com-'];
  const others = ['', 'nobody', 'a@b@c', 'a b@example.com', '@example.com', 'a@'];
  const alike = ['\u2800ada@example.com', 'ada\u{1d159}@example.com', '\u0301ada@example.com'];
  alike.push('a.\u0301da@example.com', 'ada@\u0301example.com', 'ada@example.\u2800com');
  alike.push('ada@example\u3002com', 'ada@example\uff61com', 'ada@example\uff0ecom');
  for (const bad of [...others, ...dots, ...hyphens, ...alike]) {
    t.throws(() => check(bad), { message: 'Bad name or username' });
  }
  t.throws(() => check('OWNER@EXAMPLE.COM'), {
    message: "Email 'OWNER@EXAMPLE.COM' already in use",
  });
  t.throws(() => check('User7@Chat.example.com'), {
    message: "Email 'User7@Chat.example.com' not allowed in this organization",
  });
  world.setRealm({ emails_restricted_to_domains: true });
  t.equal(check('new@EXAMPLE.com'), 'new@EXAMPLE.com');
  t.throws(() => check('new+one@example.com'), {
    message: 'Email addresses containing + are not allowed.',
  });
  for (const foreign of ['new@elsewhere.test', 'new@sub.example.com', 'new@notexample.com']) {
    t.throws(() => check(foreign), {
      message: `Email '${foreign}' not allowed in this organization`,
    });
  }
});

void t.test('who joined is told where the organization wants to hear it', async (t) => {
  const world = new LivingOrganization();
  const told: unknown[] = [];
  const join = (email: string) =>
    world.transact((tx) => {
      const account = { email, full_name: 'Rosencrantz', role: ROLE.member, password_hash: null };
      const user = createUser(tx, account);
      postJoinNotice(
        tx,
        (_, { channel, topic }, text) => told.push([channel.name, topic, text]),
        user,
      );
      return user;
    });
  join('a@example.com');
  t.strictSame(told, [], 'nowhere by default');
  const { stream_id } = world.general;
  world.setRealm({ signup_announcements_stream_id: stream_id });
  const { user_id } = join('b@example.com');
  t.strictSame(told, [
    ['general', 'signups', `@_**Rosencrantz|${user_id}** joined this organization.`],
  ]);
});
