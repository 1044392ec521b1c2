/** A load on a running server, made by two workers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { machineNow } from '../../../bench/clock.js';
import { runBench } from '../../../bench/command.js';
import { drive, type DriveOptions } from '../../../bench/drive/drive.js';
import { RemoteMachine } from '../../../bench/drive/machines.js';
import { driveOptions } from '../../../bench/drive/options.js';
import { readResults } from '../../../bench/results.js';
import { Worker } from '../../../bench/drive/worker.js';
import type { Job } from '../../../bench/exchange/jobs.js';
import { steadyPace } from '../../../bench/exchange/pace.js';
import type { Figures } from '../../../bench/harness/measuring/figures.js';
import { assertRendered, renderTexts } from '../../../bench/scenarios/render.js';
import { ApiClient } from '../../system/harness/client.js';
import {
  blocks,
  missing,
  outcome,
  shell,
  withBench,
  workplace,
} from '../../system/harness/guide.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../../system/harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

// Loaded machines take long to start processes.
t.setTimeout(240_000);

const TOKEN = 'sixteen characters';
const NO_PROC = { skip: process.platform === 'linux' ? false : 'needs /proc' } as const;

async function workers(t: Test, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const worker = new Worker(TOKEN);
      t.teardown(() => worker.close());
      return worker.listen('127.0.0.1', 0);
    }),
  );
}

const server = await RunningServer.start(t, { args: ['--rate-limit', 'off'] });
const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
const remote = { url: new URL(server.url), email: owner.email, key: owner.key, pid: null };
const tokenFile = join(testFolder(t), 'token');
writeFileSync(tokenFile, `${TOKEN}\n`);

void t.test('two workers give the sum, through a storm and with clients that vanish', async (t) => {
  const options: DriveOptions = driveOptions(
    {
      mix: 'poll=1,socket=1,sse=1,write=1',
      ...{ clients: '9', rate: '20', seconds: '2', storm: '0.3', vanish: '40', slow: '34' },
      ...{ accounts: '2', worker: await workers(t, 2), 'token-file': tokenFile },
      goal: ['errors<1%', 'write.p99<0.001ms', 'recovery<60s'],
    },
    remote,
  );
  const result = await drive(options);
  const parts = result.parts as Record<string, Figures>;
  const deliveries = Object.fromEntries(
    Object.entries(parts).map(([kind, { operations }]) => [kind, operations]),
  );
  t.strictSame(deliveries, { poll: 80, socket: 80, sse: 80, slow: 120, write: 40 });
  for (const [kind, { errors }] of Object.entries(parts)) t.equal(errors, 0, kind);
  for (const kind of ['poll', 'socket', 'sse']) {
    t.ok(parts[kind]!['recovery_ms']! > 0, `${kind} lost its connections`);
  }
  t.strictSame(result.goals, {
    'errors<1%': true,
    'write.p99<0.001ms': false,
    'recovery<60s': true,
  });
  const { members } = await owner.ok('GET', '/users');
  const made = (members as { email: string; is_active: boolean; full_name: string }[]).filter(
    ({ full_name }) => full_name.startsWith('Bench '),
  );
  t.strictSame(
    made.map(({ is_active }) => is_active),
    [false, false],
    'the accounts are deactivated',
  );
  const { messages } = await owner.ok('GET', '/messages', {
    ...{ anchor: 'newest', num_before: 100, num_after: 0 },
    narrow: [['channel', 'bench']],
  });
  t.same(
    (messages as { subject: string }[]).filter(({ subject }) => subject === 'load'),
    [],
    'and the messages deleted',
  );
});

void t.test('accounts come from a file, and the exit code tells of a goal', async (t) => {
  const folder = testFolder(t);
  const accounts = join(folder, 'accounts');
  writeFileSync(accounts, `# one of them\n${owner.email}:${owner.key}\n`);
  const json = join(folder, 'run.json');
  const line = `drive --url ${server.url} --email ${owner.email} --key ${owner.key} --json ${json}`;
  const load = '--clients 2 --rate 10 --seconds 1 --mix socket=1,write=1';
  const run = (...more: string[]) => runBench([...`${line} ${load}`.split(' '), ...more]);
  t.equal(await run('--accounts', accounts, '--goal', 'write.rate>1000000'), 1);
  const [written] = await readResults(json);
  t.match(written, { scenario: 'drive', parts: { socket: { operations: 20 } } });
  writeFileSync(accounts, `${owner.email}\n`);
  await t.rejects(run('--accounts', accounts), /line 1: an account is ADDRESS:KEY/);
});

void t.test('a worker refuses who does not know its token', async (t) => {
  const [url = ''] = await workers(t, 1);
  const ask = (token: string) => fetch(`${url}/clock`, { headers: { authorization: token } });
  t.equal((await ask('Bearer another')).status, 401);
  t.equal((await ask(`Bearer ${TOKEN}`)).status, 200);
});

void t.test(
  'the texts of `render` have one length and are rendered as what they are',
  async (t) => {
    const texts = renderTexts('Owner');
    for (const [name, { markdown }] of Object.entries(texts)) {
      t.equal(Buffer.byteLength(markdown), 150, name);
    }
    const render = async (content: string): Promise<string> =>
      String((await owner.ok('POST', '/messages/render', { content })).rendered);
    await assertRendered(render, texts);
    await t.rejects(assertRendered(render, renderTexts('Nobody')), /mentions shows no class="user/);
  },
);

interface FalseWorker {
  readonly clock?: () => number;
  /** What becomes of a round; absent: it is answered with itself. */
  readonly round?: (response: ServerResponse) => void;
  /** Whether its clock is told while a round runs. */
  readonly isSilent?: boolean;
}

