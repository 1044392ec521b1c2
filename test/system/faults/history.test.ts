/**
 * Stores that go back in time: whoever was away is told to begin anew, and no number is given twice.
 * Stores that are gone: nobody gets a new organization in their place. See history-redis.test.ts too.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import { exchange } from '../harness/client.js';
import { copySecret, embedded, exportTo, importFrom, serve } from '../harness/places.js';
import { SeenBefore } from '../harness/seen-before.js';
import { run, RunningServer, storeFolder } from '../harness/server.js';

// Loaded machines take long to start processes.
t.setTimeout(300_000);

/**
 * Numbers of a new history begin at the clock's second: of two that begin in the same one, both could give a number.
 */
async function untilNextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  while (Math.floor(Date.now() / 1000) === second) await setTimeout(1000 - (Date.now() % 1000));
}

void t.test('embedded: an older copy of the folder', async (t) => {
  const place = embedded(t);
  const copy = `${place.folder}-copy`;
  t.teardown(() => rmSync(copy, { recursive: true, force: true }));
  let server = await serve(t, place);
  const client = await SeenBefore.begin(server.url);
  await client.live('one');
  await server.stop();
  cpSync(place.folder, copy, { recursive: true, preserveTimestamps: true });
  server = await serve(t, place);
  await client.goesOn(t, server.url, 'a restart');
  await server.kill();
  server = await serve(t, place);
  await client.goesOn(t, server.url, 'a crash');
  await server.stop();

  renameSync(place.folder, `${place.folder}-newer`);
  t.teardown(() => rmSync(`${place.folder}-newer`, { recursive: true, force: true }));
  cpSync(copy, place.folder, { recursive: true, preserveTimestamps: true });
  server = await serve(t, place);
  t.match(server.stderr, /a new history begins, because the folder of the store is a copy/);
  await client.comesBack(t, server.url, 'the folder restored');
  await server.stop();
  await untilNextSecond();
  cpSync(copy, place.folder, { recursive: true, preserveTimestamps: true, force: true });
  server = await serve(t, place);
  await client.comesBack(t, server.url, 'its files written over');
  await server.stop();
  cpSync(join(copy, 'data.mdb'), join(place.folder, 'data.mdb'));
  server = await serve(t, place);
  t.match(server.stderr, /because the store has less than was acknowledged/);
  await client.comesBack(t, server.url, 'only the data restored');
  await server.stop();
  server = await serve(t, place);
  await client.goesOn(t, server.url, 'a restart afterwards');
});

void t.test('embedded: the data are gone, the secret is there', async (t) => {
  const place = embedded(t);
  const first = await serve(t, place);
  const client = await SeenBefore.begin(first.url);
  await first.stop();
  const data = join(place.folder, 'data.mdb');
  renameSync(data, `${data}.away`);
  const server = RunningServer.spawn(place.folder, { store: place.store });
  t.teardown(() => server.kill());
  await server.listening();
  t.match(server.stdout, /waits on .* holds no organization, and this process must not create one/);
  t.match(await exchange(server.url, 'GET', '/health'), {
    status: 503,
    body: { status: 'unavailable' },
  });
  t.notOk(existsSync(data), 'nothing is made');
  renameSync(`${data}.away`, data);
  await server.ready();
  await client.goesOn(t, server.url, 'the data are back');
  await server.stop();
  rmSync(data);
  const anew = await RunningServer.serve(t, place.folder, {
    store: place.store,
    args: ['--new-organization', 'on'],
  });
  await anew.printed(/Organization "Parley" was created/);
  t.pass('where it is asked for, a new one begins');
});

void t.test(
  'an imported backup, and a store that was moved and is served all the same',
  async (t) => {
    const [here, backup, moved] = [embedded(t), embedded(t), embedded(t)];
    const files = ['backup', 'moved'].map((name) => join(storeFolder(t), `${name}.jsonl`));
    let server = await serve(t, here);
    const client = await SeenBefore.begin(server.url);
    await client.live('in the backup');
    await server.stop();
    t.match(await exportTo(files[0]!, here), { code: 0 });
    t.match(JSON.parse(readFileSync(files[0]!, 'utf8').split('\n')[0]!), {
      seq: Number,
      history: /^[\w-]{16}$/,
      moved: false,
    });
    server = await serve(t, here);
    await client.goesOn(t, server.url, 'an export');
    await server.stop();
    t.match(await importFrom(files[0]!, backup), {
      code: 0,
      stderr: /This is a backup: the first start begins another history/,
    });
    copySecret(here, backup);
    server = await serve(t, backup);
    await client.comesBack(t, server.url, 'the backup');
    await server.stop();

    t.match(await exportTo(files[1]!, backup, '--move'), { code: 0, stderr: /which is sealed/ });
    t.match(await run(['new-history', '--store', backup.store]), { code: 0 });
    server = await serve(t, backup);
    await client.comesBack(t, server.url, 'a store that was moved');
    await server.stop();
    // As if it had been kept for two days.
    const [header = '', ...rest] = readFileSync(files[1]!, 'utf8').split('\n');
    const old = header.replace(/"exported_at":"[^"]*"/, `"exported_at":"${daysAgo(2)}"`);
    writeFileSync(files[1]!, resealed([old, ...rest]));
    t.match(await importFrom(files[1]!, moved), { code: 0, stderr: /This is a backup/ });
  },
);

/** An ISO 8601 time. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

/** The lines of an export with the digest of the file as it is now. */
function resealed(lines: readonly string[]): string {
  const last = lines.length - 2;
  const text = lines.slice(0, last).join('\n') + '\n';
  const sha256 = createHash('sha256').update(text).digest('hex');
  const trailer = JSON.stringify({ ...(JSON.parse(lines[last]!) as object), sha256 });
  return `${text}${trailer}\n`;
}
