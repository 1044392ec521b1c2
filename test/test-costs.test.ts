/** What a run of the tests cost, from the lines that its processes wrote. */
import { spawnSync } from 'node:child_process';
import t from 'tap';
import { endedPrograms, kindOf } from './measured-costs.js';
import { chapter, costsOf } from './test-costs.js';

const cost = (cpu: number, wall: number) => ({ cpu, wall });
const LINES = [
  {
    ...{ files: ['a.test.js'], follower: false, ...cost(9000, 20_000) },
    programs: { server: { ...cost(6000, 18_000), count: 2 } },
    tests: [{ file: 'a.test.js', title: 'first', ...cost(8000, 9000) }],
  },
  {
    ...{ files: ['src/b.test.js', 'src/c.test.js'], follower: true, ...cost(5000, 6000) },
    programs: { server: { ...cost(1000, 2000), count: 1 } },
    tests: [
      { file: '', title: 'the files load', ...cost(500, 600) },
      { file: 'src/b.test.js', title: 'second', ...cost(4000, 5000) },
      { file: 'src/c.test.js', title: 'third', ...cost(200, 300) },
    ],
  },
  {
    ...{ files: ['run.js'], follower: false, ...cost(20_000, 25_000) },
    ...{ programs: { npm: { ...cost(3000, 4000), count: 3 } }, tests: [] },
  },
];

void t.test('files and programs are told, the dearest first, small ones by their folder', (t) => {
  const run = costsOf(LINES.map((line) => JSON.stringify(line)).join('\n'));
  t.strictSame(
    chapter(20, run).filter((line) => /^(#|\| [^-])/.test(line)),
    [
      '## Node 20: 20.0 s of processor time',
      '| Program | how many | CPU each, s | wall each, s | CPU, s |',
      '| server | 3 | 2.33 | 6.67 | 7.0 |',
      '| the checks | 3 | 1.00 | 1.33 | 3.0 |',
      '| File | CPU, s | wall, s |',
      '| a.test.ts | 9.0 | 20.0 |',
      '| src/b.test.ts, through a follower | 4.0 | 5.0 |',
      '| the others of . | 0.5 | 0.6 |',
      '| the others of src | 0.2 | 0.3 |',
    ],
  );
  t.end();
});

void t.test('a program counts as what it is, and its processor time when it has ended', (t) => {
  t.equal(kindOf('/usr/bin/node', ['--import', 'x.js', 'dist/server/main.js', 'serve']), 'server');
  t.equal(kindOf('node', ['--import', '/x.js', '/y/made.test.js']), 'made.test.js');
  t.equal(kindOf('/usr/bin/redis-server', ['--port', '1']), 'redis-server');
  const before = endedPrograms();
  const busy = 'for (const end = performance.now() + 50; performance.now() < end;);';
  spawnSync(process.execPath, ['-e', busy]);
  t.ok(endedPrograms() > before);
  t.end();
});
