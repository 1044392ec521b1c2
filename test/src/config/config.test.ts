import { availableParallelism } from 'node:os';
import t from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';
import { ConfigError, type Config } from '../../../src/config/config.js';
import { localUrl } from '../../../src/config/network.js';

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

void t.test(
  'the address of a server that listens on an address, for who is on its machine',
  (t) => {
    for (const [host, url] of [
      ['127.0.0.1', 'http://127.0.0.1:80'],
      ['0.0.0.0', 'http://127.0.0.1:80'],
      ['::', 'http://[::1]:80'],
      ['::1', 'http://[::1]:80'],
      ['fd00::7', 'http://[fd00::7]:80'],
      ['localhost', 'http://localhost:80'],
    ] as const) {
      t.equal(localUrl(host, 80, false), url);
      t.equal(localUrl(host, 80, true), url.replace('http', 'https'));
      t.ok(URL.canParse(url));
    }
    t.end();
  },
);

// [c:config-defaults]
void t.test('without settings everything has its default', (t) => {
  t.match(config(), {
    host: '127.0.0.1',
    port: 9991,
    store: 'embedded:./data',
    url: null,
    ownerPassword: null,
    rateLimit: true,
    leaseMs: 2000,
    storeWaitMs: 5000,
    allowNewerStore: false,
    keepIndex: true,
    log: 'info',
    topicDeletionMs: 50_000,
    keepUploadsMs: 35 * 86_400_000,
    hookTargets: [],
    linkPreviews: 'off',
    linkPreviewTargets: [],
    keepAuditMs: 365 * 86_400_000,
    uploadQuotaMib: 10_240,
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
  t.match(config(), { workers: 1 });
  t.match(config(['--workers', '4']), { workers: 4 });
  t.match(config([], { PARLEY_WORKERS: 'auto' }), { workers: availableParallelism() });
  for (const workers of ['0', '65', '1.5', 'all', '-1']) {
    t.throws(() => config([`--workers=${workers}`]), /--workers: .* is not a number of processes/);
  }
  t.match(config(['--topic-deletion-limit', '2']), { topicDeletionMs: 2000 });
  t.match(config([], { PARLEY_TOPIC_DELETION_LIMIT: '0.5' }), { topicDeletionMs: 500 });
  t.match(config(['--link-previews', 'pages', '--link-preview-target', '10.0.0.0/8']), {
    ...{ linkPreviews: 'pages', linkPreviewTargets: ['10.0.0.0/8'] },
  });
  t.match(config(['--hook-target', '10.1.2.0/24,::1']), { hookTargets: ['10.1.2.0/24', '::1'] });
  t.match(config(['--keep-uploads', '1']), { keepUploadsMs: 86_400_000 });
  t.match(config([], { PARLEY_KEEP_UPLOADS: '0' }), { keepUploadsMs: null });
  t.match(config(['--keep-audit', '30']), { keepAuditMs: 30 * 86_400_000 });
  t.match(config([], { PARLEY_KEEP_AUDIT: '0' }), { keepAuditMs: null });
  t.match(refusal(['serve', '--keep-audit', 'long']), /^--keep-audit/);
  t.match(config(), { limitsPresence: true });
  t.match(config(['--can-access-all-users-group-limits-presence', 'off']), {
    limitsPresence: false,
  });
  t.match(config(['--upload-quota', '500']), { uploadQuotaMib: 500, memberQuota: null });
  t.match(config([], { PARLEY_UPLOAD_QUOTA: '0' }), { uploadQuotaMib: null });
  t.match(config(['--lease', '0.5'], { PARLEY_STORE_WAIT: '600' }), {
    leaseMs: 500,
    storeWaitMs: 600_000,
  });
  t.match(config(['--organization', '  Acme  ']), { organization: 'Acme' });
  t.match(config(), { mail: null, mailFrom: null, invitationLinkValidityMinutes: 14_400 });
  t.match(config(['--mail', 'smtps://u:p@mail.example.org', '--mail-from', 'chat@example.org']), {
    mail: 'smtps://u:p@mail.example.org',
    mailFrom: 'chat@example.org',
  });
  t.match(config(), { incomingMail: null, incomingMailAddress: null });
  const addresses = ['--incoming-mail-address', 'chat+%s@example.org'];
  t.match(config([...addresses, '--incoming-mail', 'lmtp://[::1]:24']), {
    incomingMail: { protocol: 'lmtp', host: '::1', port: 24 },
    incomingMailAddress: 'chat+%s@example.org',
  });
  t.match(config(addresses), { incomingMail: null, incomingMailAddress: 'chat+%s@example.org' });
  for (const wrong of ['chat@example.org', '%s@', '%s%s@x', '@%s', '%s @x']) {
    t.match(refusal(['serve', '--incoming-mail-address', wrong]), /is not a pattern such as/);
  }
  for (const wrong of ['127.0.0.1:25', 'smtps://127.0.0.1:25', 'smtp://127.0.0.1']) {
    t.match(refusal(['serve', ...addresses, '--incoming-mail', wrong]), /^--incoming-mail: /);
  }
  t.match(
    refusal(['serve', '--incoming-mail', 'smtp://127.0.0.1:25']),
    /^--incoming-mail: needs --incoming-mail-address/,
  );
  t.end();
});

void t.test('what cannot be used is refused by name', (t) => {
  t.match(refusal(['serve', '--port', '65536']), /^--port: 65536 is not a port/);
  t.match(refusal(['serve'], { PARLEY_PORT: 'x' }), /^PARLEY_PORT: x is not a port/);
  t.match(refusal(['serve', '--log', 'loud']), /^--log: loud is not one of trace/);
  t.match(
    refusal(['serve', '--link-previews', 'on']),
    /^--link-previews: on is not one of off, pictures, pages$/m,
  );
  t.match(refusal(['serve', '--hook-target', 'intranet']), /^--hook-target: intranet is not/);
  t.match(refusal(['serve', '--keep-uploads', '1.5']), /^--keep-uploads/);
  t.match(refusal(['serve', '--upload-quota', '1 GiB']), /^--upload-quota/);
  for (const time of ['0', '0.4', '601', '-1', '1e2', 'soon', '1.2345']) {
    t.match(refusal(['serve', `--lease=${time}`]), `--lease: ${time} is not a number of seconds`);
    t.match(refusal(['serve'], { PARLEY_STORE_WAIT: time }), /^PARLEY_STORE_WAIT: /);
  }
  t.match(refusal(['serve', '--owner-email', 'x']), /^--owner-email: /);
  t.match(refusal(['serve', '--owner-password', 'short']), /^--owner-password: /);
  t.match(refusal(['serve', '--organization', 'x'.repeat(41)]), /^--organization: /);
  t.match(refusal(['serve', '--rate-limit', 'maybe']), /^--rate-limit: /);
  t.match(readCommand(['serve', '--url', 'https://Chat.x.:8443'], {}), {
    config: { url: 'https://chat.x:8443' },
  });
  for (const url of ['nonsense', 'ftp://x', 'https://x/path', 'https://x/?q', 'https://x/#h']) {
    t.match(refusal(['serve', '--url', url]), /^--url: .* is not a base URL/);
  }
  for (const limit of ['0', 'x', '601', '-1']) {
    const given = ['serve', `--topic-deletion-limit=${limit}`];
    t.match(refusal(given), /^--topic-deletion-limit: .* is not a number of seconds/);
  }
  t.match(refusal(['serve', '--mail', 'http://user:secret@x']), /^--mail: not a mail server such/);
  t.notMatch(refusal(['serve', '--mail', 'http://user:secret@x']), /secret/);
  t.match(refusal(['serve', '--mail-from', 'A <a@x.org>']), /^--mail-from: .* is not an e-mail/);
  t.match(
    refusal(['serve'], { PARLEY_INVITATION_LINK_VALIDITY_MINUTES: '0' }),
    /^PARLEY_INVITATION_LINK_VALIDITY_MINUTES: 0 is not a number of minutes/,
  );
  t.match(refusal(['serve', '--nonsense', 'x']), /--nonsense/);
  t.match(refusal([]), /parley serve/);
  t.match(refusal(['dance']), /dance/);
  t.end();
});

void t.test('export and import take a store and a file', (t) => {
  const environment = { PARLEY_STORE: 'redis://store:6379', PARLEY_PORT: 'ignored' };
  t.same(readCommand(['export'], environment), {
    kind: 'export',
    store: 'redis://store:6379',
    path: null,
    move: false,
    withoutDamaged: false,
  });
  t.match(readCommand(['export', '--move', 'a.jsonl'], {}), { path: 'a.jsonl', move: true });
  t.match(refusal(['import', '--move', 'a.jsonl']), /--move/);
  t.same(readCommand(['new-history'], environment), {
    kind: 'new-history',
    store: 'redis://store:6379',
  });
  t.same(readCommand(['import', '--store=embedded:x', 'a.jsonl'], environment), {
    kind: 'import',
    store: 'embedded:x',
    ...{ path: 'a.jsonl', config: null, into: { into: undefined, address: undefined } },
  });
  t.match(readCommand(['export', '-'], {}), { store: 'embedded:./data', path: null });
  t.match(readCommand(['import', '--help'], {}), { kind: 'help', text: /^Usage: parley import / });
  t.match(refusal(['export', '--port', '1']), /--port/);
  t.match(refusal(['import', 'a', 'b']), /takes one file/);
  t.match(refusal(['import', '--store', 'nonsense']), /not a store URL/);
  t.match(refusal(['serve', 'a']), /'a'/);
  t.end();
});

void t.test('the secret of API keys may lie anywhere, and can be forgotten', (t) => {
  t.equal(config().secretFile, null, 'beside the data');
  t.equal(
    config([], { PARLEY_SECRET_FILE: '/run/secrets/parley' }).secretFile,
    '/run/secrets/parley',
  );
  t.same(readCommand(['forget-secret'], { PARLEY_STORE: 'redis://store' }), {
    kind: 'forget-secret',
    store: 'redis://store',
  });
  t.match(refusal(['forget-secret', 'x']), /takes no file/);
  t.match(refusal(['forget-secret', '--port', '1']), /--port/);
  t.end();
});

void t.test('a right of an account is granted and revoked', (t) => {
  for (const kind of ['grant', 'revoke'] as const) {
    t.same(readCommand([kind, 'bot@x.org', 'can_create_users', '--store', 'embedded:x'], {}), {
      kind,
      store: 'embedded:x',
      state: null,
      email: 'bot@x.org',
      right: 'can_create_users',
    });
    for (const args of [
      [],
      ['a@x.org'],
      ['a@x.org', 'is_owner'],
      ['a@x.org', 'can_create_users', 'x'],
    ]) {
      t.match(refusal([kind, ...args]), /takes an e-mail address and a right: can_create_users or/);
    }
  }
  t.end();
});

void t.test('every kind of store URL is taken', (t) => {
  for (const kind of ['redis', 'redis+sentinel', 'redis+cluster']) {
    for (const store of [`${kind}://h`, `${kind.replace('redis', 'rediss')}://h`]) {
      t.equal(config(['--store', store]).store, store);
    }
  }
  t.match(refusal(['serve', '--store', 'redisss://h']), /not a store URL/);
  t.end();
});

void t.test('metrics are off unless they have an address', (t) => {
  t.equal(config().metrics, null);
  t.same(config([], { PARLEY_METRICS: '127.0.0.1:9464' }).metrics, {
    host: '127.0.0.1',
    port: 9464,
  });
  t.same(config(['--metrics', '[::1]:0']).metrics, { host: '::1', port: 0 });
  for (const value of ['9464', ':9464', 'host', 'host:', 'a b:1', '::1:9464']) {
    t.match(refusal(['serve', '--metrics', value]), /^--metrics: .* is not an address and port/);
  }
  t.match(refusal(['serve', '--metrics', 'host:65536']), /is not a port/);
  t.end();
});

void t.test('how late a scheduled message may be sent', (t) => {
  t.equal(config().lateDeliveryMs, 7_200_000, 'two hours');
  t.equal(config([], { PARLEY_LATE_DELIVERY: '5' }).lateDeliveryMs, 300_000);
  for (const value of ['0', '1.5', 'x', '525601']) {
    const given = ['serve', '--late-delivery', value];
    t.match(refusal(given), /^--late-delivery: .* is not a number of/);
  }
  t.end();
});

// [c:help-names-flags]
void t.test('help names every flag and its variable', (t) => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    t.match(readCommand(args, {}), { kind: 'help', text: /^Usage: parley COMMAND / });
  }
  const command = readCommand(['serve', '--help'], {});
  const text = command.kind === 'help' ? command.text : '';
  const flags = [...text.matchAll(/^ {2}--([a-z-]+) </gm)].map(([, flag]) => flag!);
  t.ok(flags.length >= 9);
  for (const flag of flags) {
    const variable = `PARLEY_${flag.toUpperCase().replaceAll('-', '_')}`;
    t.match(text, variable);
  }
  t.end();
});

