import t from 'tap';
import { createMailLimiter } from '../../../src/http/mail-limits.js';

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

void t.test('e-mail change and password reset: two an hour, five a day each', async (t) => {
  let now = Date.UTC(2026, 0, 31);
  const limiter = createMailLimiter(() => now);
  for (const attempt of [() => limiter.passwordReset('a@x.org'), () => limiter.emailChange(7)]) {
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
  limiter.passwordReset('a@x.org');
  limiter.passwordReset(' A@X.ORG ');
  t.throws(() => limiter.passwordReset('a@x.org'), LIMITED);
  limiter.emailChange(8);
});
