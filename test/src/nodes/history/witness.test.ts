/** The file in which a node keeps what it knows of its store. */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Witness, type Seen } from '../../../../src/nodes/history/witness.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const SEEN: Seen = { history: 'a', seq: 7, entry: 'digest', counters: { message: 3 }, at: 5 };

function load(folder: string, failed: (error: unknown) => void = () => undefined) {
  return Witness.load(join(folder, 'witness.json'), failed);
}

async function written(t: Test): Promise<string> {
  const folder = testFolder(t, { data: {} });
  const witness = await load(join(folder, 'data'));
  t.ok(witness.isNew);
  witness.record(SEEN);
  await witness.save();
  t.notOk(witness.isNew);
  return folder;
}

void t.test('what was seen is there after a restart', async (t) => {
  const folder = await written(t);
  const again = await load(join(folder, 'data'));
  t.same(again.seen, SEEN);
  t.notOk(again.isCopy);
  t.notOk(again.isNew);
  renameSync(join(folder, 'data'), join(folder, 'moved'));
  t.notOk((await load(join(folder, 'moved'))).isCopy, 'a folder may have another name');
});

void t.test('a copy is told, however it was made', async (t) => {
  const folder = await written(t);
  const data = join(folder, 'data');
  const keep = { recursive: true, preserveTimestamps: true };
  cpSync(data, join(folder, 'copy'), keep);
  const copy = await load(join(folder, 'copy'));
  t.ok(copy.isCopy, 'of the folder');
  t.same(copy.seen, SEEN, 'which is as good as the file');
  const witness = await load(data);
  witness.record({ ...SEEN, seq: 8 });
  await witness.save();
  cpSync(join(folder, 'copy'), data, { ...keep, force: true });
  t.ok((await load(data)).isCopy, 'written over the file');
  writeFileSync(join(data, 'witness.json'), 'half a f');
  const damaged = await load(data);
  t.ok(damaged.isCopy, 'a file that nobody wrote');
  t.equal(damaged.seen.history, null);
});

void t.test(
  'it is written when there is something new, and looks once more at the end',
  async (t) => {
    const folder = testFolder(t);
    const witness = await load(folder);
    let seq = 1;
    witness.watch(() => ({ ...SEEN, seq }));
    await witness.save();
    const path = join(folder, 'witness.json');
    const first = readFileSync(path, 'utf8');
    t.match(JSON.parse(first), { history: 'a', seq: 1 });
    await witness.save();
    t.equal(readFileSync(path, 'utf8'), first, 'nothing is written for nothing');
    seq = 2;
    witness.release();
    seq = 3;
    t.equal(witness.seen.seq, 2);
    await witness.save();
    t.match(JSON.parse(readFileSync(path, 'utf8')), { seq: 2 });
    t.same(readdirSync(folder), ['witness.json'], 'no draft is left');
  },
);

void t.test('a file that another process of the folder wrote is read again', async (t) => {
  const folder = testFolder(t);
  const [one, other] = [await load(folder), await load(folder)];
  one.record(SEEN);
  await one.save();
  await other.refresh();
  t.notOk(other.isNew);
  t.same(other.seen, SEEN);
  other.record({ ...SEEN, seq: 9 });
  await other.refresh();
  t.equal(other.seen.seq, 9, 'what it saw itself is newer');
  const another = { ...SEEN, history: 'another', seq: 12 };
  other.record(another);
  await other.refresh();
  t.same(other.seen, another, 'of another history, too');
});

void t.test('several processes of a folder write at once; drafts of killed ones go', async (t) => {
  const folder = testFolder(t, { 'witness.json.999999999.draft': '{' });
  const errors: unknown[] = [];
  const other = join(folder, 'witness.json.1.draft');
  writeFileSync(other, '{');
  const witness = await load(folder, (error) => errors.push(error));
  witness.record(SEEN);
  await witness.save();
  t.same(errors, []);
  t.same(
    readdirSync(folder).sort(),
    ['witness.json', 'witness.json.1.draft'],
    'the draft of a process that runs stays',
  );
});

void t.test('a folder that cannot be written is reported', async (t) => {
  const folder = testFolder(t);
  const errors: unknown[] = [];
  mkdirSync(join(folder, `witness.json.${process.pid}.draft`));
  const witness = await load(folder, (error) => errors.push(error));
  await witness.save();
  await witness.save();
  t.equal(errors.length, 1, 'once');
  t.match(errors, [{ code: 'EEXIST' }]);
});
