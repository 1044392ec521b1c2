import { handlerOf } from '../../../fixtures/handler-of.js';
import { ApiKeys } from '../../../../src/services/auth/api-keys.js';
import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { settingsHandlers } from '../../../../src/resources/users/settings.js';
import { dataOf, htmlOf, InviteWorld } from '../../../fixtures/invite-world.js';
import { MODERN, type Body } from '../../../fixtures/living-organization.js';
import { sessionParts } from '../../../fixtures/session-parts.js';
import { passwords } from '../../../fixtures/settings-world.js';
import { rateLimitHit } from '../../../../src/errors/index.js';

const EXPIRED = {
  status: 404,
  message: 'Whoops. The confirmation link has expired or been deactivated.',
};

class World extends InviteWorld {
  private readonly settings = settingsHandlers({
    passwords,
    ...sessionParts(this.org),
    presence: this.presence,
    limiter: { attempt: async () => undefined, succeeded: async () => undefined },
    linkKeys: this.keys,
    keys: new ApiKeys(Buffer.alloc(32, 9)),
    closeSockets: () => undefined,
    directory: this.directory,
    mailLimiter: {
      mailFrom: () => undefined,
      joinFrom: () => undefined,
      passwordReset: () => undefined,
      emailChange: (id) => {
        if (this.refuse) throw this.refuse();
        this.limited.push(`change of ${id}`);
      },
    },
  });

  patch(params: Body, user = this.hamlet) {
    return this.call(handlerOf(this.settings, 'update-settings'), user, params);
  }

  confirm(email = 'new@x.org') {
    const key = this.mailedKey(email, 'confirm_new_email');
    return this.visit('GET', `/accounts/confirm_new_email/${key}`);
  }
}

// [c:address-change]
void t.test('email starts a confirmation; the address changes only after the link', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const since = world.position;
  t.strictSame(await world.patch({ email: 'new@x.org', enter_sends: true }), {});
  t.equal(world.user(hamlet.user_id).email, 'hamlet@example.com');
  t.equal(world.since(since).length, 1, 'the mail is committed with the request');
  t.strictSame(world.limited, [`change of ${hamlet.user_id}`]);
  t.strictSame(
    [...world.org.mails.values()].map((mail) => mail.to),
    ['new@x.org'],
  );
  t.strictSame(
    world.events(since).map((event) => event.type),
    ['user_settings'],
  );
});

void t.test('a link to a new address is void once its owner shut others out', async (t) => {
  const changes: Partial<UserDocument>[] = [
    { key_version: 'another key' },
    { password_hash: 'another password' },
    { email: 'rescued@x.org' },
  ];
  for (const change of changes) {
    const world = new World();
    const { hamlet } = world;
    await world.patch({ email: 'new@x.org' });
    world.alter(hamlet.user_id, change);
    await t.rejects(world.confirm(), EXPIRED, Object.keys(change).join());
    t.not(world.user(hamlet.user_id).email, 'new@x.org');
  }
});

void t.test('opening the link changes it, tells everybody and the old address', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  await world.patch({ email: 'new@x.org' });
  const since = world.position;
  const confirmed = await world.confirm();
  t.strictSame(dataOf(confirmed), { user_id: hamlet.user_id, email: 'new@x.org' });
  t.match(htmlOf(confirmed), '<strong>new@x.org</strong>');
  t.equal(world.user(hamlet.user_id).email, 'new@x.org');
  const { user_id } = hamlet;
  const events = world.received(admin, since);
  t.strictSame(
    events.map((event) => Object.keys(event.person as Body).sort()),
    [
      ['delivery_email', 'user_id'],
      ['avatar_source', 'avatar_url', 'avatar_url_medium', 'avatar_version', 'user_id'],
      ['new_email', 'user_id'],
    ],
  );
  t.strictSame(events[0]!.person, { user_id, delivery_email: 'new@x.org' });
  t.strictSame(events[2]!.person, { user_id, new_email: 'new@x.org' });
  t.match([...world.org.mails.values()].at(-1), {
    to: 'hamlet@example.com',
    content: { kind: 'email_changed', new_email: 'new@x.org' },
  });
  await t.rejects(
    world.visit(
      'GET',
      `/accounts/confirm_new_email/${world.mailedKey('new@x.org', 'confirm_new_email')}`,
    ),
    EXPIRED,
    'the link was good once',
  );
});

