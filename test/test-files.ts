import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where the compiled tests lie. */
export const TEST_FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** Every test file, as paths in {@link TEST_FOLDER}. */
export const ALL_TESTS: readonly string[] = readdirSync(TEST_FOLDER, {
  recursive: true,
  encoding: 'utf8',
})
  .filter((file) => file.endsWith('.test.js'))
  .sort();

/**
 * The guards: tests of no one module, that tell what an addition forgot, or where it breaks a rule of the repository.
 * They are quick, and start no server.
 */
const GUARDS = new RegExp(
  '^(' +
    '(commands|contract-coverage|dependencies|docs-links|import-directions|levels|literal-accessors|machine-access|mirror|module-state|' +
    'no-enums|operations-pages|ownership|page-addresses|parameter-texts|read-numbers|refusal-wordings|registration|settings-effects|' +
    'structure|wall-times|' +
    'schemas/(areas|contract-lines|descriptors|omissions|openapi/.*|users/.*)|src/client/types|src/resources/registry|' +
    'src/resources/users/settings-of-.*)' +
    ')\\.test\\.js$',
);
export const GUARD_TESTS = ALL_TESTS.filter((file) => GUARDS.test(file));

/** Test files of modules, as paths in {@link TEST_FOLDER}. */
export const MODULE_TESTS = ALL_TESTS.filter((file) => !file.startsWith('system'));

/**
 * Test files that start servers and ask them one question after another. They can share a process: loading
 * the published contract to compare replies with takes longer than some of them do. Not `zulip-js`: it replaces
 * `fetch` for its whole process.
 */
const ASKING_NAMES = [
  'behind-proxy',
  'client-requests',
  'data-modes',
  'deactivation',
  'errors',
  'event-stream',
  'levels-of-access',
  'levels-of-chat',
  'levels-of-organization',
  'logins',
  'metrics',
  'missed-messages',
  'mobile-app',
  'outgoing-webhooks',
  'permission-matrix',
  'published-contract',
  'queue-protocol',
  'register-race',
  'resumable-uploads',
  'scheduled',
  'contract-conventions',
  'sign-up',
  'socket',
  'texts',
  'upgrade',
  'uploads',
  'webhooks',
];
const ASKING = new RegExp(
  `^system/(snapshot/.*|(api|clients|operation)/(${ASKING_NAMES.join('|')}))\\.test\\.js$`,
);
export const ASKING_TESTS = ALL_TESTS.filter((file) => ASKING.test(file));

/**
 * Of these, those that run once more with their client talking to a follower (`harness/server.ts`): every transport,
 * and texts. `npm run test:only -- --through-follower` runs all that may.
 */
const THROUGH_FOLLOWER =
  /^system\/(api\/(event-stream|queue-protocol|socket|texts)|clients\/client-requests)\.test\.js$/;
export const THROUGH_FOLLOWER_TESTS = ASKING_TESTS.filter((file) => THROUGH_FOLLOWER.test(file));

/**
 * Test files that can run so. Not the other suites of the whole process: they start nodes, stores and processes
 * of their own, kill them at chosen moments, or measure one process.
 */
const MAY_FOLLOW = /^system\/(snapshot|api|clients)\/|^system\/load\/fuzz\.test\.js$/;
export const FOLLOWING_TESTS = ALL_TESTS.filter((file) => MAY_FOLLOW.test(file));

/** Test files that wait for crashes, leases and outages, or measure: each needs a process of its own. */
export const WHOLE_PROCESS_TESTS = ALL_TESTS.filter(
  (file) => file.startsWith('system') && !ASKING.test(file),
);

/**
 * The dearest test files (`test/costs.md`), which the platforms of a landing divide among them, a third each (`shares.ts`).
 * Most bring about with real processes what the simulation brings about in every landing as well (docs/simulation.md):
 * crashes, cut networks, stores that are away or lost something, leaders that change.
 */
const DIVIDED = new RegExp(
  '^(system/(' +
    'api/(desktop-login|digests|topic-deletion)|clients/code-samples|' +
    'faults/(crash|crash-redis|damaged-documents|disk-takes-no-writes|history|history-redis|large-move-crash|leadership|' +
    'outgoing-crash|outgoing-crash-redis|scheduled-crash|send-once-crash|store-away|transfer-killed|two-processes)|' +
    'load/(bounds|large-organization|large-snapshot|search)|nodes/.*|' +
    'operation/(admin-organization|altered-files|backup|boot|files-in-bucket|key-secret|npm-start|online-backup|' +
    'process-state|production-install|stored-values|transfer)|snapshot/snapshot)|' +
    'bench/(drive/drive|floor/floor)|src/store/embedded-crash)\\.test\\.js$',
);
export const DIVIDED_TESTS = ALL_TESTS.filter((file) => DIVIDED.test(file));
