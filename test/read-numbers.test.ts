import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import t from 'tap';

/*
 * A text that is no number is read as NaN, and each comparison with NaN is false: `Number(age) > LIMIT` lets through what
 * has no age. So each place that compares what it reads is here, with what happens to a text that is no number.
 */
const FALSE_IS_RIGHT: Readonly<Record<string, string>> = {
  'schemas/users/user-settings.ts: Number(value) >= 0': 'is refused',
  'schemas/users/user-settings.ts: Number(value) <= MAX_BATCHING_PERIOD_SECONDS': 'is refused',
  'src/operator/admin/admin-client.ts: Number((result as { refused?: number }).refused) > 0':
    'is none that was refused: the field is a number or absent',
  'src/operator/organization-deletion.ts: Number(text) <= MAX_THINK_DAYS':
    'has no digits, and is refused',
  'src/nodes/upkeep/scheduled-backups.ts: due.getTime() > now': 'cannot be: made of now',
  'src/transfer/import/mattermost/mattermost-people.ts: Number(row["delete_at"]) > 0':
    'was not deleted',
  'src/transfer/import/mattermost/mattermost-people.ts: Number(row["deleted_at"] ?? row["delete_at"]) > 0':
    'was not deleted',
  'src/transfer/import/rocketchat/rocketchat-archive.ts: Number(row["tcount"]) > 0':
    'began no thread, unless it has replies',
  'src/transfer/import/zulip/realm-settings.ts: Number(value) > MAX_WAITING_PERIOD_DAYS':
    'is refused by the schema of the setting',
  'src/host/monitoring/recent-log.ts: Number(/^\\{"level":(\\d+)/.exec(kept.line)?.[1]) >= LEAST[log_level]':
    'is a line that is left out',
  'src/config/network.ts: Number(value) > 65535': 'cannot be: digits',
  'src/config/network.ts: Number(prefix) <= (version === 4 ? 32 : 128)': 'is refused',
  'src/http/files/conditional.ts: Number(last) < Number(first)': 'cannot be: digits',
  'src/http/files/conditional.ts: Number(first) >= size': 'cannot be: digits',
  'src/http/forwarding/node-proof.ts: this.now() - Number(time) <= FRESH_MS': 'is refused',
  'src/http/limits/guarded.ts: Number(change) < 0': 'cannot be: a number of the native layer',
  'src/services/auth/file-links.ts: Number(until) * 1000 > now': 'is refused',
  'src/services/auth/web-tokens.ts: Number(exp) > latest': 'cannot be: verified as a number',
  'src/services/hooks/signatures.ts: Math.abs(now / 1000 - Number(time)) <= MAX_AGE_SECONDS':
    'is refused',
  'src/services/outside/guarded-get.ts: Number(headers["content-length"] ?? 0) > wanted.maxBytes':
    'is bounded while it arrives',
  'src/store/redis/journal.ts: Number(trimmed ?? 0) < position': 'cannot be: written by the store',
  'src/store/redis/journal.ts: Number(trimmed ?? 0) > position': 'cannot be: written by the store',
  'src/store/redis/store.ts: Number(came ?? 0) >= least': 'is read again: written by the store',
  'src/store/transfer/history-request.ts: Math.abs(now - Date.parse(exported_at)) <= MOVE_MS':
    'is no move',
};

const READS =
  /\b(?:Number|Number\.parse(?:Int|Float)|parseInt|parseFloat|Date\.parse)\(|\.getTime\(/;
const COMPARISONS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.LessThanToken,
  ts.SyntaxKind.LessThanEqualsToken,
  ts.SyntaxKind.GreaterThanToken,
  ts.SyntaxKind.GreaterThanEqualsToken,
]);

/** Comparisons in a source one side of which reads a number, in one line each. */
function comparisonsIn(file: string, text: string): string[] {
  const found: string[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node) && COMPARISONS.has(node.operatorToken.kind)) {
      const sides = [node.left, node.right].map((side) => side.getText(source));
      if (sides.some((side) => READS.test(side) && !side.includes('=>'))) {
        found.push(`${file}: ${node.getText(source).replace(/\s+/g, ' ').replaceAll("'", '"')}`);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

void t.test(
  'what compares a number that it reads says what becomes of a text that is none',
  (t) => {
    const found = ['schemas', 'actors', 'src'].flatMap((folder) =>
      readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => join(entry.parentPath, entry.name))
        // Pages of the browser are checked by the server.
        .filter((file) => !file.startsWith('src/web/'))
        .map((file) => [file, readFileSync(file, 'utf8')] as const)
        .filter(([, text]) => READS.test(text))
        .flatMap(([file, text]) => comparisonsIn(file, text)),
    );
    t.same(found.toSorted(), Object.keys(FALSE_IS_RIGHT).toSorted());
    t.end();
  },
);

void t.test('such comparisons are found', (t) => {
  t.same(comparisonsIn('a.ts', 'if (now - Number(age) > LIMIT) return false;'), [
    'a.ts: now - Number(age) > LIMIT',
  ]);
  t.same(comparisonsIn('a.ts', 'const is = a < b; Number(c) === 1;'), []);
  t.end();
});
