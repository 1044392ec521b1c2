import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { acceptsCoding, Compressor } from '../../../../src/http/reply/compression.js';
import { EncodedReply, type Reply, type Route } from '../../../../src/resources/kernel/route.js';
import { RawConnection } from '../raw-connection.js';
import { basic, startToy, toyEndpoint } from '../toy-server.js';

void t.test('which codings a client takes', async (t) => {
  for (const [header, expected] of [
    ['', false],
    ['gzip', true],
    ['gzip, deflate', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000, *', false],
    ['gzip;q=0.001', true],
    ['*', true],
    ['*;q=0', false],
    ['identity', false],
    ['xgzip, gzipx', false],
    ['gzip;q=1, gzip;q=0', true],
    ['gzip;q=1.000', true],
    ['gzip;q=0.', false],
    ...[
      ...[
        'gzip;q=abc',
        'gzip;q=',
        'gzip;q',
        'gzip;q=-1',
        'gzip;q=2',
        'gzip;q=1.001',
        'gzip;q=0.0001',
      ],
      ...['gzip;q=1e0', 'gzip; q = 1', 'gzip;q="1"', 'gzip;q=NaN', '*;q=abc', 'gzip;q=abc, *'],
    ].map((header) => [header, false] as const),
  ] as const) {
    t.equal(acceptsCoding(header, 'gzip'), expected, header);
  }
});

void t.test('work is bounded, and of random length', async (t) => {
  const data = Buffer.alloc(100_000, 'ab');
  const compressor = new Compressor(250_000);
  const both = Promise.all([compressor.gzip(data), compressor.gzip(data)]);
  t.equal(compressor.takes(50_000), true);
  t.equal(compressor.takes(50_001), false);
  for (const compressed of await both) t.same(gunzipSync(compressed), data);
  t.equal(compressor.takes(250_000), true, 'what is done counts no more');
  t.equal(compressor.takes(33 * 1024 * 1024), false, 'nothing huge');
  const many = await Promise.all(Array.from({ length: 40 }, () => compressor.gzip(data)));
  t.ok(
    new Set(many.map(({ length }) => length)).size > 5,
    'the length tells little of the content',
  );
});

const TEXT = 'message '.repeat(3000);
const long = (n: number): Reply => ({ text: TEXT.slice(0, n) });

async function start(t: Test) {
  const reply = (path: string, give: () => Reply | EncodedReply | Promise<Reply>) => ({
    endpoint: toyEndpoint({ method: 'GET', path }),
    call: give as Route['call'],
  });
  const pieces = Array.from({ length: 100 }, () => Buffer.from(TEXT));
  const { port } = await startToy(t, {
    routes: [
      reply('/small', () => long(8000)),
      reply('/large', () => long(20_000)),
      reply('/late', async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return long(20_000);
      }),
      reply(
        '/pieces',
        () => new EncodedReply([Buffer.from(',"text":"'), ...pieces, Buffer.from('"')]),
      ),
      reply('/shared', () => {
        const all = [Buffer.from(',"text":"'), ...pieces, Buffer.from('"')];
        return new EncodedReply(all, {}, new Set(pieces));
      }),
    ],
  });
  return async (path: string, coding: string | null, method = 'GET') => {
    const connection = await RawConnection.open(port);
    const accept = coding === null ? [] : [`Accept-Encoding: ${coding}`];
    connection.request(method, `/api/v1${path}`, `Authorization: ${basic()}`, ...accept);
    const reply = (await connection.bytes({ head: method === 'HEAD' }))!;
    connection.destroy();
    return reply;
  };
}

void t.test('large replies are compressed for clients that ask', async (t) => {
  const get = await start(t);
  for (const [path, length] of [
    ['/large', 20_000],
    ['/late', 20_000],
    ['/pieces', 100 * TEXT.length],
    ['/shared', 100 * TEXT.length],
  ] as const) {
    const plain = await get(path, null);
    t.equal(plain.headers.get('content-encoding'), undefined);
    t.equal(plain.headers.get('vary'), 'Accept-Encoding');
    const { text } = JSON.parse(plain.body.toString()) as { text: string };
    t.equal(text.length, length);
    const compressed = await get(path, 'gzip, deflate');
    t.equal(compressed.headers.get('content-encoding'), 'gzip');
    t.equal(compressed.headers.get('vary'), 'Accept-Encoding');
    t.equal(compressed.headers.get('content-type'), 'application/json');
    t.equal(compressed.headers.get('x-content-type-options'), 'nosniff');
    t.ok(compressed.body.length < plain.body.length / 10, path);
    t.same(gunzipSync(compressed.body), plain.body, path);
    t.same((await get(path, 'gzip;q=0')).body, plain.body);
    t.same((await get(path, 'br')).body, plain.body);
    const head = await get(path, 'gzip', 'HEAD');
    t.equal(head.headers.get('content-length'), String(plain.body.length));
  }
});

void t.test('small replies and errors are sent as they are', async (t) => {
  const get = await start(t);
  for (const path of ['/small', '/nothing']) {
    const { headers } = await get(path, 'gzip');
    t.same([headers.get('content-encoding'), headers.get('vary')], [undefined, undefined], path);
  }
});

void t.test('what replies share is compressed once', async (t) => {
  const compressor = new Compressor(100_000);
  const [list, other] = [Buffer.alloc(60_000, 'user '), Buffer.alloc(60_000, 'group ')];
  const shared = new Set([list, other]);
  const own = Buffer.from(`"queue_id":"${'q'.repeat(1000)}"`);
  t.equal(compressor.takesParts([list, other], shared), false, 'both are still to be compressed');
  const first = await compressor.gzipParts([own, list], shared);
  t.same(gunzipSync(Buffer.concat(first)), Buffer.concat([own, list]));
  t.equal(compressor.takesParts([list, other], shared), true);
  const [second, third] = await Promise.all([
    compressor.gzipParts([list, own, other, list], shared),
    compressor.gzipParts([own, other], shared),
  ]);
  t.same(gunzipSync(Buffer.concat(second)), Buffer.concat([list, own, other, list]));
  t.same(gunzipSync(Buffer.concat(third)), Buffer.concat([own, other]));
  t.equal(second.filter((part) => part === first[2]).length, 2, 'the same bytes as before');
  t.equal(second[3], third[2], 'also where two asked at once');
});
