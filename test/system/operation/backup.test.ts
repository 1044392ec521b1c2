/** A backup drill by the commands: of a server that goes on, checked, damaged, restored. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  run,
  RunningServer,
  storeFolder,
  type Exit,
} from '../harness/server.js';
import { upload } from '../harness/uploading.js';

const at = (folder: string): string[] => ['--store', `embedded:${folder}`];
const backup = (folder: string, to: string, ...flags: string[]): Promise<Exit> =>
  run(['backup', to, ...flags, ...at(folder)]);
const check = (from: string, ...more: string[]): Promise<Exit> =>
  run(['restore', from, ...more, '--check', ...at('/nowhere')]);

const exports = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();

/** The only file below a folder. */
function fileBelow(folder: string): string {
  const [path] = (readdirSync(folder, { recursive: true }) as string[])
    .map((name) => join(folder, name))
    .filter((one) => statSync(one).isFile());
  return path!;
}

void t.test('a drill under load loses nothing that was acknowledged before', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { url } = await upload(owner, '/user_uploads', 'plan.txt', Buffer.from('the plan'));
  await owner.say(`see [plan](${String(url)})`);
  const acknowledged: number[] = [];
  let going = true;
  const load = (async () => {
    while (going) acknowledged.push(await owner.say('more'));
  })();
  while (acknowledged.length < 20) await owner.ok('GET', '/users/me');
  const before = [...acknowledged];
  const to = join(storeFolder(t), 'backups');
  const made = await backup(server.folder, to, '--with-secret');
  t.match(made, { code: 0, stdout: '' });
  t.match(made.stderr, /^Exported \d+ documents/m);
  t.match(made.stderr, /^parley-.*\.jsonl is intact: .*, position \d+; 1 uploaded files$/m);
  t.match(made.stderr, /^1 files were copied to /m);
  going = false;
  await load;
  t.equal(statSync(to).mode & 0o777, 0o700);
  t.equal(statSync(join(to, 'api-keys.secret')).mode & 0o777, 0o600);

  const again = await backup(server.folder, to);
  t.match(again.stderr, /^0 files were copied/m, 'files that are there are not copied again');
  t.equal(exports(to).length, 2);
  const [first = ''] = exports(to);
  t.match(await backup(server.folder, to, '--keep', '2'), { stderr: /^Removed 1 older exports$/m });
  t.notOk(exports(to).includes(first));
  await server.stop();

  t.match(await check(to), { code: 0, stdout: '', stderr: /is intact/ });
  const there = join(storeFolder(t), 'restored');
  mkdirSync(there);
  const restored = await run(['restore', to, ...at(there)]);
  t.match(restored, { code: 0, stderr: /The secret of API keys was copied to/ });
  const other = await RunningServer.serve(t, there);
  const reader = new ApiClient(other.url, owner.email, owner.key, owner.userId);
  const page = await reader.ok('GET', '/messages', {
    ...{ anchor: 'newest', num_before: 5000, num_after: 0, narrow: [] },
  });
  const held = new Set((page.messages as { id: number }[]).map(({ id }) => id));
  t.same(
    before.filter((id) => !held.has(id)),
    [],
  );
  const headers = { Authorization: owner.authorization };
  const file = await fetch(`${other.url}${String(url)}`, { headers });
  t.equal(await file.text(), 'the plan', 'the file is there, and the key of before is good');
  t.match(await run(['restore', to, ...at(there)]), { code: 1 }, 'not into a store that is served');
  await other.stop();
});

void t.test('a check names what is wrong, and nothing of it is restored', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { url } = await upload(owner, '/user_uploads', 'plan.txt', Buffer.from('the plan'));
  await owner.say(`see [plan](${String(url)})`);
  const to = storeFolder(t);
  t.match(await backup(server.folder, to), { code: 0 });
  await server.stop();
  const [name = ''] = exports(to);

  const file = fileBelow(join(to, 'files'));
  appendFileSync(file, 'x');
  const damaged = await check(to);
  t.match(damaged, { code: 1, stderr: /^file of attachment:1: .* has 9 bytes in place of 8$/m });
  rmSync(file);
  t.match(await check(to), { code: 1, stderr: /^file of attachment:1: .* is not there$/m });
  const there = storeFolder(t);
  t.match(await run(['restore', to, ...at(there)]), { code: 1 });
  t.notOk(existsSync(join(there, 'data.mdb')));

  rmSync(join(to, 'files'), { recursive: true });
  t.match(await check(to), { code: 0 }, 'files may be kept elsewhere');
  writeFileSync(join(to, 'api-keys.secret'), Buffer.alloc(32, 7));
  t.match(await check(to), { code: 1, stderr: /has the secret of other API keys/ });
  copyFileSync(join(server.folder, 'api-keys.secret'), join(to, 'api-keys.secret'));
  t.match(await check(to), { code: 0 });

  const whole = readFileSync(join(to, name), 'utf8');
  writeFileSync(
    join(to, name),
    whole.replace('the plan', 'the plot').replace('plan.txt', 'plot.txt'),
  );
  t.match(await check(to, name), { code: 1, stderr: /was changed after the export/ });
  writeFileSync(join(to, name), whole.slice(0, -50));
  t.match(await check(to, name), { code: 1, stderr: /cut short/ });
  t.match(await check(to, 'parley-1.jsonl'), { code: 1, stderr: /has no export parley-1/ });
  t.match(await check(join(to, 'files')), { code: 1, stderr: /has no backup/ });
  t.match(await run(['backup', ...at(to)]), { code: 2, stderr: /parley backup takes FOLDER/ });
  const mistyped = join(to, 'of-no-store');
  t.match(await backup(join(to, 'none'), mistyped), { code: 1, stderr: /There is no store in / });
  t.notOk(existsSync(mistyped), 'and no folder is made');
  t.match(await run(['backup', to, '--keep', '0', ...at(to)]), { code: 2, stderr: /--keep/ });
});
