import t from 'tap';
import { rateLimitHit } from '../../../../src/errors/index.js';
import { fetchApiKeyHandler } from '../../../../src/resources/accounts/fetch-api-key.js';
import { twoFactorHandlers } from '../../../../src/resources/accounts/two-factor.js';
import { ApiKeys } from '../../../../src/services/auth/api-keys.js';
import {
  base32,
  codeOf,
  OneTimeCodes,
  otpauthUrl,
  stepOfCode,
} from '../../../../src/services/auth/one-time-codes.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { shownCode } from '../../../fixtures/authenticator.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { LivingOrganization, START_MS, type Body } from '../../../fixtures/living-organization.js';
import { passwords } from '../../../fixtures/settings-world.js';

const PASSWORD = 'cedar-window-31-map';
const hash = await passwords.hash(PASSWORD);
const markdown = createMarkdown();
const REQUIRED = {
  status: 401,
  code: 'TWO_FACTOR_REQUIRED',
  message:
    'Two-factor authentication is on: log in with the code of your authenticator app (two_factor_code)',
};
const WRONG = {
  status: 401,
  code: 'AUTHENTICATION_FAILED',
  message: 'Your two-factor code is incorrect, or was used already',
};

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com', { password_hash: hash });
  /** Attempts since the last right one. */
  attempts = 0;
  private readonly parts = {
    passwords,
    codes: new OneTimeCodes(Buffer.alloc(32, 7)),
    keys: new ApiKeys(Buffer.alloc(32, 7)),
    limiter: {
      attempt: async (key: string) => {
        if (!key.startsWith('account')) return;
        if (this.attempts === 5) throw rateLimitHit(1800);
        this.attempts += 1;
      },
      succeeded: async (key: string) => {
        if (key.startsWith('account')) this.attempts = 0;
      },
    },
  };
  private readonly all = twoFactorHandlers(this.parts);
  private readonly login = fetchApiKeyHandler({
    ...this.parts,
    markdown,
    closeSockets: () => undefined,
  });

  ask(operation: string, params: Body = {}, user = this.hamlet): Promise<Body> {
    return this.call(handlerOf(this.all, operation), user, params);
  }

  logIn(two_factor_code?: string, password = PASSWORD): Promise<Body> {
    const params = { username: 'hamlet@example.com', password, two_factor_code };
    return this.call(this.login, null, params);
  }

  /** The code that an app with this secret shows, some steps from now. */
  code(secret: unknown, steps = 0): string {
    return shownCode(secret as string, this.clock.now(), steps);
  }

  /** Switches it on. @returns secret and recovery codes */
  async on(): Promise<{ secret: unknown; recovery: string[] }> {
    const { secret } = await this.ask('begin-two-factor', { password: PASSWORD });
    const reply = await this.ask('confirm-two-factor', { code: this.code(secret) });
    return { secret, recovery: reply['recovery_codes'] as string[] };
  }
}

void t.test('codes are those of RFC 6238', async (t) => {
  const secret = Buffer.from('12345678901234567890');
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ] as const) {
    t.equal(codeOf(secret, Math.floor(seconds / 30)), code);
    t.equal(
      stepOfCode(secret, ` ${code.slice(0, 3)} ${code.slice(3)} `, seconds * 1000),
      Math.floor(seconds / 30),
    );
    t.equal(stepOfCode(secret, code, (seconds + 90) * 1000), null);
  }
  t.equal(base32(secret), 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
  t.equal(
    otpauthUrl('A & B', 'h@x.org', secret),
    'otpauth://totp/A%20%26%20B:h%40x.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=A%20%26%20B',
  );
});

