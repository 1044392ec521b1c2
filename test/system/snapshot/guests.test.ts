import t, { type Test } from 'tap';
import { ENDPOINTS, validParameters } from '../harness/endpoints.js';
import { ApiClient, type Body, type Parameters, type Reply } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

/** An organization whose guests see only whom they have to do with. */
interface Company extends AskedOrganization {
  /** A guest in the channel `visitors`. */
  readonly gwen: ApiClient;
  readonly groups: Readonly<Record<string, number>>;
}

type Operation = (company: Company) => Promise<unknown>;

const made: Record<string, number> = {};

async function company(t: Test): Promise<Company> {
  const organization = await askOrganization(t);
  const { owner } = organization;
  const gwen = await owner.createUser('gwen');
  const { user_groups } = await owner.ok('GET', '/user_groups');
  const rows = user_groups as { id: number; name: string }[];
  const groups = Object.fromEntries(rows.map(({ id, name }) => [name, id]));
  await owner.ok('PATCH', `/users/${gwen.userId}`, { role: 600 });
  await gwen.ok('DELETE', '/users/me/subscriptions', { subscriptions: ['general'] });
  await owner.ok('POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'visitors' }],
    principals: [owner.userId, gwen.userId],
  });
  return { ...organization, gwen, groups };
}

const subscribe = (...names: ('hamlet' | 'iago' | 'owner' | 'gwen')[]) => {
  return (all: Company): Promise<unknown> =>
    all.owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'visitors' }],
      principals: names.map((name) => all[name].userId),
    });
};

const unsubscribe = (...names: ('hamlet' | 'iago' | 'owner' | 'gwen')[]) => {
  return (all: Company): Promise<unknown> =>
    all.owner.ok('DELETE', '/users/me/subscriptions', {
      subscriptions: ['visitors'],
      principals: names.map((name) => all[name].userId),
    });
};

const access = (name: string) => {
  return ({ owner, groups }: Company): Promise<unknown> =>
    owner.ok('PATCH', '/realm', { can_access_all_users_group: { new: groups[name] } });
};

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'a status': ({ hamlet }) => hamlet.ok('POST', '/users/me/status', { status_text: 'at work' }),
  'guests see only whom they have to do with': access('role:members'),
  'the name of somebody unknown': ({ owner, hamlet }) =>
    owner.ok('PATCH', `/users/${hamlet.userId}`, { full_name: 'Prince Hamlet' }),
  'their status': ({ hamlet }) => hamlet.ok('POST', '/users/me/status', { status_text: 'away' }),
  'their time zone': ({ hamlet }) => hamlet.ok('PATCH', '/settings', { timezone: 'Asia/Tokyo' }),
  'they are subscribed': subscribe('hamlet', 'iago'),
  'the name of somebody known': ({ owner, hamlet }) =>
    owner.ok('PATCH', `/users/${hamlet.userId}`, { full_name: 'Hamlet' }),
  'they post, and are known': ({ hamlet }) => hamlet.say('here I am', 'visitors'),
  'a group of somebody known and the owner': async ({ owner, hamlet, iago }) => {
    const reply = await owner.ok('POST', '/user_groups/create', {
      name: 'crew',
      description: '',
      members: [hamlet.userId, iago.userId],
    });
    made.group = Number(reply.group_id);
  },
  'they are unsubscribed': unsubscribe('hamlet', 'iago'),
  'they are taken from the group': ({ owner, iago }) =>
    owner.ok('POST', `/user_groups/${made.group}/members`, { delete: [iago.userId] }),
  'one of them posts all the same': ({ hamlet }) => hamlet.say('passing by', 'visitors'),
  'and reacts': async ({ hamlet, owner }) => {
    const id = await owner.say('who is there?', 'visitors');
    await hamlet.ok('POST', `/messages/${id}/reactions`, { emoji_name: 'tada' });
  },
  'the group is deactivated': ({ owner }) =>
    owner.ok('POST', `/user_groups/${made.group}/deactivate`),
  'and reactivated': ({ owner }) =>
    owner.ok('PATCH', `/user_groups/${made.group}`, { deactivated: false }),
  'a direct message to the guest': ({ hamlet, gwen }) => hamlet.tell([gwen.userId], 'psst'),
  'a group conversation': ({ hamlet, iago, gwen }) =>
    hamlet.tell([gwen.userId, iago.userId], 'all of us'),
  'somebody known is deactivated': ({ owner, iago }) => owner.ok('DELETE', `/users/${iago.userId}`),
  'and reactivated again': ({ owner, iago }) =>
    owner.ok('POST', `/users/${iago.userId}/reactivate`),
  'somebody new': async ({ owner }) => {
    made.zoe = (await owner.createUser('zoe')).userId;
  },
  'comes to the channel': ({ owner }) =>
    owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'visitors' }],
      principals: [made.zoe],
    }),
  'is deactivated': ({ owner }) => owner.ok('DELETE', `/users/${made.zoe}`),
  'and reactivated in the channel': ({ owner }) =>
    owner.ok('POST', `/users/${made.zoe}/reactivate`),
  'the guest leaves': unsubscribe('gwen'),
  'and comes back': subscribe('gwen'),
  'the guest becomes a member': ({ owner, gwen }) =>
    owner.ok('PATCH', `/users/${gwen.userId}`, { role: 400 }),
  'and a guest again': ({ owner, gwen }) =>
    owner.ok('PATCH', `/users/${gwen.userId}`, { role: 600 }),
  'a bot, whom all see': async ({ hamlet }) => {
    await hamlet.ok('POST', '/bots', { full_name: 'Prompter', short_name: 'prompter' });
  },
  'guests see everybody': access('role:everyone'),
};

