import t from 'tap';
import { exchange, FORM } from '../harness/client.js';
import { Mailbox } from '../harness/mailbox.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { RunningServer } from '../harness/server.js';

t.setTimeout(120_000);

const DAY_MS = 86_400_000;

/** The environment of a server whose wall clock is ahead by so many milliseconds. */
function ahead(ms: number): Record<string, string> {
  const code = `const now=Date.now;Date.now=()=>now()+${ms}`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
}

/** A Tuesday on which those who join now have not been here for more than a week, at an hour of UTC. */
function tuesdayAt(hours: number): number {
  const day = Math.ceil(Date.now() / DAY_MS) + 8;
  const tuesday = day + ((1 - ((day + 3) % 7) + 7) % 7);
  return tuesday * DAY_MS + hours * 3_600_000;
}

void t.test('digests come on their day, once, also from a server that was killed', async (t) => {
  const mailbox = await Mailbox.open(t);
  const mail = { PARLEY_MAIL: mailbox.url };
  const { server, owner, hamlet } = await startOrganization(t, { env: mail });
  const others = [];
  for (let i = 0; i < 30; i++) others.push(await owner.createUser(`member${i}`));
  await server.stop();
  const at = (hours: number): Promise<RunningServer> =>
    RunningServer.serve(t, server.folder, {
      env: { ...mail, ...ahead(tuesdayAt(hours) - Date.now()) },
    });

  const early = await at(8.4);
  const leader = owner.at(early.url);
  await leader.ok('PATCH', '/realm', { digest_emails_enabled: true });
  const state = await leader.ok('POST', '/register', { fetch_event_types: ['realm'] });
  t.match(state, {
    ...{ settings_send_digest_emails: true, realm_digest_emails_enabled: true },
    realm_digest_weekday: 1,
  });
  const [channel] = (await leader.ok('GET', '/streams')).streams as { stream_id: number }[];
  await leader.ok('POST', '/messages', {
    ...{ type: 'channel', to: channel!.stream_id, topic: 'castle', content: 'who is **there**?' },
  });
  const before = mailbox.mails.length;
  await early.kill();

  const killed = await at(9.1);
  const told = await mailbox.to(hamlet.email, /^What you missed this week$/);
  await killed.kill();
  const next = await at(9.2);
  const everybody = [...others.map(({ email }) => email), hamlet.email];
  for (const email of everybody) await mailbox.to(email, /^What you missed/);
  const ids = new Map(mailbox.mails.slice(before).map((one) => [one.headers['message-id'], one]));
  const receivers = [...ids.values()].flatMap(({ to }) => to);
  t.equal(new Set(receivers).size, receivers.length, 'nobody gets two');
  t.notOk(receivers.includes(owner.email), 'who wrote it has nothing to learn');
  t.match(told.text, /^#general > castle: 1 unread message by 1 person\n/);
  t.match(told.html, '<strong>there</strong>');
  t.equal(told.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');

  const address = /<(.+)>/.exec(told.headers['list-unsubscribe']!)![1]!;
  const { pathname } = new URL(address);
  t.match(pathname, `/accounts/unsubscribe/digest/${hamlet.userId}-`);
  const reader = hamlet.at(next.url);
  const queue = await QueueReader.open(reader, { event_types: ['user_settings'] });
  const json = { Accept: 'application/json' };
  const asked = await exchange(next.url, 'GET', pathname, { headers: json });
  t.same(asked.body, { result: 'success', msg: '', email: hamlet.email });
  const one = { body: 'List-Unsubscribe=One-Click', headers: { ...FORM, ...json } };
  const elsewhere = pathname.replace('digest', 'missed_messages');
  t.equal((await exchange(next.url, 'POST', elsewhere, one)).status, 404, 'a token for one kind');
  t.equal((await exchange(next.url, 'POST', pathname, one)).status, 200);
  t.same(
    (await queue.now()).map(({ property, value }) => [property, value]),
    [['enable_digest_emails', false]],
  );
  await next.stop();
});

void t.test('without a mail server there are no digests', async (t) => {
  const { owner } = await startOrganization(t);
  const state = await owner.ok('POST', '/register', { fetch_event_types: ['realm'] });
  t.equal(state['settings_send_digest_emails'], false);
  const refused = await owner.call('PATCH', '/realm', { digest_emails_enabled: true });
  t.match(refused.body, { msg: 'Digest e-mails are not supported by this server.' });
});
