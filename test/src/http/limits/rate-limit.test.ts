import t from 'tap';
import Type from 'typebox';
import fc from 'fast-check';
import type { Test } from 'tap';
import { required } from '../../../../schemas/endpoint.js';
import { loginRefused, rateLimitHit } from '../../../../src/errors/index.js';
import {
  createRequestLimiter,
  RateLimiter,
  SlidingWindow,
} from '../../../../src/http/limits/rate-limit.js';
import type { Route } from '../../../../src/resources/kernel/route.js';
import { answer, basic, ROUTES, startToy, toyEndpoint } from '../toy-server.js';

const START = 1_700_000_000_000;

async function limited(t: Test) {
  const clock = { now: START };
  const limiter = createRequestLimiter(
    { users: [{ max: 3, seconds: 60 }], addresses: [{ max: 4, seconds: 60 }] },
    () => clock.now,
  );
  return { clock, ...(await startToy(t, { limiter })) };
}

function limitHeaders(response: Response): (string | null)[] {
  return ['limit', 'remaining', 'reset'].map((name) => response.headers.get(`x-ratelimit-${name}`));
}

void t.test('a user gets so many calls, told in headers; then 429', async (t) => {
  const { api, clock } = await limited(t);
  const reset = String(START / 1000 + 62);
  t.same(limitHeaders(await api('/messages')), ['3', '2', reset]);
  t.same(limitHeaders(await api('/messages?anchor=x')), ['3', '1', reset], 'also on errors');
  t.same(limitHeaders(await api('/messages')), ['3', '0', reset]);

  const refused = await api('/messages');
  t.same(limitHeaders(refused), ['3', '0', reset]);
  t.equal(refused.headers.get('retry-after'), '62');
  t.same(await answer(refused), {
    status: 429,
    body: {
      result: 'error',
      msg: 'API usage exceeded rate limit',
      code: 'RATE_LIMIT_HIT',
      'retry-after': 62,
    },
  });
  t.equal((await api('/messages', { auth: basic('hamlet@example.com') })).status, 200, 'per user');

  clock.now += 32_700;
  const later = await api('/messages');
  t.equal(later.headers.get('retry-after'), '29.3', 'a refused call does not count');
  await later.text();
  clock.now += 29_300;
  t.same(limitHeaders(await api('/messages'))[1], '2');
});

void t.test('a call is limited before its parameters are looked at', async (t) => {
  const { api } = await limited(t);
  for (let i = 0; i < 3; i++) await api('/messages');
  t.equal((await api('/messages?anchor=x')).status, 429);
});

void t.test('unknown paths and methods, health and files have no limit', async (t) => {
  const { api } = await limited(t);
  t.same(limitHeaders(await api('/nothing')), [null, null, null]);
  t.same(limitHeaders(await api('/messages', { method: 'PUT' })), [null, null, null]);
});

void t.test('calls without credentials count by address', async (t) => {
  const { api } = await limited(t);
  t.same(limitHeaders(await api('/open', { auth: null })).slice(0, 2), ['4', '3']);
  for (let i = 0; i < 3; i++) await api('/open', { auth: null });
  t.equal((await api('/open', { auth: null })).status, 429);
});

void t.test('who guesses keys is stopped; a valid key passes from the same address', async (t) => {
  const { api } = await limited(t);
  const guess = (i: number) =>
    api('/messages', { auth: basic('iago@example.com', String(i).repeat(32)) });
  for (let i = 0; i < 4; i++) {
    const response = await guess(i);
    t.same([response.status, response.headers.get('x-ratelimit-remaining')], [401, String(3 - i)]);
  }
  t.equal((await guess(5)).status, 429);
  t.equal((await api('/messages', { auth: null })).status, 429);
  t.equal((await api('/messages', { auth: 'Bearer x' })).status, 429);
  t.equal((await api('/messages')).status, 200, 'a key not seen before');
  t.equal((await api('/messages')).status, 200, 'and once it was');
  const open = await api('/open', { auth: null });
  t.equal(open.headers.get('x-ratelimit-remaining'), '3', 'calls without credentials are apart');
});

const LOGIN: Route = {
  endpoint: toyEndpoint({
    method: 'POST',
    path: '/sign-in',
    access: 'anonymous',
    loginName: 'username',
    params: { username: required(Type.String()), password: required(Type.String()) },
  }),
  call: async ({ params }) => {
    if (params.password !== 'right') throw loginRefused('AUTHENTICATION_FAILED');
    return { api_key: 'k' };
  },
};

