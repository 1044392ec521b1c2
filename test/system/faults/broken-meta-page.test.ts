import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

const PRELOADED = new URL('fixtures/broken-lmdb.js', import.meta.url).href;

void t.test(
  'embedded: a meta page that cannot be written ends the process, and the next one goes on',
  async (t) => {
    const folder = storeFolder(t);
    const broken = join(storeFolder(t), 'broken');
    const server = RunningServer.spawn(folder, {
      env: { NODE_OPTIONS: `--import ${PRELOADED}`, PARLEY_TEST_BROKEN_DISK: broken },
    });
    t.teardown(() => server.kill());
    await server.ready();
    const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    await owner.say('acknowledged');
    const ended = server.exit();
    writeFileSync(broken, '');
    // The first write is refused. The next finds that LMDB begins no transaction; its connection may break.
    const message = { type: 'channel', to: 'general', topic: 'faults', content: 'refused' };
    const refused = await owner.call('POST', '/messages', message);
    t.match(refused, { status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    await owner.call('POST', '/messages', message).catch(() => undefined);
    t.match(await ended, {
      code: 1,
      stderr: /The embedded store must be opened again before it takes another commit: MDB_PANIC/,
    });

    const again = await RunningServer.serve(t, folder);
    const client = new ApiClient(again.url, owner.email, owner.key, owner.userId);
    await client.say('and on');
    const { messages } = await client.ok('GET', '/messages', {
      anchor: 'newest',
      num_before: 10,
      num_after: 0,
      apply_markdown: false,
      narrow: [{ operator: 'sender', operand: OWNER_EMAIL }],
    });
    t.same(
      (messages as { content: string }[]).map(({ content }) => content),
      ['acknowledged', 'and on'],
    );
  },
);
