/** What a machine decides is decided and stored nowhere else: architecture.md#facts, compared with the sources. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { STORED_KINDS } from '../actors/kinds.js';

const { sourceFiles } = (await import(pathToFileURL(join('scripts', 'import-rules.js')).href)) as {
  readonly sourceFiles: () => readonly string[];
};

const PAGE = 'docs/architecture.md#facts';

/** Sources of the server, but for generated types and the pages in browsers. */
const SOURCES = new Map(
  sourceFiles()
    .filter((file) => !/^src\/(client|web|services)\//.test(file))
    .map((file) => [file, readFileSync(file, 'utf8')]),
);

/** Files that have the pattern. */
function having(pattern: RegExp): string[] {
  return [...SOURCES].flatMap(([file, text]) => (pattern.test(text) ? [file] : [])).sort();
}

void t.test('the facts of the page have an owner that is there, and a machine has each', (t) => {
  const page = readFileSync(PAGE.split('#')[0]!, 'utf8');
  const [, list = ''] = /<a id="facts"><\/a>([^]*?)<a id=/.exec(page) ?? [];
  const owners = [...list.matchAll(/\| \[[\w-]+\]\(\.\.\/(actors\/[\w-]+\.ts)\)/g)].map(
    ([, f]) => f!,
  );
  t.ok(owners.length >= 11, `${owners.length} facts`);
  for (const file of owners) t.ok(existsSync(file), file);
  for (const { name } of STORED_KINDS) t.ok(owners.includes(`actors/${name}.ts`), name);
  t.end();
});

/** What would be a second place, and the only files that may have it. */
const ONLY: readonly [what: string, pattern: RegExp, files: readonly string[]][] = [
  [
    'a flag beside a state; what clients are told is derived of it',
    /\b(failed|is_failed|is_idle|is_expired|is_partial)\??: (Type\.Boolean|boolean|true|false)\b/,
    ['schemas/scheduling/reminders.ts', 'schemas/scheduling/scheduled-messages.ts'],
  ],
  [
    'a map of sessions, but for newer times',
    /\bMap<[^>]*(Presence|SessionSnapshot)/,
    ['src/organization/presence/presence-sessions.ts'],
  ],
  [
    'a rule of presence states',
    /\b(offlineThresholdMs|pingIntervalMs|idleAfterMs|offlineAfterMs)\b/,
    ['actors/presence-session.ts'],
  ],
  [
    'an actor that is kept in memory: the node’s role is no stored one',
    /\bcreateActor\(/,
    ['actors/host.ts', 'actors/node-role.ts'],
  ],
  [
    'a host',
    /\bnew ActorHost\(/,
    [
      'src/journal/queues/queue-actors.ts',
      'src/organization/messages/deletion/topic-deletions.ts',
      'src/organization/presence/presence-sessions.ts',
      'src/organization/state/scheduled/scheduled-actors.ts',
    ],
  ],
  ['a transition of a machine', /\blogic\s*\.transition\(|\bgetNextSnapshot\(/, ['actors/host.ts']],
  [
    'a snapshot that no machine made, but of documents of older stores',
    /\bvalue: '(live|expired|overflowed|revoked|active|idle|pending|delivering|deleting|partial)'/,
    [
      'src/organization/state/queue-documents.ts',
      'src/organization/state/scheduled/scheduled-migration.ts',
    ],
  ],
  [
    'the end of a queue but through its actor',
    /\btype: '(overflow|revoke|expire)'/,
    ['actors/event-queue.ts'],
  ],
];

for (const [what, pattern, files] of ONLY) {
  void t.test(`only the named files have: ${what}`, (t) => {
    const others = having(pattern).filter((file) => !files.includes(file));
    t.strictSame(others, [], String(pattern));
    t.end();
  });
}
