import t from 'tap';
import { ConfigError, helpText, readCommand, type Config } from '../../src/config.js';

function config(args: string[] = [], environment: Record<string, string> = {}): Config {
  const command = readCommand(['serve', ...args], environment);
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  return command.config;
}

function refusal(args: string[], environment: Record<string, string> = {}): string {
  try {
    readCommand(args, environment);
    return '';
  } catch (error) {
    return error instanceof ConfigError ? error.message : `not a ConfigError: ${String(error)}`;
  }
}

void t.test('defaults', (t) => {
  t.match(config(), {
    host: '127.0.0.1',
    port: 9991,
    store: 'embedded:./data',
    url: null,
    ownerPassword: null,
    rateLimit: true,
    log: 'info',
  });
  t.end();
});

void t.test('flags win over the environment, which wins over defaults', (t) => {
  const environment = { PARLEY_PORT: '81', PARLEY_LOG: 'warn', PARLEY_URL: '' };
  t.match(config(['--port', '82'], environment), { port: 82, log: 'warn', url: null });
  t.match(config(['--rate-limit=off', '--url', 'https://chat.example.org/']), {
    rateLimit: false,
    url: 'https://chat.example.org',
  });
  t.match(config(['--organization', '  Acme  ']), { organization: 'Acme' });
  t.end();
});

void t.test('what cannot be used is refused by name', (t) => {
  t.match(refusal(['serve', '--port', '65536']), /^--port: 65536 is not a port/);
  t.match(refusal(['serve'], { PARLEY_PORT: 'x' }), /^PARLEY_PORT: x is not a port/);
  t.match(refusal(['serve', '--log', 'loud']), /^--log: loud is not one of trace/);
  t.match(refusal(['serve', '--owner-email', 'x']), /^--owner-email: /);
  t.match(refusal(['serve', '--owner-password', 'short']), /^--owner-password: /);
  t.match(refusal(['serve', '--organization', 'x'.repeat(41)]), /^--organization: /);
  t.match(refusal(['serve', '--rate-limit', 'maybe']), /^--rate-limit: /);
  for (const url of ['nonsense', 'ftp://x', 'https://x/path', 'https://x/?q', 'https://x/#h']) {
    t.match(refusal(['serve', '--url', url]), /^--url: .* is not a base URL/);
  }
  t.match(refusal(['serve', '--nonsense', 'x']), /--nonsense/);
  t.match(refusal([]), /parley serve/);
  t.match(refusal(['dance']), /dance/);
  t.end();
});

void t.test('help names every flag and its variable', (t) => {
  for (const args of [['--help'], ['-h'], ['help'], ['serve', '--help']]) {
    t.same(readCommand(args, {}), { kind: 'help' });
  }
  const text = helpText();
  const flags = [...text.matchAll(/^ {2}--([a-z-]+) [A-Za-z]/gm)].map(([, flag]) => flag!);
  t.ok(flags.length >= 9);
  for (const flag of flags) {
    const variable = `PARLEY_${flag.toUpperCase().replaceAll('-', '_')}`;
    t.match(text, variable);
  }
  t.end();
});
