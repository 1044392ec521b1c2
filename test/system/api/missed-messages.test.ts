import t from 'tap';
import { exchange, FORM, type Body } from '../harness/client.js';
import { Mailbox } from '../harness/mailbox.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';

void t.test('who was away gets a mail, and the link in it ends them', async (t) => {
  const mailbox = await Mailbox.open(t);
  const { server, owner, hamlet } = await startOrganization(t, {
    env: { PARLEY_MAIL: mailbox.url, PARLEY_MAIL_FROM: 'chat@example.org' },
  });
  const period = { email_notifications_batching_period_seconds: 0 };
  await hamlet.ok('PATCH', '/settings', period);
  await owner.ok('PATCH', '/settings', period);
  const [channel] = (await owner.ok('GET', '/streams')).streams as { stream_id: number }[];
  await hamlet.ok('POST', '/users/me/subscriptions/properties', {
    subscription_data: [
      { stream_id: channel!.stream_id, property: 'email_notifications', value: true },
    ],
  });
  const toHamlet = { type: 'direct', to: [hamlet.userId] };

  await owner.ok('POST', '/messages', { ...toHamlet, content: 'are you **there**?' });
  const mail = await mailbox.to(hamlet.email, /^Direct messages with/);
  t.equal(mail.from, 'chat@example.org');
  t.match(mail.text, 'are you **there**?');
  t.match(mail.html, '<strong>there</strong>');
  t.equal(mail.headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
  await owner.ok('POST', '/messages', {
    ...{ type: 'channel', to: channel!.stream_id, topic: 'castle', content: 'to all' },
  });
  await mailbox.to(hamlet.email, /castle/);

  const queue = await QueueReader.open(hamlet, { event_types: ['user_settings', 'subscription'] });
  const address = /<(.+)>/.exec(mail.headers['list-unsubscribe']!)![1]!;
  const { pathname } = new URL(address);
  const json = { Accept: 'application/json' };
  const asked = await exchange(server.url, 'GET', pathname, { headers: json });
  t.same(asked.body, { result: 'success', msg: '', email: hamlet.email });
  const one = { body: 'List-Unsubscribe=One-Click', headers: { ...FORM, ...json } };
  const wrong = await exchange(server.url, 'POST', `${pathname.slice(0, -1)}_`, one);
  t.equal(wrong.status, 404);
  t.equal((await exchange(server.url, 'POST', pathname, one)).status, 200);
  const events = await queue.now();
  t.same(
    events.map(({ property, value }) => [property, value]),
    [
      ['enable_offline_email_notifications', false],
      ['enable_followed_topic_email_notifications', false],
      ['email_notifications', false],
    ],
  );

  const before = mailbox.mails.length;
  await owner.ok('POST', '/messages', { ...toHamlet, content: 'more' });
  await owner.ok('POST', '/messages', {
    ...{ type: 'channel', to: channel!.stream_id, topic: 'castle', content: 'more' },
  });
  // What comes to the owner comes after what would come to Hamlet.
  await hamlet.ok('POST', '/messages', { type: 'direct', to: [owner.userId], content: 'last' });
  await mailbox.to(owner.email, /^Direct messages with/);
  t.same(
    mailbox.mails.slice(before).filter(({ to }) => to.includes(hamlet.email)),
    [],
  );
});

void t.test('who is at a client gets no mail', async (t) => {
  const mailbox = await Mailbox.open(t);
  const { owner, hamlet, iago } = await startOrganization(t, {
    env: { PARLEY_MAIL: mailbox.url },
  });
  for (const client of [hamlet, iago]) {
    await client.ok('PATCH', '/settings', { email_notifications_batching_period_seconds: 0 });
  }
  await QueueReader.open(hamlet, { event_types: ['message'] });
  const active: Body = { status: 'active', new_user_input: true };
  await hamlet.ok('POST', '/users/me/presence', active);
  // A client that does not show messages.
  await QueueReader.open(iago, { event_types: ['presence'] });
  await iago.ok('POST', '/users/me/presence', active);
  const to = [hamlet.userId, iago.userId];
  await owner.ok('POST', '/messages', { type: 'direct', to, content: 'hello' });
  await mailbox.to(iago.email, /^Direct messages with/);
  t.same(
    mailbox.mails.flatMap((mail) => mail.to),
    [iago.email],
  );
});
