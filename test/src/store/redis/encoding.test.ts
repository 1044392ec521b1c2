import t from 'tap';
import { checksumOf, sealDocument, sealEntry } from '../../../../src/store/checksum.js';
import type { Write } from '../../../../src/store/port.js';
import type { DocumentFormat } from '../../../../src/store/redis/documents.js';
import { encodeCommit, prepareWrite, sizeFault } from '../../../../src/store/redis/encoding.js';
import { KeySpace } from '../../../../src/store/redis/keys.js';

const space = new KeySpace('acme');
const pad = 'x'.repeat(60);

function encode(format: DocumentFormat, writes: readonly Write[], whole = false) {
  const prepared = writes.map((write) => prepareWrite(space, format, write));
  return encodeCommit(space, { entries: [], writes: prepared, due: [] }, whole);
}

const key = { collection: 'users', id: '4' };
const merge: Write = { op: 'merge', key, fields: { n: null }, document: { n: null, pad } };
const document = { n: null, pad };
const checksum = checksumOf(key, document);
const wholeText = JSON.stringify({ ...document, _checksum: checksum });
const listing = ['1', '0', '4', '4'];

void t.test('a merge is a partial update where the server has JSON values', async (t) => {
  t.same(encode('json', [merge]), {
    keys: ['parley:{acme}:users:4', 'parley:{acme}:@numbers:users'],
    args: [
      ...['0', '0', '1', '0', '1'],
      ...['2', '$.n', 'null', '$._checksum', `"${checksum}"`],
      ...listing,
    ],
  });
  const asWhole = ['0', '1', '0', '0', '1', wholeText, ...listing];
  const sealed = sealDocument(key, JSON.stringify(document));
  t.same(encode('text', [merge]).args, ['0', '1', '0', '0', '1', sealed, ...listing]);
  t.same(encode('json', [merge], true).args, asWhole, 'when the document is not there');
  t.same(encode('json', [merge, merge]).args, asWhole, 'when it follows another write');
});

void t.test('a merge of odd names or of most of the document writes the whole', async (t) => {
  const odd: Write = { ...merge, fields: { 'a"b': 1 }, document: { 'a"b': 1, pad } };
  t.equal(encode('json', [odd]).args[1], '1');
  const most: Write = { ...merge, fields: { pad }, document: { n: 1, pad } };
  t.equal(encode('json', [most]).args[1], '1');
});

void t.test('keys and arguments stand in the order the script reads them', async (t) => {
  const entries = [{ seq: 7, text: '"e"' }];
  const writes = [
    { op: 'delete', key: { collection: 'users', id: 'x' } },
    { op: 'set', key, document: { n: 1 } },
  ] as const;
  const prepared = writes.map((write) => prepareWrite(space, 'text', write));
  const due = [
    { index: 'wake', id: 'a', at: 5 },
    { index: 'wake', id: 'a', at: null },
    { index: 'wake', id: 'b', at: 6 },
  ];
  t.same(encodeCommit(space, { entries, writes: prepared, due }, false), {
    keys: [
      'parley:{acme}:users:4',
      'parley:{acme}:users:x',
      'parley:{acme}:@names:users',
      'parley:{acme}:@numbers:users',
      'parley:{acme}:@due:wake',
    ],
    args: [
      ...['1', '1', '0', '1', '3'],
      ...['7', sealEntry(7, '"e"'), sealDocument(key, '{"n":1}')],
      ...['0', '1', 'x'],
      ...listing,
      ...['1', '1', '6', 'b', 'a'],
    ],
  });
});

void t.test('a commit of very many items or very much text is refused', async (t) => {
  const entries = Array.from({ length: 100_001 }, (_, i) => ({ seq: i + 1, text: '' }));
  t.match(sizeFault({ entries, writes: [], due: [] }), { message: 'The commit is too large' });
  const text = 'x'.repeat(64 * 1024 * 1024);
  t.equal(sizeFault({ entries: [{ seq: 1, text }], writes: [], due: [] }), null);
  const more = [
    { seq: 1, text },
    { seq: 2, text: 'x' },
  ];
  t.match(sizeFault({ entries: more, writes: [], due: [] }), RangeError);
});
