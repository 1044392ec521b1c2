/** The questions of operations/redis.md#actors, typed as they stand there. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { openStore } from '../../../../src/store/open.js';
import type { Document, Write } from '../../../../src/store/port.js';
import { freshUrl, NO_REDIS, startRedis } from '../fixtures/redis-server.js';

function hasClient(): boolean {
  try {
    return execFileSync('redis-cli', ['--version']).length > 0;
  } catch {
    return false;
  }
}

const NOT_HERE = NO_REDIS ?? (hasClient() ? false : 'redis-cli is not installed');

/** The blocks of the page that are to be typed, in its order. */
function questions(): string[] {
  const page = readFileSync('docs/operations/redis.md', 'utf8');
  const [, section = ''] = /<a id="actors"><\/a>([^]*?)<a id=/.exec(page) ?? [];
  return [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, text]) => text!);
}

function snapshot(machine: string, value: string, context: object): Document {
  return { machine, version: 1, value, context } as Document;
}

function set(collection: string, id: string, document: Document): Write {
  return { op: 'set', key: { collection, id }, document };
}

void t.test('what an operator can ask Redis of the actors', { skip: NOT_HERE }, async (t) => {
  const redis = await startRedis(t);
  if (!(await redis.hasJson())) return t.comment('the server keeps documents as text');
  const url = freshUrl(redis.port);
  const store = await openStore(url);
  t.teardown(() => store.close());
  const lease = await store.acquireLease('test', 60_000);
  const soon = Date.now() + 600_000;
  const index = 'delivery';
  await store.commit(lease!, {
    entries: [],
    writes: [
      ...['a', 'b'].map((id) => set('queue', id, snapshot('event-queue', 'live', { user_id: 4 }))),
      set('queue', 'c', snapshot('event-queue', 'revoked', { user_id: 5 })),
      set('scheduled_message', '7', snapshot('scheduled-message', 'pending', {})),
      set('scheduled_message', '8', snapshot('scheduled-message', 'pending', {})),
      set('reminder', '3', snapshot('scheduled-message', 'delivering', {})),
      set(
        'topic_deletion',
        "9::it's lunch",
        snapshot('topic-deletion', 'deleting', { deleted: 500 }),
      ),
      set('topic_deletion', '9::dinner', snapshot('topic-deletion', 'partial', { deleted: 20 })),
    ],
    due: [
      { index, id: 'scheduled_message:7', at: soon },
      { index, id: 'scheduled_message:8', at: soon + 86_400_000 },
      { index, id: 'reminder:3', at: soon - 700_000 },
    ],
  });
  const organization = new URL(url).searchParams.get('organization')!;
  const answers = questions().map((text) => {
    const typed = text
      .replaceAll('{main}', `{${organization}}`)
      .replaceAll('redis-cli', `redis-cli -p ${redis.port}`);
    return execFileSync('sh', ['-c', typed], { encoding: 'utf8' }).trim().split('\n');
  });
  const [byState, due, running] = answers;
  t.equal(answers.length, 3);
  t.same(
    byState!.map((line) => line.trim()),
    ['2 ["live"]', '1 ["revoked"]'],
  );
  t.same(due, ['reminder:3 ["delivering"]', 'scheduled_message:7 ["pending"]']);
  t.equal(running!.length, 1);
  t.match(running![0], /"machine":"topic-deletion".*"value":"deleting".*"deleted":500/);
});
