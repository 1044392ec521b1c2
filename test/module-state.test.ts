import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import ts from 'typescript';

/*
 * Nothing of an organization stands in a variable of a module (architecture.md#rooms): a process may have several.
 * Each variable whose content changes is stated here, with why it is no organization's.
 */

type Stated = Readonly<Record<string, readonly string[]>>;

/** Who works when, what the process holds of its machine, and files of the program that it serves. */
const OF_THE_PROCESS: Stated = {
  'src/host/ending.ts': ['stopping'],
  'src/http/files/public-file.ts': ['sending'],
  'src/http/files/public-files.ts': ['webFiles', 'emojiFiles'],
  'src/platform/bound.ts': ['platform'],
  'src/platform/clock.ts': ['counting'],
  'src/platform/compile-cache.ts': ['compiled'],
  'src/platform/node-platform.ts': ['next'],
  'src/platform/runtime-support.ts': ['glibc'],
  'src/services/web-pages.ts': ['read'],
  'src/store/embedded/lease/process-claim.ts': ['claims'],
  'src/turns/beat.ts': ['running'],
  'src/turns/connection-turns.ts': ['connectionTurns'],
  'src/turns/event-loop-yield.ts': ['waiting', 'urgent', 'isScheduled', 'stretch'],
  'src/turns/going-on.ts': ['waiting', 'isScheduled'],
  'src/turns/next-round.ts': ['waiting', 'accounts', 'isBehind', 'latest', 'ending'],
  'src/turns/read-rounds.ts': ['measured', 'spent'],
  'src/turns/round.ts': ['round'],
};

/** What follows from its key, or from the program, alone: whoever asks gets the same; and room that work takes for a moment. */
const SAME_FOR_ALL: Stated = {
  'src/http/reply/exchange-parts.ts': ['newest', 'withNewest'],
  'src/http/request/decoder.ts': ['DECODERS'],
  'src/http/request/schema-check.ts': ['WITH_PROTOTYPE'],
  'src/languages/texts.ts': ['loaded', 'refusing'],
  'src/operator/verify/fingerprints.ts': ['names'],
  'src/organization/messages/flags.ts': ['NAMES_BY_BITS', 'TEXTS_BY_BITS'],
  'src/organization/state/document-check.ts': ['checks'],
  'src/organization/state/stored-fault.ts': ['known'],
  'src/services/markdown/code/highlight.ts': ['library', 'descriptions', 'context'],
  'src/services/markdown/formulas/tex.ts': ['katex', 'growth'],
  'src/services/markdown/time-limit.ts': ['script', 'taken'],
  'src/services/pictures/identicon.ts': ['cache'],
  'src/services/search-index/positions.ts': ['[shared, formerShared]'],
  'src/services/search-index/segment.ts': ['shared'],
  'src/services/text/disposable-domains.ts': ['domains'],
  'src/services/text/emoji.ts': ['tables'],
  'src/services/text/slack-emoji.ts': ['different'],
  'src/store/embedded/encoding.ts': ['lastName'],
};

/** What belongs to an object is found by the object itself, never by an id that two organizations have. */
const BY_OBJECT: Stated = {
  'src/http/events/event-frames.ts': ['kept', 'byLast', 'compressedHeads'],
  'src/http/events/event-stream.ts': ['streamsOf'],
  'src/http/files/public-file.ts': ['SERVED'],
  'src/http/reply/stream-encoder.ts': ['shared'],
  'src/journal/queues/queue-index.ts': ['keys'],
  'src/organization/messages/reading/shown-message.ts': ['keptTexts'],
  'src/resources/queues/register/shared-sections.ts': ['realmTexts'],
  'src/resources/snapshot-fragments/channel-texts.ts': ['caches'],
  'src/resources/snapshot-fragments/shared-texts.ts': ['caches'],
};

