import t, { type Test } from 'tap';
import { USER_SETTINGS } from '../../../schemas/users/user-settings.js';
import type { ApiClient, Body } from '../harness/client.js';
import { startOrganization, type SmallOrganization } from '../harness/organization.js';
import { otherSetting } from '../harness/other-setting.js';
import { LEGACY, MODERN, Viewer, type Registration } from '../harness/viewers.js';

/** What different clients ask for. */
const REGISTRATIONS: Readonly<Record<string, Registration>> = {
  nothing: {},
  everything: MODERN,
  terminal: LEGACY,
  partial: {
    include_subscribers: 'partial',
    slim_presence: true,
    client_capabilities: { empty_topic_name: true, notification_settings_null: true },
  },
  some: {
    event_types: ['message', 'update_message_flags', 'subscription', 'realm_user', 'stream'],
  },
};

type Operation = (organization: SmallOrganization) => Promise<unknown>;

/** Messages of the operations before, by name. */
const sent: Record<string, number> = {};

const channel = (subscriptions: Body[], more: Body = {}) => ({ subscriptions, ...more });

const MESSAGES: Readonly<Record<string, Operation>> = {
  'a channel message': async ({ owner }) => (sent.first = await owner.say('hello')),
  'a message with mentions': async ({ owner }) =>
    (sent.mention = await owner.say('@**Hamlet** and @_**Iago**')),
  'a channel wildcard': ({ owner }) => owner.say('@**all** listen'),
  'a topic wildcard': ({ owner }) => owner.say('@**topic** listen'),
  'a message to the empty topic': async ({ owner }) =>
    (sent.empty = await owner.say('no topic', 'general', '')),
  'a direct message': async ({ owner, hamlet }) =>
    (sent.direct = await owner.tell([hamlet.userId], 'psst')),
  'a group message': async ({ owner, hamlet, iago }) =>
    (sent.group = await hamlet.tell([owner.userId, iago.userId], 'psst all')),
  'a note to self': ({ hamlet }) => hamlet.tell([hamlet.userId], 'remember'),
  'a message read by its sender explicitly not': ({ owner }) =>
    owner.ok('POST', '/messages', {
      type: 'channel',
      to: 'general',
      topic: 'x',
      content: 'unread by me',
      read_by_sender: false,
    }),
};

const flags = (client: ApiClient, op: string, flag: string, ...messages: number[]) =>
  client.ok('POST', '/messages/flags', { messages, op, flag });

const FLAGS: Readonly<Record<string, Operation>> = {
  'marking as read': ({ hamlet }) => flags(hamlet, 'add', 'read', sent.first!, sent.direct!),
  'marking a mention as read': ({ hamlet }) => flags(hamlet, 'add', 'read', sent.mention!),
  'marking as unread': ({ hamlet }) =>
    flags(hamlet, 'remove', 'read', sent.first!, sent.mention!, sent.direct!),
  'marking a group message as read': ({ iago }) => flags(iago, 'add', 'read', sent.group!),
  'marking it as unread': ({ iago }) => flags(iago, 'remove', 'read', sent.group!),
  'the empty topic as read': ({ iago }) => flags(iago, 'add', 'read', sent.empty!),
  'the empty topic as unread': ({ iago }) => flags(iago, 'remove', 'read', sent.empty!),
  'marking own messages as unread': ({ owner }) => flags(owner, 'remove', 'read', sent.first!),
  starring: ({ hamlet }) => flags(hamlet, 'add', 'starred', sent.first!, sent.group!),
  'taking a star away': ({ hamlet }) => flags(hamlet, 'remove', 'starred', sent.first!),
  collapsing: ({ hamlet }) => flags(hamlet, 'add', 'collapsed', sent.first!),
  typing: ({ owner, hamlet }) => owner.ok('POST', '/typing', { op: 'start', to: [hamlet.userId] }),
};

const subscribe = (client: ApiClient, parameters: Body) =>
  client.ok('POST', '/users/me/subscriptions', parameters);
