/**
 * `parley export` and `parley import` as an operator runs them: from an embedded store to Redis and
 * back, with clients that go on with their queues as if nothing had happened.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NO_REDIS, startPlainRedis, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, type WireEvent } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  run,
  storeFolder,
  type RunningServer,
} from '../harness/server.js';
import {
  contentOf,
  embedded,
  exportTo,
  importFrom,
  moved,
  onRedis,
  serve,
  type Place,
} from '../harness/places.js';

/** A server with JSON commands; the tests leave keys of organizations with random names there. */
const JSON_URL = process.env['PARLEY_TEST_REDIS_JSON_URL'] ?? '';

function textsOf(events: readonly WireEvent[]): unknown[] {
  return events
    .filter((event) => event.type === 'message')
    .map((event) => (event.message as { content: string }).content);
}

/** Some of everything that an organization keeps. */
async function livelyOrganization(server: RunningServer) {
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const hamlet = await owner.createUser('hamlet');
  const all = await QueueReader.open(owner);
  const messages = await QueueReader.open(hamlet, { event_types: ['message'] });
  for (let i = 1; i <= 5; i++) await owner.say(`before ${i} \u{1f680} "é"`);
  await owner.ok('PATCH', '/settings', { twenty_four_hour_time: true });
  return { owner, hamlet, all, messages };
}

type Lively = Awaited<ReturnType<typeof livelyOrganization>>;

/** Clients go on with old queue ids and cursors: nothing is missing, nothing comes twice. */
async function goOn(t: Test, server: RunningServer, people: Lively, round: string): Promise<void> {
  const owner = people.owner.at(server.url);
  const hamlet = people.hamlet.at(server.url);
  people.all.move(owner);
  people.messages.move(hamlet);
  const last = await hamlet.say(`after ${round}`);
  const isLast = (event: WireEvent): boolean =>
    event.type === 'message' && (event.message as { id: number }).id === last;
  const texts = textsOf(await people.messages.until(isLast));
  t.same(texts, [`unread ${round}`, `after ${round}`], 'what was waiting, and what came after');
  t.same(textsOf(await people.all.until(isLast)), texts);
}

/** Leaves an event unread in each queue, and stops the server. */
async function rest(server: RunningServer, people: Lively, round: string): Promise<void> {
  await people.all.now();
  await people.messages.now();
  await people.owner.at(server.url).say(`unread ${round}`);
  await server.stop();
}

async function thereAndBack(t: Test, here: Place, there: Place, back: Place): Promise<void> {
  const files = ['1', '2', '3'].map((name) => join(storeFolder(t), `${name}.jsonl`));
  const first = await serve(t, here);
  const people = await livelyOrganization(first);
  const refused = await exportTo(files[0]!, here, '--move');
  t.match(refused, { code: 1, stderr: /^Failed: Another process is writing to / });
  t.notOk(existsSync(files[0]!), 'a store that is served is not moved');
  await rest(first, people, 'one');

  await moved(t, here, there, files[0]!);
  t.equal(statSync(files[0]!).mode & 0o777, 0o600);
  t.match(await exportTo(files[1]!, there), { code: 0 });
  t.same(
    contentOf(files[1]!),
    contentOf(files[0]!),
    'every document, entry and due time, by bytes',
  );
  const stayed = await run(['serve', '--port', '0', '--store', here.store], {}, here.folder);
  t.match(stayed, { code: 1, stderr: /^Cannot start: .* is sealed\. .* moved elsewhere at 2/m });
  t.match(await exportTo(`${files[0]!}-again`, here, '--move'), { code: 1, stderr: /is sealed/ });
  t.match(await exportTo(`${files[0]!}-again`, here), { code: 1, stderr: /is sealed/ });
  for (const change of [['restore-messages'], ['grant', OWNER_EMAIL, 'can_create_users']]) {
    const [command, ...args] = change;
    const refusal = await run([command!, '--store', here.store, ...args]);
    t.match(refusal, { code: 1, stderr: /is sealed\. .* moved elsewhere/ }, command!);
  }
  const second = await serve(t, there);
  await goOn(t, second, people, 'one');
  await rest(second, people, 'two');

  await moved(t, there, back, files[2]!);
  const third = await serve(t, back);
  await goOn(t, third, people, 'two');
  const again = await importFrom(files[2]!, there);
  t.match(again, { code: 1, stderr: /is not empty: import into an empty store only/ });
}

// Loaded machines take long to start processes.
t.setTimeout(300_000);

if (NO_REDIS !== null) {
  t.pass('between Redis and an embedded store', { skip: NO_REDIS });
  void t.test('from an embedded store to another', async (t) => {
    await thereAndBack(t, embedded(t), embedded(t), embedded(t));
  });
} else {
  const redis = await startRedis(t);
  void t.test('from an embedded store to Redis and back', async (t) => {
    await thereAndBack(t, embedded(t), onRedis(t, redis.port), embedded(t));
  });
  void t.test('from JSON text on Redis to JSON values and back', async (t) => {
    const plain = await startPlainRedis(t);
    const [from, to, back] = [plain, redis, plain].map(({ port }) => onRedis(t, port));
    await thereAndBack(t, from!, to!, back!);
  });
}

if (JSON_URL === '') {
  t.pass('to and from JSON values', { skip: 'PARLEY_TEST_REDIS_JSON_URL is not set' });
} else {
  const onJson = (t: Test): Place => {
    const join = JSON_URL.includes('?') ? '&' : '?';
    const store = `${JSON_URL}${join}organization=test-${randomUUID()}`;
    return { folder: storeFolder(t), store };
  };
  void t.test('from JSON values to an embedded store and back', async (t) => {
    await thereAndBack(t, onJson(t), embedded(t), onJson(t));
  });
}

void t.test('what cannot be moved is refused with a reason', async (t) => {
  const folder = storeFolder(t);
  const file = join(folder, 'some.jsonl');
  const nowhere = await run(['export', '--store', `embedded:${join(folder, 'none')}`]);
  t.match(nowhere, { code: 1, stdout: '', stderr: /^Failed: There is no store in / });
  t.notOk(existsSync(join(folder, 'none')), 'and none is made');
  writeFileSync(file, 'not an export\n');
  const target = embedded(t);
  t.match(await importFrom(file, target), {
    code: 1,
    stderr: new RegExp(`^Failed: ${file}: Line 1 is not JSON`),
  });
  t.notOk(
    existsSync(join(target.folder, 'data.mdb')),
    'a file is checked before the store is opened',
  );
  t.match(await importFrom(join(folder, 'absent'), target), {
    code: 1,
    stderr: `Failed: ${join(folder, 'absent')}: no such file or directory (ENOENT)\n`,
  });
  t.match(await exportTo(file, target), { code: 1, stderr: /exists already/ });
});

void t.test('a file that was cut or altered is refused before anything is written', async (t) => {
  const source = embedded(t);
  await (await serve(t, source)).stop();
  const exported = await run(['export', '--store', source.store]);
  t.equal(exported.code, 0);
  const file = join(storeFolder(t), 'a.jsonl');
  const target = embedded(t);
  const damaged = {
    'cut short': exported.stdout.slice(0, -200),
    'changed after the export': exported.stdout.replace('"Parley"', '"Barley"'),
  };
  for (const [message, text] of Object.entries(damaged)) {
    writeFileSync(file, text);
    t.match(await importFrom(file, target), { code: 1, stderr: new RegExp(message) });
    t.notOk(existsSync(join(target.folder, 'data.mdb')));
  }
  writeFileSync(file, exported.stdout);
  t.match(await importFrom(file, target), { code: 0 });
});
