/** A provider that lies: each of its answers is refused, and the honest one is believed. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWK } from 'jose';
import t, { type Test } from 'tap';
import { OpenIdProvider, type LoginChecks } from '../../../../src/services/auth/openid-provider.js';
import type { OpenIdProviderSettings } from '../../../../src/services/auth/openid-settings.js';

const CHECKS: LoginChecks = { state: 'the state', nonce: 'the nonce', verifier: 'v'.repeat(43) };
const BACK = new URL('https://chat.example.org/complete/corp/?code=one&state=the+state');

/** What the next answers say instead of the truth. */
interface Lies {
  claims?: Record<string, unknown>;
  signer?: CryptoKey;
  token?: (claims: Record<string, unknown>) => string;
  userinfo?: Record<string, unknown>;
  /** Answers with this in place of a token. */
  refusal?: { status: number; body: unknown };
  /** Characters of the answer. */
  length?: number;
}

interface World {
  readonly issuer: string;
  readonly provider: OpenIdProvider;
  readonly faults: string[];
  readonly posted: URLSearchParams[];
  readonly asked: string[];
  lies: Lies;
  readonly advance: (ms: number) => void;
}

async function setUp(t: Test, more: Partial<OpenIdProviderSettings> = {}): Promise<World> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  let now = 0;
  const world: Pick<World, 'lies'> = { lies: {} };
  const [faults, posted, asked]: [string[], URLSearchParams[], string[]] = [[], [], []];
  const server = createServer();
  const issuer = await listening(t, server);
  const token = async (): Promise<string> => {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: 'parley',
      sub: 'h',
      nonce: CHECKS.nonce,
      iat: seconds,
      exp: seconds + 60,
      email: 'hamlet@example.org',
      email_verified: true,
      name: 'Hamlet',
      ...world.lies.claims,
    };
    if (world.lies.token) return world.lies.token(claims);
    const header = { alg: 'RS256', kid: 'one' };
    return new SignJWT(claims).setProtectedHeader(header).sign(world.lies.signer ?? privateKey);
  };
  const answer = async (path: string, body: string): Promise<[number, unknown]> => {
    asked.push(path);
    if (path === '/.well-known/openid-configuration') {
      const at = (name: string): string => `${issuer}/${name}`;
      return [
        200,
        {
          issuer,
          authorization_endpoint: at('authorize'),
          token_endpoint: at('token'),
          userinfo_endpoint: at('userinfo'),
          jwks_uri: at('keys'),
          id_token_signing_alg_values_supported: ['RS256'],
        },
      ];
    }
    if (path === '/keys') return [200, { keys: [jwk] }];
    if (path === '/userinfo') return [200, { sub: 'h', ...world.lies.userinfo }];
    posted.push(new URLSearchParams(body));
    const { refusal, length } = world.lies;
    if (refusal) return [refusal.status, refusal.body];
    const padding = length === undefined ? {} : { padding: 'x'.repeat(length) };
    const id_token = await token();
    return [200, { access_token: 'a', token_type: 'bearer', id_token, ...padding }];
  };
  server.on('request', (request, response) => {
    void bodyOf(request)
      .then((body) => answer(request.url!, body))
      .then(([status, reply]) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(reply));
      });
  });
  const settings: OpenIdProviderSettings = {
    name: 'corp',
    display_name: 'Corp',
    issuer,
    client_id: 'parley',
    client_secret: 'secret',
    client_authentication: 'client_secret_post',
    scopes: ['openid', 'email'],
    assume_email_verified: false,
    create_accounts: true,
    groups_claim: 'groups',
    roles: {},
    groups: {},
    ...more,
  };
  const provider = new OpenIdProvider(
    settings,
    (text) => faults.push(text),
    () => now,
  );
  const advance = (ms: number): void => void (now += ms);
  return Object.assign(world, { issuer, provider, faults, posted, asked, advance });
}

