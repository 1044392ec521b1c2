import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { commandTree, readCommand } from '../../../src/cli/command-line.js';
import { completionScript } from '../../../src/cli/completion.js';
import { nearName } from '../../../src/config/file.js';
import { PROGRAM, run, storeFolder } from '../../system/harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

const execute = promisify(execFile);

function refusal(...args: string[]): string {
  try {
    readCommand(args, {});
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

void t.test('a mistyped command or flag is refused with the nearest one', (t) => {
  t.equal(refusal('serv'), "Unknown command 'serv'. Did you mean serve?");
  t.equal(refusal('config', 'chek'), "Unknown command 'chek'. Did you mean check?");
  t.equal(refusal('serve', '--prot', '1'), "Unknown option '--prot'. Did you mean --port?");
  t.equal(refusal('dance'), "Unknown command 'dance'");
  t.equal(refusal('serve', '--port'), "Option '--port <NUMBER>' argument missing");
  t.equal(refusal('config'), 'parley config needs a subcommand: see parley --help');
  t.equal(refusal('completion', 'tcsh'), 'parley completion takes a shell: bash or zsh or fish');
  t.equal(
    refusal('config', 'check', 'x'),
    "parley config check takes no arguments: 'x' is unexpected",
  );
  t.end();
});

void t.test('of two stores none is taken, and a document is made for a base URL', (t) => {
  const [first, other] = ['embedded:a', 'embedded:b'];
  t.equal(
    refusal('stats', '--store', first, '--store', other),
    `--store is given twice: ${first} and ${other}`,
  );
  t.equal(refusal('stats', '--store', first, '--store', first), '');
  t.match(refusal('openapi', 'nonsense'), /^parley openapi: nonsense is not a base URL such as/);
  t.equal(refusal('openapi', 'https://a.org', 'b'), 'parley openapi takes one URL');
  t.end();
});

void t.test('the id of a queue may begin as a flag does', (t) => {
  for (const id of [
    '-_Hm9nF37QN5F6YhkEG1lFHU',
    '--m9nF37QN5F6YhkEG1lFHUab',
    'Hm9nF37QN5F6YhkEG1lFHUab',
  ]) {
    t.match(readCommand(['queues', 'show', id, '--json', '--store', 'embedded:x'], {}), {
      request: { command: 'queues show', args: [id] },
      config: { store: 'embedded:x' },
    });
  }
  t.equal(refusal('queues', 'drop', '--jsn'), "Unknown option '--jsn'. Did you mean --json?");
  t.end();
});

void t.test('the nearest name is one that differs little', (t) => {
  const names = ['port', 'store', 'trusted-proxy'];
  t.equal(nearName('prot', names), 'port');
  t.equal(nearName('trusted-proxies', names), 'trusted-proxy');
  t.equal(nearName('colour', names), null);
  t.equal(nearName('x', []), null);
  t.end();
});

void t.test(
  'the help lists every command with its arguments, and a command has help of its own',
  (t) => {
    const text = help('--help');
    for (const { name } of leaves()) t.match(text, new RegExp(`^  ${name} `, 'm'));
    t.match(text, /^  users create EMAIL NAME +create an account$/m);
    t.match(text, /^  export \[FILE\] +write the whole store /m);
    for (const args of [
      ['users', 'create', '--help'],
      ['help', 'users', 'create'],
    ]) {
      const own = help(...args);
      t.match(own, /^Usage: parley users create \[options\] EMAIL NAME\n/);
      t.match(own, /^  --role <ROLE> +owner, administrator, /m);
      t.notMatch(own, '--port');
    }
    const group = help('help', 'users');
    t.match(group, /^  users create EMAIL NAME +create an account$/m);
    t.notMatch(group, '  queues list');
    t.end();
  },
);

void t.test('a flag too long for its column has its text on the next line', (t) => {
  t.match(
    help('serve', '--help'),
    /^  --topic-deletion-limit <SECONDS>\n {34}how long one request .*\n.*\n {34}environment: PARLEY_TOPIC_DELETION_LIMIT$/m,
  );
  t.end();
});

/** What a command line prints. */
function help(...args: string[]): string {
  const command = readCommand(args, {});
  return command.kind === 'help' ? command.text : '';
}

/** Commands that do something, with their parents. */
function leaves(): { name: string }[] {
  const inner = (node: ReturnType<typeof commandTree>, path: string[]): { name: string }[] =>
    node.commands.length === 0
      ? [{ name: path.join(' ') }]
      : node.commands.flatMap((one) => inner(one, [...path, one.name()]));
  return inner(commandTree(), []);
}

/** What a shell offers for the last of some words. */
async function offered(words: readonly string[]): Promise<string[]> {
  const script = [
    completionScript('bash'),
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}`,
    '_parley; printf "%s\\n" "${COMPREPLY[@]}"',
  ].join('\n');
  const { stdout } = await execute('bash', ['--norc', '-c', script], { cwd: testFolder(t) });
  return stdout.split('\n').filter((line) => line !== '');
}

void t.test('bash completes commands and flags', async (t) => {
  t.same(await offered(['parley', 'ser']), ['serve']);
  t.same(await offered(['parley', 'config', '']), ['check', '--help']);
  t.same(await offered(['parley', 'serve', '--own']), [
    '--owner-email',
    '--owner-password',
    '--owner-password-file',
  ]);
  t.same(await offered(['parley', 'export', '--']), [
    '--config',
    '--url',
    '--store',
    '--store-file',
    '--files',
    '--files-credentials-file',
    '--format',
    '--like',
    '--move',
    '--without-damaged',
    '--organization',
    '--json',
    '--help',
  ]);
  t.same(await offered(['parley', 'serve', '--port', '8080', '--mail-fi']), ['--mail-file']);
});

void t.test('zsh takes the same script', async (t) => {
  const zsh = ['/bin/zsh', '/usr/bin/zsh'].find((path) => existsSync(path));
  if (!zsh) return void t.pass('not tried', { skip: 'there is no zsh' });
  const script = `${completionScript('zsh')}\n[ "$(whence -w _parley)" = '_parley: function' ]`;
  await execute(zsh, ['-f', '-c', `autoload -U compinit; compinit -D; ${script}`]);
  t.pass('sourced');
});

void t.test('fish completes commands and flags', async (t) => {
  const fish = '/usr/bin/fish';
  if (!existsSync(fish)) return void t.pass('not tried', { skip: 'there is no fish' });
  const offeredFor = async (line: string): Promise<string[]> => {
    const script = `${completionScript('fish')}\ncomplete -C '${line}'`;
    const { stdout } = await execute(fish, ['--no-config', '-c', script], { cwd: testFolder(t) });
    return stdout
      .split('\n')
      .filter((word) => word !== '')
      .sort();
  };
  t.same(await offeredFor('parley ser'), ['serve']);
  t.same(await offeredFor('parley config '), ['--help', 'check']);
  t.same(await offeredFor('parley serve --port 8080 --mail-fi'), ['--mail-file']);
});

void t.test('parley completion prints it', async (t) => {
  t.match(await run(['completion', 'bash']), { code: 0, stdout: completionScript('bash') });
  t.match(await run(['completion', 'zsh']), { code: 0, stdout: /^autoload / });
});

void t.test('a reader that has enough ends the command without a word', async (t) => {
  const parley = `"${process.execPath}" "${PROGRAM}" openapi`;
  const script = `{ ${parley} | head -c 1 > /dev/null; echo $PIPESTATUS; } 2>&1`;
  const { stdout } = await execute('bash', ['--norc', '-c', script]);
  t.equal(stdout, '141\n');
});

void t.test('parley config check says what each option comes to, and hides secrets', async (t) => {
  const folder = storeFolder(t);
  const path = join(folder, 'parley.yaml');
  writeFileSync(path, 'port: 8080\nmail: smtp://user:hidden@h:25\n', { mode: 0o600 });
  const args = ['config', 'check', '--config', path, '--log', 'warn'];
  const env = { PARLEY_OWNER_PASSWORD: 'iris-lamp-harbor', PARLEY_PORT: '81' };
  const exit = await run(args, env);
  t.match(exit, { code: 0, stderr: '' });
  t.match(exit.stdout, /^port {2,}81 +PARLEY_PORT$/m);
  t.match(exit.stdout, /^owner-password {2,}\*\*\* +PARLEY_OWNER_PASSWORD$/m);
  t.match(exit.stdout, /^log {2,}warn +--log$/m);
  t.match(exit.stdout, new RegExp(`^mail {2,}smtp://user:\\*\\*\\*@h:25 +${path}: mail$`, 'm'));
  t.match(exit.stdout, /^The configuration is valid; \d+ options have their defaults\n$/m);
  const { valid, options } = JSON.parse((await run([...args, '--json'], env)).stdout) as {
    valid: boolean;
    options: { option: string; value: string; source: string }[];
  };
  t.equal(valid, true);
  t.same(
    options.filter(({ option }) => option === 'port' || option === 'host'),
    [
      { option: 'host', value: '127.0.0.1', source: 'default' },
      { option: 'port', value: '81', source: 'PARLEY_PORT' },
    ],
  );

  writeFileSync(path, 'port: 8080\nprot: 1\nlease: [1]\n');
  t.match(await run(['config', 'check'], { PARLEY_CONFIG: path }), {
    code: 2,
    stderr: [
      `${path}, line 2: there is no option prot. Did you mean port?`,
      `${path}, line 3: lease must be a number\n`,
    ].join('\n'),
  });
  // What Kubernetes and the bench set is no fault.
  const others = { PARLEY_SERVICE_HOST: '10.0.0.1', PARLEY_LOOP_BLOCKS: 'blocks' };
  const many = { PARLEY_PROT: '1', PARLEY_LEASE: 'long', ...others };
  const faults = [
    'There is no variable PARLEY_PROT. Did you mean PARLEY_PORT?',
    '--port: x is not a port (0 to 65535)',
    'PARLEY_LEASE: long is not a number of seconds (0.5 to 600)',
  ];
  const wrong = ['config', 'check', '--port', 'x', '--jwt', join(folder, 'none.json')];
  const all = await run(wrong, many);
  t.match(all, { code: 2, stdout: /^The configuration has 4 faults\n$/m });
  t.same(all.stderr.split('\n'), [
    ...faults,
    `--jwt: ${join(folder, 'none.json')} cannot be read (ENOENT)`,
    '',
  ]);
  t.match(JSON.parse((await run([...wrong, '--json'], many)).stdout), {
    valid: false,
    faults: all.stderr.trimEnd().split('\n'),
    state: null,
  });
  t.match(await run(['serve', '--port', 'x'], many), {
    code: 2,
    stderr: [...faults, 'See parley serve --help'].join('\n'),
  });
  t.match(await run(['config', 'check'], { PARLEY_PORT: 'tcp://10.0.0.1:9991' }), {
    code: 2,
    stderr:
      /^PARLEY_PORT: tcp:\/\/10\.0\.0\.1:9991 comes from Kubernetes, .*: set enableServiceLinks: false for the pod\n/,
  });
  const tokens = join(folder, 'jwt.json');
  writeFileSync(tokens, '{}', { mode: 0o600 });
  t.match(await run(['config', 'check', '--jwt', tokens]), {
    code: 1,
    stderr: `--jwt: ${tokens}: `,
  });
  const providers = join(folder, 'oidc.json');
  writeFileSync(providers, '{ "providers": [{ "name": "corp" }] }', { mode: 0o600 });
  t.match(await run(['config', 'check', '--oidc', providers]), {
    code: 1,
    stderr: `--oidc: ${providers}: providers/0 `,
  });
});

void t.test('parley config check --connect tries what the configuration names', async (t) => {
  const folder = storeFolder(t);
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await once(closed, 'close');
  const greeter = createServer((socket) => {
    socket.write('220 mail.example.org ESMTP\r\n');
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (String(data).startsWith('QUIT')) socket.end('221 bye\r\n');
      else socket.write('250 mail.example.org\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(greeter, 'listening');
  t.teardown(() => greeter.close());
  const mail = `127.0.0.1:${(greeter.address() as AddressInfo).port}`;
  const directory = join(folder, 'ldap.json');
  const settings = { url: `ldap://127.0.0.1:${port}`, base: 'dc=example,dc=org' };
  writeFileSync(directory, JSON.stringify(settings), { mode: 0o600 });
  const store = `embedded:${join(folder, 'none')}`;
  const args = ['config', 'check', '--connect', '--store', store];
  const whole = await run([...args, '--mail', `smtp://${mail}`]);
  t.match(whole, { code: 0, stderr: '' });
  t.same(
    whole.stdout.split('\n').filter((line) => line.startsWith('Reached: ')),
    ['the store', 'the uploaded files', `the mail server smtp://${mail}`].map(
      (service) => `Reached: ${service}`,
    ),
  );
  t.notOk(existsSync(join(folder, 'none')), 'nothing is made');
  const away = await run([...args, '--mail', `smtp://127.0.0.1:${port}`, '--ldap', directory]);
  t.equal(away.code, 1);
  t.match(
    away.stderr,
    new RegExp(`^--mail: .*ECONNREFUSED.*\n--ldap: The directory does not answer \\(.*\\)\n$`),
  );
});

void t.test('an address that cannot be listened on is refused with its cause', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  t.teardown(() => taken.close());
  const port = String((taken.address() as AddressInfo).port);
  const serve = (...args: string[]) =>
    run(['serve', '--store', `embedded:${storeFolder(t)}`, '--log', 'error', ...args]);
  for (const [args, cause] of [
    [['--port', port], `127.0.0.1:${port}: the port is in use by another process`],
    [['--host', '192.0.2.7'], '192.0.2.7:9991: the address is not one of this machine'],
    [['--host', 'no.such.invalid'], 'no.such.invalid:9991: the name has no address'],
  ] as const) {
    t.match(await serve(...args), { code: 1, stderr: `Cannot start: Cannot listen on ${cause}\n` });
  }
  t.match(await serve('--port', '0', '--metrics', `127.0.0.1:${port}`), {
    code: 1,
    stderr: `Metrics: Cannot listen on 127.0.0.1:${port}: the port is in use by another process\n`,
  });
});
