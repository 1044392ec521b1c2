/** Commands that bring an organization into memory, and let it leave. */
import { join } from 'node:path';
import t from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';
import type { Config } from '../../../src/config/config.js';
import { Catalogue } from '../../../src/host/catalogue/catalogue.js';
import { cataloguePath } from '../../../src/host/data-folder/places.js';
import { changesOf, positionOf } from '../../../src/journal/entry-reading.js';
import { encodeEntry } from '../../../src/journal/entry-text.js';
import { openStore } from '../../../src/store/open.js';
import type { Document, Write } from '../../../src/store/port.js';
import {
  at as placed,
  carryOut,
  configOf,
  create,
  DEADLINE_MS,
  placeFor,
  serve,
} from '../../fixtures/several.js';

/** Carries out a command of `parley organizations`. */
function run(config: Config, ...words: string[]): Promise<unknown> {
  return carryOut(readCommand([...words, ...placed(config)], {}));
}

void t.test(
  'one sleeps and wakes by command; where nobody serves, the next start opens it',
  async (t) => {
    const config = configOf(join(placeFor(t), 'data'));
    const { app } = await serve(t, config);
    await create(config, 'birch');
    const warm = await run(config, 'organizations', 'wake', 'birch', '--warm');
    t.match(warm, { state: 'active', health: 'ready (warm)' });
    await t.rejects(
      run(config, 'organizations', 'wake', 'main'),
      /The main organization is that of/,
    );
    await t.rejects(run(config, 'organizations', 'sleep', 'oak'), /There is no organization oak/);
    await app.stop(DEADLINE_MS);
    await t.rejects(run(config, 'organizations', 'sleep', 'birch'), /No server runs/);
    const catalogue = await Catalogue.claim(config);
    await catalogue.plan(new Map([['birch', null]]));
    await catalogue.close();
    t.match(await run(config, 'organizations', 'wake', 'birch'), { health: 'not served' });
    const { app: next } = await serve(t, config);
    t.match(next.residents.counts, { loaded: 1, asleep: 0 });
    await run(config, 'organizations', 'deactivate', 'birch');
    await t.rejects(run(config, 'organizations', 'wake', 'birch'), /birch is not active/);
  },
);

void t.test(
  'a catalogue of older software is read, and one of newer software refused',
  async (t) => {
    const config = configOf(join(placeFor(t), 'data'));
    const { app } = await serve(t, config);
    await create(config, 'birch');
    await app.stop(DEADLINE_MS);
    const [birch] = await Catalogue.read(config);
    await rewrite(config, 1, { ...birch, wake_at: undefined, warm: undefined });
    t.match(await Catalogue.read(config), [{ name: 'birch', state: 'active', wake_at: 0 }]);
    const next = await serve(t, config);
    t.match(next.app.residents.counts, { loaded: 1 }, 'nobody knows what it plans: it is opened');
    await next.app.stop(DEADLINE_MS);

    await rewrite(config, 3, { ...birch });
    const reason = /has the form 3 of newer software: update this one/;
    await t.rejects(Catalogue.read(config), reason);
    await t.rejects(serve(t, config), reason);
    await t.rejects(run(config, 'organizations', 'list'), reason);
  },
);

/** Writes a catalogue with one entry, in a form. */
async function rewrite(config: Config, format: number, entry: object): Promise<void> {
  const store = await openStore(`embedded:${cataloguePath(config)}`, { readChanges: changesOf });
  const lease = (await store.acquireLease('test', 1000))!;
  const about = { collection: 'catalogue', id: 'catalogue' };
  const birch = { collection: 'organization', id: 'birch' };
  const document = JSON.parse(JSON.stringify(entry)) as Document;
  const writes: Write[] = [
    { op: 'set', key: about, document: { format } },
    { op: 'set', key: birch, document },
  ];
  const last = await store.lastEntry();
  const seq = last ? positionOf(last).seq + positionOf(last).span : 1;
  const entries = [encodeEntry(seq, 0, { writes, events: [], due: [] })];
  await store.commit(lease, { entries, writes, due: [] });
  await store.releaseLease(lease);
  await store.close();
}
