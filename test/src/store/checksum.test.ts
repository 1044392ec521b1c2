import fc from 'fast-check';
import t from 'tap';
import {
  checksumOf,
  sealDocument,
  sealEntry,
  sealInSlices,
  unsealDocument,
  unsealEntry,
} from '../../../src/store/checksum.js';
import type { Document } from '../../../src/store/port.js';
import type { Connection } from '../../../src/store/redis/connection.js';
import { fetchDocuments, type DocumentFormat } from '../../../src/store/redis/documents.js';
import { prepareWrite } from '../../../src/store/redis/encoding.js';
import { KeySpace } from '../../../src/store/redis/keys.js';

const key = { collection: 'user', id: '4' };
const text = '{"name":"Ann é 😀","n":[1,2.5]}';

void t.test('what was written comes back', async (t) => {
  t.equal(unsealDocument(key, sealDocument(key, text)), text);
  t.equal(unsealEntry(7, sealEntry(7, text)), text);
  t.equal(unsealDocument(key, text), text, 'what has no checksum is older, and taken as it is');
});

void t.test('a large entry is sealed in slices as it is at once', async (t) => {
  // A slice would end within a character of two units; the last text ends where a slice does.
  const rest = 256 * 1024 - 1;
  for (const large of [
    `${'x'.repeat(rest)}😀é${'ü'.repeat(rest)}😀`,
    'x'.repeat(rest + 1),
    '',
    '"',
  ]) {
    const slices = sealInSlices(7, large);
    let step = slices.next();
    while (!step.done) step = slices.next();
    t.equal(step.value.toString(), sealEntry(7, large));
    t.equal(unsealEntry(7, step.value.toString()), large);
  }
});

void t.test('no single flipped bit goes unnoticed', async (t) => {
  const sealed = Buffer.from(sealDocument(key, text));
  for (let bit = 0; bit < 8 * sealed.length; bit++) {
    const flipped = Buffer.from(sealed);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    const found = unsealDocument(key, flipped.toString());
    // Without its mark it is taken for an older one, which then is no JSON.
    if (found !== null) t.throws(() => JSON.parse(found) as unknown, `bit ${bit}`);
  }
});

void t.test('a text under another name is none of that name', async (t) => {
  t.equal(unsealDocument({ collection: 'user', id: '5' }, sealDocument(key, text)), null);
  t.equal(unsealDocument({ collection: 'bot', id: '4' }, sealDocument(key, text)), null);
  t.equal(unsealEntry(8, sealEntry(7, text)), null);
});

/** A server that keeps what is set and answers with it as a value whose fields have another order. */
function serverOf(stored: Document): Connection {
  const reorder = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const fields = Object.entries(value).reverse();
    return Object.fromEntries(fields.map(([name, inner]) => [name, reorder(inner)]));
  };
  const send = (): Promise<unknown> => Promise.resolve([JSON.stringify([reorder(stored)])]);
  return { send } as unknown as Connection;
}

function source(connection: Connection, format: DocumentFormat = 'json') {
  return { connection, keys: new KeySpace('acme'), format, description: 'redis:' };
}

/** What a write leaves on a server with JSON values. */
function valueOf(document: Document): Document {
  const write = { op: 'set', key, document } as const;
  return JSON.parse(prepareWrite(new KeySpace('acme'), 'json', write).text!) as Document;
}

void t.test('the checksum of a JSON value outlives another order of its fields', async (t) => {
  const document = fc.dictionary(fc.string(), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(document, async (raw) => {
      const given = JSON.parse(JSON.stringify(raw)) as Document;
      if ('__proto__' in given || JSON.stringify(given).includes('\\u')) return;
      const [found] = await fetchDocuments(source(serverOf(valueOf(given))), [key]);
      t.same(found?.document, given);
    }),
    { numRuns: 50 },
  );
  t.end();
});

void t.test('a JSON value that was changed, or lost a field, is named', async (t) => {
  const value = valueOf({ name: 'Ann', role: 400 });
  const damaged = { name: 'DamagedError', subject: 'user:4', problem: 'its checksum differs' };
  const { role: _role, ...shorter } = value as Record<string, never>;
  const changes: Document[] = [{ ...value, role: 100 }, shorter, { ...value, admin: true }];
  for (const changed of changes) {
    await t.rejects(fetchDocuments(source(serverOf(changed)), [key]), damaged);
  }
  const older = { name: 'Ann' };
  t.same((await fetchDocuments(source(serverOf(older)), [key]))[0]?.document, older);
  t.equal(checksumOf(key, { a: 1, b: 2 }), checksumOf(key, { b: 2, a: 1 }));
});
