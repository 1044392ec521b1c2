import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { upload } from '../harness/uploading.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

const skip = process.platform === 'win32' ? 'there are no such modes' : false;

/** Permission bits of everything below a folder, by path. */
function modes(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names.sort().map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
}

void t.test('what a server makes is open to its own account alone', { skip }, async (t) => {
  const folder = join(storeFolder(t), 'data');
  mkdirSync(folder, { mode: 0o755 });
  chmodSync(folder, 0o755);
  const server = await RunningServer.serve(t, folder);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await upload(owner, '/user_uploads', 'note.txt', Buffer.from('confidential'));
  const found = modes(folder);
  t.match(found, { 'data.mdb': '600', 'lock.mdb': '600', 'api-keys.secret': '600', files: '700' });
  for (const [name, mode] of Object.entries(found)) {
    // To connect to a socket takes the right to write, which others do not have either.
    const isLease = name.endsWith('.sock') && !['admin.sock', 'host.sock'].includes(name);
    t.match(mode, isLease ? /55$/ : /00$/, name);
  }
  t.notMatch(server.stderr, /accessible to other accounts/, 'nothing to warn of');

  await server.stop();
  for (const name of ['data.mdb', 'files']) chmodSync(join(folder, name), 0o755);
  const again = await server.restart(t);
  t.match(
    again.stderr,
    /data\.mdb is accessible to other accounts \(mode 0755 in a folder of 0755\) and holds/,
  );
  t.match(again.stderr, /files is accessible to other accounts .* chmod go= /);

  await again.stop();
  chmodSync(folder, 0o700);
  t.notMatch((await server.restart(t)).stderr, /accessible to other accounts/, 'nobody gets there');
});

void t.test('folders that others may write are warned of', { skip }, async (t) => {
  const folder = join(storeFolder(t), 'data');
  mkdirSync(join(folder, 'files'), { recursive: true, mode: 0o700 });
  const server = await RunningServer.serve(t, folder);
  const warnings = ({ stderr }: RunningServer): string[] =>
    stderr.match(/[^"\s]+ can be written by other accounts \(mode \d+\)/g) ?? [];
  t.strictSame(warnings(server), []);
  let running = server;
  for (const [mode, told] of [
    [0o777, '0777'],
    [0o775, '0775'],
    [0o702, '0702'],
    [0o1777, '01777'],
  ] as const) {
    await running.stop();
    chmodSync(folder, mode);
    running = await server.restart(t);
    t.strictSame(warnings(running), [`${folder} can be written by other accounts (mode ${told})`]);
    t.match(running.stderr, `chmod go-w ${folder}`);
  }
  await running.stop();
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'files'), 0o777);
  running = await server.restart(t);
  t.strictSame(warnings(running), [`${folder}/files can be written by other accounts (mode 0777)`]);
});

void t.test('a folder that is missing is made for the account alone', { skip }, async (t) => {
  const above = storeFolder(t);
  writeFileSync(join(above, 'beside'), '');
  await RunningServer.serve(t, join(above, 'a/b'));
  t.match(modes(above), { a: '700', 'a/b': '700' });
});
