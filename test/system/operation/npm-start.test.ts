import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { exchange } from '../harness/client.js';
import { storeFolder } from '../harness/server.js';

/** Longest time for a start with compilation on a busy machine, milliseconds. */
const START_MS = 110_000;

/**
 * A program as small as can be in the place of the server's sources: it says what it was given, listens to
 * the signals the server listens to, and answers for its sources with a number.
 */
const TOY = `
const version = 1;
process.stdout.write(\`toy \${version} \${process.argv.slice(2).join(' ')}\\n\`);
const ends = (signal: string): void => {
  process.stdout.write(\`toy got \${signal}\\n\`);
  process.exit(7);
};
process.on('SIGTERM', ends);
process.on('SIGINT', ends);
setInterval(() => undefined, 1000);
process.stdout.write(\`toy is process \${process.pid}\\n\`);
`;

/** A folder with the scripts and settings of this repository, and the toy as its sources. */
function toyRepository(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-start-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of ['package.json', 'tsconfig.json', 'scripts', HASHES]) {
    cpSync(file, join(folder, file), { recursive: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  for (const part of ['schemas', 'actors', 'src/store/redis/scripts']) {
    mkdirSync(join(folder, part), { recursive: true });
  }
  writeFileSync(join(folder, 'schemas/one.ts'), 'export const one = 1;\n');
  writeFileSync(join(folder, 'actors/one.ts'), 'export const one = 1;\n');
  writeFileSync(join(folder, 'src/store/redis/scripts/one.lua'), 'return 1\n');
  writeFileSync(join(folder, 'src/main.ts'), TOY);
  return folder;
}

/** Read by the server beside its program. */
const HASHES = 'docs/native-binaries.sha256';

/** What `npm start` needs of this repository, compiled as it is: another run may be using that. */
function wholeRepository(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-start-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const sources = ['schemas', 'actors', 'src'];
  const compiled = ['server', '.compiled.json'].map((name) => `dist/${name}`);
  const settings = ['package.json', 'tsconfig.json', 'scripts', HASHES];
  for (const name of [...sources, ...compiled.filter(existsSync), ...settings]) {
    cpSync(name, join(folder, name), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** `npm start` in a folder, as an operator runs it. */
class NpmStart {
  output = '';
  private readonly child: ChildProcess;

  constructor(t: Test, folder: string, args: readonly string[] = []) {
    const environment = Object.entries(process.env).filter(
      ([name]) => !/^(PARLEY_|TAP|_TAP|NODE_OPTIONS$)/.test(name),
    );
    this.child = spawn('npm', ['start', '--', ...args], {
      cwd: folder,
      env: Object.fromEntries(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const read = (chunk: Buffer): void => void (this.output += chunk.toString());
    this.child.stdout?.on('data', read);
    this.child.stderr?.on('data', read);
    t.teardown(() => {
      try {
        // Whatever is left of it.
        process.kill(-this.child.pid!, 'SIGKILL');
      } catch {
        // Nothing is.
      }
    });
  }

  /** Waits until the output matches. @throws Error when it ends before */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.output);
      if (match) return match;
      if (this.child.exitCode !== null) throw new Error(`ended: ${this.output}`);
      await Promise.race([
        once(this.child.stdout!, 'data'),
        once(this.child.stderr!, 'data'),
        once(this.child, 'close'),
      ]);
    }
  }

  /** Sends a signal to npm alone. */
  async signal(signal: 'SIGTERM' | 'SIGINT'): Promise<number | null> {
    const closed = once(this.child, 'close') as Promise<[number | null]>;
    this.child.kill(signal);
    const [code] = await closed;
    return code;
  }
}

/** Whether a process is there. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

void t.test(
  'npm start compiles once, says so, and again only after a change',
  { timeout: START_MS },
  async (t) => {
    const folder = toyRepository(t);
    const first = new NpmStart(t, folder, ['--port', '1']);
    await first.printed(/^toy 1 serve --port 1$/m);
    t.match(first.output, /^Compiling server \(not compiled yet\)/m);
    t.match(first.output, /^Compiled in [\d.]+ s$/m);
    t.equal(readFileSync(join(folder, 'dist/server/scripts/one.lua'), 'utf8'), 'return 1\n');
    await first.signal('SIGTERM');

    writeFileSync(join(folder, 'dist/server/gone.js'), '');
    const second = new NpmStart(t, folder);
    await second.printed(/^toy 1 serve$/m);
    t.notMatch(second.output, /Compil/, 'nothing changed: nothing is compiled');
    await second.signal('SIGTERM');

    writeFileSync(join(folder, 'src/main.ts'), TOY.replace('version = 1', 'version = 22'));
    const third = new NpmStart(t, folder);
    await third.printed(/^toy 22 serve$/m);
    t.match(third.output, /^Compiling .* \(sources changed\)/m);
    await third.signal('SIGTERM');
    t.throws(
      () => readFileSync(join(folder, 'dist/server/gone.js')),
      'output without a source is removed',
    );
  },
);

void t.test(
  'a source that does not compile ends the start, and is compiled once it does',
  { timeout: START_MS },
  async (t) => {
    const folder = toyRepository(t);
    writeFileSync(join(folder, 'src/main.ts'), 'const = ;\n');
    const broken = new NpmStart(t, folder);
    await broken.printed(/Cannot start: the compiler found faults/);
    t.match(broken.output, /main\.ts/, 'the compiler names the place');
    writeFileSync(join(folder, 'src/main.ts'), TOY);
    const repaired = new NpmStart(t, folder);
    await repaired.printed(/^toy 1 serve$/m);
    await repaired.signal('SIGINT');
  },
);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  void t.test(
    `${signal} to npm start reaches the program, and its exit code comes back`,
    { timeout: START_MS },
    async (t) => {
      const started = new NpmStart(t, toyRepository(t));
      const pid = Number((await started.printed(/^toy is process (\d+)$/m))[1]);
      t.equal(await started.signal(signal), 7);
      t.match(started.output, `toy got ${signal}`);
      t.notOk(lives(pid), 'no process is left');
    },
  );
}

void t.test(
  'npm start is a server, and a signal stops it in an orderly way',
  { timeout: START_MS },
  async (t) => {
    const started = new NpmStart(t, wholeRepository(t), [
      '--port',
      '0',
      '--store',
      `embedded:${storeFolder(t)}`,
    ]);
    const url = (await started.printed(/^Parley is listening on (\S+)$/m))[1]!;
    t.equal((await exchange(url, 'GET', '/health')).status, 200);
    t.equal(await started.signal('SIGTERM'), 0);
    t.match(started.output, /"msg":"stopping"/);
    await t.rejects(exchange(url, 'GET', '/health'), 'nobody serves any more');
  },
);
