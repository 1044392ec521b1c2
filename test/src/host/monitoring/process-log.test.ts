import { spawnSync } from 'node:child_process';
import t from 'tap';

const LOG = new URL('../../../../src/host/monitoring/process-log.js', import.meta.url).href;

void t.test('what libraries print and Node warns of becomes lines of the log', async (t) => {
  const program = `
    import { createLog, endOnFault } from ${JSON.stringify(LOG)};
    endOnFault(await createLog('info', { worker: 2 }));
    console.error(Object.assign(new Error('File too large'), { code: 27 }));
    console.warn('page %d', 7);
    console.log({ a: 1 });
    process.emitWarning('it is old', 'DeprecationWarning');
  `;
  const args = ['--input-type=module', '--eval', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  t.same([status, stdout], [0, '']);
  const lines = stderr.trim().split('\n');
  t.match(
    lines.map((line) => JSON.parse(line) as object),
    [
      { worker: 2, err: { message: 'File too large' }, msg: 'a library printed an error' },
      { said: 'page 7', msg: 'a library printed a text' },
      { said: '{ a: 1 }' },
      { err: { message: 'it is old' }, msg: 'a warning' },
    ],
  );
});
