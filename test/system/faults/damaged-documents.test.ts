/** Documents of the store that are damaged while no server reads them: what needs one fails, all else is served. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parseRedisUrl } from '../../../src/store/redis/url.js';
import { NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, type Body } from '../harness/client.js';
import {
  copySecret,
  embedded,
  exportTo,
  importFrom,
  onRedis,
  serve,
  type Place,
} from '../harness/places.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer } from '../harness/server.js';

// Loaded machines take long to start processes.
t.setTimeout(300_000);

const DAMAGED_TEXT = 'halibut weather';

/** Flips a bit of a text wherever the file of an embedded store has it. */
function flip(folder: string, text: string): void {
  const path = join(folder, 'data.mdb');
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

/** Flips a bit of the document of a message, and none of the journal entry that has the same text. */
async function flipDocument({ folder, store }: Place, message: number): Promise<void> {
  const path = join(folder, 'data.mdb');
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(DAMAGED_TEXT); at >= 0; at = bytes.indexOf(DAMAGED_TEXT, at + 1)) {
    bytes[at]! ^= 1;
    writeFileSync(path, bytes);
    const { stdout } = await run(['verify', '--store', store]);
    if (stdout.startsWith(`message:${message}: `) && stdout.includes('\n1 damaged')) return;
    bytes[at]! ^= 1;
  }
  throw new Error(`message:${message} is not in ${path}`);
}

const idsOf = ({ messages }: Body): number[] => (messages as { id: number }[]).map(({ id }) => id);

/** Ids of three messages of one topic, of which the second is to be damaged. */
async function sayThree(owner: ApiClient): Promise<{ before: number; bad: number; after: number }> {
  const before = await owner.say('weather report', 'general', 'sky');
  const bad = await owner.say(DAMAGED_TEXT, 'general', 'sky');
  const after = await owner.say('weather again', 'general', 'sky');
  return { before, bad, after };
}

async function judge(
  t: Test,
  place: Place,
  damage: (message: number) => Promise<void> | void,
  problem = 'its checksum differs',
): Promise<void> {
  let server = await serve(t, place);
  let owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { before, bad, after } = await sayThree(owner);
  await server.stop();
  await damage(bad);
  server = await serve(t, place);
  owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);

  const narrow = JSON.stringify([{ operator: 'topic', operand: 'sky' }]);
  const page = { anchor: 'newest', num_before: 100, num_after: 0 };
  for (let time = 0; time < 3; time++) {
    const topic = await owner.ok('GET', '/messages', { ...page, narrow });
    t.same(idsOf(topic), [before, after], 'the others of its page are served');
  }
  t.same(idsOf(await owner.ok('GET', '/messages', { message_ids: [before, bad, after] })), [
    before,
    after,
  ]);
  const search = JSON.stringify([{ operator: 'search', operand: 'weather' }]);
  t.same(idsOf(await owner.ok('GET', '/messages', { ...page, narrow: search })), [before, after]);
  const matching = { msg_ids: [before, bad, after], narrow: search };
  const matches = await owner.ok('GET', '/messages/matches_narrow', matching);
  t.same(Object.keys(matches.messages as object).map(Number), [before, after]);

  const named = {
    status: 500,
    body: { msg: `The stored message:${bad} is damaged`, code: 'INTERNAL_ERROR' },
  };
  t.match(await owner.call('GET', `/messages/${bad}`), named, 'alone it is told by name');
  t.match(await owner.call('GET', `/messages/${bad}/history`), named);
  t.match(await owner.call('POST', `/messages/${bad}/reactions`, { emoji_name: 'tada' }), named);
  t.match(await owner.call('PATCH', `/messages/${bad}`, { content: 'new' }), named);
  const move = { topic: 'ground', propagate_mode: 'change_all' };
  t.match(
    await owner.call('PATCH', `/messages/${before}`, move),
    named,
    'no part of a topic moves',
  );
  await owner.ok('GET', `/messages/${after}/history`);
  await owner.ok('PATCH', `/messages/${after}`, { content: 'weather at last' });

  const told = server.stdout + server.stderr;
  const once = told
    .split('\n')
    .filter((line) => line.includes('a stored document is damaged'))
    .map((line) => /message:\d+/.exec(line)?.[0]);
  t.same(once, [`message:${bad}`], 'it is logged by name, once');

  const verified = await run(['verify', '--store', place.store]);
  t.equal(verified.code, 1);
  t.match(verified.stdout, `message:${bad}: ${problem}`);

  await owner.ok('DELETE', `/messages/${bad}`);
  await owner.ok('PATCH', `/messages/${before}`, move);
  const { topics } = await owner.ok('GET', '/users/me/1/topics');
  const names = (topics as { name: string }[]).map(({ name }) => name);
  t.ok(names.includes('ground') && !names.includes('sky'), 'without it the topic moves');
  await server.stop();
}

