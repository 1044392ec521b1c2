/** The list of platforms (scripts/platforms.json), and that everything that names a platform says the same. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { assertServerFits, SUPPORTED_NODES } from '../../src/platform/runtime-support.js';
import { storeFolder } from '../system/harness/server.js';

interface Platform {
  /** The oldest version of a release of Node. */
  readonly node: string;
  /** Whether the authors of Node still repair it, as the README says it. */
  readonly maintained: string;
  readonly recommended?: true;
  /** The oldest one that fits. */
  readonly glibc: string;
  /** Examples of systems, as the README names them. */
  readonly systems: string;
  /** The Debian on which the tests run. */
  readonly suite: string;
  /** How the Redis servers of the tests keep documents. */
  readonly redis: 'json' | 'text';
}

const PLATFORMS = JSON.parse(readFileSync('scripts/platforms.json', 'utf8')) as Platform[];
const majors = PLATFORMS.map(({ node }) => parseInt(node));
const recommended = PLATFORMS.find((one) => one.recommended)!;

/** The rows of the table of a page whose first column has this title, cells without spaces at their ends. */
function tableOf(page: string, title: string): string[][] {
  const lines = readFileSync(page, 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(`| ${title} `));
  const rows = lines.slice(first + 2);
  return rows.slice(0, rows.indexOf('')).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

void t.test('README: its table is the list', async (t) => {
  t.same(
    tableOf('README.md', 'Node'),
    PLATFORMS.map(({ node, maintained, glibc, systems, ...one }) => [
      `${parseInt(node)}${one.recommended ? ' (recommended)' : ''}`,
      maintained,
      glibc,
      systems,
    ]),
  );
});

void t.test('documents name the releases of the list', async (t) => {
  const named = `Node ${majors.slice(0, -1).join(', ')} or ${majors.at(-1)} on x64 or arm64`;
  for (const page of ['CONTRIBUTING.md', 'docs/operations/install.md']) {
    t.ok(readFileSync(page, 'utf8').includes(named), `${page}: ${named}`);
  }
  const install = readFileSync('docs/operations/install.md', 'utf8').replaceAll('\n', ' ');
  const advice = `Take Node ${parseInt(recommended.node)} where you can: it is maintained ${recommended.maintained}`;
  t.ok(install.includes(advice), advice);
});

void t.test('npm and the server itself take the releases of the list', async (t) => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    engines: { node: string };
  };
  t.equal(engines.node, PLATFORMS.map(({ node }) => `^${node}`).join(' || '));
  t.same(
    SUPPORTED_NODES.map(({ major, glibc }) => ({ major, glibc })),
    PLATFORMS.map(({ node, glibc }) => ({ major: parseInt(node), glibc })),
  );
  for (const { node, glibc } of PLATFORMS) {
    const [major, minor] = node.split('.').map(Number) as [number, number];
    const onLinux = { platform: 'linux', arch: 'x64', glibc };
    t.doesNotThrow(() => assertServerFits({ ...onLinux, node }), node);
    const earlier = minor > 0 ? `${major}.${minor - 1}.0` : `${major - 1}.0.0`;
    t.throws(() => assertServerFits({ ...onLinux, node: earlier }), /is not supported/, earlier);
  }
});

void t.test('the image is the recommended platform', async (t) => {
  const { node, suite } = recommended;
  const images = readFileSync('Dockerfile', 'utf8').matchAll(/^FROM (\S+)/gm);
  t.same(
    [...images].map(([, image]) => image),
    [`node:${parseInt(node)}-${suite}-slim`, `debian:${suite}-slim`],
  );
});

void t.test('one platform has RedisJSON, and one has text', async (t) => {
  t.same(new Set(PLATFORMS.map(({ redis }) => redis)), new Set(['json', 'text']));
});

interface Job {
  readonly strategy?: { readonly matrix: { readonly include: string } };
  readonly container?: { readonly image: string };
  readonly env?: Readonly<Record<string, string>>;
  readonly steps: readonly { readonly run?: string }[];
}

const workflow = readFileSync('.github/workflows/test.yml', 'utf8');
const { on, env, jobs } = parse(workflow) as {
  on: { schedule: readonly { cron: string }[] };
  env: Readonly<Record<string, string>>;
  jobs: Readonly<Record<string, Job>>;
};

/** The lines that a step of the workflow writes for later jobs. */
function outputOf({ steps }: Job, folder: string): Record<string, string> {
  const output = join(folder, 'output');
  const { run } = steps.find((step) => step.run?.includes('GITHUB_OUTPUT'))!;
  execFileSync('bash', ['-ec', `mkdir -p '${folder}'\n${run}`], {
    env: { ...process.env, NODE_OPTIONS: '', GITHUB_OUTPUT: output },
  });
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s) as [string, string]));
}

void t.test('the matrix of the workflow is the list', async (t) => {
  const { list, image } = outputOf(jobs['platforms']!, storeFolder(t));
  t.same(
    JSON.parse(list!),
    PLATFORMS.map(({ node, suite }) => ({ node: parseInt(node), suite })),
  );
  t.equal(image, `node:${parseInt(recommended.node)}-${recommended.suite}`);
  const { strategy, container, steps } = jobs['test']!;
  t.equal(strategy!.matrix.include, '${{ fromJSON(needs.platforms.outputs.list) }}');
  t.equal(container!.image, 'node:${{ matrix.node }}-${{ matrix.suite }}');
  t.ok(steps.some(({ run }) => run === '.ci/run ${{ matrix.node }}'));
});

void t.test('every night the workflow leaves nothing out', async (t) => {
  t.match(on.schedule, [{ cron: /^\d+ \d+ \* \* \*$/ }]);
  t.strictSame(env, { PARLEY_TEST_SHARE: "${{ github.event_name == 'schedule' && 'all' || '' }}" });
});

void t.test('a job of the workflow has all that the tests need of a real RedisJSON', async (t) => {
  const { env } = jobs['redis-json']!;
  t.same(
    Object.keys(env!),
    readFileSync('CONTRIBUTING.md', 'utf8')
      .match(/(?<=^\| `)PARLEY_TEST_REDIS_(?!FORMAT)\w+/gm)
      ?.sort((a, b) => Object.keys(env!).indexOf(a) - Object.keys(env!).indexOf(b)),
  );
});

void t.test('what makes systems and runs tests names no host', async (t) => {
  const files = [
    '.ci/run',
    '.github/workflows/test.yml',
    ...readdirSync('scripts', { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.\w+$/.test(name))
      .map((name) => join('scripts', name)),
  ];
  for (const file of files) {
    t.notMatch(readFileSync(file, 'utf8'), /https?:\/\/(?!127\.0\.0\.1|\$)[\w-]+\.\w/, file);
  }
});
