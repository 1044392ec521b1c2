/** Several organizations at one process: what their people see of one another, nothing, and what a start serves. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { readCommand } from '../../../src/cli/command-line.js';
import type { Config } from '../../../src/config/config.js';
import { whileOpened } from '../../../src/app/while-opened.js';
import { createApp, type RunningApp } from '../../../src/app/app.js';
import { Catalogue } from '../../../src/host/catalogue/catalogue.js';
import { ofOrganization } from '../../../src/host/catalogue/chosen.js';
import { changesOf } from '../../../src/journal/entry-reading.js';
import { adminPath } from '../../../src/host/data-folder/places.js';
import { askAt } from '../../../src/operator/admin/admin-client.js';
import { runConfigCheck } from '../../../src/operator/config-check.js';
import { openStore } from '../../../src/store/open.js';
import {
  at as placed,
  carryOut,
  configOf,
  create,
  DEADLINE_MS,
  NOTHING,
  placeFor,
  serve,
  status,
} from '../../fixtures/several.js';
import { agent, ApiClient, exchange } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';

void t.test('sockets and the console of one show nothing of another', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const { at } = await serve(t, config);
  const all = [];
  for (const name of ['birch', 'cedar']) {
    const { password } = await create(config, name);
    const owner = await ApiClient.login(at(`${name}.test`), OWNER_EMAIL, password);
    await owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'plans' }] });
    const { queue_id } = await owner.register({ event_types: ['message'] });
    all.push({ name, owner, queue_id, frames: (await listen(t, owner, queue_id)) as string[] });
  }
  const [birch, cedar] = [all[0]!, all[1]!];
  t.equal(birch.owner.userId, cedar.owner.userId, 'they have the same ids');
  const { key, userId } = birch.owner;
  const stranger = new ApiClient(cedar.owner.url, OWNER_EMAIL, key, userId);
  t.equal(await listen(t, stranger, cedar.queue_id), 401, 'the key of one opens no socket');
  t.equal(await listen(t, birch.owner, cedar.queue_id), 400, 'nor has it the queues');
  for (const { name, owner } of all) await owner.say(`told by ${name}`, 'plans');
  for (const { name, owner, frames } of all) {
    while (!frames.join('').includes('told by')) await owner.ok('GET', '/users/me');
    t.ok(frames.join('').includes(`told by ${name}`), name);
  }
  t.notOk(birch.frames.join('').includes('cedar'));
  t.notOk(cedar.frames.join('').includes('birch'));

  await cedar.owner.call('DELETE', '/messages/77777');
  const looks = { with_operation: true, with_log: true, with_troubles: true, with_queues: true };
  const { status: seen, text } = await birch.owner.call('GET', '/realm/console', looks);
  t.equal(seen, 200);
  for (const foreign of ['cedar', 'main.test', cedar.owner.key, cedar.queue_id, folder]) {
    t.notOk(text.includes(foreign), `the console shows no ${foreign}`);
  }
  t.notOk(text.includes('delete-message'), 'nor what was refused there');
  const theirs = await cedar.owner.ok('GET', '/realm/console', looks);
  t.match(theirs['troubles'], { refusals: [{ endpoint: 'delete-message' }] });
});

/** Opens a socket on a queue. @returns its frames, or the status with which it is refused */
function listen(t: Test, { url, authorization }: ApiClient, queue: string): Promise<unknown> {
  const query = `queue_id=${queue}&last_event_id=-1`;
  const headers = { Authorization: authorization };
  const address = `${url.replace('http', 'ws')}/api/v1/events?${query}`;
  const socket = new WebSocket(address, 'parley.v1', { agent, headers });
  t.teardown(() => socket.terminate());
  const frames: string[] = [];
  socket.on('message', (data: Buffer) => frames.push(data.toString()));
  return new Promise((resolve) => {
    socket.on('open', () => resolve(frames));
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    socket.on('error', () => undefined);
  });
}

/** Carries out a command of `parley organizations`. */
function run(config: Config, ...words: string[]): Promise<unknown> {
  return carryOut(readCommand(['organizations', ...words, ...placed(config)], {}));
}

/** A folder with organizations that nobody serves, and their owners' passwords. */
async function folderWith(t: Test, ...names: readonly string[]) {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const { app } = await serve(t, config);
  const passwords: string[] = [];
  for (const name of names) passwords.push((await create(config, name)).password);
  await app.stop(DEADLINE_MS);
  // A start opens all of them, however long they were there: one that plans nothing would sleep on.
  const catalogue = await Catalogue.claim(config);
  await catalogue.plan(new Map(names.map((name) => [name, 0])));
  await catalogue.close();
  return { folder, config, passwords };
}

