import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import {
  canSeeUser,
  guestsWithoutAccess,
  seenBy,
} from '../../../../src/organization/access/user-access.js';
import { accessBefore } from '../../../../src/organization/channels/channel-access.js';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import { unsubscribeUsers } from '../../../../src/organization/channels/unsubscribing.js';
import { changeRealm } from '../../../../src/organization/realm/realm-change.js';
import {
  captureAccess,
  emitAccessChange,
} from '../../../../src/organization/views/access-change.js';
import { muteUser } from '../../../../src/organization/personal/muted-users.js';
import { inOnePart } from '../../../../src/organization/state/parted-change.js';
import type { Transaction } from '../../../../src/organization/state/transaction.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { messageLookupHandlers } from '../../../../src/resources/messages/message-lookup.js';
import { messageReadingHandlers } from '../../../../src/resources/messages/messages-reading.js';
import { presenceHandlers } from '../../../../src/resources/presence/presence.js';
import { userHandlers } from '../../../../src/resources/users/users.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import {
  LivingOrganization,
  MODERN,
  PLAIN,
  type Body,
} from '../../../fixtures/living-organization.js';

/** Guests see only some: `gwen` is in `visitors` with `ann`; `bob` is a stranger to her. */
class World extends LivingOrganization {
  readonly ann = this.addUser('ann@example.com', { channels: [] });
  readonly bob = this.addUser('bob@example.com', { channels: [] });
  readonly gwen = this.addUser('gwen@example.com', { channels: [], role: ROLE.guest });
  readonly visitors = this.channel('visitors', {}, [this.ann, this.gwen]);
  private readonly markdown = createMarkdown();
  override readonly handlers = [
    ...messageHandlers(this.markdown),
    ...messageReadingHandlers,
    ...messageLookupHandlers(this.markdown),
    ...presenceHandlers(this.presence),
    ...userHandlers({ markdown: this.markdown } as never),
  ];

  constructor(site: ConstructorParameters<typeof LivingOrganization>[0] = {}) {
    super(site);
    this.setRealm({ can_access_all_users_group: this.system('role:members') });
    this.mark = this.position;
  }

  subscribe(...users: UserDocument[]): void {
    const userIds = users.map(({ user_id }) => user_id);
    this.transact((tx) => subscribeUsers(tx, { channels: [this.visitors], userIds }));
  }

  unsubscribe(...users: UserDocument[]): void {
    const userIds = users.map(({ user_id }) => user_id);
    this.transact((tx) => unsubscribeUsers(tx, { channels: [this.visitors], userIds }));
  }

  tell(from: UserDocument, ...to: UserDocument[]): Promise<Body> {
    const ids = to.map(({ user_id }) => user_id);
    return this.do('send-message', { type: 'direct', to: ids, content: 'hello' }, from);
  }
}

const kinds = (events: readonly Body[]): string[] =>
  events.map(({ type, op }) => [type, op].filter((part) => typeof part === 'string').join(' '));

void t.test('a guest sees those with whom it shares a channel or conversation', async (t) => {
  const world = new World();
  const { org, gwen, ann, bob, owner } = world;
  const sees = (user: UserDocument, viewer = gwen): boolean => {
    const current = world.user(user.user_id);
    const can = canSeeUser(org, world.user(viewer.user_id), current);
    const seen = seenBy(org, world.user(viewer.user_id));
    t.equal(seen?.has(user.user_id) ?? true, can, 'the list says the same');
    const blind = guestsWithoutAccess(org, current).includes(viewer.user_id);
    t.equal(blind, !can, 'and the audience');
    return can;
  };
  t.ok(sees(gwen), 'themselves');
  t.ok(sees(ann), 'who shares a channel');
  t.notOk(sees(bob), 'nobody else');
  t.ok(sees(bob, ann), 'members see everybody');
  const [robot] = [...org.users.systemBots].map((id) => world.user(id));
  t.ok(sees(robot!), 'bots');
  await world.tell(bob, gwen);
  t.ok(sees(bob), 'whom they have written with');
  await world.tell(owner, gwen, ann);
  t.ok(sees(owner), 'in a group, too');
  world.unsubscribe(ann);
  t.ok(sees(ann));
  const cal = world.addUser('cal@example.com', { channels: [world.visitors.stream_id] });
  t.ok(sees(cal));
  world.alter(cal.user_id, { is_active: false });
  t.notOk(sees(cal), 'a deactivated account is in no channel');
  world.alter(bob.user_id, { is_active: false });
  t.ok(sees(bob), 'but in conversations');
  const reloaded = world.reloaded();
  t.ok(canSeeUser(reloaded, gwen, ann), 'also after a restart');
  world.setRealm({ can_access_all_users_group: world.system('role:everyone') });
  t.ok(sees(cal), 'everybody, where the organization says so');
  t.equal(seenBy(org, gwen), null);
});

