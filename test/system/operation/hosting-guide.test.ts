/** The guide to hosting for many: what it says to type is typed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { freePort } from '../../../bench/harness/processes/free-port.js';
import { blocks, missing, outcome, shell, workplace } from '../harness/guide.js';

// Loaded machines take long to start processes.
t.setTimeout(240_000);

void t.test(
  'hosting-for-many.md: its commands host three teams',
  { skip: await missing('curl', 'bash') },
  async (t) => {
    const folder = workplace(t);
    const PORT = String(await freePort());
    const script = blocks('hosting-for-many.md', 'sh').join('\n');
    const guide = shell(folder, script, { PORT, EMAIL: 'host@example.org' });
    t.teardown(() => guide.kill());
    const { code, said } = await outcome(guide);
    t.equal(code, 0, said);
    const served = (name: string): unknown =>
      JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    for (const [name, host] of Object.entries({
      birch: 'birch',
      cedar: 'chat.cedar',
      oak: 'oak',
    })) {
      t.match(served(name), { realm_url: `http://${host}.test:${PORT}` });
    }
    t.match(served('oak'), { realm_name: 'Birch Club' }, 'the copy');
    t.match(said, /^deletes +\d{4}-/m);
  },
);
