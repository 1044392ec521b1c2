/** Several organizations at one process, as an operator makes them, and as their people meet them. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createApp } from '../../../src/app/app.js';
import { readCommand } from '../../../src/cli/command-line.js';
import type { Config } from '../../../src/config/config.js';
import { Catalogue } from '../../../src/host/catalogue/catalogue.js';
import { ofOrganization } from '../../../src/host/catalogue/chosen.js';
import {
  at as placed,
  carryOut,
  configOf,
  create,
  DEADLINE_MS,
  NOTHING,
  PASSWORD,
  placeFor,
  serve,
  status,
} from '../../fixtures/several.js';
import { ApiClient, exchange } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';

/** Carries out a command of `parley organizations`. */
function run(config: Config, ...words: string[]): Promise<unknown> {
  return carryOut(readCommand([...words, ...placed(config)], {}));
}

void t.test('each is created, served under its host name, and keeps what it has', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const first = await serve(t, config);
  t.equal(await status(first.at('127.0.0.1')), 200, 'one organization has every host name');
  const made = await create(config, 'birch');
  t.match(made, { url: 'http://birch.test', owner: OWNER_EMAIL, password: /^[\w-]{20,}$/ });
  await create(config, 'cedar');
  t.equal(await status(first.at('127.0.0.1')), 404, 'now host names tell them apart');
  t.equal(await status(first.at('MAIN.test.')), 200);

  const mains = await ApiClient.login(first.at('main.test'), OWNER_EMAIL, PASSWORD);
  const owner = await ApiClient.login(first.at('birch.test'), OWNER_EMAIL, made.password);
  await owner.ok('PATCH', '/realm', { description: 'all about birches' });
  const stranger = new ApiClient(first.at('birch.test'), mains.email, mains.key, mains.userId);
  t.match(await stranger.call('GET', '/users/me'), { status: 401 });
  t.match(await exchange(first.at('cedar.test'), 'GET', '/health'), { body: { role: 'leader' } });
  const registered = await owner.register();
  t.equal(registered['realm_url'], 'http://birch.test');
  t.equal(registered['realm_description'], 'all about birches');
  t.not((await mains.register())['realm_description'], 'all about birches');
  const { operation } = await owner.ok('GET', '/realm/console', {
    with_operation: true,
  });
  t.match(operation, { options: [] }, 'the settings of the operator are not theirs');
  await first.app.stop(DEADLINE_MS);

  const second = await serve(t, config);
  t.match(await owner.at(second.at('birch.test')).register(), {
    realm_description: 'all about birches',
  });
  t.match(await run(config, 'organizations', 'list'), [
    { name: 'main', url: 'http://main.test', state: 'active', health: 'ready' },
    { name: 'birch', url: 'http://birch.test', state: 'active', health: 'ready' },
    // Whether it plans anything depends on how long it was there.
    { name: 'cedar', url: 'http://cedar.test', state: 'active', health: /^(?:ready|asleep)$/ },
  ]);
  await t.rejects(
    createApp(config, {
      log: { info: NOTHING, warn: NOTHING, error: NOTHING },
      announce: NOTHING,
      fatal: NOTHING,
    }).start(),
    /are served by another process, which alone serves all of them/,
  );
});

void t.test(
  'one moves, is deactivated, comes back and is deleted while others go on',
  async (t) => {
    const folder = join(placeFor(t), 'data');
    const config = configOf(folder);
    const { at } = await serve(t, config);
    const { password } = await create(config, 'birch');
    await create(config, 'cedar');
    const owner = await ApiClient.login(at('birch.test'), OWNER_EMAIL, password);
    const { queue_id } = await owner.register();
    const cedars = (): Promise<number> => status(at('cedar.test'));

    t.match(await run(config, 'organizations', 'address', 'birch', 'Chat.Birch.test'), {
      url: 'http://chat.birch.test',
    });
    t.equal(await status(at('birch.test')), 404);
    const moved = owner.at(at('chat.birch.test'));
    t.same(await moved.poll(queue_id, -1, { dontBlock: true }), [], 'its queues go on');
    t.equal((await moved.register())['realm_url'], 'http://chat.birch.test');

    const held = moved.call('GET', '/events', { queue_id, last_event_id: -1 });
    t.match(await run(config, 'organizations', 'deactivate', 'birch'), {
      state: 'deactivated',
      health: 'not served',
    });
    await held.catch(() => undefined);
    t.equal(await status(at('chat.birch.test')), 404);
    t.equal(await cedars(), 200);
    t.match(await run(config, 'organizations', 'reactivate', 'birch'), {
      state: 'active',
      health: 'ready',
    });
    t.match(await moved.call('GET', '/users/me'), { status: 200 });

    await t.rejects(
      run(config, 'organizations', 'delete', 'birch', '--yes'),
      /Deactivate birch first/,
    );
    await run(config, 'organizations', 'deactivate', 'birch');
    await t.rejects(
      run(config, 'organizations', 'delete', 'birch'),
      /cannot be undone: confirm with --yes/,
    );
    t.same(readdirSync(join(folder, 'organizations')).sort(), ['birch', 'cedar']);
    t.same(await run(config, 'organizations', 'delete', 'birch', '--yes', '--after', '0'), {
      name: 'birch',
      deleted: true,
    });
    t.same(readdirSync(join(folder, 'organizations')), ['cedar']);
    await t.rejects(
      run(config, 'organizations', 'show', 'birch'),
      /There is no organization birch/,
    );
    t.match(await create(config, 'birch'), { url: 'http://birch.test' }, 'the name is free');
    t.equal(await cedars(), 200);
  },
);