void t.test('trusted proxies are addresses and networks', async (t) => {
  t.same(config().trustedProxies, []);
  t.same(
    config(['--trusted-proxy', '10.0.0.0/8, ::1', '--trusted-proxy', '192.0.2.7']).trustedProxies,
    ['10.0.0.0/8', '::1', '192.0.2.7'],
  );
  t.same(config([], { PARLEY_TRUSTED_PROXY: 'fd00::/8 127.0.0.1' }).trustedProxies, [
    'fd00::/8',
    '127.0.0.1',
  ]);
  for (const wrong of ['proxy.example.org', '10.0.0.0/33', '::1/129', '10.0.0.0/8/8', '10.0.0']) {
    t.throws(() => config(['--trusted-proxy', wrong]), {
      message: `--trusted-proxy: ${wrong} is not an address or network such as 10.0.0.0/8`,
    });
  }
});

const KEYS = { AWS_ACCESS_KEY_ID: 'ID', AWS_SECRET_ACCESS_KEY: 'hidden' };

void t.test('uploaded files: a folder, a bucket, and its credentials', (t) => {
  t.match(config(), { files: null, filesKeys: null });
  t.match(config(['--files', '/srv/files']), { files: { kind: 'folder', path: '/srv/files' } });
  t.match(config([], { PARLEY_FILES: 'folder:./files' }), { files: { path: './files' } });
  t.match(config(['--files', 'C:\\files']), { files: { path: 'C:\\files' } });
  const amazon = config(['--files', 's3://chat-files?region=eu-west-1'], KEYS);
  t.strictSame(amazon.files, {
    kind: 's3',
    bucket: 'chat-files',
    endpoint: 'https://s3.eu-west-1.amazonaws.com',
    region: 'eu-west-1',
    prefix: '',
    style: 'virtual',
  });
  t.strictSame(amazon.filesKeys, { keyId: 'ID', secret: 'hidden' });
  const url = 's3://chat.files?endpoint=http://[::1]:9000/&prefix=a/b/';
  const own = config(['--files', url], { ...KEYS, AWS_SESSION_TOKEN: 'T', AWS_REGION: 'here' });
  t.match(own.files, {
    endpoint: 'http://[::1]:9000',
    region: 'here',
    prefix: 'a/b',
    style: 'path',
  });
  t.match(own.filesKeys, { token: 'T' });
  t.match(config(['--files', 's3://b-1?endpoint=https://x.org&style=virtual'], KEYS).files, {
    region: 'us-east-1',
    style: 'virtual',
  });
  t.match(config(['--files', 's3://chat.files?region=x'], KEYS).files, { style: 'path' });
  const file = ['--files-credentials-file', '/etc/parley/s3'];
  t.strictSame(config(['--files', 's3://abc?region=x', ...file], KEYS).filesKeys, {
    file: '/etc/parley/s3',
  });
  t.match(refusal(['serve', ...file]), 'files in a folder have no credentials');
  t.match(
    refusal(['serve', '--files', 's3://abc?region=x']),
    /^--files-credentials-file: .* needs/,
  );
  t.end();
});