async function listening(t: Test, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

const NOT_PROVEN = {
  status: 401,
  code: 'AUTHENTICATION_FAILED',
  message: 'What Corp answered does not fit this login. Begin again.',
};
const AWAY = { status: 503, message: 'Corp does not answer' };

void t.test('an honest answer: the person, by a code with its verifier', async (t) => {
  const world = await setUp(t);
  t.strictSame(await world.provider.complete(BACK, CHECKS), {
    email: 'hamlet@example.org',
    fullName: 'Hamlet',
    role: null,
    groups: [],
  });
  t.match(Object.fromEntries(world.posted[0]!), {
    code: 'one',
    code_verifier: CHECKS.verifier,
    redirect_uri: 'https://chat.example.org/complete/corp/',
    client_id: 'parley',
    client_secret: 'secret',
  });
  t.strictSame(world.faults, []);
});

void t.test('a token that is not for this login, or not from this provider', async (t) => {
  const world = await setUp(t);
  const stranger = (await generateKeyPair('RS256')).privateKey;
  const old = Math.floor(Date.now() / 1000) - 3600;
  const lies: Record<string, Lies> = {
    'another audience': { claims: { aud: 'another client' } },
    'two audiences, another one authorized': { claims: { aud: ['parley', 'x'], azp: 'x' } },
    'another issuer': { claims: { iss: 'https://elsewhere.example.org' } },
    'another nonce': { claims: { nonce: 'of another login' } },
    'no nonce': { claims: { nonce: undefined } },
    expired: { claims: { exp: old + 60, iat: old } },
    'another key': { signer: stranger },
    unsigned: { token: (claims) => new UnsecuredJWT(claims).encode() },
    'claims of another subject': { userinfo: { sub: 'somebody else' } },
    'a used code': { refusal: { status: 400, body: { error: 'invalid_grant' } } },
  };
  for (const [what, lie] of Object.entries(lies)) {
    world.lies = lie;
    await t.rejects(world.provider.complete(BACK, CHECKS), NOT_PROVEN, what);
  }
  t.equal(world.faults.length, Object.keys(lies).length, 'the log says why');
  t.notMatch(world.faults.join(), /eyJ|secret/, 'without a token');
  world.lies = {};
  const other = new URL(BACK);
  other.searchParams.set('state', 'of another login');
  await t.rejects(world.provider.complete(other, CHECKS), NOT_PROVEN, 'another state');
  const twice = new URL(`${BACK.href}&state=the+state`);
  await t.rejects(world.provider.complete(twice, CHECKS), NOT_PROVEN, 'two states');
  const mixed = new URL(`${BACK.href}&iss=https%3A%2F%2Felsewhere.example.org`);
  await t.rejects(world.provider.complete(mixed, CHECKS), NOT_PROVEN, 'another provider');
});

void t.test('an address counts when it is verified', async (t) => {
  const world = await setUp(t);
  const unverified = {
    status: 401,
    message: 'Corp does not say that your e-mail address is verified.',
  };
  world.lies = { claims: { email_verified: undefined } };
  await t.rejects(world.provider.complete(BACK, CHECKS), unverified);
  world.lies = { claims: { email_verified: false }, userinfo: { email_verified: true } };
  await t.rejects(world.provider.complete(BACK, CHECKS), unverified, 'the signed claim counts');
  world.lies = { claims: { email: undefined } };
  await t.rejects(world.provider.complete(BACK, CHECKS), {
    message: 'Corp gave no e-mail address.',
  });
});

// [c:address-of-one-source]
void t.test('an address and its verification come from one source', async (t) => {
  const world = await setUp(t);
  const victim = 'victim@example.org';
  const unverified = { message: 'Corp does not say that your e-mail address is verified.' };
  const mixtures: Record<string, Lies> = {
    'address of the answer, verification of the token': {
      claims: { email: undefined, email_verified: true },
      userinfo: { email: victim },
    },
    'address of the token, verification of an answer without address': {
      claims: { email: victim, email_verified: undefined },
      userinfo: { email_verified: true },
    },
    'an empty address in the token': {
      claims: { email: ' ', email_verified: true },
      userinfo: { email: victim, email_verified: false },
    },
  };
  for (const [what, lie] of Object.entries(mixtures)) {
    world.lies = lie;
    await t.rejects(world.provider.complete(BACK, CHECKS), unverified, what);
  }
  const honest: Record<string, Lies> = {
    'all in the answer': {
      claims: { email: undefined, email_verified: undefined },
      userinfo: { email: 'own@example.org', email_verified: true },
    },
    'the answer alone says more than the address': {
      claims: { email: victim, email_verified: undefined },
      userinfo: { email: 'own@example.org', email_verified: true },
    },
    'all in the token': {
      claims: { email: 'own@example.org' },
      userinfo: { email: victim, email_verified: true },
    },
  };
  for (const [what, lie] of Object.entries(honest)) {
    world.lies = lie;
    t.match(await world.provider.complete(BACK, CHECKS), { email: 'own@example.org' }, what);
  }
});

void t.test('a provider that is away, or is none', async (t) => {
  const world = await setUp(t);
  world.lies = { refusal: { status: 500, body: 'broken' } };
  await t.rejects(world.provider.complete(BACK, CHECKS), AWAY);
  world.lies = { refusal: { status: 401, body: { error: 'invalid_client' } } };
  await t.rejects(world.provider.complete(BACK, CHECKS), AWAY, 'nobody can log in there');
  world.lies = { length: 1_100_000 };
  await t.rejects(world.provider.complete(BACK, CHECKS), AWAY, 'more than is read');
  t.equal(world.faults.length, 3);
  const nowhere = await setUp(t, { issuer: 'http://127.0.0.1:1' });
  await t.rejects(nowhere.provider.begin('https://x/complete/corp/', CHECKS), AWAY);
  t.match(nowhere.faults[0], /fetch failed/);
  const other = await setUp(t);
  const wrong = await setUp(t, { issuer: `${other.issuer}/tenant` });
  await t.rejects(wrong.provider.begin('https://x/complete/corp/', CHECKS), AWAY);
});

void t.test('what a provider says about itself is asked for once an hour', async (t) => {
  const { provider, asked, advance } = await setUp(t);
  const url = new URL(await provider.begin('https://x/complete/corp/', CHECKS));
  t.match(Object.fromEntries(url.searchParams), {
    client_id: 'parley',
    state: CHECKS.state,
    nonce: CHECKS.nonce,
    code_challenge_method: 'S256',
    scope: 'openid email',
  });
  t.not(url.searchParams.get('code_challenge'), CHECKS.verifier);
  advance(3_599_999);
  await provider.begin('https://x/complete/corp/', CHECKS);
  t.equal(asked.length, 1);
  advance(1);
  await provider.begin('https://x/complete/corp/', CHECKS);
  t.equal(asked.length, 2);
});
