import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the compiled tests lie. */
export const TEST_FOLDER = fileURLToPath(new URL('.', import.meta.url));

const all = readdirSync(TEST_FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .sort();

/** Test files of modules, as paths in {@link TEST_FOLDER}. */
export const MODULE_TESTS = all.filter((file) => !file.startsWith('system'));

/**
 * Test files that start servers and ask them one question after another. They can share a process: loading
 * the published contract to compare replies with takes longer than some of them do. Not `zulip-js`: it replaces
 * `fetch` for its whole process.
 */
const ASKING_NAMES = [
  'behind-proxy',
  'data-modes',
  'deactivation',
  'errors',
  'logins',
  'metrics',
  'mobile-app',
  'permission-matrix',
  'published-contract',
  'queue-protocol',
  'register-race',
  'scheduled',
  'contract-conventions',
  'sign-up',
  'socket',
  'upgrade',
  'uploads',
];
const ASKING = new RegExp(
  `^system/(snapshot/.*|(api|clients|operation)/(${ASKING_NAMES.join('|')}))\\.test\\.js$`,
);
export const ASKING_TESTS = all.filter((file) => ASKING.test(file));

/** Test files that wait for crashes, leases and outages, or measure: each needs a process of its own. */
export const WHOLE_PROCESS_TESTS = all.filter(
  (file) => file.startsWith('system') && !ASKING.test(file),
);
