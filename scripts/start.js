/*
 * `npm start`: compiles the server where its sources changed, then is the server, in this same process, so
 * that a signal sent to npm reaches it. Flags behind `npm start --` are those of `parley serve`.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, isCompiled } from './build.js';

const say = (line) => process.stderr.write(`${line}\n`);

/** While compiling nobody is served: a signal just ends it. */
function endOnSignal(signal) {
  process.exit(signal === 'SIGINT' ? 130 : 143);
}

const [command = 'serve', ...args] = process.argv.slice(2);
process.on('SIGTERM', endOnSignal);
process.on('SIGINT', endOnSignal);
try {
  await build('server', say);
} catch (error) {
  // A server that was compiled elsewhere and installed without the compiler.
  if (!isCompiled() || !error.message.startsWith('the compiler is not installed')) {
    say(`Cannot start: ${error.message}`);
    process.exit(1);
  }
}
process.off('SIGTERM', endOnSignal);
process.off('SIGINT', endOnSignal);
const program = join(import.meta.dirname, '../dist/server/main.js');
process.argv = [process.execPath, program, command, ...args];
await import(pathToFileURL(program).href);
