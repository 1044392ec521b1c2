import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

/* Dependencies point one way (architecture.md#floors); scripts/import-rules.js holds the rules. */

interface ImportRules {
  readonly sourceFiles: () => string[];
  /** Files of the repository. */
  readonly importsOf: (file: string) => string[];
  /** Height of the area of `src/organization` a file is in; -1 for one that is in none. */
  readonly areaOf: (file: string) => number;
  /** Why an import is forbidden, or null. */
  readonly objection: (file: string, specifier: string) => string | null;
  readonly objections: (files: readonly string[]) => string[];
  readonly circles: (imports: ReadonlyMap<string, readonly string[]>) => string[][];
}

const RULES = pathToFileURL(join('scripts', 'import-rules.js')).href;
const { sourceFiles, importsOf, areaOf, objection, objections, circles } = (await import(
  RULES
)) as ImportRules;

/** More files than this are not taken in at a glance. */
const MAX_FILES_OF_FOLDER = 25;

const FILES = sourceFiles();

void t.test('no import points upward', async (t) => {
  t.ok(FILES.length > 50, 'the sources were found');
  t.strictSame(objections(FILES), []);
});

void t.test('no files import one another in a circle', async (t) => {
  t.strictSame(circles(new Map(FILES.map((file) => [file, importsOf(file)]))), []);
});

void t.test('every file of the organization is in an area', async (t) => {
  const files = FILES.filter((file) => file.startsWith('src/organization/'));
  t.strictSame(
    files.filter((file) => areaOf(file) === -1),
    [],
  );
});

void t.test('no folder holds more files than a reader takes in', async (t) => {
  const sizes = new Map<string, number>();
  for (const file of FILES) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1);
  t.strictSame(
    [...sizes].filter(([, size]) => size > MAX_FILES_OF_FOLDER),
    [],
  );
});

void t.test('the rule itself refuses what it should', async (t) => {
  t.ok(objection('src/journal/journal.ts', '../organization/state/organization.js'));
  t.ok(objection('src/store/port.ts', '../journal/entry.js'));
  t.ok(objection('actors/host.ts', '../src/errors/index.js'));
  t.ok(objection('schemas/endpoint.ts', '../actors/host.js'));
  t.ok(objection('src/resources/users/users.ts', 'uWebSockets.js'));
  t.ok(objection('src/http/reply/exchange.ts', 'uWebSockets.js'), 'its own types are in native.ts');
  t.ok(objection('src/journal/journal.ts', '@redis/client/dist/lib/client/parser.js'));
  t.ok(objection('src/services/auth/passwords.ts', '../../organization/state/organization.js'));
  t.ok(objection('src/organization/state/load.ts', '../messages/flags.js'));
  t.ok(objection('src/organization/topics/topic-policy.ts', '../channels/archiving.js'));
  t.ok(objection('src/client/feed.ts', '../errors.js'));
  t.ok(objection('src/client/feed.ts', '../../schemas/limits.js'));
  t.ok(objection('src/web/chat/main.tsx', '../../errors.js'));
  t.ok(objection('src/client/feed.ts', '../web/main.js'));
  t.ok(objection('src/http/server.ts', '../client/feed.js'));
  t.ok(objection('src/app/app.ts', '../testing/parley.js'));
  t.ok(objection('src/http/server.ts', '../host/output.js'), 'of the composition');
  t.ok(objection('src/host/output.ts', '../nodes/node-parts.js'));
  t.ok(objection('src/host/output.ts', '../organization/state/organization.js'));
  t.ok(objection('src/transfer/import/run-import.ts', '../../nodes/node-parts.js'));
  t.ok(objection('src/nodes/node-role.ts', '../operator/admin/admin-socket.js'));
  t.ok(objection('src/nodes/node-role.ts', '../transfer/import/run-import.js'));
  t.ok(objection('src/operator/admin/admin-client.ts', '../../app/while-opened.js'));
  t.ok(objection('src/app/app.ts', '../transfer/import/run-import.js'));
  t.ok(objection('src/client/feed.ts', '../testing/api.js'));
  t.equal(objection('src/operator/admin/admin-request.ts', '../../nodes/internal-calls.js'), null);
  t.equal(objection('src/app/app.ts', '../operator/admin/admin-socket.js'), null);
  t.equal(
    objection('src/host/monitoring/metrics.ts', '../../organization/state/software.js'),
    null,
  );
  t.equal(objection('src/testing/parley.ts', '../client/index.js'), null);
  t.equal(objection('src/testing/parley.ts', '../app/app.js'), null);
  t.equal(objection('src/web/chat/main.tsx', '../../client/index.js'), null);
  t.equal(objection('src/web/chat/main.tsx', '../../../schemas/limits.js'), null);
  t.equal(
    objection('src/organization/channels/channel-change.ts', '../topics/topic-policy.js'),
    null,
  );
  t.equal(objection('src/http/server.ts', '../resources/kernel/route.js'), null);
});