/** Nobody puts anything into these. */
const NEVER_FILLED: Stated = {
  'src/http/reply/exchange.ts': ['NO_HEADERS'],
  'src/http/router.ts': ['NO_VALUES'],
  'src/operator/verify/verify-search-index.ts': ['NOTHING'],
  'src/organization/channels/channel-access.ts': ['NOTHING'],
  'src/organization/notifications/push-delivery.ts': ['NONE'],
  'src/organization/state/collections/channels.ts': ['NO_SUBSCRIBERS'],
  'src/organization/state/message-index/intervals.ts': ['NO_IDS'],
  'src/organization/state/message-index/message-flags.ts': ['EMPTY'],
  'src/organization/state/message-index/message-index.ts': ['EMPTY'],
  'src/organization/state/message-index/moved-messages.ts': ['EMPTY'],
  'src/organization/state/message-index/notified-messages.ts': ['EMPTY'],
  'src/organization/state/message-index/posting-lists.ts': ['EMPTY'],
  'src/organization/views/access-change.ts': ['NOTHING'],
  'src/resources/messages/message-lookup.ts': ['NO_WORDS'],
  'src/services/web-app/web-app.ts': ['NOTHING'],
  'src/transfer/export/zulip-export.ts': ['ANALYTICS'],
};

/** Made by `new`, and never changed. */
const FIXED: ReadonlySet<string> = new Set(['RegExp', 'URL', 'Uint8Array']);

/** Variables of a module whose content can change, as far as their declarations say. */
function changing(file: string, text: string): string[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return statements.filter(ts.isVariableStatement).flatMap(({ declarationList }) => {
    const isConstant = (declarationList.flags & ts.NodeFlags.Const) !== 0;
    return declarationList.declarations
      .filter((one) => !isConstant || mayChange(one))
      .map(({ name }) => name.getText());
  });
}

function mayChange({ type, initializer: value }: ts.VariableDeclaration): boolean {
  if (!value || /^readonly/i.test(type?.getText() ?? '')) return false;
  if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
  if (ts.isObjectLiteralExpression(value)) return value.properties.length === 0;
  if (!ts.isNewExpression(value)) return false;
  const made = value.expression.getText();
  const isTable = made === 'Map' || made === 'Set';
  return !FIXED.has(made) && !(isTable && (value.arguments?.length ?? 0) > 0);
}

interface Rules {
  readonly sourceFiles: () => readonly string[];
}

const { sourceFiles } = (await import(
  pathToFileURL(join('scripts', 'import-rules.js')).href
)) as Rules;

/** Not of a server: pages in browsers, the client package, the command line, the server for tests. */
const OTHERS = /^src\/(web|client|cli|testing)\//;

void t.test('no variable of a module is of an organization', async (t) => {
  const found = sourceFiles()
    .filter((file) => file.startsWith('src/') && !OTHERS.test(file))
    .flatMap((file) => changing(file, readFileSync(file, 'utf8')).map((name) => `${file} ${name}`));
  const stated = [OF_THE_PROCESS, SAME_FOR_ALL, BY_OBJECT, NEVER_FILLED].flatMap((table) =>
    Object.entries(table).flatMap(([file, names]) => names.map((name) => `${file} ${name}`)),
  );
  t.strictSame(found.sort(), stated.sort());
});

void t.test('the rule finds what it should', async (t) => {
  const found = (text: string): string[] => changing('src/one.ts', text);
  t.strictSame(found('let one = 1;'), ['one']);
  t.strictSame(found('export const turns = new ConcurrencyLimiter(1);'), ['turns']);
  t.strictSame(found('const kept = new LRUCache<number, string>({ max: 1 });'), ['kept']);
  t.strictSame(found('const seen: string[] = [];'), ['seen']);
  t.strictSame(found("const NAMES = new Set(['a']);"), []);
  t.strictSame(found('const NONE: ReadonlySet<number> = new Set();'), []);
  t.strictSame(found('function make() { const own = new Map(); return own; }'), []);
});
