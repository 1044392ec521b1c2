import t from 'tap';
import { composeMissed } from '../../../../src/organization/notifications/missed-message-text.js';
import { unsubscribeUsers } from '../../../../src/organization/channels/unsubscribing.js';
import type { Mail } from '../../../../src/services/mail.js';
import { mail, MailWorld } from '../../../fixtures/mail-world.js';

void t.test('a mail to a channel becomes a message', async (t) => {
  const world = new MailWorld();
  world.mark = world.position;
  const reply = await world.take(world.address, mail('To be, or not.', { 'Message-ID': '<1@x>' }));
  t.same(reply, { code: 250, text: 'Accepted' });
  t.match(await world.newest(), {
    sender_id: world.gateway.user_id,
    stream_id: world.general.stream_id,
    topic: 'Alas',
    content: 'From: Yorick <yorick@example.org>\nTo be, or not.',
    client: 'Email',
  });
  const newest = await world.newest();

  t.equal((await world.take(world.address, mail('again', { 'Message-ID': '<1@x>' }))).code, 250);
  t.equal((await world.newest()).id, newest.id, 'the same mail is no second message');
  t.equal((await world.take(world.address, mail('again', { 'Message-ID': '<2@x>' }))).code, 250);
  t.not((await world.newest()).id, newest.id);
  const raw = mail('without an id');
  await world.take(world.address, raw);
  const { id } = await world.newest();
  await world.take(world.address, raw);
  t.equal((await world.newest()).id, id, 'known by its bytes');
  for (const text of ['first', 'second']) {
    await world.take(world.address, mail(text, { 'Message-ID': '<>' }));
    t.match((await world.newest()).content, text, 'an empty id says nothing');
  }
});

void t.test('the subject of a mail names the topic of its message', async (t) => {
  const world = new MailWorld();
  const topicFor = async (Subject: string): Promise<string> => {
    await world.take(world.address, mail(`about ${Subject}`, { Subject }));
    return (await world.newest()).topic;
  };
  t.equal(await topicFor('Re: AW: Fwd: [list] Castle'), '[list] Castle');
  t.equal(await topicFor(''), 'Email with no subject');
  t.equal(await topicFor('Re: '), 'Email with no subject');
  t.equal(await topicFor('(no topic)'), 'Email with no subject');
  t.equal(await topicFor(`${'x'.repeat(100)}`), `${'x'.repeat(57)}...`);
  t.equal(await topicFor('=?utf-8?Q?=E2=80=AEevil=00=0D=0ABcc:_x?='), 'evil Bcc: x');
  t.equal(await topicFor('=?utf-8?Q?Gr=C3=BC=C3=9Fe_?= =?utf-8?Q?=F0=9F=91=91?='), 'Grüße 👑');
  t.equal(
    await topicFor(`=?utf-8?B?${Buffer.from('\u200b'.repeat(900)).toString('base64')}?=`),
    'Email with no subject',
  );
  world.changeGeneral({ topics_policy: 'empty_topic_only' });
  t.equal(await topicFor('Castle'), '');
});

// [c:mail-names-silent]
void t.test('names in a mail mention nobody', async (t) => {
  const world = new MailWorld();
  const nobody = { mentioned: [], channel_wildcard: false, topic_wildcard: [] };
  for (const name of ['@**all**', '@**topic**', '@**Hamlet**', '@_**Hamlet**', '@*role:owners*']) {
    await world.take(world.address, mail('hello', { From: `"${name}" <a@example.org>` }));
    const plain = name.replace('@', '@\u200b');
    t.match(await world.newest(), { content: `From: ${plain} <a@example.org>\nhello`, ...nobody });
    const file = `--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename="${name}.txt"\n\nx\n--b--`;
    const typed = { 'Content-Type': 'multipart/mixed; boundary=b', From: `"${name}"@example.org` };
    await world.take(world.address, mail(file, typed));
    const { content, rendered_content, ...message } = await world.newest();
    t.match(message, nobody);
    const shown = name.replaceAll('*', '&#42;');
    t.ok(content.includes(`[${shown}.txt](/user_uploads/`), content);
    t.ok(rendered_content.includes(`>${name}.txt</a>`), rendered_content);
    t.notMatch(rendered_content, /user-mention|user-group-mention|topic-mention/);
  }
});

