/** Backups, restores, moves and deletions of single organizations, while the others of the data folder are served. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runCommand, sayFailure } from '../../../src/cli/program.js';
import type { Config } from '../../../src/config/config.js';
import { Catalogue } from '../../../src/host/catalogue/catalogue.js';
import { Printer } from '../../../src/host/output.js';
import { slackExport } from '../../fixtures/archives/slack-export.js';
import { zip } from '../../fixtures/archives/zip.js';
import {
  at as placed,
  configOf,
  create,
  DEADLINE_MS,
  placeFor,
  serve,
  status,
  PASSWORD,
} from '../../fixtures/several.js';
import { ApiClient } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';

/** Runs a command in this process as the program does. */
async function run(config: Config, ...words: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const printer = new Printer(
    false,
    (text) => void out.push(text),
    (text) => void err.push(text),
  );
  const args = [...words, ...placed(config)];
  const failed = (error: unknown): number => sayFailure(error, args, printer);
  // The URL is that of the process: commands over one take it where they make links.
  const code = await runCommand(args, {}, printer).catch(failed);
  return { code, said: out.join('') + err.join('') };
}

/** A command that takes no URL. */
function runAt(config: Config, ...words: string[]) {
  return run({ ...config, url: null }, ...words);
}

void t.test(
  'a backup of all has each organization, and each is restored beside others that go on',
  async (t) => {
    const root = placeFor(t);
    const config = configOf(join(root, 'data'));
    const first = await serve(t, config);
    const { password } = await create(config, 'birch');
    await create(config, 'cedar');
    const owner = await ApiClient.login(first.at('birch.test'), OWNER_EMAIL, password);
    await owner.ok('PATCH', '/realm', { description: 'all about birches' });
    const queue = await owner.register();
    const to = join(root, 'backups');
    t.match(await runAt(config, 'backup', to, '--organization', 'all', '--with-secret'), {
      code: 0,
      said: /birch: .*\n/,
    });
    t.same(readdirSync(join(to, 'organizations')).sort(), ['birch', 'cedar']);
    t.match(JSON.parse(readFileSync(join(to, 'organizations.json'), 'utf8')), [
      { name: 'birch', address: 'birch.test', state: 'active' },
      { name: 'cedar', address: 'cedar.test', state: 'active' },
    ]);
    t.ok(
      readdirSync(to).some((name) => name.endsWith('.jsonl')),
      'the main one, where it was',
    );

    const own = join(to, 'organizations', 'birch');
    t.match(await run(config, 'restore', own), {
      code: 2,
      said: /say which one.*main, birch, cedar/,
    });
    t.match(await run(config, 'restore', own, '--into', 'birch'), {
      code: 1,
      said: /birch is served: parley organizations deactivate birch first/,
    });
    t.match(await run(config, 'restore', own, '--into', 'oak'), { code: 2, said: /--address/ });
    const taken = await run(config, 'restore', own, '--into', 'oak', '--address', 'cedar.test');
    t.match(taken, { code: 1, said: /The address cedar\.test is taken/ });
    t.notOk(existsSync(join(root, 'data', 'organizations', 'oak')), 'nothing was written');

    t.match(await runAt(config, 'restore', own, '--into', 'oak', '--address', 'oak.test'), {
      code: 0,
      said: /http:\/\/oak\.test/,
    });
    const copy = owner.at(first.at('oak.test'));
    t.match(await copy.register(), {
      realm_description: 'all about birches',
      realm_url: 'http://oak.test',
    });
    t.equal((await owner.call('GET', '/users/me')).status, 200, 'the first goes on');
    t.same(await owner.poll(queue.queue_id, -1, { dontBlock: true }), []);

    await owner.ok('PATCH', '/realm', { description: 'spoilt' });
    await run(config, 'organizations', 'deactivate', 'birch');
    const data = join(root, 'data', 'organizations', 'birch');
    t.match(await runAt(config, 'restore', own, '--into', 'birch'), { code: 1, said: /not empty/ });
    rmSync(join(data, 'data.mdb'));
    t.match(await runAt(config, 'restore', own, '--into', 'birch'), {
      code: 0,
      said: /Serve it again: parley organizations reactivate birch/,
    });
    await run(config, 'organizations', 'reactivate', 'birch');
    t.match(await owner.register(), { realm_description: 'all about birches' });
    await first.app.stop(DEADLINE_MS);

    const elsewhere = configOf(join(root, 'elsewhere'));
    t.match(await run(elsewhere, 'restore', to, '--into', 'all', '--check'), { code: 0 });
    t.notOk(existsSync(join(root, 'elsewhere')), 'a check writes nothing');
    t.match(await run(elsewhere, 'restore', to, '--into', 'all'), { code: 0 });
    const second = await serve(t, elsewhere);
    t.match(await owner.at(second.at('birch.test')).register(), {
      realm_description: 'all about birches',
    });
    t.equal(await status(second.at('cedar.test')), 200);
    t.ok(await ApiClient.login(second.at('main.test'), OWNER_EMAIL, PASSWORD));
  },
);

