/** The files to run Parley by: that the tools they are for read them, and that they agree with the server. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { validate, ValidationSeverity } from 'dockerfile-utils';
import t from 'tap';
import { parse } from 'yaml';
import { OPTIONS } from '../../../src/config/options.js';
import { storeFolder } from '../harness/server.js';

const run = promisify(execFile);

/** The first of some programs that is installed. */
function installed(...paths: string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}

const VARIABLES = new Set(OPTIONS.map(({ variable }) => variable));

/** Every variable of Parley that a file sets. */
function variablesIn(text: string): string[] {
  return [...text.matchAll(/\bPARLEY_[A-Z_]+(?=[:=])/g)].map(([name]) => name);
}

void t.test(
  'the Dockerfile has no fault, and runs the server as nobody in particular',
  async (t) => {
    const text = readFileSync('Dockerfile', 'utf8');
    const faults = validate(text, {
      deprecatedMaintainer: ValidationSeverity.ERROR,
      directiveCasing: ValidationSeverity.ERROR,
      emptyContinuationLine: ValidationSeverity.ERROR,
      instructionCasing: ValidationSeverity.ERROR,
      instructionCmdMultiple: ValidationSeverity.ERROR,
      instructionEntrypointMultiple: ValidationSeverity.ERROR,
      instructionHealthcheckMultiple: ValidationSeverity.ERROR,
      instructionJSONInSingleQuotes: ValidationSeverity.ERROR,
      instructionWorkdirRelative: ValidationSeverity.ERROR,
    });
    t.same(
      faults.map(({ message, range }) => `${range.start.line + 1}: ${JSON.stringify(message)}`),
      [],
    );
    t.match(text, /^USER 10001:10001$/m);
    t.match(text, /^HEALTHCHECK /m);
    t.match(text, /^VOLUME \["\/data"\]$/m);
    t.same(
      variablesIn(text).filter((name) => !VARIABLES.has(name)),
      [],
    );
  },
);

void t.test(
  'the healthcheck of the image is content with a server that answers, and no other',
  async (t) => {
    const [, words] = /^\s+CMD (\["node".*\])$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
    const [, ...args] = JSON.parse(words!) as string[];
    const { RunningServer } = await import('../harness/server.js');
    const server = await RunningServer.start(t);
    const check = () => run(process.execPath, args, { env: { PARLEY_PORT: String(server.port) } });
    await check();
    await server.stop();
    await t.rejects(check(), { code: 1 });
  },
);

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image: string;
        readonly volumes?: readonly string[];
        readonly networks: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
        readonly depends_on?: object;
        readonly healthcheck?: object;
      }
    >
  >;
  readonly volumes: object;
  readonly networks: object;
}

void t.test('the compose file names nothing that is not there', async (t) => {
  const { services, volumes, networks } = parse(
    readFileSync('deploy/compose.yaml', 'utf8'),
  ) as Compose;
  t.same(Object.keys(services), ['parley', 'redis', 'proxy']);
  for (const [name, service] of Object.entries(services)) {
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':');
      const isThere = source.startsWith('.')
        ? existsSync(join('deploy', source))
        : source in volumes;
      t.ok(isThere, `${name}: ${volume}`);
    }
    for (const network of service.networks) t.ok(network in networks, `${name}: ${network}`);
    for (const other of Object.keys(service.depends_on ?? {})) t.ok(other in services, other);
    t.match(service.image, /^(parley:latest|redis:8|caddy:2)$/);
  }
  const own = Object.keys(services['parley']!.environment!);
  t.same(
    own.filter((name) => !VARIABLES.has(name)),
    [],
    'each variable is an option',
  );
});

void t.test('Caddy takes the Caddyfile', async (t) => {
  const caddy = installed('/usr/bin/caddy', '/usr/local/bin/caddy');
  if (!caddy) return void t.pass('not tried', { skip: 'there is no caddy' });
  const args = ['validate', '--config', 'deploy/Caddyfile', '--adapter', 'caddyfile'];
  const home = storeFolder(t);
  const env = { PARLEY_DOMAIN: 'chat.example.org', HOME: home, XDG_DATA_HOME: home };
  const { stdout, stderr } = await run(caddy, args, { env });
  t.match(stdout + stderr, 'Valid configuration');
});

void t.test('the image is built with all that the package takes', async (t) => {
  const [, list = ''] = /^const FILES = \[([^\]]+)\]/m.exec(
    readFileSync('scripts/package.js', 'utf8'),
  )!;
  const taken = [...list.matchAll(/'([^'/]+)/g)].map(([, name]) => name!);
  t.ok(taken.includes('docs') && taken.includes('deploy'), taken.join());
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  t.strictSame(
    taken.filter((name) => ignored.includes(name)),
    [],
  );
});

void t.test('systemd takes the unit, which may do little', async (t) => {
  const analyze = installed('/usr/bin/systemd-analyze');
  if (!analyze) return void t.pass('not tried', { skip: 'there is no systemd-analyze' });
  const unit = readFileSync('deploy/parley.service', 'utf8');
  const folder = storeFolder(t);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'parley.service');
  // Whether the program is there is the business of who installs it.
  writeFileSync(path, unit.replaceAll('/usr/bin/node', process.execPath));
  const { stderr } = await run(analyze, ['verify', '--man=no', path]);
  t.equal(stderr, '');
  // With what TLS without a proxy adds.
  mkdirSync(`${path}.d`);
  writeFileSync(join(`${path}.d`, 'tls.conf'), readFileSync('deploy/parley-tls.conf', 'utf8'));
  t.equal((await run(analyze, ['verify', '--man=no', path])).stderr, '');
  rmSync(`${path}.d`, { recursive: true });
  const { stdout } = await run(analyze, ['security', '--offline=yes', '--no-pager', path]);
  const exposure = Number(/Overall exposure level for parley\.service: ([\d.]+)/.exec(stdout)?.[1]);
  t.ok(exposure <= 2, `exposure ${exposure} of 10`);
  t.same(
    variablesIn(unit).filter((name) => !VARIABLES.has(name)),
    [],
  );
});

interface Workflow {
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly steps: readonly { readonly run?: string }[];
      }
    >
  >;
}

void t.test('the workflow runs scripts that are there', async (t) => {
  const { jobs } = parse(readFileSync('.github/workflows/test.yml', 'utf8')) as Workflow;
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: object };
  const commands = Object.values(jobs).flatMap(({ steps }) => steps.map((step) => step.run ?? ''));
  for (const command of commands) {
    for (const [, name] of command.matchAll(/npm run ([\w:]+)/g)) t.ok(name! in scripts, name!);
    for (const [file] of command.matchAll(/(?:\.ci|\bscripts|\bdeploy)\/[\w./-]+/g)) {
      t.ok(existsSync(file), file);
    }
  }
});
