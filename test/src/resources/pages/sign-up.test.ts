import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { notFound, rateLimitHit } from '../../../../src/errors/index.js';
import { errorPage } from '../../../../src/resources/pages/layout.js';
import { unreadMessages } from '../../../../src/organization/messages/reading/unread.js';
import { sendNotice } from '../../../../src/organization/messages/sending/notification-bot.js';
import { dataOf, htmlOf, InviteWorld } from '../../../fixtures/invite-world.js';
import { MODERN, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';

const EXPIRED = {
  status: 404,
  code: 'BAD_REQUEST',
  message: 'Whoops. The confirmation link has expired or been deactivated.',
};
const MALFORMED = { status: 404, message: 'Whoops. The confirmation link is malformed.' };

void t.test('the link in the mail shows a form that posts', async (t) => {
  const world = new InviteWorld();
  world.setRealm({ name: 'Fish & <Chips>' });
  await world.invite(world.hamlet, 'zoe@x.org');
  const key = world.mailedKey('zoe@x.org');
  const since = world.position;
  const shown = await world.visit('GET', `/accounts/do_confirm/${key}`);
  t.strictSame(dataOf(shown), {
    key,
    email: 'zoe@x.org',
    realm_name: 'Fish & <Chips>',
    password_required: true,
  });
  const html = htmlOf(shown);
  t.match(html, 'Join Fish &amp; &lt;Chips&gt;');
  t.match(html, `<input type="hidden" name="key" value="${key}"`);
  t.match(html, '<form method="post" action="/accounts/register/"');
  t.notMatch(html, '<script');
  t.equal(world.position, since, 'looking at it uses nothing up');
});

void t.test(
  'a link with a malformed, unknown or expired key is refused and changes nothing',
  async (t) => {
    const world = new InviteWorld();
    await world.invite(world.hamlet, 'zoe@x.org', { invite_expires_in_minutes: 60 });
    const key = world.mailedKey('zoe@x.org');
    const since = world.position;
    for (const bad of ['short', 'x'.repeat(33), '<script>']) {
      await t.rejects(world.visit('GET', `/accounts/do_confirm/${bad}`), MALFORMED);
      await t.rejects(world.register(bad), MALFORMED);
    }
    await t.rejects(world.visit('GET', `/accounts/do_confirm/${'x'.repeat(32)}`), EXPIRED);
    await t.rejects(world.visit('POST', '/accounts/register/', {}), {
      code: 'REQUEST_VARIABLE_MISSING',
      message: "Missing 'key' argument",
    });
    world.clock.advance(3_600_000);
    await t.rejects(world.visit('GET', `/accounts/do_confirm/${key}`), EXPIRED);
    await t.rejects(world.register(key), EXPIRED);
    t.equal(world.position, since);
  },
);

void t.test('what is filled in is checked, and then nothing changes', async (t) => {
  const world = new InviteWorld();
  world.setRealm({ require_unique_names: true });
  await world.invite(world.hamlet, 'zoe@x.org');
  const key = world.mailedKey('zoe@x.org');
  const since = world.position;
  const cases: [Record<string, string>, string][] = [
    [{ full_name: ' x ' }, 'Name too short!'],
    [{ full_name: 'x'.repeat(101) }, 'Name too long!'],
    [{ full_name: 'a*b' }, 'Invalid characters in name!'],
    [{ full_name: 'HAMLET' }, 'Unique names required in this organization.'],
    [{ password: 'short' }, 'The password is too weak.'],
    [{ password: 'password' }, 'The password is too weak.'],
    [{ password: 'zoe zebra' }, 'The password is too weak.'],
    [{ timezone: 'Mars/Olympus' }, 'timezone is not a recognized time zone'],
    [{ email_address_visibility: '9' }, 'Invalid email_address_visibility'],
  ];
  const page = world.pages.find((one) => one.path === '/accounts/register/')!;
  for (const [fields, message] of cases) {
    await t.rejects(world.register(key, fields), { status: 400, code: 'BAD_REQUEST', message });
  }
  const fields = new Map(Object.entries({ key, full_name: '"><b>', timezone: 'x', password: 'p' }));
  const language = 'en' as const;
  const request = { values: {}, fields, remoteAddress: '192.0.2.1', language };
  const error = await page.call(request).catch((caught: Error) => caught);
  const again = page.again!(request, error as never)!.text;
  t.match(again, '<p role="alert">Invalid characters in name!</p>');
  const limited = page.again!(request, rateLimitHit(30))!.text;
  t.match(limited, '<p role="alert">That was tried too often. Try again in 30 seconds.</p>');
  const strange = errorPage(world.org, notFound(), null).text;
  t.match(strange, 'There is no page at this address');
  t.match(again, 'value="&quot;&gt;&lt;b&gt;"', 'what was filled in is still there, escaped');
  t.notMatch(again, 'value="p"', 'but not the password');
  t.equal(world.position, since);
});

// [c:sign-up-transaction]
void t.test('one transaction makes the account and everything with it', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin, org } = world;
  const { stream_id: secret } = world.channel('secret', { invite_only: true });
  world.transact((tx) =>
    tx.org.channels.update(secret, {
      can_add_subscribers_group: { direct_members: [hamlet.user_id], direct_subgroups: [] },
    }),
  );
  const readers = world.group('readers', {
    can_add_members_group: { direct_members: [hamlet.user_id], direct_subgroups: [] },
  });
  await world.invite(hamlet, 'zoe@x.org', {
    invite_as: ROLE.guest,
    stream_ids: [secret],
    group_ids: [readers],
    include_realm_default_subscriptions: true,
  });
  await world.invite(admin, 'ZOE@x.org');
  const since = world.position;
  const data = dataOf(
    await world.register(world.mailedKey('zoe@x.org'), {
      full_name: '  Zoe Zebra ',
      timezone: 'Europe/Rome',
      email_address_visibility: '3',
    }),
  );
  t.equal(world.since(since).length, 1);
  const zoe = org.users.byRealEmail('zoe@x.org')!;
  t.strictSame(data, {
    user_id: zoe.user_id,
    email: 'zoe@x.org',
    realm_url: 'https://chat.example.com',
  });
  t.match(zoe, { full_name: 'Zoe Zebra', role: ROLE.guest, can_create_users: false });
  t.match(zoe.password_hash, /^\$argon2id\$/);
  t.equal(org.settings.value(zoe.user_id, 'timezone'), 'Europe/Rome');
  t.equal(org.settings.value(zoe.user_id, 'email_address_visibility'), 3);
  t.strictSame([...org.subscriptions.ofUser(zoe.user_id).keys()].sort(), [1, secret]);
  t.strictSame(org.groups.get(readers)!.members, [zoe.user_id]);
  t.equal(org.invitations.size, 0, 'accepted, and others to the address revoked');
  t.strictSame(
    world.events(since).map(({ type, data }) => [type, data.op ?? null]),
    [
      ['realm_user', 'add'],
      ['realm_user', 'add'],
      ['user_group', 'add_members'],
      ['stream', 'create'],
      ['subscription', 'add'],
      ['subscription', 'peer_add'],
      ['subscription', 'peer_add'],
      ['user_group', 'add_members'],
      ['message', null],
      ['invites_changed', null],
      ['message', null],
    ],
  );
});

