import t from 'tap';
import { VISIBILITY } from '../../../../schemas/topics/user-topics.js';
import { DAY, DigestWorld as World, HOUR, TUESDAY } from '../../../fixtures/digest-world.js';

/** Who is told, by what is so before the hour. */
const WHO: readonly (readonly [title: string, told: boolean, arrange: (world: World) => void])[] = [
  ['who was never here', true, () => undefined],
  ['who was here 6 days ago', true, (world) => world.active(world.hamlet, 6 * DAY)],
  [
    'who may have been here less than 5 days ago: requests are recorded to the day',
    false,
    (world) => world.active(world.hamlet, 6 * DAY - 2 * HOUR),
  ],
  ['who was here today', false, (world) => world.active(world.hamlet, 60)],
  [
    'who was at a client 4 days ago',
    false,
    (world) =>
      world.transact((tx) => {
        const idle_timestamp = tx.seconds - 4 * DAY;
        const { user_id } = world.hamlet;
        tx.org.presences.insert({ user_id, active_timestamp: null, idle_timestamp, update_id: 1 });
      }),
  ],
  [
    'who joined 4 days ago',
    false,
    (world) =>
      world.alter(world.hamlet.user_id, { date_joined: world.clock.now() - 4 * DAY * 1000 }),
  ],
  [
    'who wants none',
    false,
    (world) => world.presetSettings(world.hamlet, { enable_digest_emails: false }),
  ],
  ['who is deactivated', false, (world) => world.alter(world.hamlet.user_id, { is_active: false })],
  ['a bot', false, (world) => world.alter(world.hamlet.user_id, { is_bot: true })],
  [
    'who has read everything',
    false,
    (world) => world.read(world.hamlet, world.sendAs(world.owner, 'castle')),
  ],
  [
    'nobody, where the organization has no digests',
    false,
    (world) => world.setRealm({ digest_emails_enabled: false }),
  ],
  [
    'nobody, on another day than `digest_weekday`',
    false,
    (world) => world.setRealm({ digest_weekday: 2 }),
  ],
  ['nobody, where it is deactivated', false, (world) => world.setRealm({ deactivated: true })],
];

void t.test('who gets one: of those with `enable_digest_emails`', async (t) => {
  for (const [title, told, arrange] of WHO) {
    const world = new World();
    await world.toTheWeek();
    const id = world.sendAs(world.ophelia, 'castle');
    if (title === 'who has read everything') world.read(world.hamlet, id);
    arrange(world);
    await world.toTheDigests();
    t.equal(world.to(world.hamlet).length, told ? 1 : 0, title);
    t.equal(world.org.mails.size, 0, 'none waits');
  }
});

void t.test('each `digest_weekday`, 0 Monday to 6 Sunday', async (t) => {
  for (const digest_weekday of [0, 1, 2, 3, 4, 5, 6] as const) {
    const world = new World();
    world.setRealm({ digest_weekday });
    world.lead();
    const monday = TUESDAY - DAY * 1000;
    await world.until(monday - HOUR * 1000);
    world.sendAs(world.ophelia, 'castle');
    await world.until(monday + digest_weekday * DAY * 1000 - 1000);
    t.strictSame(world.sent, []);
    await world.pass(3);
    t.equal(world.to(world.hamlet).length, 1, `${digest_weekday}`);
  }
});

void t.test('the four topics in which most people wrote, and then most was written', async (t) => {
  const world = new World();
  const { hamlet, ophelia, cordelia, owner } = world;
  const bot = world.addUser('bot@example.com');
  world.alter(bot.user_id, { is_bot: true });
  await world.toTheWeek();
  for (const sender of [ophelia, cordelia, owner]) world.sendAs(sender, 'three people');
  for (const sender of [ophelia, cordelia]) world.sendAs(sender, 'two people');
  for (let i = 0; i < 9; i++) world.sendAs(ophelia, 'much');
  for (let i = 0; i < 3; i++) world.sendAs(ophelia, 'little');
  world.sendAs(ophelia, 'least');
  for (let i = 0; i < 20; i++) world.sendAs(bot, 'a program');
  world.sendAs(bot, 'two people');
  await world.toTheDigests();
  t.strictSame(world.headings(hamlet), [
    '#general > three people: 3 unread messages by 3 people',
    '#general > two people: 3 unread messages by 2 people',
    '#general > much: 9 unread messages by 1 person',
    '#general > little: 3 unread messages by 1 person',
  ]);
  world.sent.length = 0;
  world.sendAs(bot, 'a program');
  await world.pass(7 * DAY);
  t.strictSame(world.sent, [], 'what programs write by themselves is no news');
});

