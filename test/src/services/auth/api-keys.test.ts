import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import {
  ApiKeys,
  isShared,
  loadSecret,
  readSecret,
  isWellFormedKey,
} from '../../../../src/services/auth/api-keys.js';

const SECRET = Buffer.alloc(32, 7);

void t.test(
  'a key is 32 alphanumerics, always the same, and differs by user, version and secret',
  async (t) => {
    const keys = new ApiKeys(SECRET);
    const key = keys.derive(10, 'v1');
    t.match(key, /^[A-Za-z0-9]{32}$/);
    t.ok(isWellFormedKey(key));
    t.equal(key, new ApiKeys(SECRET).derive(10, 'v1'));
    t.not(key, keys.derive(11, 'v1'));
    t.not(key, keys.derive(10, 'v2'));
    t.not(keys.derive(1, '1:1'), keys.derive(11, ':1'));
    t.not(key, new ApiKeys(Buffer.alloc(32, 8)).derive(10, 'v1'));
  },
);

void t.test('every character of the alphabet occurs', async (t) => {
  const keys = new ApiKeys(SECRET);
  const seen = new Set<string>();
  for (let user = 0; user < 200; user++) for (const c of keys.derive(user, '')) seen.add(c);
  t.equal(seen.size, 62);
});

void t.test('only the right key verifies', async (t) => {
  const keys = new ApiKeys(SECRET);
  const key = keys.derive(10, 'v1');
  t.ok(keys.verify(10, 'v1', key));
  t.notOk(keys.verify(10, 'v2', key));
  t.notOk(keys.verify(10, 'v1', `${key.slice(0, 31)}-`));
  t.notOk(keys.verify(10, 'v1', key.slice(0, 31)), 'a shorter one does not throw');
});

void t.test('a short secret is refused', async (t) => {
  t.throws(() => new ApiKeys(Buffer.alloc(31)));
});

void t.test('the secret file is made once, for the owner only', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-keys-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const path = join(folder, 'secret');
  t.equal(await readSecret(path), null, 'reading makes none');
  const both = await Promise.all([loadSecret(path), loadSecret(path)]);
  t.equal(both[0].length, 32);
  t.ok(both[0].equals(both[1]), 'two processes that start at once agree');
  t.ok((await loadSecret(path)).equals(both[0]));
  t.ok((await readSecret(path))!.equals(both[0]));
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.notOk(await isShared(path));
  await chmod(path, 0o640);
  t.ok(await isShared(path), 'a copy may not be');
  t.strictSame(await readdir(folder), ['secret'], 'nothing is left behind');
});

void t.test('a file that is no secret is refused', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-keys-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'secret'), 'short');
  await t.rejects(loadSecret(join(folder, 'secret')), /must hold 32 bytes/);
  await mkdir(join(folder, 'folder'));
  await t.rejects(loadSecret(join(folder, 'folder')), {
    message: `${join(folder, 'folder')} cannot be read (EISDIR)`,
  });
  await t.rejects(loadSecret(join(folder, 'nowhere', 'secret')), { code: 'ENOENT' });
});