/** What a start and an export do that read all messages. @param empty another store of the same kind */
async function judgeReaders(
  t: Test,
  place: Place,
  empty: Place,
  damage: (message: number) => Promise<void> | void,
  problem = 'its checksum differs',
): Promise<void> {
  const options = { store: place.store, args: ['--keep-index', 'off'] };
  let server = await RunningServer.serve(t, place.folder, options);
  let owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { before, bad, after } = await sayThree(owner);
  await server.stop();
  await damage(bad);

  server = await RunningServer.serve(t, place.folder, options);
  owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const narrow = JSON.stringify([{ operator: 'topic', operand: 'sky' }]);
  const page = { anchor: 'newest', num_before: 100, num_after: 0, narrow };
  t.same(idsOf(await owner.ok('GET', '/messages', page)), [before, after], 'a start goes on');
  t.match(await owner.call('GET', `/messages/${bad}`), { status: 400 }, 'without the message');
  const next = await owner.say('new weather', 'general', 'sky');
  t.ok(next > after, 'and its id is not given again');
  await server.stop();
  const named = (server.stdout + server.stderr)
    .split('\n')
    .filter((line) => line.includes('a stored document is damaged'))
    .map((line) => /message:\d+/.exec(line)?.[0]);
  t.same(named, [`message:${bad}`], 'which it logs by name, once');

  const file = `${place.folder}/export.jsonl`;
  t.match(await exportTo(file, place), {
    code: 1,
    stderr: new RegExp(`message:${bad} in .* is damaged`),
  });
  t.equal(existsSync(file), false, 'an export refuses it');
  const partial = await exportTo(file, place, '--without-damaged');
  t.equal(partial.code, 0);
  t.match(partial.stderr, new RegExp(`^Left out: message:${bad}: ${problem}\nExported `));
  t.match(await importFrom(file, empty), { code: 0 });
  copySecret(place, empty);
  server = await serve(t, empty);
  owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  t.same(idsOf(await owner.ok('GET', '/messages', page)), [before, after, next]);
  await server.stop();
}

void t.test('an embedded store', async (t) => {
  const place = embedded(t);
  await judge(t, place, () => {
    flip(place.folder, DAMAGED_TEXT);
  });
});

void t.test('an embedded store whose messages are all read', async (t) => {
  const place = embedded(t);
  await judgeReaders(t, place, embedded(t), (message) => flipDocument(place, message));
});

void t.test('Redis', { skip: NO_REDIS ?? false }, async (t) => {
  const redis = await startRedis(t);
  const keyOf = ({ store }: Place, message: number): string =>
    `parley:{${parseRedisUrl(store).organization}}:message:${message}`;
  const damageOf = (place: Place) => async (message: number) =>
    redis.alter(keyOf(place, message), (text) => text.replace(DAMAGED_TEXT, 'haddock weather'));
  const place = onRedis(t, redis.port);
  await judge(t, place, damageOf(place));
  const other = onRedis(t, redis.port);
  await judgeReaders(t, other, onRedis(t, redis.port), damageOf(other));

  const problem = 'its key has the type hash';
  const replaceIn = (place: Place) => async (message: number) => {
    await redis.command('DEL', keyOf(place, message));
    await redis.command('HSET', keyOf(place, message), 'content', DAMAGED_TEXT);
  };
  const third = onRedis(t, redis.port);
  await judge(t, third, replaceIn(third), problem);
  const fourth = onRedis(t, redis.port);
  await judgeReaders(t, fourth, onRedis(t, redis.port), replaceIn(fourth), problem);
});
