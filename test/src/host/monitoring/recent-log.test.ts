import t from 'tap';
import { RecentLog } from '../../../../src/host/monitoring/recent-log.js';
import { withoutSecrets } from '../../../../src/host/monitoring/without-secrets.js';
import { processorTime, takesLess } from '../../../fixtures/machine-load.js';

const ALL = { log_level: 'debug', log_filter: '' } as const;

/** A line as pino writes it. */
function line(level: number, msg: string, fields: object = {}): string {
  return `${JSON.stringify({ level, time: 1_750_000_000_000, pid: 7, hostname: 'a', ...fields, msg })}\n`;
}

void t.test('lines come newest first, by level and by text', (t) => {
  const log = new RecentLog();
  log.add(line(30, 'ready', { url: 'http://127.0.0.1:1' }));
  log.add(
    line(40, 'a mail was not sent', {
      mail: 4,
      err: { type: 'Error', message: 'no', stack: 'at /srv' },
    }),
  );
  log.add(line(20, 'a request'));
  t.strictSame(
    log.find(ALL, 'n').map(({ message }) => message),
    ['a request', 'a mail was not sent', 'ready'],
  );
  t.strictSame(log.find({ log_level: 'warn', log_filter: 'MAIL' }, 'n'), [
    {
      ...{ at: 1_750_000_000_000, level: 'warn', message: 'a mail was not sent' },
      ...{ details: '{"mail":4,"err":{"type":"Error","message":"no"}}', node_id: 'n' },
    },
  ]);
  t.strictSame(log.find({ log_level: 'error', log_filter: '' }, 'n'), []);
  t.end();
});

void t.test('a line about another organization is not for this console', (t) => {
  const log = new RecentLog();
  log.add(line(30, 'ready', { organization: 'birch' }));
  log.add(line(30, 'told', { said: '"organization":"birch"' }));
  t.strictSame(
    log.find(ALL, 'n').map(({ message }) => message),
    ['told'],
  );
  t.end();
});

void t.test('an error that is none is shown as it is', (t) => {
  const log = new RecentLog();
  for (const err of [null, 'gone', 7]) log.add(line(50, 'it failed', { err }));
  t.strictSame(
    log.find(ALL, 'n').map(({ details }) => details),
    ['{"err":7}', '{"err":"gone"}', '{"err":null}'],
  );
  t.end();
});

void t.test('so many lines are kept, and none that is too long', (t) => {
  const log = new RecentLog();
  log.add(line(30, 'the first'));
  for (let i = 0; i < 2000; i++) log.add(line(30, `line ${i}`));
  log.add(line(30, 'x'.repeat(5000)));
  const found = log.find({ ...ALL, log_filter: 'first' }, 'n');
  t.strictSame(found, []);
  t.equal(log.find(ALL, 'n').length, 200);
  t.equal(log.find(ALL, 'n')[0]!.message, 'line 1999');
  t.end();
});

void t.test('secrets are hidden wherever they stand, and words are not', (t) => {
  const known = ['iris-lamp-harbor-92', 'a"b\\c'];
  for (const [text, shown] of [
    ['wrong: iris-lamp-harbor-92!', 'wrong: ***!'],
    ['redis://user:pass@db:6379/0 is away', 'redis://***@db:6379/0 is away'],
    ['to <hamlet@example.org>, refused; mailto:a@b', 'to <…>, refused; mailto:…'],
    ['{"api_key":"abcd1234","status":400}', '{"api_key":"***","status":400}'],
    ['Authorization: Basic b3duZXI=', 'Authorization: ***'],
    [JSON.stringify({ is: 'a"b\\c' }), '{"is":"***"}'],
    [
      JSON.stringify({ said: JSON.stringify({ password: 'hunter', code: 4 }) }),
      String.raw`{"said":"{\"password\":\"***\",\"code\":4}"}`,
    ],
    ['GET /join/aQbWcEdReTfYgUhIiOjPkAlSmDnFoGpH/', 'GET /join/…/'],
    ['the setting canCreateWebPublicChannels', 'the setting canCreateWebPublicChannels'],
    ['GET /join/9d5ed678fe57bcca610140957afab571/', 'GET /join/…/'],
    ['connect ECONNREFUSED 127.0.0.1:25', 'connect ECONNREFUSED 127.0.0.1:25'],
    ['parley-2026-11-27T03-30-00-000Z.jsonl', 'parley-2026-11-27T03-30-00-000Z.jsonl'],
    ['a-word-that-is-long-without-any-digit', 'a-word-that-is-long-without-any-digit'],
  ] as const) {
    t.equal(withoutSecrets(text, known), shown);
  }
  const log = new RecentLog();
  log.hide(known);
  log.add(line(30, 'mail sent', { link: 'http://a/x', to: 'ophelia@example.org', said: 'pssst' }));
  t.equal(log.find(ALL, 'n')[0]!.details, '{"to":"…"}');
  log.hide(['mail sent']);
  t.equal(log.find(ALL, 'n')[0]!.message, '***', 'what was shown before');
  t.end();
});

void t.test('a long text without a secret is looked through at once', async (t) => {
  const look = (): number => processorTime(() => withoutSecrets('a'.repeat(2_000_000), []));
  await takesLess(t, 'what a square would take an hour for', 5000, look);
});
