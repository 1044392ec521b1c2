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

/** A limit of 8 with two listeners, and what the log says. */
function twoListeners() {
  const lines: unknown[] = [];
  const time = { now: 0 };
  const log = { error: (context: object, text: string) => lines.push([context, text]) };
  const limit = new ConnectionLimit(log, 8, () => time.now);
  return {
    lines,
    time,
    limit,
    clients: limit.gate('clients'),
    redirects: limit.gate('redirects', 2),
  };
}

void t.test('the log says once a minute and listener that connections are refused', (t) => {
  const { lines, time, redirects, clients } = twoListeners();
  t.ok(redirects.opened(anywhere) && redirects.opened(anywhere));
  for (let i = 0; i < 100; i++) {
    t.notOk(redirects.opened(anywhere));
    redirects.closed();
  }
  const refused = [{ listener: 'redirects', connections: 2 }, 'connections are closed at once'];
  t.same(lines, [refused]);
  for (let i = 0; i < 6; i++)
    t.ok(clients.opened(anywhere), 'the other listener has connections left');
  t.notOk(clients.opened(anywhere), 'as many as the process has, with those of the first one');
  clients.closed();
  const all = 'connections are closed at once: raise the limit of open files';
  t.same(lines, [refused, [{ listener: 'clients', connections: 8 }, all]]);
  time.now = 60_000;
  t.notOk(redirects.opened(anywhere));
  redirects.closed();
  t.same(lines.slice(2), [refused]);
  redirects.closed();
  t.ok(redirects.opened(anywhere), 'as soon as one is gone, another may come');
  t.end();
});

void t.test('a file that is sent takes the place of a connection, and gives it back', (t) => {
  const { lines, limit, clients } = twoListeners();
  for (let i = 0; i < 6; i++) clients.opened(anywhere);
  const close = [limit.holdFile(), limit.holdFile()];
  const refusal = { status: 503, message: 'Too many files are being sent' };
  t.throws(() => limit.holdFile(), refusal);
  const said = 'files are not sent: raise the limit of open files';
  t.same(lines, [[{ listener: 'files', connections: 8 }, said]]);
  t.notOk(clients.opened(anywhere));
  clients.closed();
  close[0]!();
  t.ok(clients.opened(anywhere));
  t.throws(() => limit.holdFile(), refusal);
  t.end();
});

void t.test('a listener has no more places than the process has left', async (t) => {
  const { limit } = twoListeners();
  const gate = limit.gate('mails', 6);
  const asked: number[] = [];
  gate.shares = {
    admits: (taken) => asked.push(taken) > 0,
    keeps: (taken) => asked.push(taken) > 0,
  };
  gate.opened(anywhere);
  const others = limit.gate('clients');
  for (let i = 0; i < 5; i++) others.opened(anywhere);
  gate.opened(anywhere);
  gate.keeps(anywhere);
  t.same(asked, [1, 5, 5], 'of 8 one is left, so 5 of its 6 are taken');
});
