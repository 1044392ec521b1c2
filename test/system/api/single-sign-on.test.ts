/** Logging in by another service, from the button to the key, against a provider from another hand. */
import t from 'tap';
import { Browser } from '../../src/services/fixtures/openid-server.js';
import { exchange, form, type Body } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';
import {
  BEGIN,
  comeBack,
  finish,
  logIn,
  me,
  SITE,
  startSingleSignOn,
  verified,
} from '../harness/single-sign-on.js';

t.setTimeout(120_000);

const FOLLOWS = /^Parley follows on/m;

// [c:sso-login]
void t.test('a button, a login, an account', async (t) => {
  const world = await startSingleSignOn(t);
  const { provider, server, owner } = world;
  const { body: settings } = await exchange(server.url, 'GET', '/api/v1/server_settings');
  t.strictSame(settings.external_authentication_methods, [
    {
      name: 'oidc:corp',
      display_name: 'Corp',
      display_icon: null,
      login_url: '/accounts/login/social/corp',
      signup_url: '/accounts/register/social/corp',
    },
  ]);
  t.match(settings.authentication_methods, { 'openid connect': true, password: true });
  const page = await (await new Browser().get(`${server.url}/login/`)).text();
  t.match(page, '<a href="/accounts/login/social/corp">Log in with Corp</a>');

  provider.visitor = { sub: 'h', claims: verified('Hamlet@example.org') };
  const browser = new Browser();
  const begun = await browser.get(`${server.url}${BEGIN}`);
  t.equal(begun.status, 302);
  const life = 'Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure';
  t.match(begun.headers.getSetCookie(), [
    new RegExp(`^__Host-parley-login=[\\w-]+; ${life}$`),
    new RegExp(`^__Host-parley-login-id=[\\w-]+; ${life}$`),
  ]);
  const asked = new URL(begun.headers.get('location')!);
  t.equal(asked.origin, provider.issuer);
  t.match(Object.fromEntries(asked.searchParams), {
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: `${SITE}/complete/corp/`,
    scope: 'openid email profile',
  });

  const back = await comeBack(browser, server.url);
  // A neighbour under the domain sets a cookie that comes first, with a login of its own; to a browser it has no prefix.
  const [pair = ''] = browser.cookies;
  const victim = new Browser();
  await victim.get(`${server.url}${BEGIN}`);
  for (const own of ['', `; ${victim.cookies[1]!}`]) {
    const Cookie = `${Buffer.from('\u2000').toString('latin1')}${pair}${own}`;
    const json = { Accept: 'application/json', Cookie };
    const refused = await exchange(back, 'GET', '', { headers: json });
    t.match(refused, { status: 400, body: { msg: /^This login is too old/ } });
  }
  const answer = await browser.get(back);
  t.strictSame([answer.status, answer.headers.get('location')], [302, '/']);
  t.match(answer.headers.get('cache-control'), 'no-store');
  const session = answer.headers.getSetCookie().map((line) => line.split(';')[0]!);
  t.match(session, [
    /^__Host-parley-login=$/,
    /^__Host-parley-login-id=$/,
    /^__Host-parley-session=[\w-]+$/,
    /^__Host-parley-device=[\w-]+$/,
  ]);
  const { body: hamlet } = await exchange(server.url, 'GET', '/json/users/me', {
    headers: { Cookie: session.join('; '), Origin: SITE },
  });
  const email = 'Hamlet@example.org';
  t.match(hamlet, { full_name: 'Hamlet Prince', role: 400, delivery_email: email });
  const again = await logIn(world, 'h', verified('hamlet@example.org', { name: 'Another' }));
  t.match(again, {
    status: 200,
    body: { result: 'success', api_key: /^\w{32}$/, email, user_id: hamlet.user_id },
  });
  t.match(await me(server, again.body), { full_name: 'Hamlet Prince' });

  const { body: log } = await owner.call('GET', '/realm/audit_log', { kind: 'user' });
  t.match((log.records as Body[])[0], {
    way: 'login',
    user_id: null,
    changes: [{ kind: 'user', action: 'created', name: 'Hamlet Prince' }],
  });
  t.match(await logIn(world, 'boss', verified(OWNER_EMAIL)), {
    body: { api_key: owner.key, user_id: owner.userId },
  });
});

