import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { ApiClient } from '../harness/client.js';
import { RunningServer, storeFolder } from '../harness/server.js';

const STORES = fileURLToPath(new URL('../../../../test/fixtures/stores/', import.meta.url));

interface Expected {
  readonly queues: Readonly<
    Record<
      string,
      {
        readonly email: string;
        readonly key: string;
        readonly queue_id: string;
        readonly cursor: number;
        readonly events: readonly { readonly id: number; readonly type: string }[];
      }
    >
  >;
  readonly ann: { readonly messages: readonly { readonly id: number }[] };
}

/** A copy of the store that a commit left, and what it is to say. */
function storeOf(t: Test, commit: string): { folder: string; expected: Expected } {
  const folder = storeFolder(t);
  const from = join(STORES, commit);
  cpSync(join(from, 'files'), join(folder, 'files'), { recursive: true });
  cpSync(join(from, 'api-keys.secret'), join(folder, 'api-keys.secret'));
  writeFileSync(join(folder, 'data.mdb'), gunzipSync(readFileSync(join(from, 'data.mdb.gz'))));
  const text = gunzipSync(readFileSync(join(from, 'expected.json.gz'))).toString();
  return { folder, expected: JSON.parse(text) as Expected };
}

/** Addresses hold the port of the server that made the store. */
function withoutAddresses(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://server'),
  );
}

void t.test('a store of commit 6a5ad3e goes on: keys, messages, queues and cursors', async (t) => {
  const { folder, expected } = storeOf(t, '6a5ad3e');
  for (const start of ['first', 'second']) {
    const server = await RunningServer.serve(t, folder);
    for (const [name, queue] of Object.entries(expected.queues)) {
      const client = new ApiClient(server.url, queue.email, queue.key, 0);
      const { body, status } = await client.call('GET', '/events', {
        queue_id: queue.queue_id,
        last_event_id: queue.cursor,
        dont_block: true,
      });
      t.equal(status, 200, `${name} at the ${start} start`);
      const events = (body.events as Expected['queues'][string]['events']).slice(
        0,
        queue.events.length,
      );
      t.same(withoutAddresses(events), withoutAddresses(queue.events), name);
    }
    const { email, key } = expected.queues['ann']!;
    const ann = new ApiClient(server.url, email, key, 0);
    const page = { anchor: 'newest', num_before: 1000, num_after: 0 };
    const { body } = await ann.call('GET', '/messages', page);
    const seen = new Map(
      (
        body.messages as { id: number; content: string; flags: string[]; reactions: unknown[] }[]
      ).map(({ id, content, flags, reactions }) => [
        id,
        { id, content, flags, reactions: reactions.length },
      ]),
    );
    for (const message of expected.ann.messages) t.same(seen.get(message.id), message);
    const sent = await ann.call('POST', '/messages', {
      type: 'channel',
      to: 'kitchen',
      topic: 'upgrade',
      content: `after the ${start} start`,
    });
    t.equal(sent.status, 200);
    await server.stop();
  }
});
