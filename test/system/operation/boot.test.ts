import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { freePort } from '../../../bench/harness/processes/free-port.js';
import { RawConnection } from '../../src/http/raw-connection.js';
import { ApiClient, exchange } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';

void t.test('the first start creates an organization and says who owns it', async (t) => {
  const server = await RunningServer.start(t);
  t.match(server.stdout, /^Parley is listening on http:\/\/127\.0\.0\.1:\d+$/m);
  await server.printed(new RegExp(`e-mail: +${OWNER_EMAIL}\n +password: as configured\n`));
  t.notMatch(server.stdout, OWNER_PASSWORD, 'a password that was given is not shown');

  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  t.match(owner.key, /^[A-Za-z0-9]{32}$/);
  const snapshot = await owner.register();
  t.equal(snapshot.is_owner, true);
  t.equal(snapshot.realm_name, 'Parley');
  const groups = snapshot.realm_user_groups as { name: string; is_system_group: boolean }[];
  t.same(
    groups.filter((group) => group.is_system_group).map((group) => group.name),
    [
      'role:nobody',
      'role:owners',
      'role:administrators',
      'role:moderators',
      'role:fullmembers',
      'role:members',
      'role:everyone',
      'role:internet',
    ],
  );
  t.match(snapshot.subscriptions, [{ name: 'general' }], 'a first channel, with the owner in it');
  t.match(
    (snapshot.cross_realm_bots as { full_name: string }[]).map((bot) => bot.full_name),
    ['Notification Bot'],
  );
});

void t.test('a generated password is shown once, and works', async (t) => {
  const server = await RunningServer.start(t, { env: { PARLEY_OWNER_PASSWORD: '' } });
  const shown = (await server.printed(/password: +(\S+)  \(shown only this once\)/))[1]!;
  const before = await ApiClient.login(server.url, OWNER_EMAIL, shown);
  t.equal((await server.stop()).code, 0);
  const again = await server.restart(t);
  t.notMatch(again.stdout, /password/, 'not shown again');
  const after = await ApiClient.login(again.url, OWNER_EMAIL, shown);
  t.equal(after.key, before.key, 'the API key is still the same');
});

void t.test('a later start reuses the organization and its queues', async (t) => {
  const server = await RunningServer.start(t, { args: ['--organization', 'Harbor'] });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const reader = await QueueReader.open(owner);
  const id = await owner.say('still here');
  t.equal((await server.stop()).code, 0);

  const again = await server.restart(t);
  const later = owner.at(again.url);
  reader.move(later);
  t.match(
    (await reader.now()).filter((event) => event.type === 'message'),
    [{ message: { id, content: 'still here' } }],
    'with what it held',
  );
  t.equal((await later.register()).realm_name, 'Harbor');
});

void t.test('health is 200 when ready and 503 while draining', async (t) => {
  const server = await RunningServer.start(t);
  t.equal((await exchange(server.url, 'GET', '/health')).status, 200);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  // A request whose body is still coming keeps the process draining.
  const open = await RawConnection.open(server.port);
  const probe = await RawConnection.open(server.port);
  probe.request('GET', '/health');
  t.equal((await probe.response())?.status, 200);
  open.write(
    `POST /api/v1/messages HTTP/1.1\r\nHost: t\r\nAuthorization: ${owner.authorization}\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ntype=',
  );
  const { queue_id, last_event_id } = await owner.register();
  const held = await owner.hold(queue_id, last_event_id);
  const stopped = server.stop();
  t.same(await held.events, [], 'a waiting poll is answered at once');
  probe.request('GET', '/health');
  t.equal((await probe.response())?.status, 503);
  open.write('x'.repeat(995));
  t.equal((await open.response())?.status, 400, 'what was under way is still answered');
  const exit = await stopped;
  t.equal(exit.code, 0);
});

const HAS_IPV6 = Object.values(networkInterfaces())
  .flat()
  .some((found) => found?.address === '::1');

for (const host of ['::1', '::']) {
  const options = { skip: HAS_IPV6 ? false : 'this machine has no ::1' };
  void t.test(`--host ${host} needs no --url`, options, async (t) => {
    const server = RunningServer.spawn(storeFolder(t), { args: ['--host', host] });
    t.teardown(() => server.kill());
    const [, url] = await server.printed(/^Parley is listening on (http:\/\/\[::1\]:\d+)$/m);
    const reply = await fetch(`${url}/api/v1/server_settings`);
    t.match(await reply.json(), { result: 'success', realm_url: url });
  });
}

void t.test('while starting, nothing is answered but 503', async (t) => {
  const folder = storeFolder(t);
  const port = await freePort();
  const server = RunningServer.spawn(folder, { args: ['--port', String(port)] });
  t.teardown(() => server.kill());
  const seen = new Set<string>();
  const url = `http://127.0.0.1:${port}`;
  let ready = false;
  const waiting = server.ready().then(() => (ready = true));
  while (!ready) {
    const status = await exchange(url, 'GET', '/health').then(
      (reply) => String(reply.status),
      () => 'refused',
    );
    if (!ready) seen.add(status);
  }
  await waiting;
  // The last probe may have been answered just before its line was read here.
  seen.delete('200');
  t.ok(
    [...seen].every((one) => one === 'refused' || one === '503'),
    [...seen].join(' '),
  );
  t.equal((await exchange(url, 'GET', '/health')).status, 200);
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  void t.test(`${signal} releases polls and sockets and exits 0 in time`, async (t) => {
    const server = await RunningServer.start(t);
    const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    const polls = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const { queue_id, last_event_id } = await owner.register();
        return owner.hold(queue_id, last_event_id);
      }),
    );
    const socket = owner.socket();
    await once(socket, 'message');
    const closed = once(socket, 'close') as Promise<[number, Buffer]>;
    const exit = await server.stop(signal);
    const answers = await Promise.all(polls.map((poll) => poll.events));
    t.same(answers, Array<unknown[]>(20).fill([]), 'every poll was answered');
    t.ok([1001, 1012].includes((await closed)[0]), 'the socket was told to reconnect');
    t.equal(exit.code, 0);
  });
}

