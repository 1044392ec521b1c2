import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import { messageEditingHandler } from '../../../../src/resources/messages/message-editing.js';
import { keys, NotifiedWorld as World } from '../../../fixtures/notified-world.js';

// [c:notification-mail-period]
void t.test('messages of a conversation come in one mail when the period is over', async (t) => {
  const world = new World();
  const { hamlet, sent } = world;
  world.send([hamlet], 'are you *there*?');
  await world.pass(60);
  const last = world.send([hamlet], 'it is <urgent>');
  await world.pass(59);
  t.strictSame(sent, [], 'two minutes from the first one, by default');
  await world.pass(2);
  t.strictSame(world.arrived, ['hamlet@example.com: Direct messages with Ophelia']);
  const [mail] = sent;
  const url = `https://chat.example.com/#narrow/dm/${hamlet.user_id},${world.ophelia.user_id}-dm/near/${last}`;
  const off = `https://chat.example.com/accounts/unsubscribe/missed_messages/${hamlet.user_id}-${keys.key(`unsubscribe:missed_messages:${hamlet.user_id}`)}`;
  t.equal(
    mail!.text,
    'Ophelia (31 Jan 2026, 10:00 UTC)\nare you *there*?\n\n' +
      'Ophelia (31 Jan 2026, 10:01 UTC)\nit is <urgent>\n\n' +
      `Read and reply in Example:\n${url}\nNobody reads replies to this mail.\n\n` +
      '--\nYou receive this mail because you were sent a direct message and were away.\n' +
      `Unsubscribe from these mails: ${off}\n`,
  );
  t.match(mail!.html, '<p>are you <em>there</em>?</p>');
  t.match(mail!.html, 'it is &lt;urgent&gt;');
  t.strictSame(mail!.headers, {
    'List-Unsubscribe': `<${off}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
  await world.pass(3600);
  t.equal(sent.length, 1, 'each message once');
  t.equal(world.org.missedMessages.size, 0, 'nothing is left behind');
});

void t.test('the times in a mail are those where its reader lives', async (t) => {
  const world = new World();
  const { hamlet, cordelia } = world;
  world.presetSettings(hamlet, { timezone: 'America/New_York' });
  world.presetSettings(cordelia, { timezone: 'Asia/Kolkata' });
  world.send([hamlet, cordelia], 'good morning');
  await world.pass(121);
  const textTo = (address: string) => world.sent.find(({ to }) => to === address)!.text;
  t.match(textTo(hamlet.email), 'Ophelia (31 Jan 2026, 05:00)\ngood morning');
  t.match(textTo(cordelia.email), 'Ophelia (31 Jan 2026, 15:30)\ngood morning');
});

void t.test('who is there, or read it first, gets no mail', async (t) => {
  const world = new World();
  const { hamlet, cordelia } = world;
  world.there.add(cordelia.user_id);
  const id = world.send([hamlet, cordelia], 'hello');
  t.strictSame(
    [...world.org.missedMessages.values()],
    [
      {
        user_id: hamlet.user_id,
        since: world.clock.now(),
        messages: [{ id, trigger: 'direct_message' }],
        more: 0,
      },
    ],
  );
  world.read(hamlet, id);
  await world.pass(121);
  t.strictSame(world.sent, []);
  t.equal(world.org.mails.size, 0);
});

void t.test('what is read while the mail waits for the mail server is not sent', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const first = world.send([hamlet], 'one');
  const second = world.send([hamlet], 'two');
  world.failure = new Error('connection refused');
  await world.pass(121);
  t.equal(world.org.mails.size, 1);
  world.read(hamlet, first);
  world.failure = null;
  await world.pass(31);
  t.match(world.sent[0]?.text, /10:00 UTC\)\ntwo\n/);
  t.notMatch(world.sent[0]!.text, /\none\n/);
  world.failure = new Error('connection refused');
  const third = world.send([hamlet], 'three');
  await world.pass(121);
  world.read(hamlet, second, third);
  world.failure = null;
  await world.pass(31);
  t.equal(world.sent.length, 1);
  t.equal(world.org.mails.size, 0);
});

void t.test('one mail per conversation; a mention brings what came before it', async (t) => {
  const world = new World();
  const { hamlet } = world;
  world.send('castle', 'an old one');
  await world.pass(16 * 60);
  const before = world.send('castle', 'who watches tonight?');
  world.send('castle', 'perhaps @**Hamlet**');
  world.send('other', 'nobody is named');
  world.send([hamlet], 'psst');
  await world.pass(121);
  t.strictSame(world.arrived.sort(), [
    'hamlet@example.com: #general > castle',
    'hamlet@example.com: Direct messages with Ophelia',
  ]);
  const mail = world.sent.find(({ subject }) => subject.startsWith('#'))!;
  t.match(
    mail.text,
    'who watches tonight?\n\nOphelia (31 Jan 2026, 10:16 UTC)\nperhaps @**Hamlet**',
  );
  t.notMatch(mail.text, 'an old one', 'older than a quarter of an hour');
  t.match(
    mail.text,
    `/#narrow/channel/${world.general.stream_id}-general/topic/castle/near/${before + 1}\n`,
  );
  t.match(mail.text, 'because you were mentioned and were away');
});

void t.test('those who follow a topic, chose the channel, or chose all channels', async (t) => {
  const world = new World();
  const { hamlet, cordelia, owner } = world;
  world.follow(hamlet, 'castle', VISIBILITY.followed);
  world.follow(owner, 'castle', VISIBILITY.muted);
  world.transact(({ org }) =>
    org.subscriptions.update(`${cordelia.user_id}:${world.general.stream_id}`, {
      email_notifications: true,
    }),
  );
  world.presetSettings(owner, { enable_stream_email_notifications: true });
  world.send('castle', 'to whom it may concern');
  await world.pass(121);
  t.strictSame(world.arrived.sort(), [
    'cordelia@example.com: #general > castle',
    'hamlet@example.com: #general > castle',
  ]);
  world.sent.length = 0;
  world.send('other', 'again');
  await world.pass(121);
  t.strictSame(world.arrived.sort(), [
    'Owner@example.com: #general > other',
    'cordelia@example.com: #general > other',
  ]);
});

void t.test('where content is not shown, the mail has no text, topic or name', async (t) => {
  const world = new World();
  const { hamlet } = world;
  world.setRealm({ message_content_allowed_in_email_notifications: false });
  world.send([hamlet], 'a secret');
  world.send('castle', '@**Hamlet** another secret');
  await world.pass(121);
  t.strictSame(world.arrived, [
    'hamlet@example.com: New messages',
    'hamlet@example.com: New messages',
  ]);
  for (const { text, html } of world.sent) {
    t.notMatch(text + html, /secret|Ophelia|castle|general|narrow/);
    t.match(
      text,
      'You have a new message. Mails don’t show their content, because the organization',
    );
    t.match(text, 'Read and reply in Example:\nhttps://chat.example.com/\n');
  }
  world.sent.length = 0;
  world.setRealm({ message_content_allowed_in_email_notifications: true });
  world.presetSettings(hamlet, {
    message_content_in_email_notifications: false,
    realm_name_in_email_notifications_policy: 2,
  });
  world.send([hamlet], 'a secret');
  await world.pass(121);
  t.strictSame(world.arrived, ['hamlet@example.com: [Example] New messages']);
  t.match(world.sent[0]!.text, 'because your settings say so');
});

void t.test('what was deleted, and who was deactivated or left, meanwhile', async (t) => {
  const world = new World();
  const { hamlet, cordelia } = world;
  const gone = world.send([hamlet], 'oops');
  const document = world.org.messages.resident(gone)!;
  world.transact(({ org }) => org.messages.delete(document));
  world.send([cordelia], 'hello');
  world.alter(cordelia.user_id, { is_active: false });
  await world.pass(121);
  t.strictSame(world.sent, []);
});

void t.test('a period that changes counts from the first message', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const period = 'email_notifications_batching_period_seconds';
  world.presetSettings(hamlet, { [period]: 3600 });
  world.send([hamlet], 'hello');
  await world.pass(600);
  t.equal(world.sent.length, 0);
  world.transact(({ org }) => org.settings.update(hamlet.user_id, { [period]: 900 }));
  await world.pass(299);
  t.equal(world.sent.length, 0);
  await world.pass(2);
  t.equal(world.sent.length, 1);
});

