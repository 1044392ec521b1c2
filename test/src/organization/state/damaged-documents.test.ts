import t from 'tap';
import { readApart, reportOnce } from '../../../../src/organization/state/damaged-documents.js';
import { DamagedError, type DocumentKey } from '../../../../src/store/port.js';

const keys = (count: number): DocumentKey[] =>
  Array.from({ length: count }, (_, id) => ({ collection: 'message', id: String(id) }));

const damage = (id: string): DamagedError => new DamagedError('s', `message:${id}`, 'bits');

void t.test('a damaged document takes no other with it', async (t) => {
  let asked = 0;
  const source = (bad: ReadonlySet<string>) => async (some: readonly DocumentKey[]) => {
    for (const { id } of some) {
      asked += 1;
      if (bad.has(id)) throw damage(id);
    }
    return some.map(({ id }) => (id === '4' ? undefined : { id }));
  };
  for (const bad of [[], ['0'], ['9'], ['0', '1', '5', '9'], keys(10).map(({ id }) => id)]) {
    asked = 0;
    const found = await readApart(source(new Set(bad)), keys(10));
    t.equal(found.length, 10);
    t.ok(asked <= 20, 'no document is read more than twice');
    found.forEach((one, i) => {
      const id = String(i);
      if (bad.includes(id)) t.equal((one as DamagedError).subject, `message:${id}`);
      else t.same(one, id === '4' ? undefined : { id });
    });
  }
});

void t.test('what is wrong with the store as a whole is thrown', async (t) => {
  const whole = new DamagedError('s', 'unapplied merges', 'their checksum differs');
  await t.rejects(
    readApart(() => Promise.reject(whole), keys(3)),
    whole,
  );
  await t.rejects(
    readApart(() => Promise.reject(new Error('away')), keys(3)),
    /away/,
  );
});

void t.test('each document is reported once', (t) => {
  const told: string[] = [];
  const report = reportOnce(({ subject }) => void told.push(subject));
  for (const id of ['1', '2', '1', '2', '1']) report(damage(id));
  t.same(told, ['message:1', 'message:2']);
  t.end();
});
