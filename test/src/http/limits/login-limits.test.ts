import t from 'tap';
import { createLoginLimiter } from '../../../../src/http/limits/login-limits.js';

const REFUSED = { status: 429, code: 'RATE_LIMIT_HIT' };

void t.test('five attempts per name, whatever its case', async (t) => {
  const limiter = createLoginLimiter();
  for (let i = 0; i < 5; i++) await limiter.attempt('iago@example.com');
  await t.rejects(limiter.attempt(' Iago@Example.com'), {
    ...REFUSED,
    headers: { 'X-RateLimit-Limit': '5', 'X-RateLimit-Remaining': '0' },
  });
  await t.resolves(limiter.attempt('hamlet@example.com'));
});

void t.test('a login that succeeds clears the attempts of its address in any case', async (t) => {
  const limiter = createLoginLimiter({ max: 1, seconds: 1800 });
  await limiter.attempt('iago@example.com');
  await limiter.succeeded('IAGO@example.com');
  await limiter.attempt('iago@example.com');
  await t.rejects(limiter.attempt('iago@example.com'), REFUSED);
});

void t.test('attempts are forgotten half an hour after the first, all at once', async (t) => {
  let now = 1_700_000_000_000;
  const limiter = createLoginLimiter({ max: 2, seconds: 1800 }, () => now);
  await limiter.attempt('a');
  now += 1_799_000;
  await limiter.attempt('a');
  await t.rejects(limiter.attempt('a'), {
    ...REFUSED,
    fields: { 'retry-after': 1 },
    headers: { 'X-RateLimit-Reset': '1700001800' },
  });
  now += 1_000;
  await limiter.attempt('a');
  await limiter.attempt('a');
  await t.rejects(limiter.attempt('a'), { ...REFUSED, fields: { 'retry-after': 1800 } });
});

void t.test('names are bounded: the one unused for longest is forgotten', async (t) => {
  const limiter = createLoginLimiter({ max: 1, seconds: 1800 });
  await limiter.attempt('first');
  for (let i = 0; i < 10_000; i++) await limiter.attempt(`name-${i}`);
  await t.resolves(limiter.attempt('first'));
  await t.rejects(limiter.attempt('name-9999'), REFUSED);
});