void t.test('hidden addresses stay hidden in the event', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'zoe@x.org');
  const since = world.position;
  const zoe = await world.accept('zoe@x.org', { email_address_visibility: '3' });
  const seen = (user = world.hamlet) =>
    world.received(user, since, { ...MODERN, event_types: ['realm_user'] })[0]!.person as Body;
  t.match(seen(), { delivery_email: null, email: `user${zoe.user_id}@chat.example.com` });
  t.match(seen(world.admin), { delivery_email: 'zoe@x.org', role: 400 });
});

// [c:sign-up-channels]
void t.test('an account has what was asked for: channels and defaults', async (t) => {
  const world = new InviteWorld();
  const { stream_id: other } = world.channel('other');
  const { stream_id: gone } = world.channel('gone');
  const channels = async (email: string, params: Body) => {
    await world.invite(world.hamlet, email, params);
    world.transact((tx) => tx.org.channels.update(gone, { is_archived: true }));
    const { user_id } = await world.accept(email, { full_name: email.slice(0, 4) });
    world.transact((tx) => tx.org.channels.update(gone, { is_archived: false }));
    return [...world.org.subscriptions.ofUser(user_id).keys()];
  };
  t.strictSame(await channels('none@x.org', {}), []);
  t.strictSame(await channels('some@x.org', { stream_ids: [other, gone] }), [other]);
  const include_realm_default_subscriptions = true;
  t.strictSame(await channels('dflt@x.org', { include_realm_default_subscriptions }), [1]);
  const both = { stream_ids: [other], include_realm_default_subscriptions };
  t.strictSame(await channels('both@x.org', both), [other, 1]);
});

