import nodemailer from 'nodemailer';
import t from 'tap';
import { exchange, FORM, type Body } from '../harness/client.js';
import { Mailbox } from '../harness/mailbox.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import type { RunningServer } from '../harness/server.js';

void t.test('who was away gets a mail, and the link in it ends them', async (t) => {
  const mailbox = await Mailbox.open(t);
  const { server, owner, hamlet } = await startOrganization(t, {
    env: { PARLEY_MAIL: mailbox.url, PARLEY_MAIL_FROM: 'chat@example.org' },
  });
  const period = { email_notifications_batching_period_seconds: 0 };
  await hamlet.ok('PATCH', '/settings', period);
  await owner.ok('PATCH', '/settings', { ...period, default_language: 'de' });
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
  const german = await mailbox.to(owner.email, /^Direktnachrichten mit Hamlet$/);
  t.match(german.text, /^Du bekommst diese E-Mail, weil dir eine Direktnachricht geschickt wurde/m);
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

void t.test('who polled just before a message and vanished gets a mail, once', async (t) => {
  const mailbox = await Mailbox.open(t);
  const { owner, hamlet } = await startOrganization(t, { env: { PARLEY_MAIL: mailbox.url } });
  const settings = { email_notifications_batching_period_seconds: 0, presence_enabled: false };
  await hamlet.ok('PATCH', '/settings', settings);
  const queue = await hamlet.ok('POST', '/register', {
    event_types: ['message'],
    idle_queue_timeout: 2,
  });
  const { queue_id, last_event_id } = queue as { queue_id: string; last_event_id: number };
  await hamlet.ok('GET', '/events', { queue_id, last_event_id, dont_block: true });
  await owner.ok('POST', '/messages', { type: 'direct', to: [hamlet.userId], content: 'hello' });
  t.same(mailbox.mails, [], 'a client takes messages');
  const mail = await mailbox.to(hamlet.email, /^Direct messages with/);
  t.match(mail.text, 'hello');
  const gone = await hamlet.call('GET', '/events', { queue_id, last_event_id, dont_block: true });
  t.match(gone.body, { code: 'BAD_EVENT_QUEUE_ID' }, 'when its queue has expired');
  const [channel] = (await owner.ok('GET', '/streams')).streams as { stream_id: number }[];
  const castle = { type: 'channel', to: channel!.stream_id, topic: 'castle' };
  await owner.ok('POST', '/messages', { ...castle, content: `@**|${hamlet.userId}** hello` });
  await mailbox.to(hamlet.email, /castle/);
  t.equal(mailbox.mails.length, 2, 'once');
});

void t.test(
  'an answer to the mail goes to the conversation, once, also after a restart',
  async (t) => {
    const mailbox = await Mailbox.open(t);
    const { server, owner, hamlet } = await startOrganization(t, {
      env: { PARLEY_MAIL: mailbox.url },
      args: [
        ...['--incoming-mail', 'smtp://127.0.0.1:0'],
        ...['--incoming-mail-address', 'chat+%s@mail.example.org'],
      ],
    });
    await hamlet.ok('PATCH', '/settings', { email_notifications_batching_period_seconds: 0 });
    const secret = await owner.ok('POST', '/channels/create', {
      name: 'secret',
      subscribers: [owner.userId, hamlet.userId],
      invite_only: true,
    });
    const to = { type: 'channel', to: secret['id'] as number, topic: 'ghosts' };
    await owner.ok('POST', '/messages', { ...to, content: '@**all** who is there?' });
    const told = await mailbox.to(hamlet.email, /ghosts/);
    const address = told.headers['reply-to']!;
    t.match(address, /^chat\+mm[0-9a-z-]+@mail\.example\.org$/);

    const answer = async (of: RunningServer, messageId: string, text: string) => {
      const port = Number((await of.printed(/^Mails are taken at smtp:.*:(\d+)$/m))[1]);
      const transport = nodemailer.createTransport({ host: '127.0.0.1', port, ignoreTLS: true });
      const { response } = await transport.sendMail({
        from: 'somebody@else.example.org',
        to: address,
        subject: `Re: ${told.headers['subject']}`,
        inReplyTo: told.headers['message-id'],
        messageId,
        text: `${text}\n\nOn Tue, 24 Nov 2026 at 10:00, Owner wrote:\n> who is there?\n`,
      });
      return response;
    };
    const queue = await QueueReader.open(owner, { event_types: ['message'] });
    t.match(await answer(server, '<1@else.example.org>', 'Nay, answer me.'), /^250 /);
    t.match(await answer(server, '<1@else.example.org>', 'Nay, answer me.'), /^250 /);
    const [event, ...others] = await queue.now();
    t.same(others, [], 'the same mail again is no second message');
    t.match(event, {
      message: {
        sender_id: hamlet.userId,
        stream_id: secret['id'],
        subject: 'ghosts',
        content: 'Nay, answer me.',
      },
    });

    await server.stop();
    const next = await server.restart(t);
    const again = owner.at(next.url);
    t.match(await answer(next, '<1@else.example.org>', 'Nay, answer me.'), /^250 /);
    t.match(await answer(next, '<2@else.example.org>', 'Long live the king!'), /^250 /);
    await again.ok('DELETE', '/users/me/subscriptions', {
      subscriptions: ['secret'],
      principals: [hamlet.userId],
    });
    const gone = { message: /550 This address no longer accepts mail/ };
    await t.rejects(answer(next, '<3@else.example.org>', 'Who?'), gone);
    const { messages } = await again.ok('GET', '/messages', {
      ...{ anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false },
      narrow: [{ operator: 'topic', operand: 'ghosts' }],
    });
    t.same(
      (messages as { content: string }[]).map(({ content }) => content),
      ['@**all** who is there?', 'Nay, answer me.', 'Long live the king!'],
    );
    await next.stop();
  },
);
