/** What is kept of a person, in a folder and out of the organization, by the operator's commands. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { whileOpened } from '../../../src/app/while-opened.js';
import { runAdmin } from '../../../src/operator/admin/admin-client.js';
import { Printer } from '../../../src/host/output.js';
import { readCommand } from '../../../src/cli/command-line.js';
import { openStore } from '../../../src/store/open.js';
import { ApiClient, type Body } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';
import { upload } from '../harness/uploading.js';

const ANN = 'ann@example.org';

/** Runs a command as the command line reads it. @returns what it printed */
async function admin(server: RunningServer, ...words: string[]): Promise<string> {
  const args = [...words, '--json', '--store', `embedded:${server.folder}`];
  const command = readCommand(args, {});
  if (command.kind !== 'admin') throw new Error(command.kind);
  const said: string[] = [];
  const printer = new Printer(
    true,
    (text) => said.push(text),
    () => undefined,
  );
  const outcome = await runAdmin({ ...command, whileOpened }, printer);
  if (outcome !== null) printer.outcome(outcome);
  return said.join('');
}

async function start(t: Test) {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const ann = await owner.createUser('ann');
  await ann.ok('PATCH', '/settings', { full_name: 'Ann Lee', twenty_four_hour_time: true });
  const [linked, loose] = [
    await upload(ann, '/user_uploads', 'plan.txt', Buffer.from('the plan')),
    await upload(ann, '/user_uploads', 'loose.txt', Buffer.from('nobody links it')),
  ];
  const ids = {
    first: await ann.say(`see [plan](${String(linked.url)})`),
    direct: await ann.tell([owner.userId], 'between us'),
    answer: await owner.tell([ann.userId], 'yes'),
    other: await owner.say('by the owner'),
  };
  await ann.ok('POST', `/messages/${ids.other}/reactions`, { emoji_name: 'octopus' });
  await ann.ok('POST', '/drafts', {
    drafts: [{ type: 'private', to: [owner.userId], topic: '', content: 'unsaid', timestamp: 1 }],
  });
  await ann.ok('POST', '/users/me/alert_words', { alert_words: ['steam'] });
  return { server, owner, ann, ids, linked: String(linked.url), loose: String(loose.url) };
}

/** Documents of the store that have a text, by collection and id. */
async function documentsWith(server: RunningServer, ...texts: string[]): Promise<string[]> {
  const store = await openStore(`embedded:${server.folder}`);
  const found: string[] = [];
  for (const collection of await store.collections()) {
    for await (const batch of store.scan(collection)) {
      for (const { id, document } of batch) {
        const json = JSON.stringify(document);
        if (texts.some((text) => json.includes(text))) found.push(`${collection}:${id}`);
      }
    }
  }
  await store.close();
  return found;
}

void t.test('export: what is theirs, and no secret', async (t) => {
  const { server, ann, ids } = await start(t);
  const folder = join(storeFolder(t), 'ann');
  t.match(JSON.parse(await admin(server, 'users', 'export', ANN, folder)), {
    // With the welcome of a bot.
    messages: 4,
    files: 2,
  });
  t.equal(statSync(folder).mode & 0o777, 0o700);
  const text = readFileSync(join(folder, 'data.jsonl'), 'utf8');
  const rows = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Body);
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  t.match(of('account'), [{ user_id: ann.userId, email: ANN, full_name: 'Ann Lee' }]);
  t.match(of('settings'), [{ twenty_four_hour_time: true }]);
  t.match(of('subscription'), [{ channel: 'general' }]);
  t.match(of('draft'), [{ content: 'unsaid' }]);
  t.match(of('alert_words'), [{ words: ['steam'] }]);
  t.match(of('change'), [{ changes: [{ kind: 'user' }] }]);
  const said = of('message').filter(({ sender }) => sender !== 'Welcome Bot');
  t.match(said, [
    { id: ids.first, channel: 'general', topic: 'test', sender: 'Ann Lee' },
    { id: ids.direct, with: ['Owner', 'Ann Lee'], content: 'between us' },
    { id: ids.answer, sender: 'Owner' },
  ]);
  t.notMatch(text, /password_hash|key_version|by the owner/);
  const files = readdirSync(join(folder, 'files')).sort();
  t.match(files, [/^\d+-plan\.txt$/, /^\d+-loose\.txt$/]);
  t.equal(readFileSync(join(folder, 'files', files[0]!), 'utf8'), 'the plan');
  await t.rejects(admin(server, 'users', 'export', ANN, folder), /EEXIST/);
  await t.rejects(
    admin(server, 'users', 'export', 'x@x.org', `${folder}-2`),
    /There is no account/,
  );
});