// [c:sso-mobile]
void t.test('the mobile apps get the key through their own pad', async (t) => {
  const world = await startSingleSignOn(t);
  const { server, provider } = world;
  provider.visitor = { sub: 'h', claims: verified('hamlet@example.org') };
  const pad = 'a1'.repeat(32);
  const browser = new Browser();
  const back = await comeBack(browser, server.url, server.url, `?mobile_flow_otp=${pad}`);
  const answer = await browser.get(back);
  t.equal(answer.status, 302);
  const location = new URL(answer.headers.get('location')!);
  t.equal(location.protocol + location.host, 'zulip:login');
  const got = Object.fromEntries(location.searchParams);
  t.strictSame(Object.keys(got).sort(), ['email', 'otp_encrypted_api_key', 'realm', 'user_id']);
  t.match(got, { realm: SITE, email: 'hamlet@example.org' });
  const encrypted = Buffer.from(got['otp_encrypted_api_key']!, 'hex');
  const api_key = Buffer.from(encrypted.map((byte) => byte ^ 0xa1)).toString();
  t.match(api_key, /^[A-Za-z0-9]{32}$/);
  t.match(await me(server, { email: got['email'], api_key }), { user_id: Number(got['user_id']) });

  for (const wrong of ['', 'ab', 'zz'.repeat(32), 'a1'.repeat(33)]) {
    const refused = await finish(browser, `${server.url}${BEGIN}?mobile_flow_otp=${wrong}`);
    t.match(refused, { status: 400, body: { msg: 'Invalid OTP' } });
  }
  t.match(await finish(browser, `${server.url}/accounts/login/social/other`), { status: 404 });
});

void t.test('a login belongs to one browser and works once, at whatever node', async (t) => {
  const { server, provider, args } = await startSingleSignOn(t);
  const follower = RunningServer.spawn(server.folder, { args });
  t.teardown(() => follower.kill());
  await follower.printed(FOLLOWS);
  await follower.listening();
  provider.visitor = { sub: 'h', claims: verified('hamlet@example.org') };
  const stale = { status: 400, body: { msg: /begun in another browser/ } };
  for (const [from, to] of [
    [server, follower],
    [follower, server],
    [follower, follower],
  ] as const) {
    const browser = new Browser();
    const address = await comeBack(browser, from.url, to.url);
    t.match(await finish(new Browser(), address), stale, 'no other browser finishes it');
    const cookies = new Browser();
    await comeBack(cookies, from.url);
    const mixed = await finish(cookies, address);
    t.match(mixed, { status: 401, body: { code: 'AUTHENTICATION_FAILED' } }, 'nor one of its own');
    const thief = browser.copy();
    t.match(await finish(browser, address), { status: 200 });
    t.match(await finish(browser, address), stale, 'the cookie is gone');
    t.match(await finish(thief, address), stale, 'and of no use where it was copied');
  }
  const browser = new Browser();
  const address = new URL(await comeBack(browser, follower.url));
  address.searchParams.set('code', 'guessed');
  t.match(await finish(browser, address.href), {
    status: 401,
    body: { code: 'AUTHENTICATION_FAILED' },
  });
});