void t.test('options in an address choose HTML, quotations, footer and sender', async (t) => {
  const world = new MailWorld();
  const text = 'Answer.\n\nOn Mon, 1 Feb 2026, Hamlet wrote:\n> Question?\n\n--\nYorick, Jester';
  const html = {
    'Content-Type': 'multipart/alternative; boundary=b',
  };
  const both = `--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>some <b>rich</b> text</p>\n--b--`;
  const contentOf = async (to: string, raw: Buffer): Promise<string> => {
    t.equal((await world.take(to, raw)).code, 250);
    return (await world.newest()).content;
  };
  t.equal(await contentOf(world.withOptions(), mail(`Answer.\n\n> Question?`)), 'Answer.');
  t.equal(
    await contentOf(world.withOptions('include-quotes'), mail(`Answer.\n\n> Question?`)),
    'Answer.\n\n> Question?',
  );
  t.equal(await contentOf(world.withOptions(), mail('Text\n--\nFoot')), 'Text');
  t.equal(
    await contentOf(world.withOptions('include-footer'), mail('Text\n--\nFoot')),
    'Text\n--\nFoot',
  );
  t.equal(await contentOf(world.withOptions(), mail(text)), 'Answer.');
  t.equal(await contentOf(world.withOptions(), mail(both, html)), 'plain');
  t.equal(
    await contentOf(world.withOptions('prefer-html'), mail(both, html)),
    'some **rich** text',
  );
  t.equal(
    await contentOf(
      world.address.replaceAll('.show-sender', '+show-sender+prefer-html').toUpperCase(),
      mail(both, { ...html, 'Message-ID': '<up@x>' }),
    ),
    'From: Yorick <yorick@example.org>\nsome **rich** text',
  );
});

void t.test('what comes in quotes at a forwarded mail is what it is about', async (t) => {
  const world = new MailWorld();
  await world.take(world.withOptions(), mail('See.\n\n> quoted', { Subject: 'Fwd: News' }));
  t.match(await world.newest(), { topic: 'News', content: 'See.\n\n> quoted' });
});

