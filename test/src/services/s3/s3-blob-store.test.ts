import { chmodSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { S3KeySource } from '../../../../src/services/s3/place.js';
import { S3BlobStore } from '../../../../src/services/s3/s3-blob-store.js';
import { S3Connection, type S3Waits } from '../../../../src/services/s3/connection.js';
import { S3Credentials } from '../../../../src/services/s3/credentials.js';
import { blobStoreTests, partOf } from '../blob-store-contract.js';
import { KEYS, LocalBucket, refuse } from '../fixtures/s3-server.js';
import { testFolder } from '../../../fixtures/test-folder.js';

blobStoreTests('bucket', async (t) => {
  const bucket = await LocalBucket.start(t);
  const credentials = await S3Credentials.load(KEYS);
  return () => storeOf(t, bucket, { credentials }).blobs;
});

interface Options {
  readonly credentials: S3Credentials;
  readonly waits?: S3Waits;
}

/** Bucket and store are one process here: on a busy machine hundreds of requests at once take longer than the usual waits. */
const PATIENT: S3Waits = { idleMs: 120_000, totalMs: 120_000, uploadMs: 120_000 };

function storeOf(t: Test, bucket: LocalBucket, { credentials, waits = PATIENT }: Options) {
  const connection = new S3Connection(bucket.place, credentials, waits);
  const told: string[] = [];
  const blobs = new S3BlobStore(bucket.place, connection, {
    failed: (error) => told.push(error.message),
    recovered: () => told.push('recovered'),
  });
  t.teardown(() => blobs.close());
  return { blobs, told };
}

async function start(t: Test, keys: S3KeySource = KEYS, waits?: S3Waits) {
  const bucket = await LocalBucket.start(t);
  const credentials = await S3Credentials.load(keys);
  return { bucket, ...storeOf(t, bucket, { credentials, waits }) };
}

const AWAY = {
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  message: 'Uploaded files are not available',
  headers: { 'Retry-After': '1' },
};

void t.test('keys stand behind the prefix; a small file takes one request', async (t) => {
  const { bucket, blobs } = await start(t);
  t.equal(blobs.description, 's3://parley-files/chat/one/');
  await blobs.put('uploads/ab/x', Buffer.alloc(200_000, 'x'));
  await blobs.put('small', Buffer.from('abc'));
  bucket.seen.length = 0;
  await partOf(blobs, 'small', { size: 3 });
  await partOf(blobs, 'uploads/ab/x', { size: 200_000, first: 100_000, end: 100_001 });
  await blobs.delete('uploads/ab/x');
  t.strictSame(bucket.seen, [
    'GET /parley-files/chat/one/small',
    'GET /parley-files/chat/one/uploads/ab/x bytes=0-65535',
    'GET /parley-files/chat/one/uploads/ab/x bytes=100000-100000',
    'DELETE /parley-files/chat/one/uploads/ab/x',
  ]);
});

void t.test('all files are listed, page by page', async (t) => {
  const { bucket, blobs } = await start(t);
  // The bucket of these tests makes no pages, so these are written by hand.
  const file = (key: string, size: number) =>
    `<Contents><Key>chat/one/${key}</Key><ETag>&quot;1&quot;</ETag><Size>${size}</Size></Contents>`;
  const page = (files: string, more = '') =>
    `<?xml version="1.0"?><ListBucketResult>${more}${files}</ListBucketResult>`;
  const pages = [
    page(
      file('a', 1) + file('uploads/ab/x', 12),
      '<IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;1</NextContinuationToken>',
    ),
    page(file('', 0) + file('../b', 2) + file('c d', 3) + file('z', 4)),
  ];
  bucket.fault = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/xml' }).end(pages.shift());
    return true;
  };
  const listed: [string, number][] = [];
  for await (const { key, size } of blobs.list(2)) listed.push([key, size]);
  t.strictSame(listed, [
    ['a', 1],
    ['uploads/ab/x', 12],
    ['z', 4],
  ]);
  const asked = 'GET /parley-files/?list-type=2&max-keys=2&prefix=chat%2Fone%2F';
  t.strictSame(bucket.seen, [asked, `${asked}&continuation-token=t%261`]);
});

void t.test('what is stored carries its hash, which the bucket checks', async (t) => {
  const { bucket, blobs } = await start(t);
  const data = Buffer.alloc(700_000, 'parley');
  const sent: unknown[] = [];
  bucket.fault = ({ headers }) => {
    sent.push([headers['x-amz-content-sha256'], headers['content-length']]);
    return false;
  };
  await blobs.put('a', data);
  t.strictSame(sent, [[createHash('sha256').update(data).digest('hex'), '700000']]);
});

