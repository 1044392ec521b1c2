import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HtmlValidate, type Report } from 'html-validate';
import t, { type Test } from 'tap';
import { ApiClient, exchange, form, FORM, type Body } from '../harness/client.js';
import { linkIn, Mailbox, parsed } from '../harness/mailbox.js';
import { startOrganization, type SmallOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';

const PASSWORD = 'cedar-window-31-map';

/** The chat, for those whose browser runs scripts: the page of the login has it, and says what else there is. */
const CLIENT =
  /<script defer src="\/web\/chat_en-\w+\.js"><\/script>\s+(?:<link rel="modulepreload"[^>]*>\s+)?<script type="module" src="\/web\/chat-\w+\.js"><\/script>/;

/** What a browser without script shows: the page as it came. */
interface VisitedPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly html: string;
}

/** Opens a page, or posts a form to it. */
function browse(url: URL, fields?: Readonly<Record<string, string>>): Promise<VisitedPage> {
  const body = fields === undefined ? '' : form(fields);
  const headers = { Accept: 'text/html', ...(body === '' ? {} : FORM) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body === '' ? 'GET' : 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const html = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode!, headers: response.headers, html });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The form of a page, filled in as a person does: hidden fields stay as they are. */
function fill(at: URL, html: string, values: Readonly<Record<string, string>>) {
  const action = /<form method="post" action="([^"]+)"/.exec(html);
  if (!action) throw new Error(`no form: ${html}`);
  const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
  const named = new Set([...html.matchAll(/\sname="(\w+)"/g)].map((found) => found[1]!));
  for (const name of Object.keys(values)) {
    if (!named.has(name)) throw new Error(`the form does not ask for ${name}`);
  }
  const fields: Record<string, string> = { ...values };
  for (const [, name, value] of hidden) fields[name!] = value!;
  return { url: new URL(action[1]!, at), fields };
}

const validator = new HtmlValidate({
  extends: ['html-validate:recommended', 'html-validate:a11y'],
});

/** Well-formed, every input labelled, and nothing that needs script or breaks the page's own policy. */
async function checkPage(t: Test, { html, headers }: VisitedPage, name: string): Promise<void> {
  const report: Report = await validator.validateString(html);
  const faults = report.results.flatMap((result) =>
    result.messages
      // Matters of style: both forms are valid.
      .filter(
        ({ ruleId }) => !['doctype-style', 'no-trailing-whitespace', 'void-style'].includes(ruleId),
      )
      .map(({ ruleId, message, line }) => `${ruleId} in line ${line}: ${message}`),
  );
  t.same(faults, [], `${name} is valid`);
  const inputs = [...html.matchAll(/<(?:input|select)(?![^>]*type="hidden")[^>]*\sid="(\w+)"/g)];
  const labels = new Set([...html.matchAll(/<label for="(\w+)">/g)].map((found) => found[1]));
  for (const [, id] of inputs) t.ok(labels.has(id), `${name}: ${id} has a label`);
  const rest = html.replace(CLIENT, '');
  t.notMatch(rest, /<script|\son\w+=|javascript:|style="/i, `${name} works without script`);
  t.match(String(headers['content-security-policy']), "default-src 'none'", name);
}

async function open(t: Test, options: Parameters<typeof startOrganization>[1] = {}) {
  const mailbox = await Mailbox.open(t);
  const env = { PARLEY_MAIL: mailbox.url, PARLEY_MAIL_FROM: 'chat@example.org', ...options.env };
  return { mailbox, ...(await startOrganization(t, { ...options, env })) };
}

async function groupOf({ owner }: SmallOrganization): Promise<number> {
  const { group_id } = await owner.ok('POST', '/user_groups/create', {
    name: 'readers',
    description: '',
    members: [owner.userId],
  });
  return Number(group_id);
}

// [c:invite-mailed]
void t.test('an invitation reaches a mailbox, and its link makes an account', async (t) => {
  const { mailbox, ...organization } = await open(t);
  const { owner, hamlet, server } = organization;
  const group = await groupOf(organization);
  await owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'verona' }] });
  const { streams } = await owner.ok('GET', '/streams');
  const verona = (streams as Body[]).find((one) => one.name === 'verona')!.stream_id as number;
  const said = await owner.say('before you came', 'verona');
  const reader = await QueueReader.open(owner, { event_types: ['realm_user', 'invites_changed'] });

  await owner.ok('POST', '/invites', {
    invitee_emails: 'Zoe Zebra <zoe@example.org>',
    invite_as: 300,
    stream_ids: [verona],
    group_ids: [group],
  });
  const mail = await mailbox.to('zoe@example.org');
  t.equal(mail.from, 'chat@example.org');
  t.match(mail.headers.subject, /^Owner has invited you to join Parley$/);
  const link = linkIn(mail);
  t.equal(link.origin, server.mailedUrl);
  t.match(mail.html, `<a href="${link.href}" style="`);

  const page = await browse(link);
  t.equal(page.status, 200);
  await checkPage(t, page, 'the registration form');
  const weak = fill(link, page.html, { full_name: 'Zoe "Z" Zebra', password: 'short' });
  const again = await browse(weak.url, weak.fields);
  t.equal(again.status, 400);
  await checkPage(t, again, 'the form shown again');
  t.match(again.html, 'Invalid characters in name!');
  const right = fill(link, again.html, {
    full_name: 'Zoe Zebra',
    password: PASSWORD,
    email_address_visibility: '1',
  });
  const done = await browse(right.url, right.fields);
  t.equal(done.status, 200);
  await checkPage(t, done, 'the page at the end');
  t.match(done.html, 'zoe@example.org');

  const zoe = await ApiClient.login(server.url, 'zoe@example.org', PASSWORD);
  t.match(await zoe.ok('GET', '/users/me'), {
    full_name: 'Zoe Zebra',
    role: 300,
    timezone: '',
  });
  const { subscriptions } = await zoe.ok('GET', '/users/me/subscriptions');
  t.same(
    (subscriptions as Body[]).map((one) => one.name),
    ['verona'],
  );
  const member = `/user_groups/${group}/members/${zoe.userId}`;
  t.match(await owner.ok('GET', member), { is_user_group_member: true });
  const snapshot = await zoe.register({});
  const { streams: unread, pms } = snapshot.unread_msgs as Record<string, Body[]>;
  t.ok(unread!.some((one) => (one.unread_message_ids as number[]).includes(said)));
  t.equal(pms!.length, 1, 'and the Welcome Bot has written');
  const events = await reader.now();
  t.same(
    events.map((event) => event.type),
    ['invites_changed', 'realm_user', 'invites_changed'],
  );
  t.equal((await browse(link)).status, 404, 'the link is used up');
  t.match(await hamlet.ok('GET', '/invites'), { invites: [] });
  t.match(await owner.ok('GET', '/invites'), { invites: [] });
});

