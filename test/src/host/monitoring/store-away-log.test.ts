import { mock } from 'node:test';
import t from 'tap';
import { StoreAwayLog } from '../../../../src/host/monitoring/store-away-log.js';

function start(t: { teardown: (f: () => void) => void }) {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  const lines: object[] = [];
  const log = { error: (context: object, message: string) => lines.push({ ...context, message }) };
  const clock = { ms: 0 };
  return { lines, clock, away: new StoreAwayLog(log, 'waiting for the store', () => clock.ms) };
}

void t.test('a store that is away has one short line, and one each half minute', (t) => {
  const { lines, away } = start(t);
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:6379');
  for (let i = 0; i < 5; i++) away.away(refused);
  const first = { reason: refused.message, message: 'waiting for the store' };
  t.same(lines, [first], 'without a stack');
  mock.timers.tick(29_999);
  t.equal(lines.length, 1);
  mock.timers.tick(30_001);
  t.same(lines.slice(1), [
    { ...first, for_s: 30 },
    { ...first, for_s: 60 },
  ]);
  away.away(new Error('LOADING'));
  t.match(lines[3], { reason: 'LOADING', for_s: 60 }, 'another reason is told at once');

  t.equal(away.over(), true);
  t.equal(away.over(), false, 'it was there already');
  mock.timers.tick(60_000);
  t.equal(lines.length, 4);
  away.away(refused);
  t.same(lines[4], first, 'and begins anew');
  away.over();
  t.end();
});

void t.test('what has no message is told by its kind', (t) => {
  const { lines, away } = start(t);
  away.away(new AggregateError([new Error('connect ECONNREFUSED ::1:6379')]));
  t.match(lines, [{ reason: 'connect ECONNREFUSED ::1:6379' }]);
  away.away('gone');
  t.match(lines[1], { reason: 'gone' });
  away.over();
  t.end();
});

void t.test('a store that comes and goes fills no log', (t) => {
  const { lines, clock, away } = start(t);
  const line = { reason: 'LOADING', message: 'waiting for the store' };
  const ends = Array.from({ length: 40 }, () => {
    away.away(new Error('LOADING'));
    clock.ms += 25;
    return away.over();
  });
  t.same(lines, Array(5).fill(line));
  t.same(
    ends.map((wasTold) => wasTold),
    [...Array<boolean>(5).fill(true), ...Array<boolean>(35).fill(false)],
    'the end of an outage is told where its begin was',
  );
  away.away(new Error('LOADING'));
  mock.timers.tick(30_000);
  t.same(lines.slice(5), [{ ...line, for_s: 30, left_out: 36 }], 'one that lasts is told');
  t.equal(away.over(), true);
  clock.ms = 30_000;
  away.away(new Error('LOADING'));
  t.same(lines[6], line, 'later ones are told at once again');
  away.over();
  t.end();
});