void t.test('guesses at some accounts do not lock out who logged in there before', async (t) => {
  const limiter = createRequestLimiter({ addresses: [{ max: 4, seconds: 60 }] }, () => START);
  const { api } = await startToy(t, { limiter, routes: [...ROUTES, LOGIN] });
  const login = async (username: string, password: string) => {
    const body = new URLSearchParams({ username, password });
    return (await api('/sign-in', { method: 'POST', auth: null, body })).status;
  };
  t.equal(await login('hamlet@example.com', 'right'), 200);
  t.equal(await login('iago@example.com', 'wrong'), 401);
  t.equal((await api('/open', { auth: null })).status, 200, 'other calls are apart');
  t.equal(await login('iago@example.com', 'wrong'), 401);
  t.equal(await login('prospero@example.com', 'wrong'), 401);
  t.equal(await login('iago@example.com', 'right'), 429, 'the address has spent its attempts');
  t.equal(await login(' Hamlet@example.com', 'right'), 200, 'but not those of a known account');
  for (let i = 0; i < 3; i++) t.equal(await login('hamlet@example.com', 'wrong'), 401);
  t.equal(await login('hamlet@example.com', 'right'), 429, 'which are bounded as well');
  t.equal((await api('/open', { auth: null })).status, 200);
});

void t.test('a tighter limit that refuses a call speaks for all of them', async (t) => {
  const headers = { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0' };
  const attempt = {
    endpoint: toyEndpoint({ method: 'POST', path: '/login', access: 'anonymous' }),
    call: async () => {
      throw rateLimitHit(7, { ...headers, 'X-RateLimit-Reset': '1700000007' });
    },
  };
  const { api } = await startToy(t, { limiter: createRequestLimiter(), routes: [attempt] });
  const refused = await api('/login', { method: 'POST', auth: null });
  t.equal(refused.status, 429);
  t.same(limitHeaders(refused), ['1', '0', '1700000007'], 'each header once');
});

void t.test('successful calls do not count by address', async (t) => {
  const { api } = await limited(t);
  for (let i = 0; i < 3; i++) await api('/messages');
  t.equal((await api('/open', { auth: null })).headers.get('x-ratelimit-remaining'), '3');
});

void t.test('switched off, nothing is limited and no header tells of it', async (t) => {
  const { api } = await startToy(t, { limiter: null });
  for (let i = 0; i < 5; i++) {
    const response = await api('/open', { auth: null });
    t.same([response.status, ...limitHeaders(response)], [200, null, null, null]);
  }
});

void t.test('of several rules the tightest decides', async (t) => {
  let now = START;
  const rules = [
    { max: 2, seconds: 10 },
    { max: 3, seconds: 100 },
  ];
  const limiter = new RateLimiter<string>(rules, () => now);
  t.match(limiter.consume('a'), /^2\r\nX-RateLimit-Remaining: 1\r\n/);
  limiter.consume('a');
  t.throws(() => limiter.consume('a'), {
    code: 'RATE_LIMIT_HIT',
    fields: { 'retry-after': 10.334 },
  });
  now += 11_000;
  t.match(limiter.consume('a'), /^2\r\nX-RateLimit-Remaining: 0\r\n/, 'the longer rule is spent');
  t.throws(() => limiter.check('a'), { code: 'RATE_LIMIT_HIT' });
  t.doesNotThrow(() => limiter.check('b'));
});

void t.test('keys are bounded: the one unused for longest starts anew', async (t) => {
  const limiter = new RateLimiter<string>([{ max: 1, seconds: 60 }], () => START, 2);
  for (const key of ['a', 'b', 'c']) limiter.consume(key);
  t.doesNotThrow(() => limiter.consume('a'));
  t.throws(() => limiter.consume('c'), { code: 'RATE_LIMIT_HIT' });
});

void t.test('calls are forgotten a window later, one segment late at most', async (t) => {
  const window = new SlidingWindow({ max: 3, seconds: 60 });
  const start = 1_700_000_000_000;
  window.take(start);
  window.take(start + 30_000);
  t.equal(window.remaining(start + 59_999), 1);
  t.equal(window.remaining(start + 62_000), 2);
  t.equal(window.replenishedAt(start + 62_000), start + 30_000 + 62_000 - (start % 2000));
  t.equal(window.remaining(start + 92_000), 3);
  t.equal(window.replenishedAt(start + 92_000), start + 92_000);
});

void t.test('the wait is until the oldest call is forgotten', async (t) => {
  const window = new SlidingWindow({ max: 1, seconds: 60 });
  const start = 1_700_000_000_000;
  t.equal(window.msUntilNext(start), 0);
  window.take(start);
  const wait = window.msUntilNext(start + 10);
  t.equal(window.remaining(start + 10 + wait - 1), 0);
  t.equal(window.remaining(start + 10 + wait), 1);
});

void t.test('a clock that steps back gives no calls back', async (t) => {
  const window = new SlidingWindow({ max: 1, seconds: 60 });
  window.take(1_700_000_000_000);
  t.equal(window.remaining(1_600_000_000_000), 0);
});

void t.test('no window ever holds more calls than allowed', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), (delays, max) => {
      const window = new SlidingWindow({ max, seconds: 60 });
      const taken: number[] = [];
      let now = 1_700_000_000_000;
      for (const delay of delays) {
        now += delay;
        if (window.remaining(now) > 0) {
          window.take(now);
          taken.push(now);
        } else if (window.msUntilNext(now) > 62_000) {
          return false;
        }
        const recent = taken.filter((at) => at > now - 60_000).length;
        const remembered = taken.filter((at) => at > now - 62_000).length;
        const left = window.remaining(now);
        if (recent > max || left > max - recent || left < max - remembered) return false;
      }
      return true;
    }),
  );
});