// [c:address-change-mailed]
void t.test('a changed address is confirmed by the link in a mail', async (t) => {
  const { mailbox, hamlet, owner, server } = await open(t);
  const reader = await QueueReader.open(owner, { event_types: ['realm_user'] });
  const email = 'prince@example.org';
  t.match(await hamlet.call('PATCH', '/settings', { email }), {
    body: { msg: 'To change your address, log in again, or give your password as old_password.' },
  });
  const old_password = 'willow-anchor-hamlet-47';
  await hamlet.ok('PATCH', '/settings', { email, old_password });
  const link = linkIn(await mailbox.to('prince@example.org'));
  t.match(await hamlet.ok('GET', '/users/me'), { delivery_email: 'hamlet@example.org' });
  const confirmed = await browse(link);
  t.equal(confirmed.status, 200);
  await checkPage(t, confirmed, 'the confirmation');
  const notice = await mailbox.to('hamlet@example.org', /has changed/);
  t.match(notice.text, 'prince@example.org');
  t.same(
    (await reader.now()).map((event) => Object.keys(event.person as Body).sort()[0]),
    ['delivery_email', 'avatar_source', 'new_email'],
  );
  const { key, userId } = hamlet;
  const prince = new ApiClient(server.url, 'prince@example.org', key, userId);
  t.match(await prince.ok('GET', '/users/me'), { email: 'prince@example.org' });
  t.equal((await browse(link)).status, 404);
});

void t.test('a forgotten password is set anew, and old keys end', async (t) => {
  const { mailbox, hamlet, server } = await open(t);
  const forgotten = new URL('/accounts/password/reset/', server.url);
  const asking = await browse(forgotten);
  await checkPage(t, asking, 'the form that asks for the address');
  const ask = fill(forgotten, asking.html, { email: 'hamlet@example.org' });
  const sent = await browse(ask.url, ask.fields);
  await checkPage(t, sent, 'the page that says so');
  const link = linkIn(await mailbox.to('hamlet@example.org'));
  const setting = await browse(link);
  await checkPage(t, setting, 'the form for the password');
  const set = fill(link, setting.html, { password: PASSWORD });
  await checkPage(t, await browse(set.url, set.fields), 'the end of the reset');
  t.equal((await hamlet.call('GET', '/users/me')).status, 401);
  await ApiClient.login(server.url, 'hamlet@example.org', PASSWORD);
});

