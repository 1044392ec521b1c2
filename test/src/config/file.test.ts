import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';
import { ConfigError, type Config } from '../../../src/config/config.js';
import { storeFolder } from '../../system/harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

type Environment = Record<string, string>;

function fileWith(t: Test, content: string, mode = 0o600): string {
  const path = join(testFolder(t), 'parley.yaml');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

function config(args: string[], environment: Environment = {}, warnings: string[] = []): Config {
  const command = readCommand(['serve', ...args], environment, (one) => warnings.push(one));
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  return command.config;
}

function refusal(args: string[], environment: Environment = {}): string {
  try {
    config(args, environment);
    return '';
  } catch (error) {
    return error instanceof ConfigError ? error.message : `not a ConfigError: ${String(error)}`;
  }
}

const EXAMPLE = `
port: 8080
url: https://chat.example.org
trusted-proxy: [10.0.0.0/8, 127.0.0.1]
rate-limit: off
new-organization: true
lease: 1.5
log: warn
`;

void t.test('a file sets options by the names of their flags', (t) => {
  t.match(config(['--config', fileWith(t, EXAMPLE)]), {
    port: 8080,
    url: 'https://chat.example.org',
    trustedProxies: ['10.0.0.0/8', '127.0.0.1'],
    rateLimit: false,
    newOrganization: true,
    leaseMs: 1500,
    log: 'warn',
  });
  const json = fileWith(t, '{ "port": 8081, "trusted-proxy": "::1 127.0.0.1" }');
  t.match(config([], { PARLEY_CONFIG: json }), {
    port: 8081,
    trustedProxies: ['::1', '127.0.0.1'],
  });
  t.match(config(['--config', fileWith(t, '# nothing yet\n')]), { port: 9991 });
  t.end();
});

void t.test('flags win over the environment, which wins over the file', (t) => {
  const path = fileWith(t, EXAMPLE);
  t.equal(config(['--config', path], { PARLEY_PORT: '81' }).port, 81);
  t.equal(config(['--config', path, '--port', '82'], { PARLEY_PORT: '81' }).port, 82);
  t.same(readCommand(['verify', '--config', fileWith(t, 'store: redis://store')], {}), {
    kind: 'verify',
    store: 'redis://store',
    state: null,
    files: null,
  });
  t.end();
});

void t.test('a secret in the file, or in a file that it names', (t) => {
  const secret = join(storeFolder(t), 'mail');
  writeFileSync(secret, 'smtps://u:p@mail.example.org\n', { mode: 0o600 });
  const path = fileWith(t, `mail-file: ${secret}\n`, 0o644);
  const warnings: string[] = [];
  t.equal(config(['--config', path], {}, warnings).mail, 'smtps://u:p@mail.example.org');
  t.same(warnings, [], 'the name of a file is no secret');

  const open = fileWith(t, 'owner-password: iris-lamp-harbor\n', 0o644);
  t.equal(config(['--config', open], {}, warnings).ownerPassword, 'iris-lamp-harbor');
  t.same(warnings, [
    `${open} holds a secret and is accessible to other accounts: set its mode to 0600`,
  ]);
  const both = fileWith(t, `mail: smtp://u:p@h\nmail-file: ${secret}\n`);
  t.equal(refusal(['--config', both]), `Give ${both}: mail or ${both}: mail-file, not both`);
  t.end();
});

for (const [content, words] of [
  ['port: 8080\nprot: 81\n', ', line 2: there is no option prot. Did you mean port?'],
  ['config: other.yaml\n', ', line 1: there is no option config'],
  ['move: true\n', ', line 1: there is no option move'],
  ['port: [1]\n', ', line 1: port must be a number'],
  ['log:\n  level: info\n', ', line 2: log must be text'],
  ['url: 3\n', ', line 1: url must be text'],
  ['rate-limit: 1\n', ', line 1: rate-limit must be on or off'],
  ['trusted-proxy:\n  - 10.0.0.0/8\n  - 3\n', ', line 3: trusted-proxy[1] must be text'],
  ['- port\n', ', line 1: options by name are expected, such as port: 8080'],
  ['port: 1\nport: 2\n', ', line 2: Map keys must be unique'],
  ['port: "1\n', ', line 2: Missing closing "quote'],
  ['port: 65536\n', ': port: 65536 is not a port'],
] as const) {
  void t.test(`refused: ${JSON.stringify(content)}`, (t) => {
    const path = fileWith(t, content);
    t.match(refusal(['--config', path]).slice(path.length), words);
    t.ok(refusal(['--config', path]).startsWith(path));
    t.end();
  });
}

void t.test('a file that is not there, or no configuration', (t) => {
  t.equal(refusal(['--config', '/nowhere/x']), '/nowhere/x cannot be read (ENOENT)');
  const large = fileWith(t, '#'.repeat(65_537));
  t.equal(
    refusal(['--config', large]),
    `${large} has more than 65536 bytes: not a configuration file`,
  );
  t.end();
});