void t.test('subscribing introduces people to guests, unsubscribing takes them away', async (t) => {
  const world = new World();
  const { gwen, bob, visitors } = world;
  world.transact((tx) =>
    tx.org.statuses.insert({
      user_id: bob.user_id,
      status_text: 'busy',
      emoji_name: '',
      emoji_code: '',
      reaction_type: '',
    }),
  );
  world.mark = world.position;
  world.subscribe(bob);
  const [added, status, member, full, peer, ...rest] = world.newEvents(gwen);
  t.match(added, { type: 'realm_user', op: 'add', person: { full_name: 'bob' } });
  t.strictSame(status, { type: 'user_status', user_id: bob.user_id, status_text: 'busy' });
  t.match(member, { type: 'user_group', op: 'add_members', user_ids: [bob.user_id] });
  t.match(full, { type: 'user_group', op: 'add_members', user_ids: [bob.user_id] });
  t.match(peer, { op: 'peer_add', user_ids: [bob.user_id], stream_ids: [visitors.stream_id] });
  t.strictSame(rest, []);
  world.unsubscribe(bob);
  const gone = world.newEvents(gwen);
  t.strictSame(kinds(gone), [
    'subscription peer_remove',
    'user_group remove_members',
    'user_group remove_members',
    'realm_user remove',
  ]);
  t.strictSame(gone[3], {
    type: 'realm_user',
    op: 'remove',
    person: { user_id: bob.user_id, full_name: 'Unknown user' },
  });
  world.unsubscribe(gwen);
  world.mark = world.position;
  world.subscribe(gwen);
  t.strictSame(kinds(world.newEvents(gwen)), [
    'stream create',
    'subscription add',
    'realm_user add',
    'user_group add_members',
    'user_group add_members',
  ]);
});

void t.test('a first direct message introduces its sender before it comes', async (t) => {
  const world = new World();
  const { gwen, bob } = world;
  await world.tell(bob, gwen);
  t.strictSame(kinds(world.newEvents(gwen)).slice(0, 1), ['realm_user add']);
  await world.tell(bob, gwen);
  t.strictSame(kinds(world.newEvents(gwen)), []);
});

void t.test('accounts that are made elsewhere are unknown users, or left out', async (t) => {
  const world = new World();
  const { gwen } = world;
  const since = world.position;
  const cal = world.addUser('cal@example.com', { channels: [] });
  t.strictSame(world.received(gwen, since, MODERN), []);
  t.strictSame(world.received(gwen, since, PLAIN), [
    {
      type: 'realm_user',
      op: 'add',
      person: {
        user_id: cal.user_id,
        delivery_email: null,
        email: `user${cal.user_id}@chat.example.com`,
        full_name: 'Unknown user',
        date_joined: '2026-01-31T10:00+00:00',
        is_active: true,
        is_owner: false,
        is_admin: false,
        is_guest: false,
        is_bot: false,
        bot_type: null,
        bot_owner_id: null,
        role: 400,
        timezone: '',
        avatar_url: '/user_avatars/identicon/0.png?version=1',
        avatar_version: 1,
        is_imported_stub: false,
        presence_enabled: true,
        profile_data: {},
      },
    },
  ]);
});

void t.test('who is hidden can neither be asked about nor addressed', async (t) => {
  const world = new World();
  const { gwen, bob, ann } = world;
  const { user_id } = bob;
  const unknown = { message: 'No such user' };
  const placeholder = `user${user_id}@chat.example.com`;
  await t.rejects(world.do('get-user', { user_id }, gwen), unknown);
  for (const email of [placeholder, bob.email]) {
    await t.rejects(world.do('get-user-by-email', { email }, gwen), unknown);
  }
  const listed = async (params: Body): Promise<number[]> =>
    ((await world.do('get-users', params, gwen)).members as Body[]).map((one) =>
      Number(one.user_id),
    );
  t.strictSame(await listed({}), [ann.user_id, gwen.user_id]);
  t.strictSame(await listed({ user_ids: [user_id, ann.user_id] }), [ann.user_id]);
  await t.rejects(
    world.do('get-user-presence', { user_id_or_email: String(user_id) }, gwen),
    unknown,
  );
  await t.rejects(world.tell(gwen, bob), { message: `Invalid user ID ${user_id}` });
  await t.rejects(
    world.do('send-message', { type: 'direct', to: [bob.email], content: 'hello' }, gwen),
    { message: `Invalid email '${bob.email}'` },
  );
  t.throws(
    () => world.transact((tx) => inOnePart(tx, (one) => muteUser(one, gwen, user_id))),
    unknown,
  );
  const render = async (viewer: UserDocument): Promise<unknown> =>
    (await world.do('render-message', { content: `@**bob** @**|${user_id}**` }, viewer)).rendered;
  t.equal(await render(gwen), `<p>@**bob** @**|${user_id}**</p>`);
  t.match(await render(ann), /data-user-id="\d+">@bob<\/span>.*>@bob<\/span>/);
  const narrow = [{ operator: 'sender', operand: bob.email, negated: false }];
  const page = { narrow, anchor: 'newest', num_before: 5, num_after: 0 };
  await t.rejects(world.do('get-messages', page, gwen), { code: 'BAD_NARROW' });
});