void t.test(
  'one whose folder or data is missing is out of service, and not made anew',
  async (t) => {
    const { folder, config, passwords } = await folderWith(t, 'birch', 'cedar', 'oak');
    const own = (name: string): string => join(folder, 'organizations', name);
    renameSync(own('birch'), join(folder, 'elsewhere'));
    // Of a partial restore there is an empty store, without anything else.
    rmSync(own('cedar'), { recursive: true });
    await (await openStore(`embedded:${own('cedar')}`, { readChanges: changesOf })).close();

    const { config: cedars } = (await ofOrganization({ of: 'cedar', config })) as {
      config: Config;
    };
    await t.rejects(
      whileOpened(cedars, async () => 1),
      /cedar holds no organization/,
    );
    const { at, errors } = await serve(t, config);
    t.match(errors[0], {
      organization: 'birch',
      err: /birch holds no organization, and this process must not create one: the catalogue has one.*Mount its disk or restore/,
    });
    t.match(errors[1], { organization: 'cedar' });
    for (const name of ['birch', 'cedar']) {
      const health = await exchange(at(`${name}.test`), 'GET', '/health');
      t.match(health, { status: 503, body: { status: 'unavailable' } }, name);
      t.equal(await status(at(`${name}.test`)), 503);
      t.match(await run(config, 'show', name), { state: 'active', health: 'unavailable' });
    }
    t.equal(await status(at('oak.test')), 200);
    t.equal(await status(at('main.test')), 200);
    t.notOk(existsSync(own('birch')), 'nothing was made');
    t.notOk(existsSync(join(own('cedar'), 'api-keys.secret')), 'nor a secret, which a backup has');
    await t.rejects(run(config, 'reactivate', 'cedar'), /cedar holds no organization/);
    await t.rejects(run(config, 'reactivate', 'birch'), /birch holds no organization/);

    renameSync(join(folder, 'elsewhere'), own('birch'));
    t.match(await run(config, 'reactivate', 'birch'), { health: 'ready' });
    t.ok(await ApiClient.login(at('birch.test'), OWNER_EMAIL, passwords[0]!));
  },
);

void t.test(
  'one with the address of the main one, or with none, is out of service alone',
  async (t) => {
    const { config } = await folderWith(t, 'birch', 'cedar', 'oak');
    const catalogue = await Catalogue.claim(config);
    await catalogue.put({ ...catalogue.get('cedar')!, address: 'foo.1' });
    await catalogue.close();
    const moved = { ...config, url: 'http://birch.test' };
    const { at, errors } = await serve(t, moved);
    t.match(errors, [
      {
        organization: 'birch',
        err: /cannot have the address birch\.test: .*organizations address birch HOST/,
      },
      {
        organization: 'cedar',
        err: /cannot have the address foo\.1: .*organizations address cedar HOST/,
      },
    ]);
    t.match(await exchange(at('birch.test'), 'GET', '/health'), { status: 200 }, 'the main one');
    t.equal(await status(at('oak.test')), 200);
    t.match(await run(moved, 'show', 'birch'), { health: 'unavailable' });
    for (const name of ['birch', 'cedar']) {
      t.match(await run(moved, 'address', name, `${name}2.test`), { health: 'ready' });
      t.equal(await status(at(`${name}2.test`)), 200);
    }
  },
);

void t.test(
  'an organization is asleep, and not unknown, from when the process listens',
  async (t) => {
    const { config } = await folderWith(t, 'birch');
    const whenListening = (then: (app: RunningApp) => Promise<void>): RunningApp => {
      const log = { info: NOTHING, warn: NOTHING, error: NOTHING };
      const app = createApp(config, { log, announce: NOTHING, fatal: NOTHING });
      t.teardown(() => app.stop(DEADLINE_MS));
      const { server } = app;
      const listen = server.listen.bind(server);
      server.listen = async (...given) => {
        const listening = await listen(...given);
        const states = { birch: [200, 'asleep'], main: [503, 'starting'] };
        for (const [name, [status, state]] of Object.entries(states)) {
          const health = await exchange(`http://${name}.test:${listening.port}`, 'GET', '/health');
          t.match(health, { status, body: { status: state } }, name);
        }
        await then(app);
        return listening;
      };
      return app;
    };
    const failing = whenListening(async () => {
      throw new Error('no port');
    });
    await t.rejects(failing.start(), /no port/);
    const app = whenListening(async () => undefined);
    await app.start();
    t.equal(await status(`http://birch.test:${app.port}`), 200);
  },
);

void t.test(
  'the check of a configuration says what a start refuses, and whom it cannot serve',
  async (t) => {
    const { folder, config } = await folderWith(t, 'birch');
    const checked = async (changes: Partial<Config>): Promise<unknown> => {
      const given = { config: { ...config, ...changes }, options: [], faults: [], connect: false };
      return (await runConfigCheck(given, { say: NOTHING, note: NOTHING })).value;
    };
    t.match(await checked({}), { valid: true, faults: [], notes: [] });
    t.match(await checked({ url: null }), {
      valid: false,
      faults: [/several organizations.*--url/],
    });
    t.match(await checked({ url: 'http://birch.test' }), {
      valid: true,
      notes: [/birch cannot have the address birch\.test: --url gives it to the main one/],
    });
    rmSync(join(folder, 'catalogue'), { recursive: true });
    t.match(await checked({}), { valid: false, faults: [/no catalogue that names them: birch/] });
  },
);

void t.test('the main one is shown like the others, and as deactivated where it is', async (t) => {
  const config = configOf(join(placeFor(t), 'data'));
  const { app } = await serve(t, config);
  const main = { name: 'main', address: 'main.test', url: 'http://main.test' };
  t.match(await run(config, 'show', 'main'), { ...main, state: 'active', health: 'ready' });
  await askAt(adminPath(config), {
    command: 'organization deactivate',
    args: [],
    flags: { yes: true },
  });
  t.match(await run(config, 'list'), [{ ...main, state: 'deactivated' }]);
  await app.stop(DEADLINE_MS);
  t.match(await run(config, 'list'), [{ ...main, state: 'deactivated', health: 'not served' }]);
});

void t.test('the main one is not made anew in a folder that has a catalogue', async (t) => {
  const { folder, config } = await folderWith(t, 'birch');
  for (const name of readdirSync(folder)) {
    if (name !== 'catalogue' && name !== 'organizations') {
      rmSync(join(folder, name), { recursive: true });
    }
  }
  const { at } = await serve(t, config);
  t.equal(await status(at('main.test')), 503);
  t.equal(await status(at('birch.test')), 200);
  t.notOk(existsSync(join(folder, 'data.mdb')));
});
