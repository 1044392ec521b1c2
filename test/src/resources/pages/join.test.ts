import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { resetPassword } from '../../../../src/organization/accounts/password-reset.js';
import { logInVouched } from '../../../../src/organization/users/vouched-login.js';
import { rateLimitHit } from '../../../../src/errors/index.js';
import { dataOf, htmlOf, InviteWorld } from '../../../fixtures/invite-world.js';

const EXPIRED = { message: 'Whoops. The confirmation link has expired or been deactivated.' };

async function link(world: InviteWorld, params = {}): Promise<string> {
  const { invite_link } = await world.do('create-invite-link', params, world.admin);
  return new URL(String(invite_link)).pathname;
}

void t.test(
  'a reusable link asks for an address and mails a link that works like others',
  async (t) => {
    const world = new InviteWorld();
    const path = await link(world, { invite_as: ROLE.guest, stream_ids: [1] });
    const form = htmlOf(await world.visit('GET', path));
    t.match(form, `<form method="post" action="${path}"`);
    const since = world.position;
    const sent = await world.visit('POST', path, { email: ' zoe@x.org ' });
    t.strictSame(dataOf(sent), { email: 'zoe@x.org' });
    t.match(htmlOf(sent), 'on its way to <strong>zoe@x.org</strong>');
    t.equal(world.since(since).length, 1, 'the mail is committed with its key');
    t.strictSame(world.limited, ['mail from 192.0.2.1']);
    const key = world.mailedKey('zoe@x.org', 'sign_up');
    await world.register(key);
    const zoe = world.org.users.byRealEmail('zoe@x.org')!;
    t.equal(zoe.role, ROLE.guest);
    t.ok(world.org.subscriptions.isSubscribed(zoe.user_id, 1));
    t.equal(world.org.confirmations.size, 0);
    await t.rejects(world.register(key), EXPIRED);
    // The link stays: somebody else may come.
    await world.visit('POST', path, { email: 'max@x.org' });
    await world.register(world.mailedKey('max@x.org', 'sign_up'), { full_name: 'Max' });
    t.ok(world.org.users.byRealEmail('max@x.org'));
  },
);

function botOf(world: InviteWorld, bot_owner_id: number): UserDocument {
  const { user_id } = world.addUser('bot@x.org');
  return world.transact((tx) => tx.org.users.update(user_id, { is_bot: true, bot_owner_id }));
}

// [c:join-without-mail]
void t.test('a reusable link alone admits where there is no mail server', async (t) => {
  const world = new InviteWorld({ mails: false });
  const path = await link(world, { invite_as: ROLE.guest });
  t.match(htmlOf(await world.visit('GET', path)), 'Nothing is sent there.');
  const sent = await world.visit('POST', path, { email: 'zoe@x.org' });
  if (!('leadsTo' in sent)) throw new Error('leads nowhere');
  t.equal(world.org.mails.size, 0);
  t.strictSame(world.limited, ['join from 192.0.2.1'], 'a team may join from one address');
  t.match(htmlOf(await world.visit('GET', sent.leadsTo!)), '<strong>zoe@x.org</strong>');
  await world.register(sent.leadsTo!.split('/').at(-1)!);
  const zoe = world.org.users.byRealEmail('zoe@x.org')!;
  t.match(zoe, { role: ROLE.guest, is_email_unverified: true });

  // A link that is mailed later, when there is a mail server, shows whose the address is.
  const bot = botOf(world, zoe.user_id);
  const reset = () =>
    world.transact((tx) =>
      resetPassword(tx, world.org.users.get(zoe.user_id)!, 'hash', (id) => world.closed.push(id)),
    );
  reset();
  t.equal(world.org.users.get(zoe.user_id)!.is_email_unverified, false);
  const { key_version } = world.org.users.get(bot.user_id)!;
  t.not(key_version, bot.key_version, 'whoever waited under the address keeps no bot');
  t.strictSame(world.closed, [bot.user_id, zoe.user_id]);
  reset();
  t.equal(
    world.org.users.get(bot.user_id)!.key_version,
    key_version,
    'a bot of a known owner stays',
  );

  const register = (email: string) => world.visit('POST', '/register/', { email });
  world.setRealm({ invite_required: false });
  // What a program gets says that it was done, as the redirect does to browsers.
  const done = await register('max@x.org');
  const confirmation_path = /^\/accounts\/do_confirm\/\w{24,}$/;
  t.match(done, { data: { email: 'max@x.org', confirmation_path }, leadsTo: confirmation_path });
  // An address of the domain is what admits there.
  world.setRealm({ emails_restricted_to_domains: true });
  world.transact((tx) =>
    tx.org.domains.insert({ id: 1, domain: 'x.org', allow_subdomains: false }),
  );
  t.match(htmlOf(await register('kim@x.org')), 'on its way to <strong>kim@x.org</strong>');
});