void t.test('snapshot and events meet: guests who see only some users', async (t) => {
  const all = await company(t);
  const viewers = [
    await Viewer.open('owner', all.owner, MODERN),
    await Viewer.open('guest', all.gwen, MODERN),
    await Viewer.open('guest, legacy', all.gwen, LEGACY),
  ];
  await check(t, all, viewers, OPERATIONS);
  await t.test('no reply or event shows a guest the texts of a hidden user', (t) => canary(t, all));
});

/** What nobody but those who see the hidden user may read; each found nowhere else. */
const CANARIES = [
  'Zanzibar Quokka',
  'quokka.of.zanzibar',
  'basking on a rock',
  'marsupial profile',
  'Antarctica/Vostok',
];

/** A client that keeps every byte it gets. */
class Watched extends ApiClient {
  readonly seen: { readonly what: string; readonly text: string }[] = [];

  static of(client: ApiClient): Watched {
    return new Watched(client.url, client.email, client.key, client.userId);
  }

  override async call(...args: globalThis.Parameters<ApiClient['call']>): Promise<Reply> {
    const reply = await super.call(...args);
    this.seen.push({ what: `${args[0]} ${args[1]} ${JSON.stringify(args[2])}`, text: reply.text });
    return reply;
  }
}

/** No byte of a user who is hidden from a guest reaches the guest, whatever the guest asks and whoever does what. */
async function canary(t: Test, all: Company): Promise<void> {
  const { owner, hamlet } = all;
  await access('role:members')(all);
  await owner.ok('POST', '/users', {
    email: 'quokka.of.zanzibar@example.org',
    full_name: 'Zanzibar Quokka',
    password: 'willow-anchor-quokka-47',
  });
  const quokka = await ApiClient.login(
    all.server.url,
    'quokka.of.zanzibar@example.org',
    'willow-anchor-quokka-47',
  );
  const id = quokka.userId;
  const gwen = Watched.of(all.gwen);
  const { fields } = (await owner.ok('POST', '/realm/profile_fields', {
    name: 'About',
    field_type: 1,
  })) as { fields?: unknown };
  t.equal(fields, undefined);
  const { custom_fields } = (await owner.ok('GET', '/realm/profile_fields')) as {
    custom_fields: Body[];
  };
  const field = custom_fields[0]!.id;
  const queues = [
    await QueueReader.open(gwen, MODERN),
    await QueueReader.open(gwen, LEGACY),
    await QueueReader.open(gwen, { ...LEGACY, apply_markdown: false, client_gravatar: false }),
  ];
  const hidden = await quokka.say('who wrote this?', 'visitors');
  await quokka.ok('POST', `/messages/${hidden}/reactions`, { emoji_name: 'tada' });
  const acts: readonly [string, string, Parameters][] = [
    ['POST', '/users/me/status', { status_text: 'basking on a rock' }],
    ['PATCH', '/users/me/profile_data', { data: [{ id: field, value: 'marsupial profile' }] }],
    ['PATCH', '/settings', { timezone: 'Antarctica/Vostok' }],
    ['PATCH', '/settings', { email_address_visibility: 3 }],
    ['PATCH', '/settings', { email_address_visibility: 1 }],
    ['PATCH', '/settings', { presence_enabled: false }],
    ['PATCH', '/settings', { presence_enabled: true }],
    ['POST', '/users/me/presence', { status: 'active', ping_only: true }],
    ['POST', '/typing', { op: 'start', type: 'direct', to: [gwen.userId] }],
    ['POST', '/typing', { op: 'start', type: 'channel', stream_id: 2, topic: 'test' }],
    ['PATCH', `/messages/${hidden}`, { content: 'an edited text' }],
    [
      'PATCH',
      `/messages/${hidden}`,
      {
        topic: 'another topic',
        send_notification_to_new_thread: false,
        send_notification_to_old_thread: false,
      },
    ],
    ['DELETE', `/messages/${hidden}/reactions`, { emoji_name: 'tada' }],
  ];
  for (const [method, path, parameters] of acts) {
    const { body } = await quokka.call(method, path, parameters);
    t.equal(body.result, 'success', `${method} ${path}: ${JSON.stringify(body)}`);
  }
  await quokka.ok('POST', `/messages/${hidden}/reactions`, { emoji_name: 'heart' });
  await owner.ok('PATCH', `/users/${id}`, { role: 300 });
  await owner.ok('DELETE', `/users/${id}`);
  await owner.ok('POST', `/users/${id}/reactivate`);
  await quokka.ok('POST', '/users/me/status', { status_text: 'basking on a rock' });
  await hamlet.tell([id], 'not for guests');
  await notices(all, quokka);

  await everyCall(gwen, id, hidden);
  for (const queue of queues) await queue.now();
  t.ok(gwen.seen.length > 100, `${gwen.seen.length} replies`);
  for (const { what, text } of gwen.seen) {
    // What the guest says comes back in refusals; what the server tells must not.
    const told = CANARIES.filter((word) => text.includes(word) && !what.includes(word));
    t.strictSame(told, [], what);
  }
  await contrast(t, all, quokka);
}

