/*
 * `npm run package:client`: compiles src/client by itself and packs it as parley-chat-client-VERSION.tgz.
 *
 *     node scripts/package-client.js [FOLDER]     where the archive goes; default: the present one
 */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src/client');
const STAGE = join(ROOT, 'dist/client');

const run = (program, args) =>
  execFileSync(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });

rmSync(STAGE, { recursive: true, force: true });
const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
run(process.execPath, [compiler, '--project', join(SOURCE, 'tsconfig.json')]);
for (const name of ['package.json', 'README.md']) cpSync(join(SOURCE, name), join(STAGE, name));
cpSync(join(ROOT, 'LICENSE'), join(STAGE, 'LICENSE'));
run('npm', ['pack', '--silent', '--pack-destination', resolve(process.argv[2] ?? '.'), STAGE]);