// [c:reusable-link-sign-up]
void t.test('a reusable link, by JSON, and an organization anybody may join', async (t) => {
  const { mailbox, owner, server } = await open(t);
  const json = { Accept: 'application/json' };
  const post = (path: string, fields: Body) =>
    exchange(server.url, 'POST', path, { headers: { ...FORM, ...json }, body: form(fields) });
  const { invite_link } = await owner.ok('POST', '/invites/multiuse', { invite_as: 600 });
  const { pathname } = new URL(String(invite_link));
  await checkPage(t, await browse(new URL(String(invite_link))), 'the form for the address');
  t.match((await post(pathname, { email: 'max@example.org' })).body, { email: 'max@example.org' });
  const link = linkIn(await mailbox.to('max@example.org'));
  const shown = await exchange(server.url, 'GET', link.pathname, { headers: json });
  const { key } = shown.body;
  const made = await post('/accounts/register/', { key, full_name: 'Max', password: PASSWORD });
  t.match(made.body, { result: 'success', email: 'max@example.org' });
  const max = await ApiClient.login(server.url, 'max@example.org', PASSWORD);
  t.match(await max.ok('GET', '/users/me'), { role: 600 });
  const refused = await post('/register/', { email: 'eve@example.org' });
  t.equal(refused.status, 403);
  await checkPage(t, await browse(new URL('/register/', server.url)), 'the refusal');
  const login = await browse(new URL('/login/', server.url));
  await checkPage(t, login, 'the way to log in');
  t.match(login.html, 'Log in with an app of your choice');
  t.equal((await browse(new URL('/static/pages.css', server.url))).status, 200);
});

void t.test('crash between commit and mail: the mail still goes out', async (t) => {
  // Takes connections and says nothing, so that the mail is committed and not delivered.
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const folder = storeFolder(t);
  const options = { env: { PARLEY_MAIL: `smtp://127.0.0.1:${port}` } };
  const first = await RunningServer.serve(t, folder, options);
  const owner = await ApiClient.login(first.url, OWNER_EMAIL, OWNER_PASSWORD);
  const connected = once(silent, 'connection') as Promise<[Socket]>;
  await owner.ok('POST', '/invites', { invitee_emails: 'zoe@example.org', stream_ids: [] });
  const [socket] = await connected;
  await first.kill();
  socket.destroy();
  silent.close();
  const mailbox = await Mailbox.open(t, { port });
  const second = await RunningServer.serve(t, folder, options);
  const link = linkIn(await mailbox.to('zoe@example.org'));
  t.equal((await browse(new URL(link.pathname, second.url))).status, 200);
  await second.stop();
  await RunningServer.serve(t, folder, options).then((third) => third.stop());
  t.equal(mailbox.mails.length, 1, 'and once it is delivered it is gone');
});

void t.test('without a mail server mails become files, and no link is in a log', async (t) => {
  const { owner, server } = await startOrganization(t, { env: { PARLEY_LOG: 'info' } });
  await owner.ok('POST', '/invites', { invitee_emails: 'zoe@example.org', stream_ids: [] });
  const folder = join(server.folder, 'mail');
  const link = linkIn(parsed(await mailTo(folder, 'zoe@example.org')));
  t.equal((await browse(link)).status, 200);

  // A reusable link needs no mail.
  const { invite_link } = await owner.ok('POST', '/invites/multiuse');
  const address = new URL(String(invite_link));
  const asked = fill(address, (await browse(address)).html, { email: 'max@example.org' });
  const sent = await browse(asked.url, asked.fields);
  const next = new URL(String(sent.headers['location']), server.url);
  t.same([sent.status, next.pathname.split('/').length], [302, 4]);
  const form = fill(next, (await browse(next)).html, { full_name: 'Max', password: PASSWORD });
  t.equal((await browse(form.url, form.fields)).status, 200);
  await ApiClient.login(server.url, 'max@example.org', PASSWORD);
  const { stdout } = await run(
    ['users', 'list', '--json', '--store', server.store],
    {},
    server.folder,
  );
  const rows = JSON.parse(stdout) as { email: string; verified: boolean }[];
  t.strictSame(
    rows.filter(({ verified }) => !verified).map(({ email }) => email),
    ['max@example.org'],
  );
  await server.stop();
  // A terminal gets it, where somebody tries the server out.
  t.notMatch(server.stderr, link.pathname);
});

/** The mail to an address in a folder, once it is there. */
async function mailTo(folder: string, address: string): Promise<string> {
  for (;;) {
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter((one) => one.endsWith('.eml'))) {
      const text = await readFile(join(folder, name), 'latin1');
      if (new RegExp(`^To: .*${address}`, 'm').test(text)) return text;
    }
    await pause(10);
  }
}
