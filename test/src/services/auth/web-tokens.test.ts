import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import jwt from 'jsonwebtoken';
import t from 'tap';
import { WebTokens } from '../../../../src/services/auth/web-tokens.js';

const SECRET = 'a shared secret of enough bytes, 32';
const now = (): number => Math.floor(Date.now() / 1000);
const unending = { email: ' hamlet@example.com ' };
const claims = { ...unending, exp: now() + 3600 };

void t.test('shared secret: signed as configured, and only so', async (t) => {
  const tokens = WebTokens.of({ algorithms: ['HS256'], secret: SECRET }, 'jwt.json');
  const bad = { message: 'The token was refused: bad' };
  t.equal(await tokens.emailOf(jwt.sign(claims, SECRET)), 'hamlet@example.com');
  await t.rejects(tokens.emailOf(jwt.sign(claims, `${SECRET}!`)), bad, 'another secret');
  await t.rejects(
    tokens.emailOf(jwt.sign(claims, SECRET, { algorithm: 'HS512' })),
    bad,
    'another algorithm',
  );
  await t.rejects(
    tokens.emailOf(jwt.sign(claims, '', { algorithm: 'none' })),
    bad,
    'an unsigned token',
  );
  await t.rejects(tokens.emailOf(jwt.sign(unending, SECRET, { expiresIn: -60 })), bad, 'expired');
  t.equal(
    await tokens.emailOf(jwt.sign(unending, SECRET, { expiresIn: -10 })),
    'hamlet@example.com',
    'clocks may differ a little',
  );
  await t.rejects(tokens.emailOf(jwt.sign(claims, SECRET, { notBefore: 120 })), bad, 'too early');
  await t.rejects(tokens.emailOf('not a token'), bad);
  await t.rejects(tokens.emailOf(`${jwt.sign(claims, SECRET)}x`), bad);
  const none = { message: 'The token was refused: no-email' };
  await t.rejects(tokens.emailOf(jwt.sign({ ...claims, email: undefined }, SECRET)), none);
  await t.rejects(tokens.emailOf(jwt.sign({ ...claims, email: 7 }, SECRET)), none);
  await t.rejects(tokens.emailOf(jwt.sign({ ...claims, email: '  ' }, SECRET)), none);
});

// [c:jwt-end]
void t.test(
  'a token without an end, or with a distant one, is refused unless the file says so',
  async (t) => {
    const own = { algorithms: ['HS256' as const], secret: SECRET };
    const tokens = WebTokens.of(own, 'jwt.json');
    const bad = { message: 'The token was refused: bad' };
    const ending = (seconds: number): string => jwt.sign(unending, SECRET, { expiresIn: seconds });
    await t.rejects(tokens.emailOf(jwt.sign(unending, SECRET)), bad, 'no end');
    await t.rejects(tokens.emailOf(ending(86_400 + 60)), bad, 'more than a day');
    t.equal(await tokens.emailOf(ending(86_400)), 'hamlet@example.com');
    const short = WebTokens.of({ ...own, max_lifetime: 60 }, 'jwt.json');
    await t.rejects(short.emailOf(ending(120)), bad);
    t.equal(await short.emailOf(ending(60)), 'hamlet@example.com');
    const open = WebTokens.of({ ...own, max_lifetime: null }, 'jwt.json');
    t.equal(await open.emailOf(jwt.sign(unending, SECRET)), 'hamlet@example.com');
    t.equal(await open.emailOf(ending(1_000_000)), 'hamlet@example.com');
    await t.rejects(open.emailOf(ending(-60)), bad, 'an end that is there counts');
  },
);

// [c:jwt-length]
void t.test('a token has 16,384 characters at most', async (t) => {
  const tokens = WebTokens.of({ algorithms: ['HS256'], secret: SECRET }, 'jwt.json');
  const padded = (length: number): string => jwt.sign({ ...claims, x: 'x'.repeat(length) }, SECRET);
  t.equal(await tokens.emailOf(padded(12_000)), 'hamlet@example.com');
  const long = padded(12_400);
  t.ok(long.length > 16_384 && long.length < 17_000);
  await t.rejects(tokens.emailOf(long), { message: 'The token was refused: bad' });
});

void t.test('a token of another audience or issuer is refused', async (t) => {
  const tokens = WebTokens.of(
    { algorithms: ['HS256'], secret: SECRET, audience: ['chat'], issuer: 'https://id.example' },
    'jwt.json',
  );
  const sign = (options: jwt.SignOptions) => jwt.sign(claims, SECRET, options);
  const issuer = 'https://id.example';
  t.equal(await tokens.emailOf(sign({ audience: ['x', 'chat'], issuer })), 'hamlet@example.com');
  const bad = { message: 'The token was refused: bad' };
  await t.rejects(tokens.emailOf(sign({ audience: 'other', issuer })), bad);
  await t.rejects(tokens.emailOf(sign({ issuer })), bad, 'no audience');
  await t.rejects(tokens.emailOf(sign({ audience: 'chat', issuer: 'https://x' })), bad);
});