void t.test('what is no name or address, or is taken, is refused with its reason', async (t) => {
  const config = configOf(join(placeFor(t), 'data'));
  await serve(t, config);
  await create(config, 'birch');
  const refused = async (name: string, address: string, reason: RegExp): Promise<void> => {
    const given = ['--address', address, '--owner-email', 'a@example.org'];
    const made = run(config, 'organizations', 'create', name, ...given);
    await t.rejects(made, reason, `${name} ${address}`);
  };
  await refused('birch', 'b.test', /The name birch is taken/);
  await refused('main', 'b.test', /The name main is reserved/);
  await refused('x'.repeat(41), 'b.test', /at most 40 signs/);
  t.match(await create(config, 'x'.repeat(40)), { url: `http://${'x'.repeat(40)}.test` });
  for (const name of ['Birch', 'bіrch', '1birch', 'birch-', 'bir.ch', '../birch', 'bir/ch']) {
    await refused(name, 'b.test', /lower-case letters a to z/);
  }
  await refused('oak', 'BIRCH.test.', /The address birch\.test is taken/);
  await refused('oak', 'main.test', /The address main\.test is taken/);
  // Whether a label that only looks like punycode is one, as xn--a, is the platform's matter: newer ones take it.
  const unreadable = ['foo.1', 'x.0x1', '0x7f.1'];
  const others = ['http://oak.test', 'oak.test:80', 'oak_.test', '192.0.2.1', 'оak.test'];
  for (const address of [...others, ...unreadable]) {
    await refused('oak', address, /An address is a host name in ASCII/);
  }
  await t.rejects(
    run(config, 'organizations', 'create', 'oak', '--address', 'oak.test'),
    /--owner-email is missing/,
  );
  await t.rejects(
    run(config, 'organizations', 'address', 'main', 'other.test'),
    /--url has its address/,
  );
});

void t.test('an address that cannot be taken leaves the former one as it was', async (t) => {
  const config = configOf(join(placeFor(t), 'data'));
  const { app, at } = await serve(t, config);
  await create(config, 'birch');
  const other = app.server.site({ limiter: null, health: () => 'ready' });
  app.server.name(other, ['oak.test']);
  await t.rejects(
    run(config, 'organizations', 'address', 'birch', 'oak.test'),
    /birch keeps its address birch\.test: Another site has the host name oak\.test/,
  );
  t.match(await run(config, 'organizations', 'show', 'birch'), {
    url: 'http://birch.test',
    health: 'ready',
  });
  t.equal(await status(at('birch.test')), 200);
  await app.stop(DEADLINE_MS);
  t.match(await Catalogue.read(config), [{ address: 'birch.test' }]);
  const without = { ...config, url: null };
  await t.rejects(run(without, 'organizations', 'address', 'birch', 'main.test'), /set --url/);
});

void t.test('one that is damaged is out of service alone', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const before = await serve(t, config);
  await create(config, 'birch');
  await create(config, 'cedar');
  await before.app.stop(DEADLINE_MS);
  const damage = (path: string): void => {
    const bytes = readFileSync(path);
    for (let i = 0; i < bytes.length; i += 100) bytes[i]! ^= 0xff;
    writeFileSync(path, bytes);
  };
  damage(join(folder, 'organizations', 'birch', 'data.mdb'));
  const { at, errors, app } = await serve(t, config);
  t.match(errors, [{ organization: 'birch', err: /data\.mdb is damaged/ }]);
  t.match(await exchange(at('birch.test'), 'GET', '/health'), {
    status: 503,
    body: { status: 'unavailable' },
  });
  t.equal(await status(at('birch.test')), 503);
  t.equal(await status(at('cedar.test')), 200);
  t.equal(await status(at('main.test')), 200);
  t.match(await run(config, 'organizations', 'show', 'birch'), {
    state: 'active',
    health: 'unavailable',
  });
  await app.stop(DEADLINE_MS);

  damage(join(folder, 'data.mdb'));
  const without = await serve(t, config);
  t.equal(await status(without.at('main.test')), 503, 'the main one likewise');
  t.equal(await status(without.at('cedar.test')), 200);
  await run(config, 'organizations', 'deactivate', 'birch');
  t.same(await run(config, 'organizations', 'delete', 'birch', '--yes', '--after', '0'), {
    name: 'birch',
    deleted: true,
  });
});

