import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chosenTests, startsProgram, type Chosen } from './chosen-tests.js';
import { GUARD_TESTS, TEST_FOLDER } from './test-files.js';

/* Runs compiled test files: all of them, or those that somebody named. */
const USAGE = `Usage: npm run test:only -- [NAME ...] [OPTION ...]

Runs all tests, or the files with NAME in their paths (store/redis, journal.test.ts), or else the tests with NAME in
their titles. What changed is compiled first, the program only where one of the tests starts it.

  --guards             those of no one module, which tell what an addition forgot: contract, documentation, structure
  --with-checks        types, lint and format, too
  --through-follower   those that can, each against a follower
  --on-redis           those that can, each with its organizations on a Redis server
  --of-platform        what a release of Node or the system around it can break
  --costs              tells what each file cost, and each kind of program; of all tests: writes test/costs.md
  --help               this text
`;

/** What is to be run. */
export interface Run {
  /** Null for all. */
  readonly chosen: Chosen | null;
  readonly withChecks: boolean;
  readonly throughFollower: boolean;
  readonly onRedis: boolean;
  readonly ofPlatform: boolean;
  readonly costs: boolean;
}

const run = commandLine();
const { chosen } = run;
const needsProgram = chosen === null || chosen.files.some((file) => startsProgram(file));
if (needsProgram) await buildProgram();
if (chosen?.files.length === 1 && !needsProgram && !run.withChecks && !run.costs)
  await here(chosen);
else await inProcesses();

/** One file of modules: in this process, so that its first assertion comes half a second after an edit. */
async function here({ files, titles }: Chosen): Promise<void> {
  if (titles !== null) process.env['TAP_GREP'] = titles;
  process.setSourceMapsEnabled(true);
  process.argv.splice(2);
  // Before tap is loaded.
  await import('./unfollowed-promises.js');
  await import('./cheap-comparisons.js');
  for (const file of files) await import(pathToFileURL(join(TEST_FOLDER, file)).href);
}

async function inProcesses(): Promise<void> {
  const { runInProcesses } = await import('./run-processes.js');
  await runInProcesses(run);
}

/** Flags and names of the command line; anything else ends the process. */
function commandLine(): Run {
  const options = {
    guards: { type: 'boolean', default: false },
    'with-checks': { type: 'boolean', default: false },
    'through-follower': { type: 'boolean', default: false },
    'on-redis': { type: 'boolean', default: false },
    'of-platform': { type: 'boolean', default: false },
    costs: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  } as const;
  try {
    const { values, positionals: names } = parseArgs({ options, allowPositionals: true });
    if (values.help) {
      process.stdout.write(USAGE);
      process.exit(0);
    }
    return {
      chosen: names.length > 0 || values.guards ? known(names, values.guards) : null,
      withChecks: values['with-checks'],
      throughFollower: values['through-follower'],
      onRedis: values['on-redis'],
      ofPlatform: values['of-platform'],
      costs: values.costs,
    };
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** What is named, where any of it is there; the end of the run tells of the rest. @throws Error if nothing is there */
function known(names: readonly string[], withGuards: boolean): Chosen {
  const found = chosenTests(names, withGuards ? GUARD_TESTS : []);
  if (found.unknown.length === 0) return found;
  if (found.files.length === 0) throw new Error(found.unknown.join('\n'));
  process.on('exit', () => {
    process.stderr.write(`${found.unknown.join('\n')}\n`);
    process.exitCode = 1;
  });
  return found;
}

/** The program that tests of the whole process start. */
async function buildProgram(): Promise<void> {
  const script = pathToFileURL(join(TEST_FOLDER, '../../scripts/build.js')).href;
  const { build } = (await import(script)) as {
    build: (part: string, say: (line: string) => void) => Promise<void>;
  };
  await build('server', (line) => process.stderr.write(`${line}\n`));
}
