/** A backup of a server that goes on serving, restored: a drill. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient } from '../harness/client.js';
import {
  copySecret,
  embedded,
  exportTo,
  importFrom,
  onRedis,
  serve,
  type Place,
} from '../harness/places.js';
import { SeenBefore } from '../harness/seen-before.js';
import { OWNER_EMAIL, OWNER_PASSWORD, storeFolder } from '../harness/server.js';

/** Who sends at the same time. */
const SENDERS = 4;

// Loaded machines take long to start processes.
t.setTimeout(300_000);

/** Sends until told to stop; ids of acknowledged messages in the order of their acknowledgement. */
function load(owner: ApiClient): { readonly ids: number[]; stop(): Promise<void> } {
  const ids: number[] = [];
  let going = true;
  const senders = Array.from({ length: SENDERS }, async (_, sender) => {
    for (let n = 0; going; n++) ids.push(await owner.say(`load ${sender} ${n}`));
  });
  return {
    ids,
    stop: async () => {
      going = false;
      await Promise.all(senders);
    },
  };
}

async function drill(t: Test, here: Place, there: Place): Promise<void> {
  const server = await serve(t, here);
  const client = await SeenBefore.begin(server.url);
  await client.live('before');
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const sending = load(owner);
  while (sending.ids.length < 50) await owner.ok('GET', '/users/me');
  const scheduled = await owner.ok('POST', '/scheduled_messages', {
    type: 'channel',
    to: 1,
    topic: 'later',
    content: 'later',
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 9999,
  });
  const before = [...sending.ids];
  const file = join(storeFolder(t), 'backup.jsonl');
  t.match(await exportTo(file, here), { code: 0, stdout: '', stderr: /^Exported \d+ documents/ });
  const after = sending.ids.length;
  t.ok(after > before.length, 'the server went on meanwhile');
  await sending.stop();
  await client.live('after the backup');
  await server.stop();

  const header = JSON.parse(readFileSync(file, 'utf8').split('\n')[0]!) as { seq: number };
  t.match(header, { moved: false, history: String });
  t.match(await importFrom(file, there), { code: 0, stderr: /This is a backup/ });
  copySecret(here, there);
  const restored = await serve(t, there);
  const reader = await ApiClient.login(restored.url, OWNER_EMAIL, OWNER_PASSWORD);
  const page = await reader.ok('GET', '/messages', {
    anchor: 'newest',
    num_before: 5000,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: 'test' }],
  });
  const found = (page.messages as { id: number }[]).map(({ id }) => id);
  const held = new Set(found);
  t.same(
    before.filter((id) => !held.has(id)),
    [],
    'all that was acknowledged before is there',
  );
  const newest = Math.max(...found);
  t.same(
    sending.ids.filter((id) => id <= newest && !held.has(id)),
    [],
    'and of what came meanwhile all up to one position',
  );
  const { scheduled_messages } = await reader.ok('GET', '/scheduled_messages');
  t.same(
    (scheduled_messages as { scheduled_message_id: number }[]).map(
      (one) => one.scheduled_message_id,
    ),
    scheduled.scheduled_message_ids ?? [scheduled.scheduled_message_id],
  );
  await client.comesBack(t, restored.url, 'the restored server');
  await restored.stop();
}

void t.test('a backup of a running embedded store is restored whole', (t) =>
  drill(t, embedded(t), embedded(t)),
);

void t.test(
  'a backup of a running node on Redis is whole',
  { skip: NO_REDIS ?? false },
  async (t) => {
    const redis = await startRedis(t);
    await drill(t, onRedis(t, redis.port), embedded(t));
  },
);
