import jwt from 'jsonwebtoken';
import t from 'tap';
import { tokenLoginHandler } from '../../../../src/resources/accounts/jwt-login.js';
import { ApiKeys } from '../../../../src/services/auth/api-keys.js';
import { WebTokens } from '../../../../src/services/auth/web-tokens.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

const SECRET = 'a shared secret of enough bytes, 32';
const keys = new ApiKeys(Buffer.alloc(32, 7));
const tokens = WebTokens.of({ algorithms: ['HS256'], secret: SECRET }, 'jwt.json');

function setUp(configured: WebTokens | null = tokens) {
  const world = new LivingOrganization({ logins: configured ? ['JWT'] : [] });
  const hamlet = world.addUser('Hamlet@example.com');
  /** Whose connections were closed. */
  const closed: number[] = [];
  const handler = tokenLoginHandler({
    keys,
    tokens: configured,
    closeSockets: (id) => closed.push(id),
  });
  const fetch = (token: string, include_profile = false) =>
    world.call(handler, null, { token, include_profile });
  const tokenOf = (email: string) => jwt.sign({ email }, SECRET, { expiresIn: 60 });
  return { world, hamlet, fetch, tokenOf, closed };
}

// [c:jwt-gives-key]
void t.test('a token for the address of a user gives the key', async (t) => {
  const { hamlet, fetch, tokenOf } = setUp();
  const reply = { api_key: keys.derive(hamlet.user_id, 'v1'), email: 'Hamlet@example.com' };
  t.strictSame(await fetch(tokenOf('hamlet@EXAMPLE.com')), reply);
});

// [c:jwt-include-profile]
void t.test('include_profile adds the user profile object', async (t) => {
  const { world, hamlet, fetch, tokenOf } = setUp();
  world.alter(hamlet.user_id, { date_joined: Date.UTC(2021, 2, 4, 5, 6) });
  world.presetSettings(hamlet, { timezone: 'Europe/Vienna' });
  const plain = await fetch(tokenOf('hamlet@example.com'), false);
  t.strictSame(Object.keys(plain), ['api_key', 'email'], 'only where it is asked for');
  const { user } = await fetch(tokenOf('hamlet@example.com'), true);
  const { avatar_url, ...fields } = user as Record<string, unknown>;
  t.strictSame(fields, {
    user_id: hamlet.user_id,
    delivery_email: 'Hamlet@example.com',
    email: 'Hamlet@example.com',
    full_name: 'Hamlet',
    date_joined: '2021-03-04T05:06+00:00',
    is_active: true,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    role: 400,
    timezone: 'Europe/Vienna',
    avatar_version: 1,
    is_imported_stub: false,
    presence_enabled: true,
  });
  t.match(avatar_url, /^https:/);
});

void t.test('a look-alike of an address is no address of the account', async (t) => {
  const { world, fetch, tokenOf } = setUp();
  world.addUser('kate@example.com');
  world.addUser('\u00e5se@example.com');
  const failed = { status: 401, code: 'AUTHENTICATION_FAILED' };
  // The signs for kelvin and ångström, whose small letters are k and å.
  for (const email of ['\u212aate@example.com', '\u212bse@example.com', '\uff4bate@example.com']) {
    await t.rejects(fetch(tokenOf(email)), failed, email);
  }
  for (const email of ['KATE@example.com', '\u00c5se@example.com']) {
    t.match(await fetch(tokenOf(email)), { api_key: /./ }, email);
  }
});

void t.test(
  'a login with a bad token, or of nobody who may log in, is refused with its reason',
  async (t) => {
    const { world, hamlet, fetch, tokenOf } = setUp();
    const bad = (message: string) => ({ status: 400, code: 'BAD_REQUEST', message });
    await t.rejects(fetch(''), bad('No JSON web token passed in request'));
    await t.rejects(fetch('x.y.z'), bad('Bad JSON web token'));
    await t.rejects(
      fetch(jwt.sign({ email: 'hamlet@example.com' }, 'x')),
      bad('Bad JSON web token'),
    );
    await t.rejects(
      fetch(jwt.sign({ n: 1 }, SECRET, { expiresIn: 60 })),
      bad('No email specified in JSON web token claims'),
    );
    const failed = { status: 401, code: 'AUTHENTICATION_FAILED' };
    await t.rejects(fetch(tokenOf('nobody@example.com')), failed);
    await t.rejects(fetch(tokenOf('notification-bot@chat.example.com')), failed, 'a bot');
    world.alter(hamlet.user_id, { is_active: false });
    await t.rejects(fetch(tokenOf('hamlet@example.com')), {
      status: 401,
      code: 'USER_DEACTIVATED',
    });
    world.setRealm({ deactivated: true });
    await t.rejects(fetch(tokenOf('hamlet@example.com')), {
      status: 401,
      code: 'REALM_DEACTIVATED',
    });
  },
);

// [c:jwt-disabled]
void t.test('where it is not enabled', async (t) => {
  const message = 'JWT authentication is not enabled for this organization';
  const { fetch, tokenOf } = setUp(null);
  await t.rejects(fetch(tokenOf('hamlet@example.com')), { status: 400, message });
  const off = setUp();
  off.world.setRealm({ authentication_methods: { Email: true, JWT: false } });
  await t.rejects(off.fetch(off.tokenOf('hamlet@example.com')), { status: 400, message });
});
