import { join } from 'node:path';
import t from 'tap';
import { openStore } from '../../../src/store/open.js';
import { testFolder } from '../../fixtures/test-folder.js';

void t.test('an address that begins with embedded: opens an embedded store', async (t) => {
  const directory = join(testFolder(t), 'data');
  const store = await openStore(`embedded:${directory}`);
  t.equal(store.description, `embedded:${directory}`);
  await store.close();
});

void t.test('refuses what it does not know, without repeating credentials', async (t) => {
  await t.rejects(openStore('redis://user:secret@host:port'), {
    message: 'A Redis URL names its servers as host or host:port',
  });
  await t.rejects(openStore('mongo://user:secret@host'), {
    message: 'Unknown store type mongo: use embedded:<directory> or redis://<host>',
  });
  await t.rejects(openStore('./data'), { message: /no scheme/ });
  await t.rejects(openStore('embedded:'), { message: /names no directory/ });
});