void t.test('public keys: no shared secret can be made of one', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256' };
  const folder = mkdtempSync(join(tmpdir(), 'parley-jwt-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'jwt.json');
  writeFileSync(file, JSON.stringify({ algorithms: ['RS256'], keys: [key] }));
  const tokens = await WebTokens.load(file);
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  t.equal(
    await tokens.emailOf(jwt.sign(claims, pem, { algorithm: 'RS256', keyid: 'k1' })),
    'hamlet@example.com',
  );
  const stolen = jwt.sign(claims, JSON.stringify(key), { algorithm: 'HS256', keyid: 'k1' });
  await t.rejects(tokens.emailOf(stolen), { message: 'The token was refused: bad' });
  await t.rejects(
    tokens.emailOf(jwt.sign(claims, pem, { algorithm: 'RS256', keyid: 'k2' })),
    { message: 'The token was refused: bad' },
    'a key nobody knows',
  );
});

void t.test('settings that cannot be meant are refused with their file and field', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-jwt-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'jwt.json');
  const load = async (settings: unknown) => {
    writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
    await WebTokens.load(file);
  };
  await t.rejects(load('{'), { message: `${file} is not JSON` });
  await t.rejects(load({ algorithms: ['none'], secret: SECRET }), /algorithms\/0/);
  await t.rejects(load({ algorithms: [], secret: SECRET }), /algorithms/);
  await t.rejects(load({ algorithms: ['HS256'], secret: SECRET, other: 1 }), /jwt\.json/);
  await t.rejects(load({ algorithms: ['HS256'] }), {
    message: `${file}: give either secret or keys`,
  });
  await t.rejects(
    load({ algorithms: ['HS256', 'RS256'], secret: SECRET }),
    /HS algorithms go with/,
  );
  await t.rejects(
    load({ algorithms: ['HS256'], secret: 'short' }),
    /secret has fewer than 32 bytes/,
  );
  for (const [name, bytes] of [
    ['HS256', 32],
    ['HS384', 48],
    ['HS512', 64],
  ] as const) {
    const short = { algorithms: [name], secret: 'x'.repeat(bytes - 1) };
    await t.rejects(load(short), {
      message: `${file}: secret has fewer than ${bytes} bytes, which ${name} needs`,
    });
    await load({ algorithms: [name], secret: 'x'.repeat(bytes) });
  }
  await t.rejects(load({ algorithms: ['HS256', 'HS512'], secret: 'x'.repeat(63) }), /HS512 needs/);
  await t.rejects(WebTokens.load(join(folder, 'absent.json')), /cannot be read \(ENOENT\)/);
});

void t.test('keys that prove nothing are refused before anybody uses them', async (t) => {
  const load = (jwk: object, ...algorithms: Parameters<typeof WebTokens.of>[0]['algorithms']) =>
    WebTokens.of({ algorithms, keys: [jwk as Record<string, unknown>] }, 'jwt.json');
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
    format: 'jwk',
  });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ed = generateKeyPairSync('ed25519');
  for (const [pair, name] of [
    [rsa, 'RS256'],
    [ec, 'ES256'],
    [ed, 'EdDSA'],
  ] as const) {
    t.ok(load(pair.publicKey.export({ format: 'jwk' }), name));
    const secret = pair.privateKey.export({ format: 'jwk' });
    t.throws(
      () => load(secret, name),
      { message: /^jwt\.json: keys\[0\] is a private key \("d"\)/ },
      name,
    );
  }
  t.throws(() => load(weak, 'RS256'), {
    message: 'jwt.json: keys[0] has 1024 bits, fewer than 2048',
  });
  t.throws(() => load({ kty: 'oct', k: 'c2VjcmV0' }, 'RS256'), {
    message: /is a private key \("k"\)/,
  });
  t.throws(() => load({ kty: 'RSA' }, 'RS256'), {
    message: 'jwt.json: keys[0] is not a public key',
  });
  const none = { message: 'jwt.json: keys[0] goes with none of the algorithms' };
  t.throws(() => load(ec.publicKey.export({ format: 'jwk' }), 'ES384', 'RS256'), none);
  t.throws(() => load({ ...rsa.publicKey.export({ format: 'jwk' }), alg: 'PS256' }, 'RS256'), none);
});
