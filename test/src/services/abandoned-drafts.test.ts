import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemFiles, type Files } from '../../../src/platform/durable-files.js';
import { removeAbandonedDrafts } from '../../../src/services/abandoned-drafts.js';
import { FolderBlobStore } from '../../../src/services/folder-blob-store.js';
import { testFolder } from '../../fixtures/test-folder.js';

const KEY = '1/ad/QDtJGLtzm2g4DTGnN8le_SUt/report.pdf';

/** A process of its own that dies in the middle of an upload. */
function killedUpload(folder: string): void {
  const modules = new URL('../../../src/', import.meta.url).href;
  const program = `
    const { FolderBlobStore } = await import('${modules}services/folder-blob-store.js');
    const { systemFiles } = await import('${modules}platform/durable-files.js');
    const rename = () => process.exit(0);
    await new FolderBlobStore(process.argv[1], { ...systemFiles, rename }).put('${KEY}', Buffer.alloc(9));`;
  execFileSync(process.execPath, ['--input-type=module', '-e', program, folder]);
}

function all(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

/** A folder with a whole file, one that somebody called like a draft, and a draft that nobody writes. */
async function afterCrash(t: Test): Promise<{ folder: string; draft: string }> {
  const folder = testFolder(t);
  killedUpload(folder);
  const [draft, ...others] = all(folder);
  t.match(draft, /^\..*\.part$/);
  t.same(others, []);
  const blobs = new FolderBlobStore(folder);
  await blobs.put('1/ad/other/report.pdf', Buffer.from('x'));
  await blobs.put('1/ad/third/report.pdf.0123456789ab.part', Buffer.from('x'));
  return { folder, draft: draft! };
}

const KEPT = ['report.pdf', 'report.pdf.0123456789ab.part'];
const { signal } = new AbortController();

void t.test('the draft of a killed process is removed, and nothing else', async (t) => {
  const { folder } = await afterCrash(t);
  // Of this process, which may be writing it now.
  const rename: Files['rename'] = async () => {
    t.equal(await removeAbandonedDrafts(folder, { minAgeMs: 0, signal }), 1);
    t.equal(all(folder).length, 3);
    throw new Error('enough');
  };
  const blobs = new FolderBlobStore(folder, { ...systemFiles, rename });
  await t.rejects(blobs.put('1/ad/fourth/a.txt', Buffer.from('x')), /enough/);
  t.same(all(folder), KEPT);
  t.equal(await removeAbandonedDrafts(folder, { minAgeMs: 0, signal }), 0);
});

void t.test('where others write too, only what is too old to be written', async (t) => {
  const { folder, draft } = await afterCrash(t);
  const options = { minAgeMs: 600_000, signal };
  t.equal(await removeAbandonedDrafts(folder, options), 0);
  const path = join(folder, '1/ad/QDtJGLtzm2g4DTGnN8le_SUt', draft);
  const then = Date.now() / 1000 - 700;
  utimesSync(path, then, then);
  t.equal(await removeAbandonedDrafts(folder, options), 1);
  t.same(all(folder), KEPT);
});

void t.test('no folder, no drafts; and a sweep that is told to end does', async (t) => {
  const folder = testFolder(t);
  t.equal(await removeAbandonedDrafts(join(folder, 'files'), { minAgeMs: 0, signal }), 0);
  writeFileSync(join(folder, '.000000000000-000000000000.part'), '');
  const ended = AbortSignal.abort();
  await t.rejects(removeAbandonedDrafts(folder, { minAgeMs: 0, signal: ended }), {
    name: 'AbortError',
  });
  t.ok(existsSync(join(folder, '.000000000000-000000000000.part')));
});