const unsubscribe = (client: ApiClient, subscriptions: string[], more: Body = {}) =>
  client.ok('DELETE', '/users/me/subscriptions', { subscriptions, ...more });

async function streamId(client: ApiClient, name: string): Promise<number> {
  const { streams } = await client.ok('GET', '/streams');
  return (streams as { name: string; stream_id: number }[]).find((one) => one.name === name)!
    .stream_id;
}

async function property(client: ApiClient, name: string, property: string, value: unknown) {
  await client.ok('PATCH', `/users/me/subscriptions/${await streamId(client, name)}`, {
    property,
    value,
  });
}

const CHANNELS: Readonly<Record<string, Operation>> = {
  'creating a channel': ({ owner }) =>
    subscribe(owner, channel([{ name: 'verona', description: '**fair**', color: '#c2c2c2' }])),
  'a first message in it': ({ owner }) => owner.say('first', 'verona'),
  'subscribing others': ({ owner, hamlet, iago }) =>
    subscribe(owner, channel([{ name: 'verona' }], { principals: [hamlet.userId, iago.userId] })),
  'a message to its new subscribers': ({ hamlet }) => hamlet.say('we are here', 'verona'),
  'muting it': ({ iago }) => property(iago, 'verona', 'is_muted', true),
  'a message in a muted channel': ({ owner }) => owner.say('unheard', 'verona'),
  'unmuting it the old way': ({ iago }) => property(iago, 'verona', 'in_home_view', true),
  'its color': ({ iago }) => property(iago, 'verona', 'color', '#ABCDEF'),
  'pinning it': ({ iago }) => property(iago, 'verona', 'pin_to_top', true),
  'several properties at once': async ({ hamlet }) => {
    const stream_id = await streamId(hamlet, 'verona');
    await hamlet.ok('POST', '/users/me/subscriptions/properties', {
      subscription_data: [
        { stream_id, property: 'desktop_notifications', value: false },
        { stream_id, property: 'audible_notifications', value: true },
        { stream_id, property: 'push_notifications', value: true },
        { stream_id, property: 'email_notifications', value: true },
        { stream_id, property: 'wildcard_mentions_notify', value: false },
        { stream_id, property: 'is_muted', value: true },
      ],
    });
  },
  unsubscribing: ({ iago }) => unsubscribe(iago, ['verona']),
  'a message after leaving': ({ owner }) => owner.say('they left', 'verona'),
  'subscribing again': ({ iago }) => subscribe(iago, channel([{ name: 'verona' }])),
  'unsubscribing somebody': ({ owner, hamlet }) =>
    unsubscribe(owner, ['verona'], { principals: [hamlet.userId] }),
  'creating a private channel': ({ hamlet }) =>
    subscribe(hamlet, channel([{ name: 'secret' }], { invite_only: true })),
  'a message in it': ({ hamlet }) => hamlet.say('only me', 'secret'),
  'adding somebody to a private channel': ({ hamlet, iago }) =>
    subscribe(hamlet, channel([{ name: 'secret' }], { principals: [iago.userId] })),
  'a message to both': ({ hamlet }) => hamlet.say('@**Iago** just us', 'secret'),
  'leaving a private channel': ({ iago }) => unsubscribe(iago, ['secret']),
  'leaving it as the last': ({ hamlet }) => unsubscribe(hamlet, ['secret']),
  'creating several channels for several people': ({ owner, hamlet }) =>
    subscribe(
      owner,
      channel([{ name: 'x' }, { name: 'y' }], {
        principals: [owner.userId, hamlet.userId],
        history_public_to_subscribers: true,
        message_retention_days: 'unlimited',
      }),
    ),
  'creating a default channel, announced': ({ owner }) =>
    subscribe(owner, channel([{ name: 'news' }], { is_default_stream: true, announce: true })),
  'a channel without its creator': ({ owner, iago }) =>
    subscribe(owner, channel([{ name: 'apart' }], { principals: [iago.userId] })),
};