/** What the hidden user does with polls and lists, and what the server tells the guest alone of what they did. */
async function notices({ owner, gwen }: Company, quokka: ApiClient): Promise<void> {
  const own = await quokka.say('/todo Errands\nMilk', 'visitors');
  const poll = await owner.say('/poll Lunch?\nSoup', 'visitors');
  for (const [message_id, action] of [
    [poll, { type: 'vote', key: 'canned,0', vote: 1 }],
    [own, { type: 'strike', key: '0,canned' }],
  ] as const) {
    const content = JSON.stringify(action);
    await quokka.ok('POST', '/submessage', { message_id, msg_type: 'widget', content });
  }
  await owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'annex' }] });
  const principals = [gwen.userId];
  await quokka.ok('POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'annex' }],
    principals,
  });
  const { group_id } = await quokka.ok('POST', '/user_groups/create', {
    name: 'readers',
    description: '',
    members: [quokka.userId],
  });
  await quokka.ok('POST', `/user_groups/${String(group_id)}/members`, { add: principals });
}

/** Everything a guest can ask, of somebody by number, address and name. */
async function everyCall(gwen: ApiClient, id: number, messageId: number): Promise<void> {
  const email = 'quokka.of.zanzibar@example.org';
  const ids = { userId: id, streamId: 2, messageId, queueId: 'none' };
  const valid = validParameters(ids);
  for (const { operation, method, path } of ENDPOINTS) {
    if (method !== 'GET' || path === '/events') continue;
    const parameters = { user_id_or_email: id, email, user_id: id, ...valid[operation] };
    const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent((parameters as Record<string, string | number>)[name] ?? id),
    );
    await gwen.call('GET', filled, parameters);
  }
  for (const who of [id, email, `user${id}@parley.invalid`]) {
    const name = encodeURIComponent(String(who));
    for (const path of [`/users/${name}`, `/users/${name}/presence`, `/users/${name}/status`]) {
      await gwen.call('GET', path, { include_custom_profile_fields: true });
    }
    for (const narrow of [
      [['sender', who]],
      [['dm', [who]]],
      [['dm-including', who]],
      [['mentions', who]],
      [['channel', 'visitors']],
    ]) {
      const page = { anchor: 'newest', num_before: 50, num_after: 0, narrow };
      await gwen.call('GET', '/messages', page);
    }
    await gwen.call('POST', '/messages', { type: 'direct', to: [who], content: 'hello' });
    await gwen.call('POST', '/typing', { op: 'start', type: 'direct', to: [who] });
    await gwen.call('DELETE', '/users/me/subscriptions', {
      subscriptions: ['visitors'],
      principals: [who],
    });
  }
  for (const content of ['@**Zanzibar Quokka**', `@**|${id}**`, `@_**Zanzibar Quokka|${id}**`]) {
    await gwen.call('POST', '/messages/render', { content });
  }
  await gwen.call('GET', '/users', { include_custom_profile_fields: true });
  await gwen.call('GET', '/users', { user_ids: [id] });
  await gwen.call('GET', '/realm/presence');
  await gwen.call('GET', `/messages/${messageId}`);
  await gwen.call('GET', `/messages/${messageId}/history`);
  await gwen.call('GET', `/messages/${messageId}/read_receipts`);
  await gwen.call('POST', '/users/me/presence', { status: 'active', history_limit_days: 14 });
  await gwen.call('POST', `/users/me/muted_users/${id}`);
  await gwen.call('POST', '/scheduled_messages', {
    type: 'direct',
    to: [id],
    content: 'later',
    scheduled_delivery_timestamp: 4_000_000_000,
  });
  const later = { message_id: messageId, scheduled_delivery_timestamp: 4_000_000_000 };
  await gwen.ok('POST', '/reminders', later);
  await gwen.call('GET', '/reminders');
  await gwen.call('GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0 });
  for (const parameters of [MODERN, LEGACY]) await gwen.register(parameters);
}

/** The same is there for who may see it: the canary can sing. */
async function contrast(t: Test, { iago }: Company, quokka: ApiClient): Promise<void> {
  const snapshot = JSON.stringify(await iago.register(MODERN));
  for (const word of CANARIES) t.ok(snapshot.includes(word), word);
  const { user } = await iago.ok('GET', `/users/${quokka.userId}`);
  t.equal((user as Body).full_name, 'Zanzibar Quokka');
}