void t.test('who may not log in, and who may not join', async (t) => {
  const world = await startSingleSignOn(t);
  const { server, provider, owner } = world;
  provider.visitor = null;
  const browser = new Browser();
  t.match(await finish(browser, await comeBack(browser, server.url)), {
    status: 400,
    body: { msg: 'Corp did not log you in.' },
  });
  const unproven = (msg: string) => ({ status: 401, body: { code: 'AUTHENTICATION_FAILED', msg } });
  t.match(
    await logIn(world, 'a', { email: OWNER_EMAIL, email_verified: false, name: 'A' }),
    unproven('Corp does not say that your e-mail address is verified.'),
  );
  t.match(
    await logIn(world, 'b', { email: OWNER_EMAIL, name: 'B' }),
    unproven('Corp does not say that your e-mail address is verified.'),
  );
  t.match(await logIn(world, 'c', { name: 'C' }), unproven('Corp gave no e-mail address.'));

  const bot = await owner.call('POST', '/bots', { full_name: 'Bot', short_name: 'b', bot_type: 1 });
  const { body: members } = await owner.call('GET', '/users', { client_gravatar: false });
  const botEmail = (members.members as Body[]).find((one) => one.user_id === bot.body.user_id)!;
  t.match(
    await logIn(world, 'd', verified(String(botEmail.email))),
    unproven('Bots do not log in.'),
  );

  const { body: gone } = await logIn(world, 'e', verified('gone@example.org'));
  await owner.call('DELETE', `/users/${String(gone.user_id)}`);
  t.match(await logIn(world, 'e', verified('gone@example.org')), {
    status: 401,
    body: { code: 'USER_DEACTIVATED' },
  });

  await owner.call('PATCH', '/realm', { invite_required: true });
  t.match(await logIn(world, 'f', verified('f@example.org')), {
    status: 403,
    body: { msg: 'An invitation is needed to join this organization.' },
  });
  await owner.call('POST', '/invites', {
    invitee_emails: 'F@example.org',
    invite_as: 600,
    stream_ids: [],
  });
  const invited = await logIn(world, 'f', verified('f@example.org'));
  t.match(await me(server, invited.body), { role: 600 }, 'the invitation decides');
  const { body: link } = await owner.call('POST', '/invites/multiuse', {
    invite_as: 300,
    stream_ids: [],
  });
  const key = /\/join\/(\w+)/.exec(String(link.invite_link))![1]!;
  const joinPage = await (await new Browser().get(`${server.url}/join/${key}/`)).text();
  const button = `/accounts/register/social/corp?multiuse_object_key=${key}`;
  t.match(joinPage, `<a href="${button}">Join with Corp</a>`);
  provider.visitor = { sub: 'g', claims: verified('g@example.org') };
  const joining = new Browser();
  const back = await joining.follow(`${server.url}${button}`, (next) => next.startsWith(SITE));
  const joined = await finish(joining, back.replace(SITE, server.url));
  t.match(await me(server, joined.body), { role: 300 }, 'so does a link');

  await owner.call('PATCH', '/realm', {
    invite_required: false,
    emails_restricted_to_domains: true,
  });
  t.match(await logIn(world, 'i', verified('i@elsewhere.org')), {
    status: 400,
    body: { msg: /is not in one of the domains/ },
  });
  await owner.call('PATCH', '/realm', {
    authentication_methods: { Email: true, 'OpenID Connect': false },
  });
  t.match(await finish(new Browser(), `${server.url}${BEGIN}`), { status: 404 });
  const { body: settings } = await exchange(server.url, 'GET', '/api/v1/server_settings');
  t.strictSame(settings.external_authentication_methods, []);
});

void t.test('roles and groups follow the provider at each login', async (t) => {
  const world = await startSingleSignOn(t, {
    roles: { 'chat-admins': 'administrator', 'chat-owners': 'owner', outside: 'guest' },
    default_role: 'member',
    groups: { ops: 'operations', oncall: 'operations', sales: 'no such group' },
  });
  const { server, owner } = world;
  const made = await owner.call('POST', '/user_groups/create', {
    name: 'operations',
    description: '',
    members: [],
  });
  t.equal(made.status, 200);
  const members = async (): Promise<unknown> => {
    const { body } = await owner.call('GET', '/user_groups');
    return (body.user_groups as Body[]).find(({ name }) => name === 'operations')!.members;
  };
  const enter = (groups: unknown) =>
    logIn(world, 'h', verified('hamlet@example.org', { groups })).then(({ body }) => body);
  const admin = await enter(['outside', 'chat-admins', 'oncall', 'sales']);
  t.match(await me(server, admin), { role: 200 }, 'the strongest counts');
  t.strictSame(await members(), [admin.user_id]);
  t.match(await me(server, await enter('ops')), { role: 400 });
  t.strictSame(await members(), [admin.user_id]);
  t.match(await me(server, await enter([])), { role: 400 });
  t.strictSame(await members(), []);
  t.match(await me(server, await enter(['outside'])), { role: 600 });
  const boss = await logIn(world, 'boss', verified(OWNER_EMAIL, { groups: [] }));
  t.match(await me(server, boss.body), { role: 100 }, 'the last owner stays');
  const { body: log } = await owner.call('GET', '/realm/audit_log', { kind: 'user', limit: 1 });
  t.match((log.records as Body[])[0], {
    way: 'login',
    changes: [{ fields: [{ name: 'role', old: '400', new: '600' }] }],
  });
});

void t.test('a provider that is away, and settings that cannot be used', async (t) => {
  const world = await startSingleSignOn(t);
  await world.provider.close();
  t.match(await finish(new Browser(), `${world.server.url}${BEGIN}`), {
    status: 503,
    body: { code: 'SERVICE_UNAVAILABLE', msg: 'Corp does not answer' },
  });
  t.match(
    await exchange(world.server.url, 'POST', '/api/v1/fetch_api_key', {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form({ username: OWNER_EMAIL, password: OWNER_PASSWORD }),
    }),
    { status: 200 },
  );
});
