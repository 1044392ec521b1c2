import { join } from 'node:path';
import t from 'tap';
import { createApp } from '../../../src/app/app.js';
import type { App, AppOptions } from '../../../src/host/app-options.js';
import { readCommand } from '../../../src/cli/command-line.js';
import { openEmbeddedStore } from '../../../src/store/embedded/store.js';
import type { Document } from '../../../src/store/port.js';
import { storeFolder } from '../../system/harness/server.js';

/** Three batches of what is read at a time, so that a start can be watched. */
const MESSAGES = 6000;
const DEADLINE_MS = 1000;
const NOTHING = (): void => undefined;
const OPTIONS: AppOptions = {
  log: { info: NOTHING, warn: NOTHING, error: NOTHING },
  announce: NOTHING,
  fatal: (error) => {
    throw error;
  },
};

function appOn(store: string): App {
  const args = ['serve', '--port', '0', '--keep-index', 'off', '--owner-password', 'correct horse'];
  const command = readCommand([...args, '--store', `embedded:${store}`], {});
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  return createApp(command.config, OPTIONS);
}

/** Fills an organization with copies of its first message. @returns how many there are then */
async function fill(folder: string): Promise<number> {
  const store = await openEmbeddedStore(folder);
  const lease = (await store.acquireLease('test', 60_000))!;
  let first: Document | undefined;
  let last = 0;
  let there = 0;
  for await (const batch of store.scan('message')) {
    first ??= batch[0]?.document;
    there += batch.length;
    last = Math.max(last, ...batch.map(({ id }) => Number(id)));
  }
  const writes = Array.from({ length: MESSAGES }, (_, i) => {
    const id = last + 1 + i;
    const key = { collection: 'message', id: String(id) };
    return { op: 'set' as const, key, document: { ...first!, id } };
  });
  const seq = (await store.lastEntry())!.seq + 1;
  const text = JSON.stringify({ at: 0, changes: [], events: [] });
  await store.commit(lease, { entries: [{ seq, text }], writes, due: [] });
  await store.close();
  return there + MESSAGES;
}

void t.test('/health tells how much of the organization is loaded', async (t) => {
  const folder = join(storeFolder(t), 'data');
  const first = appOn(folder);
  await first.start();
  await first.stop(DEADLINE_MS);
  const messages = await fill(folder);
  const app = appOn(folder);
  t.teardown(() => app.stop(DEADLINE_MS));
  const seen: number[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { health, node } = await app.report(false);
      if (node.loaded) {
        t.equal(health, 'starting');
        seen.push(node.loaded.messages);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await app.start();
  isOver = true;
  await watching;
  t.ok(
    seen.some((count) => count > 0 && count < messages),
    `of ${messages} messages it told ${[...new Set(seen)].join()}`,
  );
  t.match(await app.report(false), {
    health: 'ready',
    node: { role: 'leader', loaded: undefined },
  });
});
