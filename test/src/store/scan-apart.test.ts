import t from 'tap';
import { DamagedError, type Document } from '../../../src/store/port.js';
import { scanApart } from '../../../src/store/scan-apart.js';

/** A store with documents 1 to 10 in batches of three, some of them damaged. */
function storeOf(damaged: readonly number[], unlisted = false) {
  return {
    async *scan(collection: string, { after = '0', batch = 3 } = {}) {
      for (let from = Number(after) + 1; from <= 10; from += batch) {
        const ids = Array.from({ length: Math.min(batch, 11 - from) }, (_, i) => from + i);
        const bad = ids.find((id) => damaged.includes(id));
        const subject = unlisted ? `the list of ${collection}` : `${collection}:${bad}`;
        if (bad !== undefined) throw new DamagedError('toy', subject, 'its checksum differs');
        yield ids.map((id) => ({ id: String(id), document: { id } as Document }));
      }
    },
  };
}

async function read(damaged: readonly number[], unlisted = false) {
  const found: number[] = [];
  const named: string[] = [];
  const report = ({ subject }: DamagedError): void => void named.push(subject);
  for await (const batch of scanApart(storeOf(damaged, unlisted), 'message', report)) {
    for (const { id } of batch) found.push(Number(id));
  }
  return { found, named };
}

void t.test('all documents but the damaged ones are read, once and in order', async (t) => {
  t.same(await read([]), { found: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], named: [] });
  t.same(await read([1, 5, 6, 10]), {
    found: [2, 3, 4, 7, 8, 9],
    named: ['message:1', 'message:5', 'message:6', 'message:10'],
  });
  t.same((await read([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).found, []);
});

void t.test('damage that names no document ends the scan', async (t) => {
  await t.rejects(read([5], true), /^the list of message in toy is damaged/);
});