void t.test('another leader goes on with what waits', async (t) => {
  const world = new World();
  world.send([world.hamlet], 'hello');
  world.notifications.stop();
  await world.pass(300);
  t.equal(world.sent.length, 0);
  world.send([world.hamlet], 'nobody leads, nobody decides');
  world.notifications = world.leader();
  await world.pass(1);
  t.equal(world.sent.length, 1);
  t.notMatch(world.sent[0]!.text, 'nobody leads');
});

void t.test('a message to many asks them in parts, and tells each once', async (t) => {
  const world = new World();
  const people = Array.from({ length: 1100 }, (_, i) => world.addUser(`p${i}@example.com`));
  const channel: ChannelDocument = world.channel('many', {}, [world.ophelia, ...people]);
  for (const { user_id } of people.slice(0, 3)) world.there.add(user_id);
  await world.pass(0);
  const entries = world.position;
  const id = world.send('castle', '@**all** come', channel);
  t.equal(world.position, entries + 1);
  const [entry] = world.entries.slice(entries);
  const written = entry!.content.writes.map(({ key }) => key.collection);
  t.ok(written.includes('notification_sweep'));
  t.notOk(written.includes('missed_messages'), 'nobody is asked in the transaction of the message');
  // A leader that is killed between two parts.
  world.waits = () => world.notifications.stop();
  await world.pass(0);
  world.waits = () => undefined;
  t.equal(
    world.org.missedMessages.size,
    496,
    'five hundred were asked: Olive, who is away, is no subscriber',
  );
  world.notifications = world.leader();
  await world.pass(0);
  t.equal(world.org.notificationSweeps.size, 0);
  t.equal(world.org.missedMessages.size, 1097);
  t.strictSame(world.org.missedMessages.get(people[5]!.user_id)!.messages, [
    { id, trigger: 'wildcard' },
  ]);
});