// [c:hidden-presence]
void t.test('presence of hidden users, as the server is configured', async (t) => {
  for (const limitsPresence of [true, false]) {
    const world = new World({ limitsPresence });
    const { gwen, bob, ann, presence } = world;
    const email = `user${bob.user_id}@chat.example.com`;
    world.transact((tx) => presence.report(tx, bob, 'website', 'active'));
    const events = world.received(gwen, world.mark, PLAIN);
    t.strictSame(
      events.map((event) => event.email),
      limitsPresence ? [] : [email],
    );
    t.equal(world.received(ann, world.mark, PLAIN)[0]!.email, bob.email);
    const { presences } = await world.do('get-realm-presence', {}, gwen);
    t.strictSame(Object.keys(presences as Body), limitsPresence ? [] : [email]);
    const reported = await world.do(
      'update-presence',
      { status: 'idle', slim_presence: true, last_update_id: -1 },
      gwen,
    );
    t.equal(String(bob.user_id) in (reported.presences as Body), !limitsPresence);
  }
});

void t.test('what is too much for one transaction ends the queues of the guest', (t) => {
  const world = new World();
  const { gwen, org } = world;
  const crowd = Array.from({ length: 501 }, (_one, n) =>
    world.addUser(`crowd${n}@example.com`, { channels: [] }),
  );
  const userIds = crowd.map(({ user_id }) => user_id);
  const since = world.position;
  const change = (work: (tx: Transaction) => void): number[] =>
    world.transact((tx) => {
      work(tx);
      return [...tx.withoutQueues];
    });
  const subscribing = (tx: Transaction): unknown =>
    subscribeUsers(tx, { channels: [world.visitors], userIds });
  t.strictSame(change(subscribing), [gwen.user_id]);
  t.notOk(kinds(world.received(gwen, since)).includes('realm_user add'));
  t.strictSame(
    change((tx) => unsubscribeUsers(tx, { channels: [world.visitors], userIds: [userIds[0]!] })),
    [],
    'one is not too much',
  );
  const everyone = org.groups.system('role:everyone').id;
  const all = world.position;
  const opening = (tx: Transaction): void =>
    changeRealm(tx, { can_access_all_users_group: everyone });
  t.strictSame(change(opening), [], 'three come in sight');
  t.ok(kinds(world.received(gwen, all)).filter((kind) => kind === 'realm_user add').length === 3);
  t.strictSame(accessBefore(org, new Map([[world.visitors, userIds]])), [], 'nothing is looked at');
  t.strictSame(captureAccess(org, [{ viewerIds: [gwen.user_id], userIds }]), []);
  t.doesNotThrow(() => world.transact((tx) => emitAccessChange(tx, [])));
  t.end();
});

void t.test('what takes too long for all guests together ends the queues of the last', (t) => {
  const world = new World();
  const { gwen, org, visitors } = world;
  const make = (name: string, count: number, more: object): number[] =>
    Array.from(
      { length: count },
      (_one, n) => world.addUser(`${name}${n}@example.com`, { channels: [], ...more }).user_id,
    );
  const guests = make('guest', 450, { role: ROLE.guest });
  world.transact((tx) => subscribeUsers(tx, { channels: [visitors], userIds: guests }));
  const userIds = make('crowd', 499, {});
  const since = world.position;
  // Some 0.02 µs for each guest and user, before and after: more than 10 ms, though each guest gains less than 500
  // users.
  const ended = world.transact((tx) => {
    subscribeUsers(tx, { channels: [visitors], userIds });
    return [...tx.withoutQueues];
  });
  t.ok(ended.length > 0 && ended.length < 300, `${ended.length} of 451`);
  t.ok(ended.every((id) => guests.includes(id)));
  const introduced = (viewer: UserDocument): number =>
    kinds(world.received(viewer, since)).filter((kind) => kind === 'realm_user add').length;
  t.equal(introduced(gwen), 499, 'who comes first is told of all');
  t.equal(introduced(org.users.get(ended[0]!)!), 0);
  t.end();
});
