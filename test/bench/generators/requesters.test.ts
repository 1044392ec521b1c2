import t from 'tap';
import { machineNow } from '../../../bench/clock.js';
import { everyMs } from '../../../bench/exchange/pace.js';
import type { Address, RequestPlan } from '../../../bench/exchange/jobs.js';
import { Latencies } from '../../../bench/generators/latencies.js';
import { Requesters } from '../../../bench/generators/requesters.js';
import { RequestWriter } from '../../../bench/generators/request-text.js';
import { IncorrectRun, missedPercent, verify } from '../../../bench/harness/measuring/measure.js';
import { startReplyServer } from './toy-servers.js';

const PLAN: RequestPlan = {
  method: 'POST',
  path: '/write?who={who}',
  body: 'value={value}&n={n}&mark={mark}&cursor={captured}',
  accounts: [
    { authorization: 'Basic YQ==', fields: { who: 'a' } },
    { authorization: '', fields: { who: 'b' } },
  ],
  capture: { after: '"cursor":', initial: -1, shared: false },
};
const OK = { status: 200, body: '{"cursor":41}' };

function requesters(server: Address, connections = 1): Requesters {
  return new Requesters({ role: 'request', server, plan: PLAN, connections });
}

function open(count: number, intervalMs: number) {
  return {
    kind: 'open' as const,
    first: 0,
    count,
    startAt: machineNow(),
    pace: everyMs(intervalMs),
    graceMs: 5000,
  };
}

void t.test('requests are written by number and account', async (t) => {
  const writer = new RequestWriter({ host: '127.0.0.1', port: 1 }, PLAN);
  const first = writer.write(4);
  t.ok(first.startsWith('POST /write?who=a HTTP/1.1\r\n'));
  t.ok(first.includes('Authorization: Basic YQ==\r\n'));
  const body = 'value=3&n=4&mark=000004&cursor=-1';
  t.ok(first.endsWith(`Content-Length: ${body.length}\r\n\r\n${body}`));
  t.notOk(writer.write(5).includes('Authorization'), 'the other account has none');
  writer.answered(4, Buffer.from('{"cursor":41,"x":1}'));
  t.ok(writer.write(6).endsWith('cursor=41'), 'what the account was told');
  t.ok(writer.write(7).endsWith('cursor=-1'), 'not the other');
  const shared = { ...PLAN, capture: { ...PLAN.capture!, shared: true } };
  const sharing = new RequestWriter({ host: '127.0.0.1', port: 1 }, shared);
  sharing.answered(0, Buffer.from('{"cursor":41}'));
  t.ok(sharing.write(1).endsWith('cursor=41'), 'or everybody');
});

void t.test('a stalled server cannot hide the requests that waited behind it', async (t) => {
  // A request that waits longer than 100 ms for its connection missed the rate.
  const stallMs = 300;
  const server = await startReplyServer(async (number) => {
    if (number > 0) return OK;
    await new Promise((resolve) => setTimeout(resolve, stallMs));
    return OK;
  });
  const generator = requesters(server.address);
  // At a rate that makes all of them due before the first is sent.
  const report = await generator.run(open(20, 0.001));
  generator.close();
  await server.close();
  verify([report]);
  const latencies = Latencies.decode(report.latencies);
  t.equal(latencies.count, 20);
  t.ok(latencies.percentile(50) > stallMs / 2, 'though nineteen of twenty were answered at once');
  t.strictSame([report.intended, report.missed], [20, 19], 'which were sent late');
  t.equal(missedPercent([report]), 95);
  const inSeconds = report.seconds.reduce((sum, { operations }) => sum + operations, 0);
  t.equal(inSeconds, 20, 'the seconds add up');
});

void t.test('a refused request fails the run', async (t) => {
  const server = await startReplyServer(async (number) =>
    number === 1 ? { status: 500, body: 'no' } : OK,
  );
  const generator = requesters(server.address);
  const report = await generator.run(open(3, 0));
  generator.close();
  await server.close();
  t.equal(report.operations, 2);
  t.match(report.firstFault, /answered 500: no/);
  t.strictSame(report.faults, { 'status 500': 1 });
  t.throws(() => verify([report]), IncorrectRun);
});

void t.test('generators that share a plan send every request once', async (t) => {
  const asked: string[] = [];
  const server = await startReplyServer(
    async () => OK,
    (url) => asked.push(url),
  );
  const plan = { ...PLAN, path: '/write?n={n}' };
  const work = [0, 1, 2].map(async (index) => {
    const share = { index, of: 3 };
    const job = { role: 'request', server: server.address, plan, connections: 2, share } as const;
    const generator = new Requesters(job);
    await generator.run({ ...open(4, 0), first: 5 });
    generator.close();
  });
  await Promise.all(work);
  await server.close();
  t.strictSame(asked.sort(), ['/write?n=5', '/write?n=6', '/write?n=7', '/write?n=8']);
});

void t.test('a closed round keeps one request in flight per connection', async (t) => {
  let running = 0;
  let most = 0;
  const server = await startReplyServer(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return OK;
  });
  const generator = requesters(server.address, 4);
  const round = { kind: 'closed' as const, first: 0, startAt: machineNow(), durationMs: 50 };
  const report = await generator.run(round);
  generator.close();
  await server.close();
  verify([report]);
  t.ok(report.operations >= 4);
  t.ok(most <= 4);
});
