/** `--json` of every command of the program, at a running server and at stores that nobody serves. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import t, { type Test } from 'tap';
import { Printer } from '../../../src/host/output.js';
import { commandTree } from '../../../src/cli/command-line.js';
import { runCommand, sayFailure } from '../../../src/cli/program.js';
import { discordExport } from '../../fixtures/archives/discord-export.js';
import { mattermostExport } from '../../fixtures/archives/mattermost-export.js';
import { rocketChatDump } from '../../fixtures/archives/rocketchat-dump.js';
import { teamsExport } from '../../fixtures/archives/teams-export.js';
import { slackExport } from '../../fixtures/archives/slack-export.js';
import { tarGz } from '../../fixtures/archives/tar.js';
import { zip } from '../../fixtures/archives/zip.js';
import { zulipExport } from '../../fixtures/archives/zulip-export.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, run, RunningServer, storeFolder } from '../harness/server.js';

t.setTimeout(120_000);

/** Commands that print a line for each row. */
const ROWS: readonly string[] = ['tail', 'top', 'users import'];

/** What a command printed, read as JSON. */
interface Said {
  readonly status: number;
  /** Standard output: one document, or a line of each row. */
  readonly out: unknown;
  /** Lines of standard error. */
  readonly err: readonly object[];
}

/** Names of the commands that do something. */
function leaves(node: Command, path: readonly string[] = []): string[] {
  if (node.commands.length === 0) return [path.join(' ')];
  return node.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}

/** @throws SyntaxError where a line is no JSON */
function linesOf(text: string): object[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as object);
}

/** Runs a command in this process, as the program does, with `--json`. */
async function said(args: readonly string[], areRows = false): Promise<Said> {
  let [out, err] = ['', ''];
  const printer = new Printer(
    true,
    (text) => (out += text),
    (text) => (err += text),
  );
  const words = [...args, '--json'];
  const failed = (error: unknown): number => sayFailure(error, words, printer);
  const status = await runCommand(words, {}, printer).catch(failed);
  if (areRows) return { status, out: linesOf(out), err: linesOf(err) };
  return { status, out: out === '' ? null : (JSON.parse(out) as unknown), err: linesOf(err) };
}

