/** Commands that bring an organization into memory, and let it leave. */
import { join } from 'node:path';
import t from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';
import type { Config } from '../../../src/config/config.js';
import { Catalogue } from '../../../src/host/catalogue/catalogue.js';
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