void t.test('groups that went away since are left out', async (t) => {
  const world = new InviteWorld();
  const { owner } = world;
  const [a, b] = [world.group('a'), world.group('b')];
  await world.invite(owner, 'zoe@x.org', { group_ids: [a, b] });
  world.transact((tx) => tx.org.groups.update(a, { deactivated: true }));
  const zoe = await world.accept('zoe@x.org');
  t.strictSame(world.org.groups.get(a)!.members, []);
  t.strictSame(world.org.groups.get(b)!.members, [zoe.user_id]);
});

const ACCEPTED = / accepted your invitation to join!$/;

// [c:sign-up-referrer]
void t.test('notify_referrer_on_join: a direct message to the inviter', async (t) => {
  const world = new InviteWorld();
  const { hamlet } = world;
  let since = world.position;
  await world.invite(hamlet, 'zoe@x.org');
  const zoe = await world.accept('zoe@x.org');
  const told = () => world.messages(since).filter((message) => ACCEPTED.test(message.content));
  t.strictSame(told(), [
    {
      from: 'Notification Bot',
      to: [hamlet.user_id],
      content: `@_**Zoe Zebra|${zoe.user_id}** accepted your invitation to join!`,
    },
  ]);
  since = world.position;
  await world.invite(hamlet, 'max@x.org', { notify_referrer_on_join: false });
  await world.accept('max@x.org', { full_name: 'Max' });
  t.strictSame(told(), []);
});

// [c:sign-up-welcome]
void t.test('the Welcome Bot greets, with the text that is effective', async (t) => {
  const world = new InviteWorld();
  const { admin } = world;
  world.setRealm({ welcome_message_custom_text: 'From the organization' });
  const greetings = async (email: string, params: Body) => {
    await world.invite(admin, email, params);
    const since = world.position;
    const { user_id } = await world.accept(email, { full_name: email.slice(0, 4) });
    const sent = world.messages(since).filter((message) => message.from === 'Welcome Bot');
    for (const message of sent) t.strictSame(message.to, [user_id]);
    t.match(sent[0]!.content, 'welcome to Example!');
    return sent.slice(1).map((message) => message.content);
  };
  t.strictSame(await greetings('null@x.org', {}), ['From the organization']);
  const own = { welcome_message_custom_text: 'From the admin' };
  t.strictSame(await greetings('text@x.org', own), ['From the admin']);
  t.strictSame(await greetings('none@x.org', { welcome_message_custom_text: '' }), []);
  world.setRealm({ welcome_message_custom_text: '' });
  t.strictSame(await greetings('last@x.org', {}), []);
});

void t.test('newcomers are announced where the organization wants it', async (t) => {
  const world = new InviteWorld();
  world.setRealm({ signup_announcements_stream_id: 1 });
  await world.invite(world.hamlet, 'zoe@x.org', { notify_referrer_on_join: false });
  const since = world.position;
  const { user_id } = await world.accept('zoe@x.org');
  const sent = world.messages(since);
  t.strictSame(
    sent.map((message) => message.from),
    ['Welcome Bot', 'Notification Bot'],
  );
  t.strictSame(sent[1], {
    from: 'Notification Bot',
    to: 'general > signups',
    content: `@_**Zoe Zebra|${user_id}** joined this organization.`,
  });
});