/** A server that is told to speak JSON; what it says at its start. */
async function start(t: Test) {
  const folder = storeFolder(t);
  const server = RunningServer.spawn(folder, {
    args: ['--json'],
    store: `embedded:${folder}`,
    env: { PARLEY_OWNER_PASSWORD: '' },
  });
  t.teardown(() => server.kill());
  await server.printed(/^\{.*"owner":.*\n/m);
  const [leads, made] = linesOf(server.stdout) as Record<string, unknown>[];
  return { folder, server, leads: leads!, made: made! };
}

void t.test('each command prints JSON, and nothing else', async (t) => {
  const { folder, server, leads, made } = await start(t);
  t.match(leads, { state: 'leads', url: /^http:\/\/127\.0\.0\.1:\d+$/, message: /^Parley is / });
  const { owner: shown } = made as { owner: { email: string; password: string } };
  t.match(made, { organization: 'Parley', owner: { email: OWNER_EMAIL, password: /^.{16,}$/ } });
  const owner = await ApiClient.login(String(leads['url']), OWNER_EMAIL, shown.password);
  await owner.ok('POST', '/invites/multiuse', { invite_as: 400, stream_ids: [] });
  await owner.ok('POST', '/invites', {
    ...{ invitee_emails: 'guest@example.org', invite_as: 400, stream_ids: [] },
  });
  await owner.say('hello');

  const work = storeFolder(t);
  const place = (name: string): string => join(work, name);
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(place(name), content);
    return place(name);
  };
  const [here, copy] = [`embedded:${folder}`, `embedded:${place('copy')}`];
  const ran = new Set(['serve']);
  /** Runs a command at a store, and compares what it printed. */
  const check = async (name: string, args: string[], store: string | null, expected: object) => {
    ran.add(name);
    const words = [...name.split(' '), ...args, ...(store === null ? [] : ['--store', store])];
    const found = await said(words, ROWS.includes(name));
    t.match(found, { status: 0, err: [], ...expected }, name);
    return found.out as never;
  };
  /** One whose notes people read, too. */
  const notes = [{ note: String }];

  const ANN = 'ann@example.org';
  await check('users create', [ANN, 'Ann Lee'], here, { out: { email: ANN, password: String } });
  await check('users list', [], here, { out: [{ email: OWNER_EMAIL }, { email: ANN }] });
  await check('users role', [ANN, 'moderator'], here, { out: { role: 'moderator' } });
  await check('users deactivate', [ANN], here, { out: { active: false } });
  await check('users reactivate', [ANN], here, { out: { active: true } });
  await check('users reset-password', [ANN], here, { out: { password: String } });
  const refused = { status: 1, out: null, err: [{ error: String, status: 1 }] };
  await check('users two-factor-off', [ANN], here, {
    ...refused,
    err: [{ error: `${ANN} has no second factor`, status: 1 }],
  });
  await check('users login-link', [ANN], here, { out: { link: /^http/ } });
  const table = file(
    'people.csv',
    'email,name,role\nbea@example.org,Bea,member\nnobody,Cy,member\n',
  );
  await check('users import', [table], here, {
    status: 1,
    out: [{ line: 2 }, { line: 3 }, { created: 1, refused: 1 }],
  });
  await check('users export', [ANN, place('ann')], here, { out: {} });
  await check('keys revoke', [ANN], here, { out: { email: ANN } });
  await check('users erase', [ANN, '--yes'], here, { out: {} });
  await check('organization show', [], here, { out: { name: 'Parley' } });
  await check('organization rename', ['Engines'], here, { out: { name: 'Engines' } });
  await check('organization require-two-factor', ['everyone'], here, {
    out: { second_factor_of: 'everyone' },
  });
  await check('organization require-two-factor', ['some'], here, refused);
  await check('organization require-two-factor', ['nobody'], here, {
    out: { second_factor_of: 'nobody' },
  });
  await check('organization deactivate', [], here, { out: { deactivated: true } });
  await check('organization reactivate', [], here, { out: { deactivated: false } });
  await check('mails list', [], here, { out: [] });
  await check('mails show', ['1'], here, refused);
  await check('mails retry', [], here, { out: {} });
  await check('mails test', [ANN], here, {});
  const invited = await check('invitations list', [], here, { out: [{ id: String }] });
  const [{ id }] = invited as [{ id: string }];
  await check('invitations revoke', [id], here, { out: { id } });
  await check('scheduled list', [], here, { out: [] });
  const { queue_id: queue } = await owner.register();
  await check('actors count', [], here, { out: [{ machine: String }] });
  await check('actors list', ['event-queue'], here, { out: [{ id: queue }] });
  await check('actors show', ['event-queue', queue], here, { out: { id: queue, snapshot: {} } });
  await check('queues list', [], here, { out: [{ id: queue }] });
  await check('queues show', [queue], here, { out: { id: queue } });
  await check('queues drop', [queue], here, { out: { id: queue } });
  await check('audit', [], here, { out: [] });
  await check('stats', [], here, { out: { organization: 'Engines' } });
  await check('support-bundle', [], here, { out: { versions: { parley: String } } });
  await check('top', ['--count', '1', '--interval', '1'], here, { out: [{ at: String }] });
  let isTold = false;
  const tail = check('tail', ['--count', '1'], here, { out: [{ seq: Number, events: [] }] });
  void tail.then(() => (isTold = true));
  // It follows from when it reached the server.
  while (!isTold) await owner.say('once more');
  await tail;
  const right = 'can_create_users';
  await check('grant', [OWNER_EMAIL, right], here, { out: { right, granted: true }, err: notes });
  await check('revoke', [OWNER_EMAIL, right], here, { out: { right, granted: false }, err: notes });
  await check('verify', ['--files'], here, {
    out: { store: here, faults: [], read: { entries: Number, files: { read: 0 } } },
  });
  const [lines, archive] = [place('all.jsonl'), place('all.tar.gz')];
  await check('export', [lines], here, {
    out: { store: here, file: lines, moved: false, left_out: [], documents: { realm: 1 } },
    err: notes,
  });
  await check('export', ['--format', 'zulip', archive], here, {
    out: { file: archive, accounts: Number, channels: Number, left_out: [{ count: Number }] },
    err: notes,
  });
  const backups = place('backups');
  const { export: name } = await check('backup', [backups], here, {
    out: { folder: backups, export: /\.jsonl$/, files_copied: 0, has_secret: false, removed: [] },
    err: notes,
  });
  t.equal((await server.stop()).code, 0);

  await check(
    'organizations create',
    ['oak', '--address', 'oak.test', '--owner-email', ANN, '--url', 'http://main.test'],
    here,
    { out: { name: 'oak', url: 'http://oak.test', owner: ANN, password: String } },
  );
  const oak = { name: 'oak', state: 'active', health: 'not served' };
  await check('organizations list', [], here, { out: [{ name: 'main' }, oak] });
  await check('organizations show', ['oak'], here, { out: oak });
  const url = ['--url', 'http://main.test'];
  await check('organizations address', ['oak', 'o.test', ...url], here, {
    out: { url: 'http://o.test' },
  });
  await check('organizations adopt', ['elm', '--address', 'e.test', ...url], here, refused);
  await check('organizations wake', ['oak'], here, { out: oak });
  await check('organizations reload', ['oak', ...url], here, { out: oak });
  await check('organizations sleep', ['oak'], here, refused);
  await check('organizations deactivate', ['oak'], here, { out: { state: 'deactivated' } });
  await check('organizations reactivate', ['oak', ...url], here, { out: oak });
  await check('organizations deactivate', ['oak'], here, {});
  await check('organizations delete', ['oak', '--yes', '--after', '0'], here, {
    out: { deleted: true },
  });

  await check('restore', [backups, '--check'], copy, {
    out: { folder: backups, export: name, faults: [], damaged_files: [], imported: null },
    err: notes,
  });
  await check('restore', [backups], copy, { out: { imported: { goes_on: false } }, err: notes });
  const other = `embedded:${place('other')}`;
  await check('import', [lines], other, { out: { store: other, entries: Number }, err: notes });
  await check('new-history', [], copy, { out: { store: copy }, err: notes });
  await check('forget-secret', [], copy, { out: { store: copy }, err: notes });
  await check('restore-messages', [], copy, refused);
  const archives = {
    zulip: tarGz(zulipExport()),
    slack: zip(slackExport()),
    mattermost: zip(mattermostExport()),
    discord: zip(discordExport()),
    rocketchat: zip(rocketChatDump()),
    teams: zip(teamsExport()),
  };
  for (const [format, content] of Object.entries(archives)) {
    const store = `embedded:${place(format)}`;
    await check(`import-${format}`, [file(`${format}.export`, content)], store, {
      status: Number,
      out: { store, imported: { accounts: Number, messages: Number }, complete: Boolean },
      err: notes,
    });
  }
  for (const name of ['import-telegram', 'import-google-chat']) {
    await check(name, ['x'], null, { status: 2, err: [{ error: String, status: 2 }] });
  }
  await check('config check', [], copy, { out: { valid: true, faults: [] } });
  await check('openapi', [], null, { out: { openapi: '3.1.0' } });
  await check('completion', ['fish'], null, { out: { shell: 'fish', script: String } });
  t.strictSame(
    leaves(commandTree()).filter((one) => !ran.has(one)),
    [],
    'each command was run',
  );
});

void t.test('the program itself prints it, with the same exit statuses', async (t) => {
  const missing = join(storeFolder(t), 'none');
  const store = ['--store', `embedded:${missing}`];
  for (const [args, status, error] of [
    [['verify', ...store], 3, `There is no store in ${missing}`],
    [['users', 'lst', ...store], 2, "Unknown command 'lst'. Did you mean list?"],
    [['backup', missing, ...store, '--port', 'x'], 2, "Unknown option '--port'"],
    [['serve', '--port', 'x'], 2, /^--port: /],
    [['stats', ...store], 1, `embedded:${missing} holds no organization`],
  ] as const) {
    const { code, stdout, stderr } = await run([...args, '--json']);
    t.equal(code, status, args.join(' '));
    t.equal(stdout, '');
    t.match(linesOf(stderr), [{ error, status }]);
  }
  const { code, stdout } = await run(['--version', '--json']);
  t.match({ code, stdout: JSON.parse(stdout) as unknown }, { code: 0, stdout: { version: /^\d/ } });
});