/** A worker that makes no load. */
async function falseWorker(t: Test, { clock = machineNow, round, isSilent }: FalseWorker) {
  let running = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/jobs') response.end('{"id":7}');
      else if (request.url !== '/clock') {
        running = true;
        if (round) round(response);
        else response.end(Buffer.concat(chunks).toString());
      } else if (!running || !isSilent) response.end(JSON.stringify({ now: clock(), cores: 2 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const NOBODY = {
  ...{ role: 'consume', transport: 'poll', dialect: 'parley', addressing: 'all' },
  ...{ seats: [], offset: 0, total: 0, server: { host: '127.0.0.1', port: 1 } },
} as const satisfies Job;
const ROUND = { kind: 'closed', first: 0, startAt: 1_000_000, durationMs: 1 } as const;

void t.test('a worker begins when the coordinator does, whatever its clock shows', async (t) => {
  const ahead = 5000;
  const url = await falseWorker(t, { clock: () => machineNow() + ahead });
  const machine = await RemoteMachine.find(url, TOKEN);
  const runner = await machine.start(NOBODY);
  const { startAt } = (await runner.run(ROUND)) as unknown as typeof ROUND;
  const error = Math.abs(startAt - ROUND.startAt - ahead);
  t.ok(error <= machine.uncertainty + 0.001, `${error} ms of ${machine.uncertainty}`);
});

void t.test(
  'a worker that goes while it makes load is named, and nobody waits for it',
  async (t) => {
    const gone = async (worker: FalseWorker, patienceMs: number): Promise<string> => {
      const url = await falseWorker(t, worker);
      const machine = await RemoteMachine.find(url, TOKEN, { everyMs: 1, patienceMs });
      const runner = await machine.start(NOBODY);
      const error = await runner.run(ROUND).then(String, (error: Error) => error.message);
      return error.replace(url.host, 'HOST');
    };
    const silent = { round: () => undefined, isSilent: true };
    t.equal(await gone(silent, 100), 'The worker HOST does not answer: not within 0.1 s');
    const killed = { round: (response: ServerResponse) => void response.socket?.destroy() };
    t.match(await gone(killed, 60_000), /^The worker HOST does not answer: /);
    const cut = {
      round: (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 9 });
        response.write('{', () => response.socket?.destroy());
      },
    };
    t.match(await gone(cut, 60_000), /^The worker HOST does not answer: /, 'within its report');
  },
);

void t.test('a generator that dies at a worker ends the run', NO_PROC, async (t) => {
  const children = (): string[] =>
    readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  const [url = ''] = await workers(t, 1);
  const machine = await RemoteMachine.find(new URL(url), TOKEN);
  const before = children();
  const runner = await machine.start(NOBODY);
  const [own] = children().filter((pid) => !before.includes(pid));
  const never = { kind: 'open', first: 0, count: 1, pace: steadyPace(1), graceMs: 0 } as const;
  const running = runner.run({ ...never, startAt: machineNow() + 600_000 });
  const failed = t.rejects(running, /A generator ended early \(.+\)/);
  process.kill(Number(own), 'SIGKILL');
  await failed;
  await t.rejects(runner.run(ROUND), /A generator ended early/, 'and so does the next one');
});

/* The guide docs/guides/load-test.md, and what the README says of it. */

const BASH = { skip: await missing('bash') };

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** What the console counts. */
async function counted(owner: ApiClient): Promise<{ sent: number; delivered: number }> {
  const { nodes } = await owner.ok('GET', '/realm/console');
  const [node] = nodes as { sends: { count: number }; delivered_events: number }[];
  return { sent: node!.sends.count, delivered: node!.delivered_events };
}

void t.test('README and load-test.md: two commands make a page with plots', BASH, async (t) => {
  const folder = workplace(t);
  withBench(folder);
  const [script = ''] = blocks('README.md', 'sh', '.').filter((one) => one.includes('bench'));
  const twice = readFileSync('docs/guides/load-test.md', 'utf8');
  for (const command of script.trim().split('\n')) {
    t.match(twice, `\n${command.replace(/ +#.*/, '')}\n`, 'the guide begins with the same');
  }
  const { code, said } = await outcome(shell(folder, script, {}));
  t.equal(code, 0, said);
  t.match(said, /^drive: 25 poll, 20 socket, 5 sse, 20 requests a second, 5 s$/m);
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  for (const measure of ['operations', 'p99', 'CPU', 'memory', 'event loop delay']) {
    t.match(page, `By the second: ${measure}`);
  }
});

void t.test('load-test.md: its commands run and count what they send', BASH, async (t) => {
  const folder = workplace(t);
  withBench(folder);
  const test = shell(folder, blocks('load-test.md', 'sh').join('\n'), {
    ...{ URL: server.url, EMAIL: owner.email, KEY: owner.key },
  });
  const before = await counted(owner);
  const { code, said } = await outcome(test);
  const after = await counted(owner);
  t.equal(code, 0, said);
  t.match(said, /^drive: 25 poll, 20 socket, 5 sse, 5-20, 20 requests a second, 5 s$/m);
  t.match(said, /^goal errors<1%: met/m);
  t.match(said, /^within the margin$/m);
  const runs = [...said.matchAll(/^Cleared away (\d+) queues and (\d+) messages$/gm)];
  t.equal(runs.length, 2);
  const [sent, delivered] = [after.sent - before.sent, after.delivered - before.delivered];
  const made = runs.map((run) => ({ queues: Number(run[1]), messages: Number(run[2]) }));
  t.equal(
    sent,
    sum(made.map(({ messages }) => messages)),
    'the console counts what the bench sent',
  );
  // Queues get notices of typing and reports of presence, too.
  t.ok(delivered >= sum(made.map(({ queues, messages }) => messages * queues)), `${delivered}`);
  t.notMatch(said, /^Left: /m);
  const page = readFileSync(join(folder, 'runs', 'report.html'), 'utf8');
  for (const measure of ['operations', 'p99', 'event loop delay']) {
    t.match(page, `By the second: ${measure}`);
  }
  t.match(page, />after<.*>before</, 'both on one plot');
});