void t.test('what it does not know it names, and exits 2', async (t) => {
  const cases: [string[], Record<string, string>, string][] = [
    [['serve', '--colour', 'red'], {}, '--colour'],
    [['serve', '--port', 'eighty'], {}, '--port'],
    [['serve', '--port', '70000'], {}, '--port'],
    [['serve', '--rate-limit', 'maybe'], {}, '--rate-limit'],
    [['serve', '--log', 'loud'], {}, '--log'],
    [['serve', '--lease', '0.4'], {}, '--lease'],
    [['serve', '--store-wait', 'long'], {}, '--store-wait'],
    [['serve', '--url', 'ftp://x'], {}, '--url'],
    [['serve', '--owner-email', 'nobody'], {}, '--owner-email'],
    [['serve', '--store', 'floppy:a'], {}, '--store'],
    [['serve', '--port'], {}, '--port'],
    [['serve', 'extra'], {}, 'extra'],
    [['dance'], {}, 'dance'],
    [['serve'], { PARLEY_PORT: '-1' }, 'PARLEY_PORT'],
    [['serve'], { PARLEY_RATE_LIMIT: 'yes' }, 'PARLEY_RATE_LIMIT'],
    [['serve'], { PARLEY_LOG: 'x' }, 'PARLEY_LOG'],
    [['serve'], { PARLEY_URL: 'here' }, 'PARLEY_URL'],
    [['serve'], { PARLEY_OWNER_PASSWORD: 'short' }, 'PARLEY_OWNER_PASSWORD'],
    [['serve'], { PARLEY_OWNER_EMAIL: 'x' }, 'PARLEY_OWNER_EMAIL'],
    [['serve'], { PARLEY_ORGANIZATION: 'x'.repeat(41) }, 'PARLEY_ORGANIZATION'],
    [['serve'], { PARLEY_STORE: 'nowhere' }, 'PARLEY_STORE'],
  ];
  // Unused ports, so that a value wrongly accepted is not hidden by another fault.
  for (const [args, env, named] of cases) {
    const folder = storeFolder(t);
    const exit = await run(args, { PARLEY_STORE: `embedded:${folder}`, PARLEY_PORT: '0', ...env });
    t.equal(exit.code, 2, `${args.join(' ')} ${JSON.stringify(env)}`);
    t.ok(exit.stderr.includes(named), `names ${named}: ${exit.stderr.split('\n')[0]}`);
    t.equal(exit.stdout, '');
  }
});

void t.test('--help explains each flag and its variable', async (t) => {
  const exit = await run(['serve', '--help']);
  t.equal(exit.code, 0);
  for (const name of ['host', 'port', 'store', 'url', 'rate-limit', 'log']) {
    t.ok(exit.stdout.includes(`--${name}`), name);
    t.ok(exit.stdout.includes(`PARLEY_${name.toUpperCase().replace('-', '_')}`), name);
  }
  for (const name of ['PARLEY_OWNER_EMAIL', 'PARLEY_OWNER_PASSWORD', 'PARLEY_ORGANIZATION']) {
    t.ok(exit.stdout.includes(name), name);
  }
});