void t.test('files become uploads of the sender', async (t) => {
  const world = new MailWorld();
  const files = [
    '--b\nContent-Type: text/plain\n\nSee the skull',
    `--b\nContent-Type: image/png; name="../../sk[u]ll.png"\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${Buffer.from('bone').toString('base64')}`,
    '--b\nContent-Type: application/pgp-signature\nContent-Disposition: attachment; filename=x.asc\n\nsig',
    '--b\nContent-Type: application/octet-stream\nContent-Disposition: attachment\n\nnameless',
  ];
  const typed = { 'Content-Type': 'multipart/mixed; boundary=b' };
  const raw = mail(`${files.join('\n')}\n--b--`, typed);
  t.equal((await world.take(world.withOptions(), raw)).code, 250);
  const message = await world.newest();
  t.match(
    message.content,
    /^See the skull\n\n\[sk\[u\]ll\.png\]\(\/user_uploads\/1\/[0-9a-f]+\/[\w-]+\/skull\.png\)\n\[attachment-3\]\(\/user_uploads\/\S+\)$/,
  );
  t.equal(message.has_attachment, true);
  const own = world.org.attachments.of(world.gateway.user_id);
  t.strictSame(
    own.map(({ name, size, message_ids }) => [name, size, message_ids]),
    [
      ['sk[u]ll.png', 4, [message.id]],
      ['attachment-3', 9, [message.id]],
    ],
  );
  t.strictSame([...world.files.values()].map(String), ['bone', 'nameless\n']);

  t.equal((await world.take(world.withOptions(), raw)).code, 250);
  t.equal(world.files.size, 2, 'a mail that comes again stores nothing');
  const many = [
    '--b\nContent-Type: text/plain\n\nMany',
    ...Array.from(
      { length: 2000 },
      (_, i) =>
        `--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=${'long'.repeat(50)}${i}.txt\n\n${i}`,
    ),
  ];
  t.equal(
    (await world.take(world.withOptions(), mail(`${many.join('\n')}\n--b--`, typed))).code,
    250,
  );
  const { content } = await world.newest();
  t.match(content, /^Many\n\n\[/);
  t.match(content, /\(1,980 further files were left out\.\)$/);
  t.ok(content.length <= 10_000);
  t.equal(world.files.size, 22);
});

void t.test('a long text leaves room for the files', async (t) => {
  const world = new MailWorld();
  const body = `--b\nContent-Type: text/plain\n\n${'word '.repeat(5000)}\n--b\nContent-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\nx\n--b--`;
  await world.take(world.address, mail(body, { 'Content-Type': 'multipart/mixed; boundary=b' }));
  const { content } = await world.newest();
  t.equal([...content].length, 10_000);
  t.match(content, /^From: Yorick[^]+\[message truncated\]\n\n\[a\.txt\]\(\/user_uploads\/\S+\)$/);
});

void t.test('who sends, and by whose right', async (t) => {
  const world = new MailWorld();
  const { hamlet, ophelia, gateway } = world;
  const { stream_id } = world.general;
  const ask = (params: object, user = hamlet) =>
    world.do('get-channel-email-address', { stream_id, ...params }, user);
  const bot = world.addBotOf(hamlet, 'ghost-bot@example.com');
  t.same(await ask({}), { email: world.address });
  t.same(await ask({ sender_id: gateway.user_id }), { email: world.address });
  t.match(world.address, /^general\.ch[0-9a-z-]+\.show-sender@mail\.example\.com$/);
  for (const sender of [hamlet, bot]) {
    const { email } = await ask({ sender_id: sender.user_id });
    t.equal((await world.take(String(email), mail(`by ${sender.email}`))).code, 250);
    t.equal((await world.newest()).sender_id, sender.user_id);
  }
  await t.rejects(ask({ sender_id: ophelia.user_id }), { message: 'No such bot' });
  await t.rejects(ask({ sender_id: bot.user_id }, ophelia), { message: 'Insufficient permission' });

  const nobody = world.org.groups.system('role:nobody').id;
  world.changeGeneral({ can_send_message_group: nobody });
  const noRight = 'You do not have permission to post in this channel.';
  await t.rejects(ask({}), { message: noRight });
  t.same(world.incoming.check(world.address), { code: 550, text: noRight });
  t.same(await world.take(world.address, mail('x')), { code: 550, text: noRight });
  world.changeGeneral({ can_send_message_group: world.org.groups.system('role:members').id });
  t.equal(world.incoming.check(world.address).code, 250);

  const gone = { code: 550, text: 'This address no longer accepts mail' };
  world.transact((tx) => tx.org.users.update(hamlet.user_id, { is_active: false }));
  t.same(world.incoming.check(world.address), gone);
  t.same(world.incoming.check(world.addressOf(hamlet, bot)), gone);
  t.same(await world.take(world.address, mail('y')), gone);
});

void t.test('mentions of many need the right of who made the address', async (t) => {
  const world = new MailWorld();
  for (let i = 0; i < 16; i++) world.addUser(`u${i}@example.com`, {});
  t.equal((await world.take(world.address, mail('@**all** hello'))).code, 550);
  t.equal(world.org.counters.last('message'), 0);
  t.equal(
    (await world.take(world.addressOf(world.owner, world.gateway), mail('@**all**'))).code,
    250,
  );
});

void t.test('a mail to an address that Parley did not make is refused', async (t) => {
  const world = new MailWorld();
  const { address } = world;
  const token = /\.(ch[^.]+)\./.exec(address)![1]!;
  for (const wrong of [
    'someone@mail.example.com',
    address.replace('mail.example', 'other.example'),
    address.replace(token, `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`),
    address.replace(token, token.replace(/^ch\w+/, 'ch1z')),
    `${'a'.repeat(10_000)}@mail.example.com`,
    '@mail.example.com',
    'mm1-1-1-000000000000000000000000@mail.example.com',
  ]) {
    t.same(
      world.incoming.check(wrong),
      { code: 550, text: 'No such address here' },
      wrong.slice(0, 80),
    );
    t.equal((await world.take(wrong, mail('x'))).code, 550);
  }
  t.equal(world.incoming.check(`${token}@mail.example.com`).code, 250, 'the name is for people');
});

void t.test('programs that answer, and mails in circles', async (t) => {
  const world = new MailWorld();
  const id = world.send(world.ophelia, 'hello', [world.hamlet]);
  const answer = world.addresses.ofReply(world.hamlet.user_id, id, world.clock.now());
  const codes = async (headers: Record<string, string>, from?: string): Promise<number[]> => {
    const channel = await world.take(
      world.address,
      mail(`c ${JSON.stringify(headers)}`, headers),
      from,
    );
    const reply = await world.take(answer, mail(`r ${JSON.stringify(headers)}`, headers), from);
    return [channel.code, reply.code];
  };
  t.same(await codes({ 'Auto-Submitted': 'auto-replied (vacation)' }), [554, 554]);
  t.same(await codes({ 'Auto-Submitted': 'auto-generated' }), [250, 554], 'alerts go to channels');
  t.same(await codes({ 'Auto-Submitted': 'no' }), [250, 250]);
  t.same(await codes({ Precedence: 'bulk' }), [250, 554]);
  t.same(await codes({ Precedence: 'auto_reply' }), [554, 554]);
  t.same(await codes({ 'X-Autoreply': 'yes' }), [554, 554]);
  t.same(await codes({ 'List-Id': '<players.example.org>' }), [250, 554]);
  t.same(await codes({ 'X-Parley-Mail': '1' }), [554, 554]);
  t.same(await codes({ 'Content-Type': 'multipart/report; boundary=b' }), [554, 554]);
  t.same(await codes({}, ''), [554, 554], 'reports about mails');
  const hops = Array.from({ length: 31 }, (_, i) => `Received: from h${i}\r\n`).join('');
  t.equal(
    (await world.take(world.address, Buffer.concat([Buffer.from(hops), mail('x')]))).code,
    554,
  );
  t.equal((await world.take(world.address, mail('  \n'))).code, 554, 'empty');
});

void t.test('an answer to a mail about messages', async (t) => {
  const world = new MailWorld();
  const { hamlet, ophelia, general } = world;
  const inChannel = world.send(ophelia, 'Who is there?');
  const direct = world.send(ophelia, 'Are you?', [hamlet]);
  const to = (id: number): string => world.addresses.ofReply(hamlet.user_id, id, world.clock.now());
  const text = 'I am.\n\nOn 2 Feb 2026, Ophelia wrote:\n\n> Are you?';
  t.equal((await world.take(to(inChannel), mail(text, { Subject: 'Re: else' }))).code, 250);
  const { stream_id } = general;
  const said = { sender_id: hamlet.user_id, content: 'I am.' };
  t.match(await world.newest(), { ...said, stream_id, topic: 'castle' });
  t.equal((await world.take(to(direct), mail(text))).code, 250);
  const newest = await world.newest();
  t.match(newest, { ...said, stream_id: null });
  t.same(world.org.conversations.get(newest.recipient_id)?.user_ids, [
    hamlet.user_id,
    ophelia.user_id,
  ]);
  t.ok(world.org.readState.isRead(hamlet.user_id, newest.recipient_id, newest.id), 'his own');

  const gone = { code: 550, text: 'This address no longer accepts mail' };
  const address = to(direct);
  world.clock.advance(30 * 86_400_000);
  t.equal(world.incoming.check(address).code, 250);
  world.clock.advance(86_400_000);
  t.same(world.incoming.check(address), gone);
  const late = to(inChannel);
  world.transact((tx) => tx.org.users.update(hamlet.user_id, { is_active: false }));
  t.same(world.incoming.check(late), gone);
  t.same(
    world.incoming.check(world.addresses.ofReply(ophelia.user_id, 99_999, world.clock.now())),
    gone,
  );
});

void t.test('a mail about messages names the address for answers', async (t) => {
  const world = new MailWorld();
  const { hamlet, ophelia, org } = world;
  const id = world.send(ophelia, 'Are you?', [hamlet]);
  const notice = (): Promise<Mail | null> =>
    composeMissed(
      org,
      world.keys,
      {
        kind: 'missed_messages',
        user_id: hamlet.user_id,
        messages: [{ id, trigger: 'direct_message' }],
        more: 0,
      },
      {
        from: { name: 'Example', address: 'noreply@chat.example.com' },
        to: hamlet.email,
        messageId: '<1@chat.example.com>',
        date: world.clock.now(),
      },
    );
  const told = (await notice())!;
  t.match(told.text, /A reply to this mail within 30 days is posted in the conversation/);
  t.match(told.replyTo, /^mm[0-9a-z-]+@mail\.example\.com$/);
  t.equal((await world.take(told.replyTo!, mail('I am.'))).code, 250);
  t.match(await world.newest(), { sender_id: hamlet.user_id, content: 'I am.' });
  world.setRealm({ message_content_allowed_in_email_notifications: false });
  const silent = (await notice())!;
  t.equal(silent.replyTo, undefined);
  t.match(silent.text, /Nobody reads replies to this mail/);
});

void t.test('a conversation that the person may not read any more takes no answers', async (t) => {
  const world = new MailWorld();
  const { hamlet, ophelia, general } = world;
  const id = world.send(ophelia, 'Psst');
  const to = world.addresses.ofReply(hamlet.user_id, id, world.clock.now());
  t.equal(world.incoming.check(to).code, 250);
  world.changeGeneral({ invite_only: true, history_public_to_subscribers: false });
  world.transact((tx) => unsubscribeUsers(tx, { channels: [general], userIds: [hamlet.user_id] }));
  const gone = { code: 550, text: 'This address no longer accepts mail' };
  t.same(world.incoming.check(to), gone);
  t.same(await world.take(to, mail('x')), gone);
});
