/*
 * The pages ask the server by the client alone (src/client), which knows the paths of the API and where a session has
 * them: an address that a page writes by hand is one that nobody checks.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

/** Ways round the client, with a word for what was found. */
const WAYS = {
  'an address of the API': /['"`]\/?(?:api\/v1|json)\b/,
  'a request by hand': /\b(?:fetch|XMLHttpRequest|EventSource|WebSocket|sendBeacon)\(/,
  'a path of the client': /\.(?:base|request)\b/,
} as const;

/** What is no part of the API: names of emoji, a file of the page; and the client of the pages itself. */
const RIGHT = [
  'src/web/chat/writing/emoji.ts: a request by hand',
  'src/web/shared/session.ts: a path of the client',
];

function waysIn(file: string, text: string): string[] {
  return Object.entries(WAYS).flatMap(([word, way]) =>
    way.test(text) ? [`${file}: ${word}`] : [],
  );
}

void t.test('no page writes an address of the API, or asks by hand', (t) => {
  const files = readdirSync('src/web', { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  t.ok(files.length > 90, `${files.length} files`);
  t.same(files.flatMap((file) => waysIn(file, readFileSync(file, 'utf8'))).sort(), RIGHT);
  t.end();
});

void t.test('such ways are found', (t) => {
  const [address, byHand, path] = Object.keys(WAYS).map((word) => `a.ts: ${word}`);
  t.same(waysIn('a.ts', 'const url = `/api/v1${path}`;'), [address]);
  t.same(waysIn('a.ts', "await fetch('/json/users');"), [address, byHand]);
  t.same(waysIn('a.ts', 'client.request(`${client.base}/users`)'), [path]);
  t.same(waysIn('a.ts', "client.call('GET /users', {});"), []);
  t.end();
});