void t.test('an attempt that fails is repeated, three times in all', async (t) => {
  const { bucket, blobs, told } = await start(t);
  let left = 2;
  bucket.fault = (request, response) =>
    left-- > 0 ? refuse(request, response, 503, 'SlowDown') : false;
  await blobs.put('a', Buffer.from('abc'));
  t.equal(bucket.seen.length, 3);
  left = 1;
  bucket.fault = (request) => left-- > 0 && Boolean(request.socket.destroy());
  t.strictSame(await blobs.get('a'), Buffer.from('abc'), 'after a broken connection');
  t.strictSame(told, [], 'nobody is told of what did not matter');
  bucket.seen.length = 0;
  bucket.fault = (request, response) => refuse(request, response, 500, 'InternalError');
  await t.rejects(blobs.put('a', Buffer.from('abd')), AWAY);
  t.equal(bucket.seen.length, 3);
  await t.rejects(blobs.delete('a'), AWAY);
  t.strictSame(told, ['PUT was answered with 500 InternalError'], 'told once');
  bucket.fault = null;
  t.strictSame(await blobs.get('a'), Buffer.from('abc'));
  t.strictSame(told.slice(1), ['recovered']);
});

void t.test('a reply that is cut is asked for again, and never taken for whole', async (t) => {
  const { bucket, blobs } = await start(t);
  await blobs.put('a', Buffer.alloc(300_000, 'x'));
  let left = 1;
  bucket.fault = (_request, response) => {
    if (left-- <= 0) return false;
    response.writeHead(206, { 'Content-Length': 65_536, 'Content-Range': 'bytes 0-65535/300000' });
    response.write(Buffer.alloc(1000), () => response.destroy());
    return true;
  };
  t.ok((await partOf(blobs, 'a', { size: 300_000 }))?.equals(Buffer.alloc(300_000, 'x')));
  bucket.fault = (_request, response) => {
    response.writeHead(206, { 'Content-Range': 'bytes 0-65535/300000' });
    response.end(Buffer.alloc(1_000_000));
    return true;
  };
  await t.rejects(blobs.open('a', 300_000), AWAY, 'more than was asked for');
  bucket.fault = (_request, response) => {
    response.writeHead(200, { 'Content-Length': 1_000_000_000_000 });
    response.write('x');
    return true;
  };
  await t.rejects(blobs.open('a', 300_000), AWAY, 'the whole of something enormous');
  bucket.fault = null;
  const file = (await blobs.open('a', 300_000))!;
  bucket.fault = (_request, response) => Boolean(response.writeHead(206).end('abc'));
  await t.rejects(file.read(100_000, 100_010), /\/a gave 3 bytes in place of 10$/);
  await file.close();
  // Of unknown length, as through a proxy.
  bucket.fault = (_request, response) => {
    response.writeHead(200, { 'Transfer-Encoding': 'chunked' });
    response.end('abc');
    return true;
  };
  t.strictSame(await blobs.get('a'), Buffer.from('abc'));
});

void t.test('a bucket that does not answer is given up in time', async (t) => {
  const waits = { idleMs: 50, totalMs: 5000, uploadMs: 200 };
  const { bucket, blobs, told } = await start(t, KEYS, waits);
  bucket.fault = () => true;
  await t.rejects(blobs.get('a'), AWAY);
  t.equal(bucket.seen.length, 3, 'three attempts of 50 ms');
  // A byte now and then keeps a connection, but not for ever.
  bucket.fault = (_request, response) => {
    const timer = setInterval(() => response.writeProcessing(), 10);
    response.on('close', () => clearInterval(timer));
    return true;
  };
  await t.rejects(blobs.put('a', Buffer.from('x')), AWAY);
  t.strictSame(told, ['no reply (no answer)']);
  await bucket.goAway();
  await t.rejects(blobs.get('a'), AWAY);
  await bucket.comeBack();
  bucket.fault = null;
  // On a busy machine the three attempts may be over before it answers.
  let found: unknown = AWAY;
  while (found === AWAY) found = await blobs.get('a').catch(() => AWAY);
  t.equal(found, undefined);
  t.strictSame(told, ['no reply (no answer)', 'recovered']);
});

void t.test('a refusal is no missing file', async (t) => {
  const { bucket, blobs, told } = await start(t, { ...KEYS, secret: 'wrong' });
  await t.rejects(blobs.get('a'), AWAY);
  t.equal(bucket.seen.length, 1, 'nor repeated');
  t.strictSame(told, ['GET was answered with 403 SignatureDoesNotMatch']);
  bucket.fault = (request, response) => refuse(request, response, 404, 'NoSuchBucket');
  await t.rejects(blobs.open('a', 1), AWAY);
  await t.rejects(blobs.open('a', 100_000), AWAY);
});