void t.test('what is older than a week, or was told before, is not told', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  const castle = ['#general > castle: 1 unread message by 1 person'];
  world.lead();
  await world.until(TUESDAY - 7 * DAY * 1000 - 1000);
  world.sendAs(ophelia, 'castle', 'old');
  world.fresh('old one');
  await world.pass(3);
  t.strictSame(world.sent, [], 'a week ago they had been here some days before');
  await world.until(TUESDAY - HOUR * 1000);
  world.sendAs(ophelia, 'castle', 'new');
  world.fresh('new one');
  await world.toTheDigests();
  t.strictSame(world.headings(hamlet).slice(0, 1), castle);
  t.match(world.to(hamlet)[0]!.text, 'new one');
  t.notMatch(world.to(hamlet)[0]!.text, 'old');
  world.sent.length = 0;
  // The next digests are tomorrow.
  world.setRealm({ digest_weekday: 2 });
  world.sendAs(ophelia, 'castle', 'newer');
  await world.pass(DAY);
  t.strictSame(world.headings(hamlet), castle);
  t.notMatch(world.to(hamlet)[0]!.text, /new one|New channels/);
});

void t.test('muted topics, channels and people are left out, and one’s own messages', async (t) => {
  const world = new World();
  const { hamlet, ophelia, cordelia } = world;
  const loud = world.channel('loud', {}, [hamlet, ophelia]);
  await world.toTheWeek();
  world.sendAs(ophelia, 'muted');
  world.follow(hamlet, 'muted', VISIBILITY.muted);
  world.sendAs(ophelia, 'quiet', 'x', loud);
  world.sendAs(ophelia, 'wanted', 'x', loud);
  world.transact(({ org }) => {
    org.subscriptions.update(`${hamlet.user_id}:${loud.stream_id}`, { is_muted: true });
    org.userTopics.insert({
      ...{ user_id: hamlet.user_id, stream_id: loud.stream_id, topic: 'wanted' },
      ...{ visibility_policy: VISIBILITY.unmuted, last_updated: 1 },
    });
    const timestamp = 1;
    org.mutedUsers.insert({ user_id: hamlet.user_id, muted_user_id: cordelia.user_id, timestamp });
  });
  world.sendAs(cordelia, 'wanted', 'from one who is muted', loud);
  world.sendAs(cordelia, 'alone');
  // As programs send for people.
  world.sendAs(hamlet, 'by himself', 'x', world.general, false);
  world.sendAs(hamlet, 'wanted', 'x', loud, false);
  await world.toTheDigests();
  t.strictSame(world.headings(hamlet), ['#loud > wanted: 1 unread message by 1 person']);
  t.notMatch(world.to(hamlet)[0]!.text, 'from one who is muted');
  t.match(world.to(ophelia)[0]!.text, '#general > alone', 'who muted nothing is told');
});

void t.test(
  'a leader that is killed leaves the rest to the next: none twice, none left out',
  async (t) => {
    const world = new World();
    const people = Array.from({ length: 45 }, (_, i) => world.addUser(`p${i}@example.com`));
    await world.toTheWeek();
    world.sendAs(world.ophelia, 'castle');
    // Each leader is killed as it waits for the store, in the middle of the round.
    let leaders = 0;
    world.waits = () => world.digests!.stop();
    await world.toTheDigests();
    const progress: number[] = [];
    while (!world.org.digestRound.get('digest_round')?.ended) {
      world.lead();
      leaders += 1;
      await world.pass(60);
      progress.push(world.org.digestRound.get('digest_round')!.after);
      if (leaders > 50) break;
    }
    t.equal(leaders, 5, 'ten users each');
    t.strictSame(
      progress,
      [...progress].sort((a, b) => a - b),
    );
    const told = world.sent.map(({ to }) => to).sort();
    const all = [...people, world.hamlet, world.cordelia, world.owner];
    t.strictSame(told, all.map(({ email }) => email).sort());
    // A new process, with what is stored.
    t.strictSame(
      world.reloaded().digestRound.get('digest_round'),
      world.org.digestRound.get('digest_round'),
    );
    world.waits = () => undefined;
    world.lead();
    await world.pass(5 * HOUR);
    t.equal(world.sent.length, told.length);
  },
);