void t.test('recent messages are there, the newest twenty unread', async (t) => {
  const world = new InviteWorld();
  const { hamlet, markdown, org } = world;
  const { stream_id: open } = world.channel('open');
  const { stream_id: secret } = world.channel('secret', { invite_only: true });
  const say = (id: number, text: string) =>
    world.transact((tx) =>
      sendNotice(tx, markdown, { channel: tx.org.channels.get(id)!, topic: 't' }, text),
    );
  say(open, 'too old');
  world.clock.advance(85 * 86_400_000);
  say(secret, 'private');
  const ids = Array.from({ length: 30 }, (_, i) => say(i % 3 === 0 ? 1 : open, `message ${i}`));
  world.alter(hamlet.user_id, { role: ROLE.owner });
  world.transact((tx) =>
    tx.org.channels.update(secret, {
      can_add_subscribers_group: org.groups.system('role:members').id,
    }),
  );
  await world.invite(hamlet, 'zoe@x.org', { stream_ids: [open, secret, 1] });
  const zoe = await world.accept('zoe@x.org');
  const unread = unreadMessages(org, zoe);
  const inChannels = unread.streams.flatMap((one) => one.unread_message_ids);
  t.strictSame(
    inChannels.sort((a, b) => a - b),
    ids.slice(10),
  );
  const [[from]] = org.subscriptions.of(zoe.user_id, open)!.spans as [[number, null]];
  t.equal(from, org.messages.index.peek(ids[1]!)!.seq, 'received from the first recent one on');
  t.equal(org.subscriptions.of(zoe.user_id, secret)!.spans[0]![0], world.position);
});

void t.test('a link is good once', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'zoe@x.org');
  const key = world.mailedKey('zoe@x.org');
  const both = await Promise.all([world.register(key), world.register(key)]);
  const [made, other] = 'page' in both[0] ? both : both.toReversed();
  t.match(made, { data: { email: 'zoe@x.org' } });
  t.match(
    other,
    { location: '/login/?email=zoe%40x.org', refusal: { message: 'Already has an account.' } },
    'who sends the form twice has an account, and is told so',
  );
  await t.rejects(world.register(key), EXPIRED);
  await t.rejects(world.visit('GET', `/accounts/do_confirm/${key}`), EXPIRED);
});

void t.test('who has an account by now is sent to log in', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'zoe+1@x.org');
  const key = world.mailedKey('zoe+1@x.org');
  world.addUser('Zoe+1@x.org');
  for (const outcome of [
    await world.visit('GET', `/accounts/do_confirm/${key}`),
    await world.register(key),
  ]) {
    t.match(outcome, {
      location: '/login/?email=zoe%2B1%40x.org',
      refusal: { code: 'BAD_REQUEST', message: 'Already has an account.' },
    });
  }
  const login = htmlOf(await world.visit('GET', '/login/', { email: '<zoe>' }));
  t.match(login, '<strong>&lt;zoe&gt;</strong> has an account already');
  const home = htmlOf(await world.visit('GET', '/'));
  t.match(home, 'Log in with an app', 'the address that mails name says what to do');
});

void t.test('domains are enforced when somebody registers, too', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'zoe@x.org');
  const key = world.mailedKey('zoe@x.org');
  world.setRealm({ emails_restricted_to_domains: true });
  const message =
    'Your email address, zoe@x.org, is not in one of the domains that are allowed to register for ' +
    'accounts in this organization.';
  await t.rejects(world.register(key), { status: 400, code: 'BAD_REQUEST', message });
  await t.rejects(world.visit('GET', `/accounts/do_confirm/${key}`), { message });
});

void t.test('a deactivated organization takes nobody', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'zoe@x.org');
  const key = world.mailedKey('zoe@x.org');
  world.setRealm({ deactivated: true });
  await t.rejects(world.register(key), { status: 401, code: 'REALM_DEACTIVATED' });
});

void t.test('without passwords of its own the organization asks for none', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'zoe@x.org');
  world.setRealm({ authentication_methods: { Email: false } });
  const key = world.mailedKey('zoe@x.org');
  const form = await world.visit('GET', `/accounts/do_confirm/${key}`);
  t.equal(dataOf(form).password_required, false);
  t.notMatch(htmlOf(form), 'type="password"');
  const zoe = await world.accept('zoe@x.org');
  t.equal(zoe.password_hash, null);
  t.equal(zoe.date_joined, START_SECONDS * 1000);
});