// [c:address-change-hidden]
void t.test('a hidden address changes for those who see it alone', async (t) => {
  const world = new World();
  const { hamlet, admin, guest } = world;
  await world.patch({ email_address_visibility: 3 });
  await world.patch({ email: 'new@x.org' });
  const since = world.position;
  await world.confirm();
  const person = { user_id: hamlet.user_id, delivery_email: 'new@x.org' };
  t.strictSame(world.received(admin, since), [{ type: 'realm_user', op: 'update', person }]);
  t.strictSame(world.received(hamlet, since), [{ type: 'realm_user', op: 'update', person }]);
  t.strictSame(world.received(guest, since, MODERN), []);
});

void t.test('a request is checked, also against domains', async (t) => {
  const world = new World();
  const since = world.position;
  const refused = (email: string, message: string) =>
    t.rejects(world.patch({ email, enter_sends: true }), { code: 'BAD_REQUEST', message });
  await refused('nonsense', 'Invalid address.');
  await refused('admin@example.com', 'Already has an account.');
  await refused('x@mailinator.com', 'Please use your real email address.');
  world.refuse = () => rateLimitHit(60);
  await t.rejects(world.patch({ email: 'new@x.org' }), { code: 'RATE_LIMIT_HIT' });
  t.equal(world.position, since);
  world.refuse = null;
  world.setRealm({ emails_restricted_to_domains: true });
  await refused('new@x.org', 'Outside your domain.');
  world.setRealm({ emails_restricted_to_domains: false, email_changes_disabled: true });
  await refused('new@x.org', 'Email address changes are disabled in this organization.');
  t.strictSame(await world.patch({ email: 'boss@x.org' }, world.admin), {}, 'not for admins');
});

void t.test('what was right at the request may be wrong at the link', async (t) => {
  const world = new World();
  await world.patch({ email: 'new@x.org' });
  world.addUser('NEW@x.org');
  await t.rejects(world.confirm(), { status: 400, message: 'Already has an account.' });
  await world.patch({ email: 'other@x.org' });
  world.alter(world.hamlet.user_id, { is_active: false });
  await t.rejects(world.confirm('other@x.org'), { message: 'Account is deactivated' });
});

void t.test('a later request makes an earlier link worthless, and links last a day', async (t) => {
  const world = new World();
  await world.patch({ email: 'first@x.org' });
  await world.patch({ email: 'second@x.org' });
  await t.rejects(world.confirm('first@x.org'), EXPIRED);
  world.clock.advance(86_400_000);
  await t.rejects(world.confirm('second@x.org'), EXPIRED);
  await world.patch({ email: 'third@x.org' });
  t.equal(world.org.confirmations.size, 1, 'expired ones are let go');
});

const RESET = '/accounts/password/reset/';

// [c:password-reset]
void t.test('a password is reset by mail, also by those who never had one', async (t) => {
  const world = new World();
  const { hamlet } = world;
  t.equal(hamlet.password_hash, null);
  t.match(htmlOf(await world.visit('GET', RESET)), `action="${RESET}"`);
  dataOf(await world.visit('POST', RESET, { email: 'HAMLET@example.com' }));
  t.strictSame(world.limited, ['reset of HAMLET@example.com from 192.0.2.1']);
  const key = world.mailedKey('hamlet@example.com', 'password_reset');
  const path = `${RESET}${hamlet.user_id}/${key}/`;
  t.match(htmlOf(await world.visit('GET', path)), `action="${path}"`);
  await t.rejects(world.visit('POST', path, { password: 'hamlet' }), {
    message: 'New password is too weak!',
  });
  const password = 'cedar-window-31-map';
  const done = await world.visit('POST', path, { password });
  t.strictSame(dataOf(done), { email: 'hamlet@example.com' });
  const { password_hash, key_version } = world.user(hamlet.user_id);
  t.ok(await passwords.verify(password_hash, password));
  t.not(key_version, hamlet.key_version, 'who was logged in is not any more');
  t.strictSame(world.closed, [hamlet.user_id], 'by socket neither');
  await t.rejects(world.visit('POST', path, { password }), EXPIRED, 'the link was good once');
});

