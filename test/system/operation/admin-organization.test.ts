/** The operator's commands about accounts in numbers, keys, the organization and what waits in it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { usersFrom } from '../../../src/operator/admin/csv.js';
import { ApiClient } from '../harness/client.js';
import { Mailbox } from '../harness/mailbox.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, type Exit } from '../harness/server.js';

const ANN = 'ann@example.org';

type Row = Readonly<Record<string, unknown>>;

class World {
  private constructor(
    readonly server: RunningServer,
    readonly owner: ApiClient,
  ) {}

  static async start(t: Test): Promise<World> {
    const server = await RunningServer.start(t);
    return new World(server, await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD));
  }

  run(...args: string[]): Promise<Exit> {
    return run([...args, '--store', `embedded:${this.server.folder}`]);
  }

  /** What a command prints as JSON. @throws Error with its refusal */
  async json(...args: string[]): Promise<Row & Row[]> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as Row & Row[];
  }

  /** The JSON lines of a command, without the counts at their end, and its status. */
  async lines(...args: string[]): Promise<{ code: number | null; rows: Row[] }> {
    const { code, stdout } = await this.run(...args, '--json');
    const rows = stdout.trimEnd().split('\n').slice(0, -1);
    return { code, rows: rows.map((line) => JSON.parse(line) as Row) };
  }

  file(text: string): string {
    const path = join(this.server.folder, 'people.csv');
    writeFileSync(path, text);
    return path;
  }
}

/** Sets the password that a link is for, as a browser does. */
async function setPassword(link: string, password: string): Promise<number> {
  const body = new URLSearchParams({ password });
  return (await fetch(link, { method: 'POST', body, redirect: 'manual' })).status;
}

const PASSWORD = 'heron-lamp-harbor-93';

void t.test(
  'accounts from a table, again without harm, and links to their passwords',
  async (t) => {
    const world = await World.start(t);
    const path = world.file(
      `Role,E-mail,Email,Name\n,x,${ANN},"Lee, Ann"\nmoderator,x,bob@example.org,Bob\n` +
        `,x,${OWNER_EMAIL},Somebody\nking,x,eve@example.org,Eve\n,x,no address,Nobody\n`,
    );
    const { code, rows } = await world.lines('users', 'import', path, '--links');
    t.equal(code, 1, 'some were refused');
    t.match(rows, [
      { line: 2, email: ANN, outcome: 'created', more: /^http:.*\/accounts\/password\/reset\// },
      { line: 3, email: 'bob@example.org', outcome: 'created' },
      { line: 4, email: OWNER_EMAIL, outcome: 'exists', more: '' },
      { line: 5, email: 'eve@example.org', outcome: 'refused', more: /^A role is one of owner/ },
      { line: 6, email: 'no address', outcome: 'refused' },
    ]);
    t.equal(await setPassword(String(rows[0]!['more']), PASSWORD), 200);
    const ann = await ApiClient.login(world.server.url, ANN, PASSWORD);
    t.match(await ann.ok('GET', '/users/me'), { full_name: 'Lee, Ann', role: 400 });
    const list = await world.json('users', 'list');
    t.match(
      list.find(({ email }) => email === 'bob@example.org'),
      { name: 'Bob', role: 'moderator' },
    );
    const again = await world.run('users', 'import', world.file(`email;name\n${ANN};Ann\n`));
    t.match(again, { code: 0, stdout: `2  ${ANN}  exists\ncreated  0\nexists   1\nrefused  0\n` });
    await world.run('users', 'import', world.file('email,name\ncy@example.org,Cy\n'));
    t.match(await world.json('mails', 'list'), [], 'mails go to the folder of mails at once');

    const { link } = await world.json('users', 'login-link', ANN);
    t.equal(await setPassword(String(link), `${PASSWORD}-2`), 200);
    await ApiClient.login(world.server.url, ANN, `${PASSWORD}-2`);
    t.not(await setPassword(String(link), `${PASSWORD}-3`), 200, 'a link works once');
    t.match(await world.run('users', 'login-link', 'nobody@x.org'), { code: 1 });
    for (const [text, words] of [
      ['name\nAnn\n', /The first line names the columns/],
      ['email,name\na@x.org\n', /Line 2 has 1 cells, the first one 2/],
      ['email,name\n"a@x.org,Ann\n', /A quote of line 2 is not closed/],
    ] as const) {
      t.match(await world.run('users', 'import', world.file(text)), { code: 1, stderr: words });
    }
    t.match(await world.run('users', 'import', '/nowhere.csv'), { code: 1, stderr: /ENOENT/ });
  },
);

void t.test('a CSV table is read with quoted cells, empty lines and a byte order mark', (t) => {
  const table = '\uFEFFemail,name,role\r\na@x.org,"A ""B""\nC", guest \r\n\r\nb@x.org,,\r\n';
  t.same(usersFrom(Buffer.from(table)), [
    { line: 2, email: 'a@x.org', name: 'A "B"\nC', role: 'guest' },
    { line: 5, email: 'b@x.org', name: '', role: '' },
  ]);
  const people = [{ line: 2, email: 'z@x.org', name: 'Zoë “Zo” Müller', role: '' }];
  const asExcelSaves = 'email;name\r\nz@x.org;Zo\xeb \x93Zo\x94 M\xfcller\r\n';
  t.same(usersFrom(Buffer.from(asExcelSaves, 'latin1')), people, 'windows-1252');
  const wide = '\uFEFFemail;name\r\nz@x.org;Zoë “Zo” Müller\r\n';
  t.same(usersFrom(Buffer.from(wide)), people, 'UTF-8');
  t.same(usersFrom(Buffer.from(wide, 'utf16le')), people, 'UTF-16');
  t.end();
});

void t.test('a key that is revoked is no key any more', async (t) => {
  const world = await World.start(t);
  const { server } = world;
  await world.json('users', 'create', ANN, 'Ann');
  const { password } = await world.json('users', 'reset-password', ANN);
  const ann = await ApiClient.login(server.url, ANN, String(password));
  t.match(await world.json('keys', 'revoke', ANN), { email: ANN, active: true });
  await t.rejects(ann.ok('GET', '/users/me'), /401|Invalid API key|UNAUTHORIZED/);
  const again = await ApiClient.login(server.url, ANN, String(password));
  t.not(again.key, ann.key, 'the password is the same');
});

void t.test('the organization, and what waits in it', async (t) => {
  const world = await World.start(t);
  const { owner } = world;
  t.match(await world.json('organization', 'show'), { name: 'Parley', users: 1, channels: 1 });
  t.match(await world.json('organization', 'rename', 'Elsinore'), { name: 'Elsinore' });
  t.match(await owner.ok('GET', '/server_settings'), { realm_name: 'Elsinore' });
  t.match(await world.run('organization', 'rename', ''), { code: 1, stderr: /name/i });

  t.match(await world.run('invitations', 'list'), { code: 0, stdout: 'None\n' });
  await owner.ok('POST', '/invites', { invitee_emails: ANN, stream_ids: [] });
  await owner.ok('POST', '/invites/multiuse');
  const open = await world.json('invitations', 'list');
  t.match(open, [
    { id: '1', to: ANN, by: OWNER_EMAIL, role: 400 },
    { id: 'link-1', to: 'whoever has the link' },
  ]);
  t.match(await world.json('invitations', 'revoke', 'link-1'), { revoked: true });
  t.same((await world.json('invitations', 'list')).length, 1);
  t.match(await world.json('invitations', 'revoke', '1'), { revoked: true });
  t.same((await owner.ok('GET', '/invites')).invites, []);
  t.match(await world.run('invitations', 'revoke', '1'), { code: 1, stderr: /No such invitation/ });
  t.match(await world.run('invitations', 'revoke', 'x'), { code: 1, stderr: /by its id/ });

  const later = Math.floor(Date.now() / 1000) + 9999;
  const message = { type: 'channel', to: 1, topic: 'later', content: 'secret plan' };
  const at = (scheduled_delivery_timestamp: number) => ({
    ...message,
    scheduled_delivery_timestamp,
  });
  await owner.ok('POST', '/scheduled_messages', at(later + 60));
  await owner.ok('POST', '/scheduled_messages', at(later));
  const due = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '');
  const waiting = await world.json('scheduled', 'list');
  t.match(waiting, [
    { kind: 'message', author: OWNER_EMAIL, due: due(later), to: 'channel 1' },
    { due: due(later + 60) },
  ]);
  t.notMatch(JSON.stringify(waiting), 'secret plan');
  const actors = await world.json('actors');
  t.match(
    actors.find(({ machine }) => machine === 'topic-deletion'),
    { state: 'deleting', count: 0 },
  );
  t.match(
    actors.filter(({ machine }) => machine === 'node-role'),
    [{ state: 'leading', count: 1 }],
  );
  t.match((await world.run('actors')).stdout, /^MACHINE +STATE +COUNT\n/);
});