void t.test('one that fails keeps no other out of a backup of all', async (t) => {
  const root = placeFor(t);
  const config = configOf(join(root, 'data'));
  const { app } = await serve(t, config);
  await create(config, 'birch');
  await create(config, 'cedar');
  await app.stop(DEADLINE_MS);
  writeFileSync(join(root, 'data', 'organizations', 'birch', 'data.mdb'), 'no store');
  const to = join(root, 'backups');
  t.match(await runAt(config, 'backup', to, '--organization', 'all'), {
    code: 1,
    said: /birch: the backup failed[^]*Without a backup: birch/,
  });
  t.ok(
    existsSync(
      join(
        to,
        'organizations',
        'cedar',
        readdirSync(join(to, 'organizations', 'cedar')).find((name) => name.endsWith('.jsonl'))!,
      ),
    ),
  );
});

void t.test('one is imported, moves to another server and is gone here', async (t) => {
  const root = placeFor(t);
  const config = configOf(join(root, 'data'));
  const { at } = await serve(t, config);
  const archive = join(root, 'slack.zip');
  writeFileSync(archive, zip(slackExport()));
  const given = ['--into', 'birch', '--address', 'birch.test', '--organization', 'Birch Club'];
  t.match(await run(config, 'import-slack', archive, ...given), {
    code: 0,
    said: /http:\/\/birch\.test/,
  });
  t.equal(await status(at('birch.test')), 200);
  t.equal(await status(at('main.test')), 200);

  await run(config, 'organizations', 'deactivate', 'birch');
  const file = join(root, 'birch.jsonl');
  t.match(await runAt(config, 'export', file, '--move', '--organization', 'birch'), { code: 0 });
  const elsewhere = configOf(join(root, 'elsewhere'));
  const there = await serve(t, elsewhere);
  const into = ['--into', 'birch', '--address', 'birch.test'];
  const own = join(root, 'elsewhere', 'organizations', 'birch');
  const asked = await runAt(elsewhere, 'import', file, ...into);
  t.match(asked, { code: 0, said: /Copy the secret of its API keys to .*birch/ });
  t.same(await Catalogue.read(elsewhere), [], 'not without its secret');
  const secret = join('organizations', 'birch', 'api-keys.secret');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'api-keys.secret'), readFileSync(join(root, 'data', secret)));
  const adopt = ['organizations', 'adopt', 'birch', '--address', 'birch.test'];
  t.match(await run(elsewhere, ...adopt), { code: 0 });
  t.equal(await status(there.at('birch.test')), 200);

  t.match(await run(config, 'organizations', 'delete', 'birch', '--yes', '--after', '0'), {
    code: 0,
  });
  t.notOk(existsSync(join(root, 'data', 'organizations', 'birch')));
});

void t.test('a deletion leaves a week to think it over', async (t) => {
  const root = placeFor(t);
  const config = configOf(join(root, 'data'));
  const first = await serve(t, config);
  const { password } = await create(config, 'birch');
  const folder = join(root, 'data', 'organizations', 'birch');
  await run(config, 'organizations', 'deactivate', 'birch');
  const asked = ['organizations', 'delete', 'birch', '--yes'];
  t.match(await run(config, ...asked, '--after', '366'), { code: 1, said: /0 to 365/ });
  const before = Date.now();
  t.match(await run(config, ...asked), { code: 0, said: /deletes +\d{4}-/ });
  const times = async (): Promise<(number | undefined)[]> =>
    (await Catalogue.read(config)).map((one) => one.delete_at);
  const [time = 0] = await times();
  t.equal(Math.floor((time - before) / (24 * 3600 * 1000)), 7, 'in a week');
  t.ok(existsSync(folder));
  await run(config, 'organizations', 'reactivate', 'birch');
  t.same(await times(), [undefined], 'whoever reactivates it keeps it');
  t.ok(await ApiClient.login(first.at('birch.test'), OWNER_EMAIL, password));
  await run(config, 'organizations', 'deactivate', 'birch');
  await run(config, ...asked);
  await first.app.stop(DEADLINE_MS);

  const second = await serve(t, config);
  t.ok(existsSync(folder), 'a start waits, too');
  await second.app.stop(DEADLINE_MS);
  const catalogue = await Catalogue.claim(config);
  await catalogue.put({ ...catalogue.get('birch')!, delete_at: Date.now() - 1 });
  await catalogue.close();
  await serve(t, config);
  t.notOk(existsSync(folder), 'the time is over');
  t.same(await Catalogue.read(config), []);
});