// [c:join-unverified-claimed]
void t.test('whose address it is takes the account back by another service', async (t) => {
  const world = new InviteWorld({ mails: false });
  const sent = await world.visit('POST', await link(world), { email: 'zoe@x.org' });
  if (!('leadsTo' in sent)) throw new Error('leads nowhere');
  await world.register(sent.leadsTo!.split('/').at(-1)!);
  const thief = world.org.users.byRealEmail('zoe@x.org')!;
  const { user_id } = thief;
  const bot = botOf(world, user_id);
  world.transact((tx) =>
    tx.org.twoFactors.insert({
      user_id,
      nonce: 'n',
      last_step: 0,
      recovery_codes: [],
      two_factor: true,
    }),
  );
  const vouched = { email: 'zoe@x.org', fullName: 'Zoe', role: null, groups: [] };
  const { markdown, closed } = world;
  const closeSockets = (userId: number) => closed.push(userId);
  const admitting = {
    markdown,
    createsAccounts: false,
    invitation: null,
    isKnownDevice: () => false,
    closeSockets,
  };
  const logIn = () => world.transact((tx) => logInVouched(tx, vouched, admitting));
  const zoe = logIn();
  t.match(zoe, { user_id: thief.user_id, password_hash: null, is_email_unverified: false });
  t.not(zoe.key_version, thief.key_version);
  t.not(world.org.users.get(bot.user_id)!.key_version, bot.key_version);
  t.equal(world.org.twoFactors.size, 0);
  t.same(closed, [bot.user_id, zoe.user_id]);
  t.equal(logIn().key_version, zoe.key_version, 'once');
  t.same(closed, [bot.user_id, zoe.user_id]);
});

void t.test('accepting by a link tells its maker only that the list changed', async (t) => {
  const world = new InviteWorld();
  const path = await link(world);
  await world.visit('POST', path, { email: 'zoe@x.org' });
  const since = world.position;
  await world.register(world.mailedKey('zoe@x.org', 'sign_up'));
  t.same(
    world.messages(since).map((message) => message.from),
    ['Welcome Bot'],
  );
  const [event] = world.events(since).filter((one) => one.type === 'invites_changed');
  t.match(event!.audience, { users: [world.owner.user_id, world.admin.user_id] });
});

void t.test('an expired link is refused, and a revoked one even later', async (t) => {
  const world = new InviteWorld();
  const path = await link(world, { invite_expires_in_minutes: 60 });
  await world.visit('POST', path, { email: 'zoe@x.org' });
  const key = world.mailedKey('zoe@x.org', 'sign_up');
  world.clock.advance(2 * 3_600_000);
  await t.rejects(world.visit('GET', path), EXPIRED);
  await t.rejects(world.visit('POST', path, { email: 'max@x.org' }), EXPIRED);
  // An address confirmed in time may still be used; not so when the link was revoked.
  dataOf(await world.visit('GET', `/accounts/do_confirm/${key}`));
  world.transact((tx) => tx.org.multiuseInvitations.update(1, { revoked: true }));
  await t.rejects(world.visit('GET', `/accounts/do_confirm/${key}`), EXPIRED);
  await t.rejects(world.visit('GET', '/join/nonsense/'), {
    status: 404,
    message: 'Whoops. The confirmation link is malformed.',
  });
});

void t.test('a confirmation lasts a day', async (t) => {
  const world = new InviteWorld();
  await world.visit('POST', await link(world), { email: 'zoe@x.org' });
  const key = world.mailedKey('zoe@x.org', 'sign_up');
  world.clock.advance(86_400_000);
  await t.rejects(world.register(key), { status: 404, ...EXPIRED });
});

void t.test('addresses are checked; who has an account is sent to log in', async (t) => {
  const world = new InviteWorld();
  const path = await link(world);
  const since = world.position;
  const post = (email: string) => world.visit('POST', path, { email });
  await t.rejects(post('nonsense'), { status: 400, message: 'Invalid address.' });
  await t.rejects(post('x@mailinator.com'), { message: 'Please use your real email address.' });
  await t.rejects(world.visit('POST', path), { message: "Missing 'email' argument" });
  t.match(await post('hamlet@example.com'), { location: '/login/?email=hamlet%40example.com' });
  world.setRealm({ emails_restricted_to_domains: true });
  await t.rejects(post('a@x.org'), { message: /^Your email address, a@x\.org, is not in one of/ });
  t.equal(world.position, since + 1, 'nothing but the setting changed');
});

void t.test('forms are limited by address, and the form says so', async (t) => {
  const world = new InviteWorld();
  const path = await link(world);
  world.refuse = () => rateLimitHit(60);
  const request = {
    values: { key: path.split('/')[2]! },
    fields: new Map([['email', 'zoe@x.org']]),
    remoteAddress: '192.0.2.1',
    language: 'en' as const,
  };
  const page = world.pages.find((one) => one.path === '/join/{key}/' && one.method === 'POST')!;
  const error = await page.call(request).catch((caught: Error) => caught);
  t.match(error, { status: 429, code: 'RATE_LIMIT_HIT' });
  t.match(page.again!(request, error as never)!.text, 'value="zoe@x.org"');
  t.equal(world.org.mails.size, 0);
});

void t.test('sign-up without invitation only when invite_required is off', async (t) => {
  const world = new InviteWorld();
  const refused = { status: 403, message: 'An invitation is needed to join this organization.' };
  await t.rejects(world.visit('GET', '/register/'), refused);
  await t.rejects(world.visit('POST', '/register/', { email: 'zoe@x.org' }), refused);
  world.setRealm({ invite_required: false });
  t.match(htmlOf(await world.visit('GET', '/register/')), 'action="/register/"');
  await world.visit('POST', '/register/', { email: 'zoe@x.org' });
  const key = world.mailedKey('zoe@x.org', 'sign_up');
  world.setRealm({ invite_required: true });
  await t.rejects(world.register(key), EXPIRED);
  world.setRealm({ invite_required: false });
  await world.register(key);
  const zoe = world.org.users.byRealEmail('zoe@x.org')!;
  t.equal(zoe.role, ROLE.member);
  t.ok(world.org.subscriptions.isSubscribed(zoe.user_id, 1), 'always the defaults');
});