void t.test('what a process began and did not end is removed by the next one', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const before = await serve(t, config);
  await create(config, 'birch');
  await create(config, 'cedar');
  await before.app.stop(DEADLINE_MS);
  const catalogue = await Catalogue.claim(config);
  await catalogue.put({ ...catalogue.get('birch')!, state: 'deleting' });
  await catalogue.put({ ...catalogue.get('cedar')!, state: 'creating' });
  await t.rejects(Catalogue.claim(config), /served by another process/);
  await catalogue.close();
  await serve(t, config);
  t.match(await run(config, 'organizations', 'list'), [{ name: 'main' }]);
  t.notOk(existsSync(join(folder, 'organizations', 'birch')));
  t.notOk(existsSync(join(folder, 'organizations', 'cedar')));
});

void t.test(
  'commands work on a folder that nobody serves, and say which organization',
  async (t) => {
    const folder = join(placeFor(t), 'data');
    const config = configOf(folder);
    const before = await serve(t, config);
    await before.app.stop(DEADLINE_MS);
    const { password } = await create(config, 'birch');
    t.match(await run(config, 'organizations', 'list'), [
      { name: 'main', state: 'active', health: 'not served' },
      { name: 'birch', health: 'not served' },
    ]);
    const without = { ...config, url: null };
    const row = { name: 'birch', address: 'birch.test', url: '' };
    t.match(await run(without, 'organizations', 'show', 'birch'), row, 'no URL is made up');
    const held = await Catalogue.claim(config);
    await t.rejects(create(config, 'cedar'), /The catalogue of embedded:.* is busy: .*Try again/);
    await held.close();
    const chosen = (...args: string[]) =>
      ofOrganization(readCommand([...args, '--store', `embedded:${folder}`], {}));
    await t.rejects(chosen('users', 'list'), {
      name: 'ConfigError',
      message: `embedded:${folder} has several organizations: name one with --organization (main, birch)`,
    });
    await t.rejects(
      chosen('verify', '--organization', ''),
      /--organization is empty: name one of main, birch/,
    );
    await t.rejects(
      chosen('verify', '--organization', 'oak'),
      /has no organization oak; it has main, birch/,
    );
    const own = `embedded:${join(folder, 'organizations', 'birch')}`;
    t.match(await chosen('verify', '--organization', 'birch'), { kind: 'verify', store: own });
    t.match(await chosen('users', 'list', '--organization', 'birch'), { config: { store: own } });
    t.match(await chosen('users', 'list', '--organization', 'main'), {
      config: { store: `embedded:${folder}` },
    });
    const { at } = await serve(t, config);
    t.ok(await ApiClient.login(at('birch.test'), OWNER_EMAIL, password));
  },
);

void t.test(
  'what cannot be divided among several is refused, at a start and at create',
  async (t) => {
    const root = placeFor(t);
    const folder = join(root, 'data');
    const config = configOf(folder);
    const before = await serve(t, config);
    await create(config, 'birch');
    await before.app.stop(DEADLINE_MS);
    const refusals: readonly (readonly [Partial<Config>, RegExp])[] = [
      [{ url: null }, /set --url, the address of the main one/],
      [{ workers: 2 }, /start it without --workers/],
    ];
    for (const [setting, reason] of refusals) {
      await t.rejects(serve(t, { ...config, ...setting }), reason);
    }
    const alone = { ...configOf(join(root, 'alone')), url: null };
    const { at } = await serve(t, alone);
    await t.rejects(create(alone, 'birch'), /set --url/);
    t.notOk(existsSync(join(root, 'alone', 'catalogue')), 'nothing was made');
    t.equal(await status(at('127.0.0.1')), 200);
  },
);

void t.test('without its catalogue a folder is not served until each is adopted', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const before = await serve(t, config);
  const birch = await create(config, 'birch');
  const cedar = await create(config, 'cedar');
  await before.app.stop(DEADLINE_MS);
  rmSync(join(folder, 'catalogue'), { recursive: true });
  const lost = {
    name: 'ConfigError',
    message:
      /no catalogue that names them: birch, cedar\. .*organizations adopt NAME --address HOST/,
  };
  await t.rejects(serve(t, config), lost);
  await (await Catalogue.claim(config)).close();
  await t.rejects(serve(t, config), lost, 'an empty one is none');

  await t.rejects(
    run(
      config,
      'organizations',
      'create',
      'birch',
      '--address',
      'b.test',
      '--owner-email',
      'a@b.test',
    ),
    {
      message: /take it in with parley organizations adopt birch --address b\.test/,
    },
  );
  const adopt = (name: string) =>
    run(config, 'organizations', 'adopt', name, '--address', `${name}.test`);
  await t.rejects(adopt('oak'), /oak is not there: restore a backup with --store embedded:/);
  t.match(await adopt('birch'), { state: 'active', health: 'not served' });
  await t.rejects(adopt('birch'), /The name birch is taken/);
  const { at } = await serve(t, config);
  t.ok(await ApiClient.login(at('birch.test'), OWNER_EMAIL, birch.password));
  t.equal(await status(at('cedar.test')), 404);
  t.match(await adopt('cedar'), { health: 'ready' }, 'by the process that serves, too');
  t.ok(await ApiClient.login(at('cedar.test'), OWNER_EMAIL, cedar.password));
  t.same(readdirSync(join(folder, 'organizations')).sort(), ['birch', 'cedar']);
});