void t.test('--version tells print the version', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const exit = await run(['--version']);
  t.match(exit, { code: 0, stdout: `parley ${version}\n`, stderr: '' });
});

void t.test('flags win over the environment', async (t) => {
  const server = await RunningServer.start(t, {
    args: ['--organization', 'Flag', '--owner-email', 'flag@example.org'],
    env: { PARLEY_ORGANIZATION: 'Variable' },
  });
  const owner = await ApiClient.login(server.url, 'flag@example.org', OWNER_PASSWORD);
  t.equal((await owner.register()).realm_name, 'Flag');
});

void t.test('the public URL stands in links', async (t) => {
  const server = await RunningServer.start(t, { args: ['--url', 'https://chat.example.org'] });
  const { body } = await exchange(server.url, 'GET', '/api/v1/server_settings');
  t.equal(body.realm_url, 'https://chat.example.org');
  t.equal(body.realm_uri, 'https://chat.example.org');
});

void t.test('a port in use ends the start', async (t) => {
  const server = await RunningServer.start(t);
  const store = `embedded:${storeFolder(t)}`;
  const exit = await run(['serve', '--port', String(server.port), '--store', store]);
  t.equal(exit.code, 1);
  t.match(exit.stderr, new RegExp(String(server.port)), 'names the port');
  t.notMatch(exit.stdout, /password/, 'nobody is told a password of a server that does not run');
});

void t.test(
  'a log that cannot be written ends no service',
  { skip: existsSync('/dev/full') ? false : 'there is no /dev/full' },
  async (t) => {
    const port = await freePort();
    const full = openSync('/dev/full', 'w');
    const program = fileURLToPath(new URL('../../../server/main.js', import.meta.url));
    const args = ['serve', '--port', String(port), '--store', `embedded:${storeFolder(t)}`];
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', full, full] });
    const ended = once(child, 'exit');
    t.teardown(() => child.kill('SIGKILL'));
    closeSync(full);
    const health = () => exchange(`http://127.0.0.1:${port}`, 'GET', '/health').catch(() => null);
    const isRunning = () => child.exitCode === null && child.signalCode === null;
    while (isRunning() && (await health())?.status !== 200) await pause(10);
    t.ok(isRunning(), 'it serves');
    child.kill('SIGTERM');
    t.same(await ended, [0, null]);
  },
);

void t.test(
  'a command whose output cannot be written says so in a line',
  { skip: existsSync('/dev/full') ? false : 'there is no /dev/full' },
  async (t) => {
    const store = `embedded:${storeFolder(t)}`;
    const program = fileURLToPath(new URL('../../../server/main.js', import.meta.url));
    // A store that cannot be read is what `verify` says too: not that one is damaged, which is 1.
    for (const [status, ...args] of [
      [1, 'openapi'],
      [1, 'config', 'check', '--store', store],
      [1, 'completion', 'bash'],
      [2, 'serve', '--no-such'],
      [3, 'verify', '--store', `${store}/none`],
    ] as const) {
      const full = openSync('/dev/full', 'w');
      const stdio = ['ignore', full, 'pipe'] as const;
      const child = spawn(process.execPath, [program, ...args], { stdio: [...stdio] });
      closeSync(full);
      let said = '';
      child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
      t.same(await once(child, 'close'), [status, null], args.join(' '));
      if (status === 1) t.equal(said, 'Failed: the output cannot be written (ENOSPC)\n');
    }
  },
);

/** A container may have no terminals. */
const hasTerminal = spawnSync('script', ['-qec', 'true', '/dev/null']).status === 0;
void t.test(
  'on a terminal a log for people is written, on each start',
  { skip: hasTerminal ? false : 'no terminal can be made here' },
  async (t) => {
    const program = fileURLToPath(new URL('../../../server/main.js', import.meta.url));
    const command = `exec ${process.execPath} ${program} serve --port 0 --store embedded:${storeFolder(t)}`;
    for (const start of ['first', 'second']) {
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      t.teardown(() => child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      let said = '';
      await new Promise<void>((resolve) => {
        child.stdout.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (/^Parley is listening/m.test(said)) resolve();
        });
        child.stdout.on('end', resolve);
      });
      t.match(said, /INFO.*: .*ready/, start);
      // Control-C, as the terminal sends it.
      child.stdin.write('\x03');
      t.same(await ended, [0, null]);
    }
  },
);

void t.test('after a crash the next start does not wait for the lease of the dead', async (t) => {
  // A start that takes a minute is given up.
  const server = await RunningServer.start(t, { env: { PARLEY_LEASE: '600' } });
  await server.kill();
  t.ok((await server.restart(t)).running);
});