void t.test('mails that wait for their mail server, and why', async (t) => {
  const box = await Mailbox.open(t);
  // Nobody listens there at first.
  const { port } = box;
  await box.close();
  const server = await RunningServer.start(t, { args: ['--mail', `smtp://127.0.0.1:${port}`] });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const cli = async (...args: string[]): Promise<[number | null, string, unknown]> => {
    const store = ['--store', server.store, '--json'];
    const { code, stdout, stderr } = await run([...args, ...store], {}, server.folder);
    return [code, stderr, code === 0 ? JSON.parse(stdout) : null];
  };
  const refused = `connect ECONNREFUSED 127.0.0.1:${port}`;
  t.match(await cli('mails', 'test', ANN), [1, `The mail was not taken: ${refused}`]);
  const two = 'ann,bob@x.org';
  t.match(await cli('mails', 'test', two), [1, `${two} is not an e-mail address`]);
  await owner.ok('POST', '/invites', { invitee_emails: ANN, stream_ids: [] });
  let row: Row;
  do [row] = (await cli('mails', 'list'))[2] as [Row];
  while (row['attempts'] === 0);
  t.match(row, { to: ANN, about: 'invitation', attempts: 1, why: refused });
  t.same((await cli('mails', 'show', String(row['id'])))[2], row);
  t.match(await cli('mails', 'show', '99'), [
    1,
    'No mail 99 waits; parley mails list has those that do',
  ]);

  const again = await Mailbox.open(t, { port });
  t.same((await cli('mails', 'retry', String(row['id'])))[2], { retried: 1 });
  t.ok(await again.to(ANN, /invit/i), 'tried at once, thirty seconds before its time');
  t.same((await cli('mails', 'test', ANN))[2], { to: ANN, taken_by: `smtp://127.0.0.1:${port}` });
  t.ok(await again.to(ANN, /^A test mail of Parley$/));
  t.same((await cli('mails', 'retry'))[2], { retried: 0 });
});