void t.test('the URL of a bucket takes no credentials, and is not repeated', (t) => {
  const fault = (url: string) => refusal(['serve', '--files', url], KEYS);
  for (const [url, expected] of [
    ['s3://ID:hidden@abc?region=x', /credentials come from AWS_ACCESS_KEY_ID and/],
    ['s3://ID@abc?region=x', /credentials come from/],
    ['s3://abc?region=x&secret=hidden', /credentials come from/],
    ['s3://abc?endpoint=https://ID:hidden@x.org', /the endpoint is no base URL/],
    ['s3://abc?endpoint=x.org', /the endpoint is no base URL/],
    ['s3://abc?endpoint=https://x.org/path', /the endpoint is no base URL/],
    ['s3://abc/hidden?region=x', /after the bucket come parameters alone/],
    ['s3://abc:80?region=x', /after the bucket come parameters alone/],
    ['s3://abc', /say the region/],
    ['s3://abc?region=x/y', /say the region/],
    ['s3://abc?region=x&region=y', /stands twice/],
    ['s3://abc?region=x&prefix=../hidden', /a prefix has letters/],
    ['s3://abc?region=x&style=hidden', /style is path or virtual/],
    ['s3://A_hidden?region=x', /not the name of a bucket/],
    ['s3:hidden', /after the bucket come parameters alone/],
    ['gs://hidden', /not a place for files such as/],
    ['folder:', /not a place for files such as/],
  ] as const) {
    t.match(fault(url), expected, url);
    t.notMatch(fault(url), /hidden/, url);
  }
  t.end();
});
