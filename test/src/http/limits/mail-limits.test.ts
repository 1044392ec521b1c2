import t from 'tap';
import { createMailLimiter } from '../../../../src/http/limits/mail-limits.js';

const HOUR = 3_600_000;
const LIMITED = { status: 429, code: 'RATE_LIMIT_HIT' };

void t.test('mails caused by one address: five a day', async (t) => {
  let now = Date.UTC(2026, 0, 31);
  const limiter = createMailLimiter(() => now);
  for (let i = 0; i < 5; i++) limiter.mailFrom('192.0.2.1');
  t.throws(() => limiter.mailFrom('192.0.2.1'), LIMITED);
  limiter.mailFrom('192.0.2.2');
  now += 25 * HOUR;
  limiter.mailFrom('192.0.2.1');
});

void t.test('joining without mails: an office of sixty in an hour, by one address', async (t) => {
  let now = Date.UTC(2026, 0, 31);
  const limiter = createMailLimiter(() => now);
  for (let i = 0; i < 5; i++) limiter.mailFrom('192.0.2.1');
  for (let i = 0; i < 60; i++) limiter.joinFrom('192.0.2.1');
  t.throws(() => limiter.joinFrom('192.0.2.1'), LIMITED);
  limiter.joinFrom('192.0.2.2');
  for (const count of [60, 60, 20]) {
    now += 1.1 * HOUR;
    for (let i = 0; i < count; i++) limiter.joinFrom('192.0.2.1');
  }
  t.throws(() => limiter.joinFrom('192.0.2.1'), LIMITED, 'two hundred a day');
});

void t.test('e-mail change and password reset: two an hour, five a day each', async (t) => {
  let now = Date.UTC(2026, 0, 31);
  const limiter = createMailLimiter(() => now);
  let visitor = 0;
  const reset = (email: string) => limiter.passwordReset(email, `192.0.2.${++visitor}`);
  for (const attempt of [() => reset('a@x.org'), () => limiter.emailChange(7)]) {
    for (let hour = 0; hour < 2; hour++) {
      attempt();
      attempt();
      t.throws(attempt, LIMITED);
      now += 1.1 * HOUR;
    }
    attempt();
    t.throws(attempt, LIMITED, 'the sixth of the day');
    now += 30 * HOUR;
  }
  reset('a@x.org');
  reset(' A@X.ORG ');
  t.throws(() => reset('a@x.org'), LIMITED);
  limiter.emailChange(8);
});

void t.test('a reset causes a mail; refused ones count for neither limit', async (t) => {
  const limiter = createMailLimiter(() => Date.UTC(2026, 0, 31));
  const reset = (email: string) => limiter.passwordReset(email, '192.0.2.1');
  reset('a@x.org');
  reset('a@x.org');
  for (let i = 0; i < 5; i++) t.throws(() => reset('a@x.org'), LIMITED);
  for (let i = 0; i < 3; i++) limiter.mailFrom('192.0.2.1');
  t.throws(() => reset('b@x.org'), LIMITED, 'the sixth mail of the address');
  limiter.passwordReset('b@x.org', '192.0.2.2');
  limiter.passwordReset('b@x.org', '192.0.2.2');
});
