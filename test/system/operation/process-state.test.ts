/** What a process keeps for itself (`--state`): processes that have nothing in common share none of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { OWNER_EMAIL, run, RunningServer, storeFolder } from '../harness/server.js';

/** Loaded machines take long to start processes. */
t.setTimeout(300_000);

/** A place where not even root can make anything. */
const NOT_WRITABLE = '/sys/parley-state';

/** A file of a process: its name among its numbered folders. */
function witnessIn(place: string): string[] {
  const numbers = readdirSync(place).filter((name) => /^\d+$/.test(name));
  return numbers.filter((name) => existsSync(join(place, name, 'witness.json'))).sort();
}

async function started(t: Test, folder: string, store: string, ...args: string[]) {
  const server = RunningServer.spawn(folder, { store, args });
  t.teardown(() => server.kill());
  await server.listening();
  return server;
}

void t.test('on Redis', { skip: NO_REDIS ?? false }, async (t) => {
  const redis = await startRedis(t);
  const storeOf = (organization: string): string =>
    `redis://127.0.0.1:${redis.port}?organization=${organization}`;

  await t.test('nodes in one folder have folders of their own, and take them again', async (t) => {
    const folder = storeFolder(t);
    const store = storeOf('one');
    const place = join(folder, `state-127.0.0.1-${redis.port}-0-one`);
    const first = await started(t, folder, store);
    const second = await started(t, folder, store);
    await second.stop();
    t.match(await run(['users', 'list', '--json', '--store', store], {}, folder), {
      code: 0,
      stdout: new RegExp(OWNER_EMAIL),
    });
    await first.kill();
    t.strictSame(witnessIn(place), ['1', '2']);
    const again = await started(t, folder, store);
    await again.stop();
    t.strictSame(witnessIn(place), ['1', '2'], 'that of a process that was killed is free');
    const names = readdirSync(folder).sort();
    t.strictSame(
      names.filter((name) => /witness|index|search|admin/.test(name)),
      [],
    );
  });

  await t.test('another Redis is not held against what this one was', async (t) => {
    const folder = storeFolder(t);
    const other = await startRedis(t);
    const elsewhere = (name: string): string[] => [
      ...['--secret-file', join(folder, `${name}.secret`)],
      ...['--files', `folder:${join(folder, `${name}-files`)}`],
    ];
    const url = (port: number): string => `redis://127.0.0.1:${port}?organization=same`;
    const first = await started(t, folder, url(redis.port), ...elsewhere('first'));
    await first.stop();
    const second = await started(t, folder, url(other.port), ...elsewhere('second'));
    t.match(second.stdout, /^Parley is listening on/m);
    await second.stop();
    const histories = [redis, other].map(({ port }) => {
      const path = join(folder, `state-127.0.0.1-${port}-0-same`, '1', 'witness.json');
      return (JSON.parse(readFileSync(path, 'utf8')) as { history: string }).history;
    });
    t.not(histories[0], histories[1]);
  });

  await t.test('--state names another place, for commands too', async (t) => {
    const folder = storeFolder(t);
    const store = storeOf('two');
    const state = join(folder, 'kept', 'here');
    await started(t, folder, store, '--state', state);
    t.strictSame(witnessIn(state), ['1']);
    const list = ['users', 'list', '--store', store];
    t.match(await run([...list, '--state', state], {}, folder), { code: 0 });
    t.match(await run(list, {}, folder), {
      code: 1,
      stderr: /has its admin socket at state-.*: run this command .* with its --state/,
    });
  });

  await t.test('a process that can keep nothing is served, and says so', async (t) => {
    const server = await started(t, storeFolder(t), storeOf('three'), '--state', NOT_WRITABLE);
    t.match(
      server.stdout + server.stderr,
      /this process cannot keep its state: name another folder \(--state\)/,
    );
  });
});

void t.test('an embedded store keeps it in its folder, or where --state says', async (t) => {
  const folder = storeFolder(t);
  const state = join(storeFolder(t), 'state');
  const server = await RunningServer.serve(t, folder, { args: ['--state', state] });
  t.ok(existsSync(join(state, 'admin.sock')));
  await server.stop();
  t.ok(existsSync(join(state, 'witness.json')));
  t.notOk(existsSync(join(folder, 'witness.json')));
});

void t.test('config check tells the place', async (t) => {
  const folder = storeFolder(t);
  const check = async (...args: string[]) => {
    const [text, json] = await Promise.all([
      run(['config', 'check', ...args], {}, folder),
      run(['config', 'check', '--json', ...args], {}, folder),
    ]);
    const { state } = JSON.parse(json.stdout) as { state: string };
    t.match(
      text.stdout,
      `This process keeps its indexes, its witness and its admin socket in ${state}\n`,
    );
    return state.replace(`${folder}/`, '');
  };
  t.equal(await check(), 'data');
  t.equal(await check('--state', 'kept'), 'kept');
  t.equal(await check('--store', 'rediss://u:secret@h.example/3'), 'state-h.example-6379-3-main');
  const sentinels = 'redis+sentinel://s1,s2.example.org,s3.example.org:9/chat/0?organization=a';
  t.match(
    await check('--store', sentinels),
    /^state-sentinel-s1-26379-s2\.example\.org-26379--[0-9a-f]{8}$/,
  );
});
