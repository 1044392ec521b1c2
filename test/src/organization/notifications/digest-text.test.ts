import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import { DAY, DigestWorld as World, TUESDAY } from '../../../fixtures/digest-world.js';
import { keys } from '../../../fixtures/notified-world.js';

void t.test('who was away for some days is told once what was going on', async (t) => {
  const world = new World();
  const { hamlet, ophelia, cordelia, general } = world;
  await world.toTheWeek();
  const first = world.sendAs(ophelia, 'castle', 'who is *there*?');
  world.sendAs(cordelia, 'castle', 'it is <cold>');
  world.sendAs(ophelia, 'castle', 'the third one');
  world.fresh('new ones');
  t.strictSame(world.sent, []);
  await world.until(TUESDAY - 1000);
  t.strictSame(world.sent, [], 'not before the hour');
  await world.toTheDigests();
  const [mail, ...others] = world.to(hamlet);
  t.strictSame(others, []);
  const off = `https://chat.example.com/accounts/unsubscribe/digest/${hamlet.user_id}-${keys.key(`unsubscribe:digest:${hamlet.user_id}`)}`;
  const made = world.org.channels.byName('new ones')!;
  t.equal(mail!.subject, 'What you missed this week');
  t.equal(
    mail!.text,
    '#general > castle: 3 unread messages by 2 people\n' +
      `https://chat.example.com/#narrow/channel/${general.stream_id}-general/topic/castle/near/${first}\n\n` +
      'Ophelia (10 Feb 2026, 08:00 UTC)\nwho is *there*?\n\n' +
      'Cordelia (10 Feb 2026, 08:00 UTC)\nit is <cold>\n\n' +
      `New channels:\n#new ones: https://chat.example.com/#narrow/channel/${made.stream_id}-new-ones\n\n` +
      'Read in Example:\nhttps://chat.example.com/\n\n' +
      '--\nYou receive this mail because you were absent for some days.\n' +
      `Unsubscribe from digests: ${off}\n`,
  );
  t.match(mail!.html, '<p>who is <em>there</em>?</p>');
  t.match(mail!.html, 'it is &lt;cold&gt;');
  t.match(mail!.html, '>#new ones</a>');
  t.strictSame(mail!.headers, {
    'List-Unsubscribe': `<${off}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  });
  t.match(world.to(ophelia)[0]!.text, /1 unread message by 1 person\n/);
  const count = world.sent.length;
  await world.pass(6 * DAY);
  t.equal(world.sent.length, count);
  await world.pass(2 * DAY);
  t.equal(world.sent.length, count, 'nothing has come since, so there is nothing to tell');
});

void t.test('guests learn of no new channel, and no name of whom they do not see', async (t) => {
  const world = new World();
  const guest = world.addWithRole('guest@example.com', ROLE.guest);
  const shared = world.channel('shared', {}, [guest, world.ophelia]);
  world.transact(({ org }) =>
    org.subscriptions.update(`${guest.user_id}:${world.general.stream_id}`, { active: false }),
  );
  world.setRealm({ can_access_all_users_group: world.system('role:members') });
  await world.toTheWeek();
  world.fresh('public one');
  await world.toTheDigests();
  t.strictSame(world.to(guest), [], 'nothing to tell');
  t.match(world.to(world.hamlet)[0]!.text, '#public one');
  await world.pass(6 * DAY);
  world.sent.length = 0;
  world.sendAs(world.ophelia, 'castle', 'from one who leaves', shared);
  world.sendAs(world.ophelia, 'elsewhere', 'not for guests');
  world.fresh('another one');
  world.transact(({ org }) =>
    org.subscriptions.update(`${world.ophelia.user_id}:${shared.stream_id}`, { active: false }),
  );
  await world.pass(DAY);
  t.strictSame(world.headings(guest), ['#shared > castle: 1 unread message by 1 person']);
  const { text, html } = world.to(guest)[0]!;
  t.match(text, 'Unknown user (');
  t.match(text, 'from one who leaves');
  t.notMatch(text + html, /Ophelia|another one|not for guests/);
});

void t.test('private channels, and what was said before somebody came, stay hidden', async (t) => {
  const world = new World();
  const { hamlet, ophelia, cordelia } = world;
  const hidden = { invite_only: true, history_public_to_subscribers: false };
  const secret = world.channel('secret', hidden, [ophelia, cordelia]);
  await world.toTheWeek();
  world.fresh('private one', { invite_only: true });
  for (const sender of [ophelia, cordelia]) world.sendAs(sender, 'plot', 'before', secret);
  world.transact((tx) => subscribeUsers(tx, { channels: [secret], userIds: [hamlet.user_id] }));
  world.sendAs(ophelia, 'plot', 'after', secret);
  await world.toTheDigests();
  t.strictSame(world.headings(hamlet), ['#secret > plot: 1 unread message by 1 person']);
  const [mail] = world.to(hamlet);
  t.match(mail!.text, 'after');
  t.notMatch(mail!.text + mail!.html, /before|private one/);
  t.strictSame(world.to(world.owner), [], 'who is in no channel with news');
  t.match(world.to(cordelia)[0]!.text, 'before');
});

void t.test('where content is not shown, a digest has counts alone', async (t) => {
  const world = new World();
  const { hamlet, ophelia, cordelia } = world;
  world.presetSettings(cordelia, { message_content_in_email_notifications: false });
  await world.toTheWeek();
  world.sendAs(ophelia, 'castle', 'a secret');
  world.sendAs(ophelia, 'castle', 'a secret');
  world.sendAs(ophelia, 'tower', 'a secret');
  world.fresh('dungeon');
  await world.toTheDigests();
  t.match(world.to(hamlet)[0]!.text, 'a secret');
  const [own] = world.to(cordelia);
  t.match(
    own!.text,
    'There is something that you missed: 3 unread messages in 2 busy topics, and 1 new channel. ' +
      'Mails don’t show their content, because your settings say so.\n\nRead in Example:\nhttps://chat.example.com/\n',
  );
  const told = /secret|Ophelia|castle|tower|general|narrow|dungeon/;
  t.notMatch(own!.text + own!.html + own!.subject, told);
  world.sent.length = 0;
  world.setRealm({ message_content_allowed_in_email_notifications: false });
  world.sendAs(ophelia, 'castle', 'a secret');
  await world.pass(7 * DAY);
  const [mail] = world.to(hamlet);
  t.match(mail!.text, 'because the organization has switched that off');
  t.notMatch(mail!.text + mail!.html + mail!.subject, told);
});

void t.test('what changes while the mail waits for the mail server', async (t) => {
  const world = new World();
  const { hamlet, ophelia, cordelia, owner, general } = world;
  const secret = world.channel('secret', { invite_only: true }, [ophelia, owner]);
  await world.toTheWeek();
  const gone = world.sendAs(ophelia, 'castle', 'soon deleted');
  world.sendAs(cordelia, 'castle', 'this stays');
  const moved = world.sendAs(ophelia, 'tower', 'soon in a secret channel');
  world.sendAs(cordelia, 'tower', 'soon there as well');
  const renamed = world.sendAs(ophelia, 'gate', 'soon under another name');
  const last = world.sendAs(ophelia, 'moat', 'soon gone');
  world.alter(ophelia.user_id, { role: ROLE.administrator });
  world.fresh('soon private');
  world.fresh('still public');
  world.failure = new Error('connection refused');
  await world.toTheDigests();
  t.ok(world.org.mails.size >= 3);
  world.remove(gone);
  world.remove(last);
  await world.edit(owner, { message_id: moved, stream_id: secret.stream_id });
  await world.edit(owner, { message_id: renamed, topic: 'bridge' });
  world.transact(({ org }) =>
    org.channels.update(org.channels.byName('soon private')!.stream_id, { invite_only: true }),
  );
  world.alter(cordelia.user_id, { role: ROLE.guest });
  world.sendAs(ophelia, 'castle', 'too late for this week');
  world.failure = null;
  await world.pass(31);
  t.strictSame(world.headings(hamlet).slice(0, 2), [
    '#general > castle: 1 unread message by 1 person',
    '#general > bridge: 1 unread message by 1 person',
  ]);
  const [mail] = world.to(hamlet);
  t.match(mail!.text, 'this stays');
  t.notMatch(mail!.text + mail!.html, /soon deleted|secret|soon there|soon gone|soon private|late/);
  t.match(mail!.text, '#still public');
  t.match(world.to(owner)[0]!.text, '#secret > tower', 'who is there');
  t.match(world.to(ophelia)[0]!.text, '#still public');
  t.notMatch(world.to(ophelia)[0]!.text, 'soon private', 'not a public one any more');
  t.match(world.to(cordelia)[0]!.text, '#general > bridge');
  t.notMatch(world.to(cordelia)[0]!.text, 'still public', 'who is a guest by now');
  t.equal(general.name, 'general');
  t.equal(world.org.mails.size, 0);
});

void t.test('who comes back, or wants no more, before the mail is sent gets none', async (t) => {
  const world = new World();
  const { hamlet, cordelia, ophelia } = world;
  await world.toTheWeek();
  world.sendAs(world.owner, 'castle');
  world.sendAs(world.owner, 'mill');
  world.failure = new Error('connection refused');
  await world.toTheDigests();
  world.active(hamlet, 0);
  world.presetSettings(cordelia, { enable_digest_emails: false });
  world.follow(ophelia, 'mill', VISIBILITY.muted);
  world.failure = null;
  await world.pass(31);
  t.strictSame(
    world.sent.map(({ to }) => to),
    [ophelia.email],
  );
  t.strictSame(
    world.headings(ophelia),
    ['#general > castle: 1 unread message by 1 person'],
    'who muted a topic meanwhile',
  );
  t.equal(world.org.mails.size, 0);
});

void t.test('long messages are counted, and long topics up to a thousand', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  await world.toTheWeek();
  for (let i = 0; i < 6; i++) world.sendAs(ophelia, `long ${i % 3}`, `${'x'.repeat(9500)} END`);
  for (let i = 0; i < 1001; i++) world.sendAs(ophelia, 'endless', `number ${i}`);
  await world.toTheDigests();
  const [mail] = world.to(hamlet);
  t.match(
    world.headings(hamlet)[0],
    '#general > endless: more than 1,000 unread messages by 1 person',
  );
  t.equal(world.headings(hamlet).length, 4);
  t.equal([...mail!.text.matchAll(/ END$/gm)].length, 5, '50,000 characters');
});

void t.test('a digest counts in the language of its reader', async (t) => {
  const world = new World();
  const { hamlet, ophelia, cordelia } = world;
  world.presetSettings(hamlet, { default_language: 'ar' });
  world.presetSettings(cordelia, { default_language: 'ja' });
  await world.toTheWeek();
  world.sendAs(ophelia, '', 'one');
  world.sendAs(cordelia, '', 'two');
  await world.toTheDigests();
  t.strictSame(world.headings(hamlet), ['#general > دردشة عامة: رسالتان غير مقروءتين من شخصين']);
  t.strictSame(world.headings(cordelia), ['#general > 一般チャット: 未読メッセージ1件（1人から）']);
  t.equal(world.to(cordelia)[0]!.subject, '今週の見逃し');
  t.match(world.to(hamlet)[0]!.html, '<html lang="ar" dir="rtl">');
});
