/** docs/guides/testing-a-bot.md: its tests pass, as they stand, against the package as it is packed. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { blocks } from '../harness/guide.js';
import { storeFolder } from '../harness/server.js';

const run = promisify(execFile);

// It packs the server, and starts processes.
t.setTimeout(240_000);

/** A project with the package in it, whose dependencies are those of the checkout. */
const project = storeFolder(t);
await run(process.execPath, ['scripts/package.js', project]);
const [archive = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
const scope = join(project, 'node_modules/@parley-chat');
mkdirSync(join(scope, 'server'), { recursive: true });
await run('tar', ['xzf', archive, '--strip-components=1', '-C', join(scope, 'server')], {
  cwd: project,
});
symlinkSync(resolve('node_modules'), join(scope, 'server/node_modules'));
const names = ['bot', 'clock', 'faults'];
const programs = blocks('testing-a-bot.md', 'js');
names.forEach((name, i) => writeFileSync(join(project, `${name}.test.mjs`), programs[i]!));

/** Why the bots of the Python package are not to be had; false where they are. */
const noBots = await run('python3', ['-c', 'import zulip_bots.run']).then(
  () => false,
  () => 'there is no Python package zulip_bots',
);

blocks('testing-a-bot.md', 'sh').forEach((line, i) => {
  const options = { skip: i === 0 ? noBots : false };
  void t.test(`testing-a-bot.md: ${line.trim()}`, options, async (t) => {
    // The runner of this test would watch the one of the guide.
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const { stdout } = await run('sh', ['-c', line], { cwd: project, env });
    // Node 24 writes the form for people where Node 20 and 22 write TAP.
    t.match(stdout, /^[#ℹ] pass 1$/mu);
    t.match(stdout, /^[#ℹ] fail 0$/mu);
  });
});

void t.test('programs in TypeScript have its types', async (t) => {
  writeFileSync(
    join(project, 'typed.test.mts'),
    `import { startParley, type Parley } from '@parley-chat/server/testing';
     const parley: Parley = await startParley({ users: ['ada'] });
     const { id }: { id: number } = await parley
       .as('ada')
       .call('POST /messages', { type: 'channel', to: 'general', topic: 'x', content: 'x' });
     const { message } = await (await parley.events('ada')).next('message');
     const text: string = message.content + String(id);
     // @ts-expect-error: there is no such operation
     await parley.as('ada').call('POST /nothing', {});
     console.log(text);`,
  );
  const compiler = resolve('node_modules/typescript-native/bin/tsc');
  const flags = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022'];
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')];
  const checked = await run(process.execPath, [compiler, ...flags, ...types, 'typed.test.mts'], {
    cwd: project,
  }).catch((error: unknown) => error as { stdout: string });
  t.equal(checked.stdout, '');
});