const settings = (client: ApiClient, parameters: Body) =>
  client.ok('PATCH', '/settings', parameters);

const PEOPLE: Readonly<Record<string, Operation>> = {
  'a new account': ({ owner }) => owner.createUser('zoe'),
  'a new name': ({ hamlet }) => settings(hamlet, { full_name: 'Hamlet of Denmark' }),
  'a time zone': ({ hamlet }) => settings(hamlet, { timezone: 'Europe/Rome' }),
  'a first presence': ({ hamlet }) =>
    hamlet.ok('POST', '/users/me/presence', { status: 'active', new_user_input: true }),
  'a second presence': async ({ owner }) => {
    await owner.ok('POST', '/users/me/presence', { status: 'active', new_user_input: true });
    // Its event may come some tenths of a second later, or with the next write.
    const { queue_id } = await owner.register({ event_types: ['realm'] });
    await owner.ok('DELETE', '/events', { queue_id });
  },
  'hiding presence': ({ hamlet }) => settings(hamlet, { presence_enabled: false }),
  'showing presence': ({ hamlet }) => settings(hamlet, { presence_enabled: true }),
  ...Object.fromEntries(
    [2, 3, 4, 5, 1].map((level): [string, Operation] => [
      `e-mail visibility ${level}`,
      ({ hamlet }) => settings(hamlet, { email_address_visibility: level }),
    ]),
  ),
  "somebody else's settings": ({ owner, hamlet, iago }) =>
    settings(owner, {
      starred_message_counts: false,
      target_users: { user_ids: [hamlet.userId, iago.userId], skip_if_already_edited: false },
    }),
};

const SETTINGS: Readonly<Record<string, Operation>> = Object.fromEntries(
  (Object.keys(USER_SETTINGS) as (keyof typeof USER_SETTINGS)[])
    .filter((name) => name !== 'email_address_visibility' && name !== 'presence_enabled')
    .map((name): [string, Operation] => [
      `setting ${name}`,
      ({ iago }) => settings(iago, { [name]: otherSetting(name) }),
    ]),
);

async function check(
  t: Test,
  viewersOf: (organization: SmallOrganization) => Promise<Viewer[]>,
  operations: Readonly<Record<string, Operation>>,
): Promise<void> {
  const organization = await startOrganization(t);
  const { owner } = organization;
  sent.first = await owner.say('before');
  const viewers = await viewersOf(organization);
  for (const [name, operation] of Object.entries(operations)) {
    await t.test(name, async (t) => {
      await operation(organization);
      for (const viewer of viewers) {
        const { believed, actual } = await viewer.compare();
        t.strictSame(believed, actual, viewer.name);
      }
    });
  }
}

/** Every account with every kind of registration. */
async function everyViewer({ owner, hamlet, iago }: SmallOrganization): Promise<Viewer[]> {
  const viewers: Viewer[] = [];
  for (const [who, client] of Object.entries({ owner, hamlet, iago })) {
    for (const [kind, parameters] of Object.entries(REGISTRATIONS)) {
      viewers.push(await Viewer.open(`${who}, asking for ${kind}`, client, parameters));
    }
  }
  return viewers;
}

/** Settings concern one account, whatever it asked for; others are told of nothing. */
async function fewViewers({ owner, iago }: SmallOrganization): Promise<Viewer[]> {
  return [
    await Viewer.open('themselves', iago, MODERN),
    await Viewer.open('somebody else', owner, MODERN),
  ];
}

void t.test('snapshot and events meet: messages', (t) =>
  check(t, everyViewer, { ...MESSAGES, ...FLAGS }),
);
// [c:snapshot-channels]
void t.test('snapshot and events meet: channels', (t) => check(t, everyViewer, CHANNELS));
void t.test('snapshot and events meet: people', (t) => check(t, everyViewer, PEOPLE));
void t.test('snapshot and events meet: settings', (t) => check(t, fewViewers, SETTINGS));