void t.test('a login needs a code from when the first one was right', async (t) => {
  const world = new World();
  const off = { enabled: false, recovery_codes_left: 0 };
  t.strictSame(await world.ask('get-two-factor'), off);
  await t.rejects(world.ask('confirm-two-factor', { code: '000000' }), {
    message: 'Two-factor authentication was not begun.',
  });
  await t.rejects(world.ask('begin-two-factor', { password: 'wrong' }), {
    message: 'Wrong password!',
  });
  const first = await world.ask('begin-two-factor', { password: PASSWORD });
  const { secret, otpauth_url } = await world.ask('begin-two-factor', { password: PASSWORD });
  t.not(secret, first['secret'], 'another one each time');
  t.match(otpauth_url, `hamlet%40example.com?secret=${String(secret)}&`);
  await t.rejects(world.ask('confirm-two-factor', { code: world.code(first['secret']) }), {
    message: 'Invalid two-factor code.',
  });
  t.match(await world.logIn(), { user_id: world.hamlet.user_id }, 'nothing is on yet');

  const reply = await world.ask('confirm-two-factor', { code: world.code(secret) });
  const recovery = reply['recovery_codes'] as string[];
  t.equal(new Set(recovery).size, 10);
  for (const code of recovery) t.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
  t.strictSame(await world.ask('get-two-factor'), { enabled: true, recovery_codes_left: 10 });
  for (const again of ['begin-two-factor', 'confirm-two-factor']) {
    await t.rejects(world.ask(again, { password: PASSWORD, code: world.code(secret, 1) }), {
      message: 'Two-factor authentication is on already.',
    });
  }
  await t.rejects(world.logIn(), REQUIRED);
  await t.rejects(world.logIn(' '), REQUIRED);
  await t.rejects(world.logIn(world.code(secret, 1), 'wrong'), {
    message: 'Your username or password is incorrect',
  });
  await t.rejects(world.logIn(world.code(secret)), WRONG, 'that code was used');
  t.match(await world.logIn(world.code(secret, 1)), { user_id: world.hamlet.user_id });
  await t.rejects(world.logIn(world.code(secret, 1)), WRONG, 'and so was this one');
  await t.rejects(world.logIn(world.code(secret, -1)), WRONG, 'nor does an older one work');
  world.clock.advance(60_000);
  t.match(await world.logIn(world.code(secret)), { user_id: world.hamlet.user_id });
});

void t.test('recovery codes work once, however they are typed', async (t) => {
  const world = new World();
  const { recovery } = await world.on();
  t.ok(await world.logIn(recovery[0]!.toUpperCase().replaceAll('-', ' ')));
  await t.rejects(world.logIn(recovery[0]), WRONG);
  t.ok(await world.logIn(recovery[9]));
  t.match(await world.ask('get-two-factor'), { recovery_codes_left: 8 });
  const [stored] = [...world.org.twoFactors.values()];
  t.notMatch(JSON.stringify(stored), recovery[1]!, 'the store has digests');
  t.notMatch(JSON.stringify(stored), recovery[1]!.replaceAll('-', ''));
});

void t.test('two logins at once do not share a code', async (t) => {
  const world = new World();
  const { recovery } = await world.on();
  const both = await Promise.allSettled([world.logIn(recovery[0]), world.logIn(recovery[0])]);
  t.strictSame(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

void t.test('who knows the password cannot try all codes', async (t) => {
  const world = new World();
  const { secret } = await world.on();
  for (let i = 0; i < 5; i++) await t.rejects(world.logIn('000000'), WRONG);
  await t.rejects(world.logIn(world.code(secret, 1)), { code: 'RATE_LIMIT_HIT' });
  world.attempts = 0;
  const wrong = { password: PASSWORD, code: '000000' };
  for (let i = 0; i < 5; i++) {
    await t.rejects(world.ask('remove-two-factor', wrong), { message: 'Invalid two-factor code.' });
  }
  await t.rejects(world.ask('remove-two-factor', wrong), { message: /too many attempts/ });
});

void t.test('it is switched off by password and code, and both are recorded', async (t) => {
  const world = new World();
  await t.rejects(world.ask('remove-two-factor', { password: PASSWORD, code: '000000' }), {
    message: 'Two-factor authentication is off.',
  });
  const { secret, recovery } = await world.on();
  const code = world.code(secret, 1);
  await t.rejects(world.ask('remove-two-factor', { password: 'wrong', code }), {
    message: 'Wrong password!',
  });
  t.strictSame(await world.ask('remove-two-factor', { password: PASSWORD, code: recovery[3] }), {});
  t.ok(await world.logIn());
  t.equal(world.org.twoFactors.size, 0);
  const records = [...world.org.audit.values()].filter(({ at }) => at >= START_MS);
  const changes = records.flatMap((record) => record.changes.map(({ fields }) => fields));
  t.strictSame(changes.slice(-2), [
    [{ name: 'two_factor', old: 'false', new: 'true' }],
    [{ name: 'two_factor', old: 'true', new: 'false' }],
  ]);
});

void t.test('an account without a password has nothing to protect', async (t) => {
  const world = new World();
  const ophelia = world.addUser('ophelia@example.com');
  await t.rejects(world.ask('begin-two-factor', { password: '' }, ophelia), {
    message: 'Your account has no password.',
  });
});