void t.test('the answer is the same whether or not there is such an account', async (t) => {
  const world = new World();
  const bot = world.addUser('bot@example.com');
  world.alter(bot.user_id, { is_bot: true, bot_type: 1 });
  world.alter(world.guest.user_id, { is_active: false });
  const answers = [];
  for (const email of ['hamlet@example.com', 'x@x.org', 'bot@example.com', 'guest@example.com']) {
    const answer = await world.visit('POST', RESET, { email });
    answers.push([dataOf(answer), htmlOf(answer).replaceAll(email, '')]);
  }
  for (const answer of answers) t.strictSame(answer, answers[0]);
  t.equal(world.org.mails.size, 1);
  await t.rejects(world.visit('POST', RESET, { email: 'nonsense' }), {
    message: 'Enter a valid email address.',
  });
});

void t.test('whoever an address belongs to, the answer comes at the same time', async (t) => {
  const world = new World();
  world.ofDirectory.add('directory@example.com');
  world.addUser('directory@example.com');
  world.alter(world.addUser('gone@example.com').user_id, { is_active: false });
  for (const email of ['hamlet', 'nobody', 'directory', 'gone']) {
    dataOf(await world.visit('POST', RESET, { email: `${email}@example.com` }));
  }
  t.strictSame(world.waited, [250, 250, 250, 250]);
});

void t.test('a reset link is void once the credentials change, or for another user', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  const ask = async () => {
    await world.visit('POST', RESET, { email: 'hamlet@example.com' });
    return world.mailedKey('hamlet@example.com', 'password_reset');
  };
  const open = (key: string, id = hamlet.user_id) => world.visit('GET', `${RESET}${id}/${key}/`);
  const key = await ask();
  await t.rejects(open(key, admin.user_id), EXPIRED);
  await t.rejects(open('nonsense'), { message: 'Whoops. The confirmation link is malformed.' });
  world.alter(hamlet.user_id, { password_hash: 'another' });
  await t.rejects(open(key), EXPIRED);
  const keys = [];
  for (let i = 0; i < 7; i++) {
    world.clock.advance(1000);
    keys.push(await ask());
  }
  t.equal(world.org.confirmations.size, 5, 'and at most five are open');
  await t.rejects(open(keys[0]!), EXPIRED);
  dataOf(await open(keys[6]!));
});

void t.test('where passwords are off there is nothing to reset', async (t) => {
  const world = new World();
  world.setRealm({ authentication_methods: { Email: false } });
  const off = { status: 401, code: 'PASSWORD_AUTH_DISABLED' };
  await t.rejects(world.visit('GET', RESET), off);
  await t.rejects(world.visit('POST', RESET, { email: 'hamlet@example.com' }), off);
});

void t.test('people of the directory get no password here, and keep their address', async (t) => {
  const world = new World({ logins: ['LDAP'] });
  const { hamlet, admin, org } = world;
  const ask = (email: string) => world.visit('POST', '/accounts/password/reset/', { email });
  await ask('hamlet@example.com');
  const key = world.mailedKey('hamlet@example.com', 'password_reset');
  const mails = org.mails.size;
  world.ofDirectory.add('hamlet@example.com');
  for (const email of ['hamlet@example.com', 'HAMLET@example.com']) {
    t.strictSame(dataOf(await ask(email)), {}, 'as for everybody');
  }
  t.equal(org.mails.size, mails, 'but no mail');
  const set = { password: 'cedar-window-31-map' };
  await t.rejects(
    world.visit('POST', `/accounts/password/reset/${hamlet.user_id}/${key}/`, set),
    EXPIRED,
    'nor does a link do that was mailed before',
  );
  t.equal(world.user(hamlet.user_id).password_hash, null);
  await t.rejects(world.patch({ email: 'new@x.org' }), {
    message: 'Email address changes are disabled in this organization.',
  });
  t.strictSame(await world.patch({ email: 'HAMLET@example.com' }), {}, 'the same address');
  t.strictSame(await world.patch({ email: 'new@x.org' }, admin), {}, 'others may');
  world.ofDirectory.add('zoe@x.org');
  await world.invite(hamlet, 'zoe@x.org, max@x.org');
  const hashOf = (email: string) => org.users.byRealEmail(email)!.password_hash;
  await world.accept('zoe@x.org');
  t.equal(hashOf('zoe@x.org'), null, 'nor at sign-up');
  await world.accept('max@x.org', { full_name: 'Max' });
  t.type(hashOf('max@x.org'), 'string');
});
