/** An import that is killed: nobody serves what it left, and it goes on when it is repeated. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { leaseOf, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import {
  contentOf,
  copySecret,
  embedded,
  exportTo,
  importFrom,
  onRedis,
  serve,
  type Place,
} from '../harness/places.js';
import { launch, run, storeFolder, type Exit } from '../harness/server.js';

/** Of the import that is killed: enough for several commits. */
const DOCUMENTS = 8_000;

// Loaded machines take long to start processes.
t.setTimeout(300_000);

if (NO_REDIS !== null) {
  t.pass('an import into Redis that is killed goes on', { skip: NO_REDIS });
} else {
  const redis = await startRedis(t);
  void t.test('an import into Redis that is killed goes on', async (t) => {
    const target = onRedis(t, redis.port);
    // Sooner than it would.
    const endLease = () => redis.command('PEXPIRE', leaseOf(target.store), '100');
    await killedImport(t, target, endLease);
  });
}

void t.test('an import into an embedded store that is killed goes on', async (t) => {
  await killedImport(t, embedded(t));
});

/** An export of an organization with this many further documents, so that its import takes a while. */
async function largeExport(t: Test, source: Place, documents: number): Promise<string> {
  const server = await serve(t, source);
  await server.stop();
  const file = join(storeFolder(t), 'large.jsonl');
  await exportTo(file, source);
  const [header, ...content] = readFileSync(file, 'utf8').split('\n').slice(0, -2);
  const text = 'x'.repeat(200);
  const extra = Array.from({ length: documents }, (_, i) =>
    JSON.stringify({ collection: 'zzz', id: String(i), document: { i, text } }),
  );
  const firstEntry = content.findIndex((line) => line.startsWith('{"seq"'));
  const lines = [...content.slice(0, firstEntry), ...extra, ...content.slice(firstEntry)];
  const body = lines.map((line) => `${line}\n`).join('');
  const counts: Record<string, number> = {};
  for (const line of lines) {
    const { collection } = JSON.parse(line) as { collection?: string };
    if (collection !== undefined) counts[collection] = (counts[collection] ?? 0) + 1;
  }
  const trailer = {
    end: true,
    documents: counts,
    entries: lines.filter((line) => line.startsWith('{"seq"')).length,
    due: {},
    content: createHash('sha256').update(body).digest('hex'),
    sha256: createHash('sha256').update(`${header}\n${body}`).digest('hex'),
  };
  writeFileSync(file, `${header}\n${body}${JSON.stringify(trailer)}\n`);
  return file;
}

/** @param endLease of the process that was killed, where it would go on */
async function killedImport(
  t: Test,
  target: Place,
  endLease: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const source = embedded(t);
  const file = await largeExport(t, source, DOCUMENTS);
  const child = launch(['import', '--store', target.store], {}, undefined, 'pipe');
  const stderr = createInterface(child.stderr!);
  const said: string[] = [];
  stderr.on('line', (line) => said.push(line));
  const ended = once(child, 'close');
  // Not all of the file: the import waits for the rest when it is killed.
  const text = readFileSync(file);
  await new Promise((written) => child.stdin!.write(text.subarray(0, text.length - 100), written));
  child.kill('SIGKILL');
  await ended;
  await endLease();
  t.same(said, [], 'it had not finished');

  const secret = ['--secret-file', join(storeFolder(t), 'secret')];
  const args = ['serve', '--port', '0', '--lease', '1', '--store', target.store, ...secret];
  const { code, stderr: why } = await run(args, {}, storeFolder(t));
  t.equal(code, 1, 'nobody serves it');
  t.match(why, /An import into .* has not finished: run it again, with the same file/);
  const refused = await afterLease(() => exportTo(join(storeFolder(t), 'x.jsonl'), target));
  t.match(refused, { code: 1, stderr: /has not finished/ });

  t.match(await importFrom(file, target), { code: 0 });
  const copy = join(storeFolder(t), 'copy.jsonl');
  t.match(await exportTo(copy, target), { code: 0 });
  t.same(contentOf(copy), contentOf(file));
  copySecret(source, target);
  const server = await serve(t, target);
  await server.stop();
}

/** Tries again while the lease of a killed process runs. */
async function afterLease(attempt: () => Promise<Exit>): Promise<Exit> {
  for (;;) {
    const exit = await attempt();
    if (!/Another process is/.test(exit.stderr)) return exit;
  }
}