void t.test('erasure: what is kept for them alone goes; what others have stays', async (t) => {
  const { server, owner, ann, ids, linked, loose } = await start(t);
  const { userId } = ann;
  await t.rejects(admin(server, 'users', 'erase', ANN), /repeat the command with --yes/);
  t.match(await ann.ok('GET', '/users/me'), { full_name: 'Ann Lee' }, 'nothing happened');
  await t.rejects(admin(server, 'users', 'erase', OWNER_EMAIL, '--yes'), /only organization owner/);
  await owner.ok('POST', '/export/realm');
  const exported = async () => (await owner.ok('GET', '/export/realm')).exports as [Body];
  while ((await exported())[0].pending === true) await pause(10);
  const reader = await QueueReader.open(owner, { event_types: ['realm_user', 'delete_message'] });

  const name = `Deleted user ${userId}`;
  t.match(JSON.parse(await admin(server, 'users', 'erase', ANN, '--yes')), {
    id: userId,
    name,
    active: false,
    messages_deleted: 0,
    messages_left: 2,
  });
  t.match(await reader.now(), [
    { op: 'update', person: { user_id: userId, is_active: false } },
    { op: 'update', person: { user_id: userId, full_name: name } },
    {
      op: 'update',
      person: { user_id: userId, delivery_email: `deleted${userId}@parley.invalid` },
    },
  ]);
  t.equal((await ann.call('GET', '/users/me')).status, 401);
  const profile = await owner.ok('GET', `/users/${userId}`);
  t.match(profile.user, { full_name: name, is_active: false, is_deleted: true });
  const back = await owner.call('POST', `/users/${userId}/reactivate`);
  t.match(back.body, { code: 'BAD_REQUEST', msg: 'This account was deleted for good.' });
  t.match(await exported(), [{ export_url: null, deleted_timestamp: Number }]);
  const shown = await owner.ok('GET', `/messages/${ids.first}`);
  t.match(shown.message, { sender_full_name: name, sender_id: userId });
  const fetched = (path: string) =>
    fetch(server.url + path, { headers: { Authorization: owner.authorization } });
  t.equal(await (await fetched(linked)).text(), 'the plan');
  t.equal((await fetched(loose)).status, 404);
  const group = loose.split('/').slice(3, 5);
  while (existsSync(join(server.folder, 'files', 'uploads', ...group))) {
    await owner.ok('GET', '/users/me');
  }
  const log = await owner.ok('GET', '/realm/audit_log');
  t.notMatch(JSON.stringify(log), /Ann|ann@/);
  t.match(JSON.stringify(log), name);
  t.same(await documentsWith(server, 'Ann Lee', ANN, 'unsaid', 'steam'), []);

  const again = JSON.parse(
    await admin(server, 'users', 'erase', String(userId), '--yes', '--messages'),
  ) as Body;
  // The file of a message that is gone goes with it.
  t.match(again, { messages_deleted: 2, messages_left: 0, documents: 1, audit_records: 0 });
  t.equal((await fetched(linked)).status, 404);
  const deleted = (await reader.now()).map((one) => [one.type, one.message_ids ?? one.message_id]);
  t.strictSame(deleted, [
    ['delete_message', ids.direct],
    ['delete_message', ids.first],
  ]);
  t.match((await owner.ok('GET', `/messages/${ids.other}`)).message, {
    reactions: [{ user_id: userId, emoji_name: 'octopus' }],
  });
});
