/** An import of Mattermost's messages that is cut off; those of other services are in their own tests. */
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { importMattermost } from '../../../../src/transfer/import/mattermost/import-mattermost.js';
import { withLease } from '../../../../src/store/transfer/held.js';
import { goesOnWhereItStopped } from '../../../fixtures/archives/cut-off.js';
import { importJob } from '../../../fixtures/archives/imported.js';
import { mattermostExport, post } from '../../../fixtures/archives/mattermost-export.js';
import { storeFolder } from '../../../system/harness/server.js';

void t.test('an import that is cut off anywhere goes on to the same organization', async (t) => {
  const place = join(storeFolder(t), 'unpacked');
  // More than one part of 2000 messages, the last of them first.
  const posts = Array.from({ length: 2100 }, (_, i) => post('ada', 'town', 1e7 - i, `word ${i}`));
  for (const [name, content] of mattermostExport(posts)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    writeFileSync(join(place, name), content);
  }
  const reports: string[] = [];
  const report = (line: string) => void reports.push(line);
  await goesOnWhereItStopped(t, (store, name, told) =>
    withLease(store, (held) => {
      const files = join(place, '..', name);
      const job = importJob(t, { store, held, folder: realpathSync(place), files }, report, told);
      return importMattermost(job, { name: 'Works', threads: 'topics' });
    }),
  );
  for (const parts of [1, 2]) {
    t.ok(reports.includes(`Continues after ${parts} parts of 2000 messages`), `${parts} parts`);
  }
});
