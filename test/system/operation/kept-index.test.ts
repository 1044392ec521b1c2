/** The index of messages that is kept between two starts, and what happens where it is not there. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { assertJournalTellsAll } from '../harness/journal-tells-all.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

// Loaded machines take long to start processes.
t.setTimeout(300_000);

/** Sends messages, and changes some in every way. @returns the number of messages that are there */
async function live(owner: ApiClient, before: number): Promise<number> {
  const ids: number[] = [];
  for (let n = 0; n < 12; n++)
    ids.push(await owner.say(`message ${n}`, 'general', `topic ${n % 3}`));
  await owner.say('@**all** and @**topic**', 'general', 'Topic 1');
  await owner.ok('PATCH', `/messages/${ids[0]}`, { content: 'https://example.org' });
  await owner.ok('PATCH', `/messages/${ids[1]}`, {
    topic: `moved ${before}`,
    propagate_mode: 'change_all',
  });
  await owner.ok('DELETE', `/messages/${ids[2]}`);
  await owner.ok('POST', `/messages/${ids[3]}/reactions`, { emoji_name: 'tada' });
  await owner.ok('POST', '/messages/flags', {
    messages: JSON.stringify([ids[4]]),
    op: 'add',
    flag: 'starred',
  });
  return before + 12;
}

/** Everything that is found by the index. */
async function shown(owner: ApiClient): Promise<object> {
  const found: Record<string, unknown> = {};
  const narrows = [
    [],
    [['has', 'link']],
    [['topic', 'topic 1']],
    [['is', 'mentioned']],
    [['is', 'starred']],
  ];
  for (const narrow of narrows) {
    const terms = narrow.map(([operator, operand]) => ({ operator, operand }));
    const { messages } = await owner.ok('GET', '/messages', {
      ...{ anchor: 'newest', num_before: 200, num_after: 0, narrow: JSON.stringify(terms) },
    });
    found[JSON.stringify(narrow)] = (messages as { id: number }[]).map(({ id }) => id);
  }
  const { topics } = await owner.ok('GET', '/users/me/1/topics');
  return { ...found, topics };
}

void t.test('a start with the kept index shows what a start without shows', async (t) => {
  const folder = storeFolder(t);
  const path = join(folder, 'message-index.bin');
  let server = await RunningServer.serve(t, folder);
  const begin = async (): Promise<ApiClient> => {
    server = await RunningServer.serve(t, folder);
    return ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  };
  let owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  let count = await live(owner, 0);
  let before = await shown(owner);
  await server.stop();
  t.ok(await assertJournalTellsAll(folder), 'it is kept at the end');

  owner = await begin();
  t.strictSame(await shown(owner), before);
  count = await live(owner, count);
  before = await shown(owner);
  await server.kill();
  t.ok(await assertJournalTellsAll(folder), 'it fits after a kill, too, with what the journal has');

  owner = await begin();
  t.strictSame(await shown(owner), before);
  await server.kill();
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length / 2));
  t.notOk(await assertJournalTellsAll(folder));
  owner = await begin();
  t.strictSame(await shown(owner), before, 'after half of the file was lost');
  await server.kill();
  rmSync(path, { force: true });
  owner = await begin();
  t.strictSame(await shown(owner), before, 'without a file');
  await server.stop();
  t.ok(existsSync(path));
  t.ok(await assertJournalTellsAll(folder));
});
