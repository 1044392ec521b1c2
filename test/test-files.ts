import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the compiled tests lie. */
export const TEST_FOLDER = fileURLToPath(new URL('.', import.meta.url));

const all = readdirSync(TEST_FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .sort();

/** Test files that start whole processes, as paths in {@link TEST_FOLDER}. */
export const WHOLE_PROCESS_TESTS = all.filter((file) => file.startsWith('system'));

/** Test files of modules. */
export const MODULE_TESTS = all.filter((file) => !file.startsWith('system'));
