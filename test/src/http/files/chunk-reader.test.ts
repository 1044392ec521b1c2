import fc from 'fast-check';
import t from 'tap';
import { ChunkReader } from '../../../../src/http/files/chunk-reader.js';

void t.test(
  'a body in pieces reads like a whole one, however much the network takes',
  async (t) => {
    const pieces = fc.array(fc.nat(200_000), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.infiniteStream(fc.integer({ min: 1, max: 90_000 })),
        async (sizes, taken) => {
          let byte = 0;
          const parts = sizes.map((size) => Buffer.alloc(size, (byte += 1)));
          const whole = Buffer.concat(parts);
          const reader = new ChunkReader(parts);
          t.equal(reader.size, whole.length);
          let offset = 0;
          while (offset < whole.length) {
            const bytes = await reader.read(offset);
            if (bytes.length === 0 || bytes.length > 64 * 1024)
              throw new Error(`${bytes.length} bytes`);
            if (!bytes.equals(whole.subarray(offset, offset + bytes.length)))
              throw new Error('other bytes');
            offset += Math.min(bytes.length, taken.next().value as number);
          }
          t.equal((await reader.read(offset)).length, 0);
        },
      ),
      { numRuns: 30 },
    );
  },
);
