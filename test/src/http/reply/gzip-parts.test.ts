import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { gzipPart, gzipStream } from '../../../../src/http/reply/gzip-parts.js';

void t.test('parts in any order are one gzip member', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 2000 }).map((one) => Buffer.from(one)),
    fc.uint8Array({ maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(300_000).map((length) => Buffer.alloc(length, 'user 17, ')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 6 }), async (texts) => {
      const parts = await Promise.all(texts.map((one) => gzipPart(one, 4)));
      for (const order of [parts, parts.toReversed(), [...parts, ...parts]]) {
        const stream = Buffer.concat(gzipStream(order));
        const whole = order.map((part) => texts[parts.indexOf(part)]!);
        // A second member, or a wrong checksum, would be refused.
        const found = gunzipSync(stream, { finishFlush: 4 });
        if (!found.equals(Buffer.concat(whole))) throw new Error('another text');
        if (stream.readUInt32LE(stream.length - 4) !== found.length) throw new Error('length');
      }
    }),
    { numRuns: 60 },
  );
});

void t.test('a damaged part does not go unnoticed', async (t) => {
  const parts = await Promise.all(
    [Buffer.alloc(5000, 'a'), Buffer.from('short'), Buffer.alloc(700, 'b')].map((one) =>
      gzipPart(one, 4),
    ),
  );
  for (const part of parts) {
    const wrong = parts.map((one) => (one === part ? { ...one, sum: one.sum ^ 1 } : one));
    t.throws(() => gunzipSync(Buffer.concat(gzipStream(wrong))), /incorrect data check/);
  }
});
