import fc from 'fast-check';
import t from 'tap';
import { loadSecret, readSecret } from '../../src/services/auth/api-keys.js';
import { FolderBlobStore } from '../../src/services/folder-blob-store.js';
import { PowerCutFiles } from '../fixtures/power-cut-files.js';

/*
 * The power is cut before every single operation on the disk, and what the next process then finds is compared
 * with what had been acknowledged. Nothing survives a cut but what was synced: contents and names.
 */

/** What a file may hold after a cut: what was acknowledged last, or what was tried since; null: nothing. */
type Possible = Map<string, Set<string | null>>;

/** An upload, or the removal of one; few names, so that they meet. */
const step = fc.record({
  key: fc.constantFrom('a', 'b/c', 'b/d', 'b/e/f', 'g/h/i/j'),
  content: fc.option(fc.string({ minLength: 1, maxLength: 20 }), { freq: 4 }),
});
/** One process: what it does, and after how many operations on the disk it is killed. */
const life = fc.record({ steps: fc.array(step, { maxLength: 4 }), killedAfter: fc.nat(60) });

void t.test('an acknowledged upload survives a power cut at any moment', async (t) => {
  let cuts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(life, { maxLength: 4 }), async (lives) => {
      const possible: Possible = new Map();
      const checks: Promise<void>[] = [];
      let operationsLeft = Infinity;
      const disk = PowerCutFiles.empty((files) => {
        checks.push(check(files, possible));
        if (--operationsLeft < 0) throw new Error('killed');
      });
      await makeDataFolder(disk);
      for (const { steps, killedAfter } of lives) {
        operationsLeft = killedAfter;
        // What a process knows of folders ends with it.
        const blobs = new FolderBlobStore('/data/files', disk);
        for (const { key, content } of steps) {
          if (content === null) {
            // A removal may be forgotten: the document that named the file is gone already.
            possible.delete(key);
            await blobs.delete(key).catch(() => undefined);
            continue;
          }
          const now = possible.get(key) ?? new Set([null]);
          possible.set(key, now.add(content));
          const acknowledged = await blobs.put(key, Buffer.from(content)).then(
            () => true,
            () => false,
          );
          if (acknowledged) possible.set(key, new Set([content]));
          checks.push(check(disk, possible));
        }
      }
      await Promise.all(checks);
      cuts += checks.length;
    }),
    { numRuns: 150 },
  );
  t.ok(cuts > 1000, `${cuts} power cuts`);
});

/** The folder of the data is the store's, which makes it durable before anything else is written. */
async function makeDataFolder(disk: PowerCutFiles): Promise<void> {
  await disk.mkdir('/data');
  await (await disk.open('/', 'r')).sync();
}

/** @throws Error where an acknowledged file is missing, or any is there in part */
async function check(disk: PowerCutFiles, possible: Possible): Promise<void> {
  const wanted = [...possible].map(([key, contents]) => [key, new Set(contents)] as const);
  const blobs = new FolderBlobStore('/data/files', disk.afterCut());
  for (const [key, contents] of wanted) {
    // A removal that was forgotten brings back what was there before.
    const found = (await blobs.get(key))?.toString() ?? null;
    if (contents.has(found) || contents.has(null)) continue;
    throw new Error(`${key} is ${JSON.stringify(found)} instead of ${[...contents].join(' or ')}`);
  }
}

void t.test(
  'the secret of API keys is durable once it is used, and never there in part',
  async (t) => {
    const cuts: PowerCutFiles[] = [];
    const disk = PowerCutFiles.empty((files) => cuts.push(files.afterCut()));
    await disk.mkdir('/data');
    await (await disk.open('/', 'r')).sync();
    const made = await Promise.all([1, 2].map(() => loadSecret('/data/api-keys.secret', disk)));
    t.same(made[0], made[1], 'two processes that start at once get the same');
    t.same(await readSecret('/data/api-keys.secret', disk.afterCut()), made[0]);
    t.ok(cuts.length > 10, `${cuts.length} power cuts`);
    for (const cut of cuts) {
      // Rejects for anything but 32 bytes.
      const found = await readSecret('/data/api-keys.secret', cut);
      if (found !== null) t.same(found, made[0]);
    }
  },
);

void t.test('the disk of this test forgets what was not synced', async (t) => {
  const disk = PowerCutFiles.empty();
  const file = await disk.open('/a', 'wx');
  await file.writeFile(Buffer.from('x'));
  t.same(disk.afterCut().paths(), [], 'the name');
  await (await disk.open('/', 'r')).sync();
  t.equal((await disk.afterCut().readFile('/a')).toString(), '', 'the content');
  await file.sync();
  t.equal((await disk.afterCut().readFile('/a')).toString(), 'x');
  await disk.rename('/a', '/b');
  t.same(disk.afterCut().paths(), ['/a'], 'the other name');
});
