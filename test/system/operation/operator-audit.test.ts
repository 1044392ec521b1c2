import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { ADMIN_SPECS } from '../../../src/cli/admin-specs.js';
import { FOREIGN_SPECS } from '../../../src/cli/foreign-specs.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

const ANN = 'ann@example.org';

/** What commands are given, in the order in which they are tried; `reads` changes nothing. */
interface Tried {
  readonly args?: readonly string[];
  readonly flags?: Readonly<Record<string, string | boolean>>;
  readonly rows?: readonly object[];
  /** What the record is of; null: the command only shows something. */
  readonly kind: string | null;
}

/** Not tried here, and why. */
const ELSEWHERE = new Set([
  // Not of the socket: they make and fill stores.
  ...['backup', 'restore', ...FOREIGN_SPECS.map(({ name }) => name)],
  // Shows what waits, or comes: nothing does.
  ...['mails show', 'tail'],
  // Tried with a second factor by admin.test.ts.
  'users two-factor-off',
]);

interface Answer {
  readonly kind: string;
  readonly message?: string;
  /** Of `audit`: the records. */
  readonly result?: readonly { readonly id: number; readonly by: string; readonly what: string }[];
}

// The commands of a process are tried at its socket: what is recorded depends on more than the modules of the commands.
void t.test('each command of the operator that changes something leaves a record', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { queue_id: queue } = await owner.register();
  const { invites } = await (async () => {
    const body = { invitee_emails: 'eve@example.org', stream_ids: [] };
    await owner.ok('POST', '/invites', body);
    return (await owner.ok('GET', '/invites')) as { invites: { id: number }[] };
  })();
  const folder = join(storeFolder(t), 'export');
  const TRIED: Readonly<Record<string, Tried>> = {
    'users list': { kind: null },
    'users create': { args: [ANN, 'Ann Lee'], kind: 'user' },
    'users import': {
      rows: [{ line: 2, email: 'carl@example.org', name: 'Carl', role: '' }],
      flags: { links: true },
      kind: 'user',
    },
    'users role': { args: [ANN, 'moderator'], kind: 'user' },
    'users deactivate': { args: [ANN], kind: 'user' },
    'users reactivate': { args: [ANN], kind: 'user' },
    'users reset-password': { args: [ANN], kind: 'user' },
    'users login-link': { args: [ANN], kind: 'user' },
    'users export': { args: [ANN, folder], kind: 'user' },
    'keys revoke': { args: [ANN], kind: 'user' },
    grant: { args: [ANN, 'can_create_users'], kind: 'user' },
    revoke: { args: [ANN, 'can_create_users'], kind: 'user' },
    'organization show': { kind: null },
    'organization rename': { args: ['Elsinore'], kind: 'organization' },
    'organization require-two-factor': { args: ['administrators'], kind: 'organization' },
    'mails list': { kind: null },
    'mails retry': { kind: 'mail' },
    'mails test': { args: [ANN], kind: 'mail' },
    'invitations list': { kind: null },
    'invitations revoke': { args: [String(invites[0]!.id)], kind: 'invitation' },
    'scheduled list': { kind: null },
    'actors count': { kind: null },
    'actors list': { args: ['event-queue'], kind: null },
    'actors show': { args: ['event-queue', queue], kind: null },
    'queues list': { kind: null },
    'queues show': { args: [queue], kind: null },
    'queues drop': { args: [queue], kind: 'queue' },
    // Ends all queues.
    'organization deactivate': { kind: 'organization' },
    'organization reactivate': { kind: 'organization' },
    'users erase': { args: [ANN], flags: { yes: true, messages: true }, kind: 'user' },
    audit: { kind: null },
    stats: { kind: null },
    'support-bundle': { kind: 'server' },
    top: { flags: { count: '1', interval: '1' }, kind: null },
  };
  t.same(
    ADMIN_SPECS.map(({ name }) => name).filter((n) => !ELSEWHERE.has(n) && !(n in TRIED)),
    [],
    'every command is tried',
  );
  const ask = async (request: object): Promise<Answer[]> => {
    const client = connect(join(server.folder, 'admin.sock'));
    client.setEncoding('utf8');
    let text = '';
    client.on('data', (chunk: string) => (text += chunk));
    client.write(`${JSON.stringify({ args: [], flags: {}, ...request })}\n`);
    await once(client, 'end');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Answer);
  };
  const newest = async () => {
    const [answer] = await ask({ command: 'audit', flags: { count: '1' } });
    return answer?.result?.[0];
  };
  for (const [command, { kind, args = [], flags = {}, rows }] of Object.entries(TRIED)) {
    const before = await newest();
    const answers = await ask({ command, args, flags, ...(rows ? { rows } : {}) });
    t.equal(answers.at(-1)?.kind, 'done', `${command}: ${answers.at(-1)?.message}`);
    const after = await newest();
    if (kind === null) t.same(after, before, `${command} changes nothing`);
    else {
      t.not(after?.id, before?.id, `${command} leaves a record`);
      t.equal(after?.by, 'operator', command);
      t.ok(after?.what.startsWith(`${kind} `), `${command}: ${after?.what}`);
    }
  }
});
