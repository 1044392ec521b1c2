import t from 'tap';
import { ConnectionLimit, connectionsOf } from '../../../../src/http/limits/connection-limit.js';

const anywhere = (): string => '192.0.2.1';

void t.test('some open files are left to the process', (t) => {
  t.equal(connectionsOf(256), 192);
  t.equal(connectionsOf(1024), 768);
  t.equal(connectionsOf(65_536), 64_512);
  t.equal(connectionsOf(Infinity), Infinity);
  t.end();
});

void t.test('the log says once a minute that connections are refused', (t) => {
  const lines: unknown[] = [];
  let now = 0;
  const limit = new ConnectionLimit({ error: (context) => lines.push(context) }, 2, () => now);
  t.ok(limit.opened(anywhere) && limit.opened(anywhere));
  for (let i = 0; i < 100; i++) {
    t.notOk(limit.opened(anywhere));
    limit.closed();
  }
  t.same(lines, [{ connections: 2 }]);
  now = 60_000;
  t.notOk(limit.opened(anywhere));
  t.equal(lines.length, 2);
  limit.closed();
  limit.closed();
  t.ok(limit.opened(anywhere), 'as soon as one is gone, another may come');
  t.equal(limit.open, 2);
  t.end();
});