void t.test('credentials in a file may change while the server runs', async (t) => {
  const file = join(testFolder(t), 'keys');
  const write = (secret: string) => {
    writeFileSync(
      file,
      `# Ours\n[default]\naws_access_key_id = TESTER\naws_secret_access_key=${secret}\nregion = x\n`,
    );
    chmodSync(file, 0o600);
  };
  write('TESTER');
  const { bucket, blobs, told } = await start(t, { file });
  await blobs.put('a', Buffer.from('x'));
  bucket.secret = 'another';
  await t.rejects(blobs.get('a'), AWAY);
  write('another');
  t.strictSame(await blobs.get('a'), Buffer.from('x'));
  t.strictSame(told, ['GET was answered with 403 SignatureDoesNotMatch', 'recovered']);
  const token: unknown[] = [];
  bucket.fault = ({ headers }) => {
    token.push(headers['x-amz-security-token']);
    return false;
  };
  writeFileSync(
    file,
    'AWS_ACCESS_KEY_ID=TESTER\nAWS_SECRET_ACCESS_KEY=another\nAWS_SESSION_TOKEN=T',
  );
  const credentials = await S3Credentials.load({ file });
  t.strictSame(await storeOf(t, bucket, { credentials }).blobs.get('a'), Buffer.from('x'));
  t.strictSame(token, ['T']);
});

void t.test(
  'a file of credentials that cannot be used is named, without its content',
  async (t) => {
    const file = join(testFolder(t), 'keys');
    for (const [content, fault] of [
      ['aws_access_key_id = hidden\n', 'has no aws_secret_access_key'],
      ['aws_secret_access_key = hidden\n', 'has no aws_access_key_id'],
      ['[a]\n[b]\n', 'has several sections: give a file with one'],
      ['hidden\n', ': line 1 is no name = value'],
    ] as const) {
      writeFileSync(file, content);
      const expected = new Error(fault.startsWith(':') ? file + fault : `${file} ${fault}`);
      await t.rejects(S3Credentials.load({ file }), expected);
    }
    const missing = join(testFolder(t), 'none');
    await t.rejects(S3Credentials.load({ file: missing }), `${missing} cannot be read (ENOENT)`);
  },
);

void t.test('what a bucket did not remove is removed when it answers again', async (t) => {
  const { bucket, blobs } = await start(t);
  for (const key of ['a', 'b', 'kept']) await blobs.put(key, Buffer.from(key));
  await bucket.goAway();
  for (const key of ['a', 'b', 'kept']) await t.rejects(blobs.delete(key), AWAY);
  await bucket.comeBack();
  await blobs.put('kept', Buffer.from('again'));
  while ((await blobs.get('a')) || (await blobs.get('b'))) continue;
  bucket.seen.length = 0;
  t.strictSame(await blobs.get('kept'), Buffer.from('again'), 'not what was stored again');
  t.strictSame(bucket.seen, ['GET /parley-files/chat/one/kept'], 'once');
});

void t.test('memory is bounded: of files being stored, and of files being read', async (t) => {
  const { bucket, blobs } = await start(t);
  const data = Buffer.alloc(25 * 1024 * 1024);
  await blobs.put('a', data);
  const held: (() => void)[] = [];
  const waiting = new Promise<void>((resolve) => {
    bucket.fault = (request, response) => {
      held.push(() => refuse(request, response, 403, 'AccessDenied'));
      if (held.length === 16) resolve();
      return true;
    };
  });
  const storing = Array.from({ length: 16 }, (_, i) => blobs.put(`p${i}`, data).catch(() => {}));
  await waiting;
  await t.rejects(blobs.put('one-more', Buffer.alloc(1)), { message: 'Too many uploads at once' });
  for (const end of held) end();
  await Promise.all(storing);
  bucket.fault = null;
  await blobs.put('one-more', Buffer.alloc(1));
  const open = await Promise.all(Array.from({ length: 256 }, () => blobs.open('a', data.length)));
  const size = async () => (await open[0]!.read(1_000_000, data.length)).length;
  t.equal(await size(), 256 * 1024, '64 MiB among 256');
  await Promise.all(open.slice(64).map((one) => one!.close()));
  t.equal(await size(), 1024 * 1024);
  await Promise.all(open.slice(0, 64).map((one) => one!.close()));
});