void t.test('a server that was down sends them later that day, else not at all', async (t) => {
  const late = new World();
  await late.until(TUESDAY - HOUR * 1000);
  late.sendAs(late.ophelia, 'castle');
  await late.until(TUESDAY + 14 * HOUR * 1000);
  late.sendAs(late.ophelia, 'castle', 'in the second in which they begin');
  late.lead();
  await late.pass(2);
  t.strictSame(late.headings(late.hamlet), ['#general > castle: 2 unread messages by 1 person']);
  late.sent.length = 0;
  // The next digests are tomorrow.
  late.setRealm({ digest_weekday: 2 });
  late.sendAs(late.ophelia, 'castle', 'newer');
  await late.pass(DAY);
  t.strictSame(late.headings(late.hamlet), ['#general > castle: 1 unread message by 1 person']);
  const tooLate = new World();
  await tooLate.until(TUESDAY - HOUR * 1000);
  tooLate.sendAs(tooLate.ophelia, 'missed');
  await tooLate.until(TUESDAY + 2 * HOUR * 1000);
  tooLate.sendAs(tooLate.ophelia, 'castle');
  await tooLate.until(TUESDAY + 15 * HOUR * 1000);
  tooLate.lead();
  await tooLate.pass(2 * HOUR);
  t.strictSame(tooLate.sent, []);
  await tooLate.until(TUESDAY + (7 * DAY - 2 * HOUR) * 1000);
  tooLate.sendAs(tooLate.ophelia, 'tower');
  await tooLate.pass(3 * HOUR);
  t.strictSame(tooLate.headings(tooLate.hamlet), [
    '#general > tower: 1 unread message by 1 person',
    '#general > castle: 1 unread message by 1 person',
  ]);
});

void t.test(
  'where they are switched on later that day, they come at the next full hour',
  async (t) => {
    const world = new World();
    world.setRealm({ digest_emails_enabled: false });
    await world.toTheWeek();
    world.sendAs(world.ophelia, 'castle');
    await world.until(TUESDAY + 1.5 * HOUR * 1000);
    world.setRealm({ digest_emails_enabled: true });
    await world.pass(HOUR / 2 + 2);
    t.equal(world.to(world.hamlet).length, 1);
  },
);

/** Digests are due for 303 people, and no mail is delivered. */
async function manyDue(): Promise<World> {
  const world = new World();
  for (let i = 0; i < 300; i++) world.addUser(`p${i}@example.com`);
  await world.toTheWeek();
  world.sendAs(world.ophelia, 'castle');
  world.delivery.stop();
  await world.toTheDigests();
  return world;
}

void t.test(
  'the mail server gets them bit by bit, and a store that fails only delays them',
  async (t) => {
    const world = await manyDue();
    t.equal(world.org.mails.size, 200, 'further ones wait');
    world.waits = () => {
      throw new Error('the store is failing');
    };
    world.transact(({ org }) => {
      for (const { id } of [...org.mails.values()].slice(0, 20)) org.mails.delete(id);
    });
    await world.pass(2);
    t.equal(world.org.mails.size, 190);
    t.strictSame(world.log, ['digests could not be made']);
    world.waits = () => undefined;
    await world.pass(31);
    t.equal(world.org.mails.size, 200);
  },
);

void t.test('a round that mails held up goes on the next day, whatever day it is', async (t) => {
  const world = await manyDue();
  t.equal(world.org.mails.size, 200);
  await world.pass(DAY);
  t.equal(world.org.mails.size, 200);
  world.transact(({ org }) => {
    for (const { id } of [...org.mails.values()]) org.mails.delete(id);
  });
  await world.pass(HOUR + 2);
  t.equal(world.org.mails.size, 103, 'the others of 303 people');
  t.ok(world.org.digestRound.get('digest_round')?.ended);
});
