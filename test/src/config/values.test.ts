import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';
import { ConfigError } from '../../../src/config/config.js';
import { OPTIONS } from '../../../src/config/options.js';
import { shownOption } from '../../../src/config/values.js';
import { testFolder } from '../../fixtures/test-folder.js';

type Environment = Record<string, string>;

/** What a command line comes to: the command, or the refusal, and the warnings. */
function outcome(args: string[], environment: Environment = {}) {
  const warnings: string[] = [];
  try {
    const command = readCommand(args, environment, (warning) => warnings.push(warning));
    return { command, refused: '', warnings };
  } catch (error) {
    t.ok(error instanceof ConfigError);
    return { command: null, refused: (error as Error).message, warnings };
  }
}

function secretFile(t: Test, content: string, mode = 0o600): string {
  const path = join(testFolder(t), 'secret');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** Each secret option, a value of it, and where the configuration has it. */
const SECRETS = [
  ['owner-password', 'iris-lamp-harbor-92', 'ownerPassword'],
  ['mail', 'smtps://user:pass%20word@mail.example.org:465', 'mail'],
  ['store', 'redis://user:password@redis.example.org:6379', 'store'],
] as const;

for (const [flag, value, key] of SECRETS) {
  const variable = `PARLEY_${flag.toUpperCase().replace('-', '_')}`;

  void t.test(`--${flag} may be given by a file`, async (t) => {
    const path = secretFile(t, `${value}\n`);
    for (const [args, environment] of [
      [['serve', `--${flag}-file`, path], {}],
      [
        ['serve', `--${flag}-file`, path],
        { [variable]: 'ignored', [`${variable}_FILE`]: 'ignored' },
      ],
      [['serve'], { [`${variable}_FILE`]: path }],
      [['serve'], { [variable]: value }],
    ] as [string[], Environment][]) {
      const { command, warnings } = outcome(args, environment);
      t.match(command, { config: { [key]: value } });
      t.same(warnings, [], 'nothing shows');
    }
    t.match(outcome(['serve', `--${flag}`, value, `--${flag}-file`, path]), {
      refused: `Give --${flag} or --${flag}-file, not both`,
    });
    t.match(outcome(['serve'], { [variable]: value, [`${variable}_FILE`]: path }), {
      refused: `Give ${variable} or ${variable}_FILE, not both`,
    });
    const help = new RegExp(`--${flag}-file <FILE> [^]*?environment: ${variable}_FILE\n`);
    t.match(readCommand(['serve', '--help'], {}), { kind: 'help', text: help });
  });

  void t.test(`--${flag} as a flag shows its secret, which is said`, async (t) => {
    const { command, warnings } = outcome(['serve', `--${flag}`, value]);
    t.match(command, { config: { [key]: value } });
    t.same(warnings, [
      `--${flag} shows a secret in the list of processes: use --${flag}-file or ${variable} instead`,
    ]);
  });
}

void t.test('what an option came to is shown without its secret, well-formed or not', async (t) => {
  for (const [flag, value, shown] of [
    ['owner-password', 'a@b://c:d@e', '***'],
    ['mail', 'smtp://user:pass@host:25', 'smtp://user:***@host:25'],
    ['mail', 'smtp://user:pa/ss@host:25', 'smtp://user:***@host:25'],
    ['mail', 'smtp://user:pa#s@s?@host:25', 'smtp://user:***@host:25'],
    ['mail', 'user:pass@host', 'user:***@host'],
    ['mail', 'smtp://user@host:25', 'smtp://user@host:25'],
    ['store', 'redis://:pa?ss@host:1', 'redis://:***@host:1'],
    ['store', 'redis://h?ca=/a:b@c', 'redis://h?ca=/a:b@c'],
    ['store', 'embedded:./d:a@t', 'embedded:./d:a@t'],
    ['files', 's3://key:secret@bucket', 's3://***@bucket'],
    ['url', 'https://user:pass@host/', 'https://***@host/'],
    ['owner-email', 'iris@example.org', 'iris@example.org'],
  ] as const) {
    const option = OPTIONS.find((one) => one.flag === flag)!;
    t.equal(shownOption({ option, value, source: '' }).value, shown, value);
  }
});

void t.test('a flag without a secret is nothing to warn of', async (t) => {
  for (const args of [
    ['--store', 'embedded:./data'],
    ['--store', 'redis://127.0.0.1:6379'],
    ['--store', 'redis://h?ca=/a:b@c'],
    ['--store', 'embedded:./d:a@t'],
    ['--mail', 'smtp://mail.example.org'],
    ['--port', '0'],
  ]) {
    t.same(outcome(['serve', ...args]).warnings, [], args.join(' '));
  }
});

void t.test(
  'a file that gives no secret is refused by name, and nothing of it is told',
  async (t) => {
    const missing = join(testFolder(t), 'missing');
    t.equal(
      outcome(['serve', '--mail-file', missing]).refused,
      `--mail-file: ${missing} cannot be read (ENOENT)`,
    );
    t.match(outcome(['serve'], { PARLEY_MAIL_FILE: t.testdirName }).refused, /EISDIR/);
    for (const [content, why] of [
      ['', 'is empty'],
      ['\n', 'is empty'],
      ['one-secret\ntwo-secret\n', 'has more than one line'],
      ['secret'.repeat(1000), 'has more than 4096 bytes'],
      ['http://secret', 'not a mail server'],
    ] as const) {
      const { refused } = outcome(['serve', '--mail-file', secretFile(t, content)]);
      t.match(refused, /^--mail-file: /);
      t.match(refused, why);
      t.notMatch(refused.replace(t.testdirName, ''), /one-secret|secretsecret|http:/);
    }
    t.match(outcome(['serve', '--port-file', missing]).refused, /--port-file/, 'no secret');
  },
);

void t.test(
  'a file with secrets that others can read is said',
  { skip: process.platform === 'win32' ? 'there are no such modes' : false },
  async (t) => {
    const open = secretFile(t, 'redis://user:password@h', 0o644);
    const said = [
      `${open} holds a secret and is accessible to other accounts: set its mode to 0600`,
    ];
    t.same(outcome(['serve', '--store-file', open]).warnings, said);
    t.same(outcome(['serve', '--jwt', open]).warnings, said);
    t.same(outcome(['serve', '--ldap', open]).warnings, said);
    t.same(outcome(['serve', '--oidc', open]).warnings, said);
    t.match(outcome(['export', '--store-file', open, 'a.jsonl']), {
      command: { kind: 'export', store: 'redis://user:password@h', path: 'a.jsonl' },
      warnings: said,
    });
    t.same(outcome(['forget-secret'], { PARLEY_STORE_FILE: open }).warnings, said);
  },
);