void t.test('one user’s messages are bounded, and the rest is counted', async (t) => {
  const world = new World();
  for (let i = 1; i <= 103; i++) world.send([world.hamlet], `number ${i}`);
  const waiting = world.org.missedMessages.get(world.hamlet.user_id)!;
  t.equal(waiting.messages.length, 100);
  t.equal(waiting.more, 3);
  t.equal(world.org.missedMessages.waiting, 100);
  await world.pass(121);
  t.equal(world.sent.length, 1);
  t.match(world.sent[0]!.text, '3 further messages are not listed in any mail.');
  t.equal(world.org.missedMessages.waiting, 0);
});

void t.test(
  'a spoiler stays closed, and pictures and addresses work outside the chat',
  async (t) => {
    const world = new World();
    world.send([world.hamlet], '```spoiler Ending\neverybody dies\n```\nsee #**general**');
    await world.pass(121);
    const { text, html } = world.sent[0]!;
    t.notMatch(text + html, 'everybody dies');
    t.match(text, 'Ending\n (hidden until it is opened in the chat)');
    t.match(html, 'href="https://chat.example.com/#narrow/channel/');
  },
);

void t.test('an edit tells whom it newly mentions, once', async (t) => {
  const world = new World();
  const { hamlet, cordelia, ophelia } = world;
  world.follow(cordelia, 'castle', VISIBILITY.followed);
  const message_id = world.send('castle', 'somebody');
  await world.pass(121);
  t.strictSame(world.arrived, ['cordelia@example.com: #general > castle']);
  world.sent.length = 0;
  const handler = messageEditingHandler({ markdown: world.markdown });
  const edit = (content: string) => world.call(handler, ophelia, { message_id, content });
  await edit('@**Hamlet** and @**Cordelia**');
  t.strictSame(world.org.missedMessages.get(hamlet.user_id)?.messages, [
    { id: message_id, trigger: 'mention' },
  ]);
  await edit('@**Hamlet**, and @**Cordelia**');
  await world.pass(121);
  t.strictSame(world.arrived, ['hamlet@example.com: #general > castle']);
});
