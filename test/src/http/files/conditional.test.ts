import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import t from 'tap';
import { entityTag, isUnmodified, requestedRange } from '../../../../src/http/files/conditional.js';
import type { PublicFile } from '../../../../src/http/files/public-file.js';
import { RawConnection } from '../raw-connection.js';
import { successText } from '../../../../src/http/reply/json-reply.js';
import type { Exchange } from '../../../../src/http/reply/exchange.js';
import { basic, startToy, toyEndpoint } from '../toy-server.js';

const TAG = '"abc"';

void t.test('which part of a file is asked for', async (t) => {
  const range = (text: string, ifRange = '', size = 100) =>
    requestedRange({ ifNoneMatch: '', range: text, ifRange }, TAG, size);
  t.same(range('bytes=0-9'), { first: 0, last: 9 });
  t.same(range('bytes=90-'), { first: 90, last: 99 });
  t.same(range('bytes=90-1000'), { first: 90, last: 99 });
  t.same(range('bytes=-10'), { first: 90, last: 99 });
  t.same(range('bytes=-1000'), { first: 0, last: 99 });
  t.same(range('BYTES= 5-5 '), { first: 5, last: 5 });
  for (const text of ['bytes=100-', 'bytes=100-200', 'bytes=-0']) {
    t.equal(range(text), 'unsatisfiable', text);
  }
  t.equal(range('bytes=0-', '', 0), 'unsatisfiable', 'of nothing');
  for (const text of ['', 'bytes=', 'bytes=-', 'bytes=9-0', 'bytes=0-1,5-6', 'lines=0-1', 'x']) {
    t.equal(range(text), null, `all: ${text}`);
  }
  t.same(range('bytes=0-9', TAG), { first: 0, last: 9 });
  t.equal(range('bytes=0-9', '"other"'), null, 'another version');
  t.equal(range('bytes=0-9', 'W/"abc"'), null, 'a weak tag');
  t.equal(range('bytes=0-9', 'Sun, 22 Nov 2026 08:00:00 GMT'), null, 'a date');
});

void t.test('which copies are up to date', async (t) => {
  const same = (ifNoneMatch: string) => isUnmodified({ ifNoneMatch, range: '', ifRange: '' }, TAG);
  for (const known of ['"abc"', 'W/"abc"', '"x", "abc"', '*']) t.equal(same(known), true, known);
  for (const known of ['', '"abcd"', 'abc', '"x"']) t.equal(same(known), false, known);
  t.equal(entityTag('a'), entityTag(Buffer.from('a')));
  t.not(entityTag('a'), entityTag('b'));
});

void t.test('public files have a tag and are given once', async (t) => {
  const css = { body: 'a { color: red }\n'.repeat(500), contentType: 'text/css; charset=utf-8' };
  const png = { body: Buffer.alloc(9000, 7), contentType: 'image/png', cacheControl: 'public' };
  const files = new Map<string, PublicFile>([
    ['/a.css', css],
    ['/a.png', png],
  ]);
  // Read anew each time, as pictures are.
  const { port } = await startToy(t, { files: async (path) => files.get(path) });
  const get = async (path: string, ...headers: string[]) => {
    const connection = await RawConnection.open(port);
    connection.request('GET', path, ...headers);
    const reply = (await connection.bytes())!;
    connection.destroy();
    return reply;
  };
  const plain = await get('/a.css');
  t.equal(plain.headers.get('cache-control'), 'public, max-age=300');
  t.equal(plain.headers.get('vary'), 'Accept-Encoding');
  t.equal(plain.body.toString(), css.body);
  const tags = new Set<string>();
  for (const [accepted, coding, decode] of [
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const) {
    const accept = `Accept-Encoding: ${accepted}`;
    const { status, headers, body } = await get('/a.css', accept);
    t.same([status, headers.get('content-encoding')], [200, coding]);
    t.equal(decode(body).toString(), css.body);
    const tag = headers.get('etag')!;
    tags.add(tag);
    const again = await get('/a.css', accept, `If-None-Match: ${tag}`);
    t.same([again.status, again.body.length], [304, 0]);
    t.same([again.headers.get('etag'), again.headers.get('vary')], [tag, 'Accept-Encoding']);
    t.equal((await get('/a.css', accept, 'If-None-Match: "other"')).status, 200);
  }
  t.equal(tags.size, 3, 'one for each form');
  const picture = await get('/a.png', 'Accept-Encoding: gzip, br');
  t.same(picture.body, png.body, 'pictures are compressed already');
  t.equal(picture.headers.get('cache-control'), 'public');
  t.equal(picture.headers.get('vary'), undefined);
  const known = `If-None-Match: ${picture.headers.get('etag')}`;
  t.equal((await get('/a.png', known)).status, 304);
});

void t.test(
  'what large pictures that slow clients do not take hold in memory is bounded',
  async (t) => {
    const MIB = 1024 * 1024;
    // More than the network takes by itself, and two of them nearly all that may be held.
    const files = new Map(
      ['/a', '/b', '/c'].map((path): [string, PublicFile] => {
        const body = Buffer.alloc(30 * MIB, path);
        return [path, { body, contentType: 'image/png', contentSecurityPolicy: 'sandbox' }];
      }),
    );
    const { port } = await startToy(t, { files: (path) => files.get(path) });
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    const slow = await Promise.all([get('/a'), get('/b')]);
    t.equal((await get('/a')).status, 200, 'what is held already is given to others, too');
    const refused = await get('/c');
    t.same([refused.status, refused.headers.get('retry-after')], [503, '1']);
    const [a, b] = await Promise.all(slow.map((response) => response.arrayBuffer()));
    t.ok(Buffer.from(a!).equals(files.get('/a')!.body as Buffer));
    t.equal(b!.byteLength, 30 * MIB);
    const given = await get('/c');
    t.equal(given.headers.get('content-security-policy'), 'sandbox');
    t.equal((await given.arrayBuffer()).byteLength, 30 * MIB);
  },
);

void t.test('a request whose turn comes in the next round has its headers', async (t) => {
  const busy = {
    endpoint: toyEndpoint({ method: 'GET', path: '/busy' }),
    call: () => {
      for (const end = performance.now() + 20; performance.now() < end;);
      return {};
    },
  };
  const file = {
    endpoint: toyEndpoint({ method: 'GET', path: '/file' }),
    respond: (exchange: Exchange) =>
      exchange.replyText200(successText({ range: exchange.header('range') }, [])),
  };
  const { port } = await startToy(t, { routes: [busy], specials: [file] });
  const connection = await RawConnection.open(port);
  const lines = ['Host: test', `Authorization: ${basic()}`, 'Range: bytes=1-', '', ''];
  const both = ['busy', 'file'].map((path) =>
    [`GET /api/v1/${path} HTTP/1.1`, ...lines].join('\r\n'),
  );
  connection.write(both.join(''));
  t.equal((await connection.response())!.status, 200);
  t.match((await connection.response())!.body, '"range":"bytes=1-"');
  connection.destroy();
});
