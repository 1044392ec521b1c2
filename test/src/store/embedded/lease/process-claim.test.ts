import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openEmbeddedStore } from '../../../../../src/store/embedded/store.js';
import { start } from '../../fixtures/talking-process.js';
import { testFolder } from '../../../../fixtures/test-folder.js';

const PROCESS = fileURLToPath(new URL('../../fixtures/store-process.js', import.meta.url));
const CLAIM = `process-${process.pid}.sock`;

/** Runs a command as the first process of a PID namespace of its own, as a container does. */
const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

/** Why no PID namespace can be made here. */
const refused =
  spawnSync('unshare', [...CONTAINER.slice(1), 'true']).status === 0
    ? false
    : 'this account may not make PID namespaces (unshare)';

const OPEN = `
  import { openEmbeddedStore } from ${JSON.stringify(
    new URL('../../../../../src/store/embedded/store.js', import.meta.url).href,
  )};
  const store = await openEmbeddedStore(process.argv[1]).catch((error) => {
    console.log(process.pid, error.message);
    process.exit(1);
  });
  console.log(process.pid, (await store.lastEntry())?.seq);
  await store.close();
`;
const OPENING = [process.execPath, '--input-type=module', '--eval', OPEN];

void t.test(
  'a process of another container with the same id is refused before the database is touched',
  { skip: refused },
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const leader = await start(t, [
      ...CONTAINER,
      process.execPath,
      PROCESS,
      directory,
      'lead',
      '60000',
    ]);
    t.equal(leader.answer, 'lease 1');
    const run = (command: readonly string[]) => {
      const [file = '', ...args] = [...command, directory];
      const { status, stdout } = spawnSync(file, args, { encoding: 'utf8', timeout: 20_000 });
      return { status, said: stdout.trim() };
    };
    const same = run([...CONTAINER, ...OPENING]);
    t.equal(same.status, 1);
    t.match(
      same.said,
      /^1 Cannot open the embedded store in .*: a process of another container \(PID namespace\) has it open, and has the same process id, 1,.*docker exec.*--pid=container:NAME.*Redis/,
    );
    const other = run([...CONTAINER, 'sh', '-c', '"$@"; exit $?', 'sh', ...OPENING]);
    t.match(other, { status: 0, said: /^[2-9] undefined$/ }, 'another id is no trouble');
    const wrote = new Promise((resolve) => leader.process.stdout!.once('data', resolve));
    leader.process.stdin!.write('still here\n');
    t.equal(String(await wrote), '1\n', 'the first goes on');
    leader.process.kill('SIGKILL');
    await leader.ended;
    t.match(
      run([...CONTAINER, ...OPENING]),
      { status: 0, said: '1 1' },
      'what it left is no claim',
    );
  },
);

void t.test(
  'a process may open a directory several times; the last one out removes the claim',
  async (t) => {
    const directory = join(testFolder(t, { data: {} }), 'data');
    writeFileSync(join(directory, 'process-1234567.sock'), 'of a process that was killed');
    const first = await openEmbeddedStore(directory);
    t.notOk(existsSync(join(directory, 'process-1234567.sock')));
    const second = await openEmbeddedStore(directory);
    await first.close();
    await first.close();
    t.ok(existsSync(join(directory, CLAIM)));
    await second.close();
    t.strictSame(readdirSync(directory).sort(), ['data.mdb', 'lock.mdb']);
  },
);
