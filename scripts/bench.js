#!/usr/bin/env node
/*
 * `npx parley-bench COMMAND` in a checkout, or `npm run bench -- COMMAND`: compiles the bench where its sources changed,
 * then is the bench, in this same process.
 */
import { build } from './build.js';

try {
  await build('bench', (line) => process.stderr.write(`${line}\n`));
} catch (error) {
  process.stderr.write(`Cannot build the bench: ${error.message}\n`);
  process.exit(1);
}
await import('../dist/bench/main.js');
