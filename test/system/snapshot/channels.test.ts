import t from 'tap';
import type { ApiClient, Body } from '../harness/client.js';
import { startOrganization, type SmallOrganization } from '../harness/organization.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

interface Theatre extends SmallOrganization {
  readonly guest: ApiClient;
}

type Operation = (theatre: Theatre) => Promise<unknown>;

/** Channels and folders of the operations before, by name. */
const made: Record<string, number> = {};

const only = (...clients: readonly ApiClient[]) => ({
  direct_members: clients.map(({ userId }) => userId),
  direct_subgroups: [],
});

async function create(client: ApiClient, name: string, parameters: Body = {}): Promise<void> {
  const asked = { name, subscribers: [client.userId], ...parameters };
  made[name] = Number((await client.ok('POST', '/channels/create', asked)).id);
}

const change = (client: ApiClient, name: string, parameters: Body) =>
  client.ok('PATCH', `/streams/${made[name]}`, parameters);
const archive = (client: ApiClient, name: string) => client.ok('DELETE', `/streams/${made[name]}`);
const subscriptions = (client: ApiClient, parameters: Body) =>
  client.ok('PATCH', '/users/me/subscriptions', parameters);
const add = (client: ApiClient, name: string, ...others: readonly ApiClient[]) =>
  client.ok('POST', '/users/me/subscriptions', {
    subscriptions: [{ name }],
    principals: others.map(({ userId }) => userId),
  });
const folder = (client: ApiClient, name: string, parameters: Body) =>
  client.ok('PATCH', `/channel_folders/${made[name]}`, parameters);

async function createFolder(client: ApiClient, name: string): Promise<void> {
  const reply = await client.ok('POST', '/channel_folders/create', {
    name,
    description: `*${name}*`,
  });
  made[name] = Number(reply.channel_folder_id);
}

const PROPERTIES: Readonly<Record<string, Operation>> = {
  'a channel with its subscribers': ({ owner, hamlet }) =>
    create(owner, 'stage', { subscribers: [owner.userId, hamlet.userId], description: 'x' }),
  'a channel without any': ({ owner }) => create(owner, 'empty', { subscribers: [] }),
  'a name': ({ owner }) => change(owner, 'stage', { new_name: 'main stage' }),
  'a description': ({ owner }) => change(owner, 'stage', { description: 'All **the**\nworld' }),
  'a retention period': ({ owner }) => change(owner, 'stage', { message_retention_days: 30 }),
  'a topics policy': ({ owner }) =>
    change(owner, 'stage', { topics_policy: 'disable_empty_topic' }),
  permissions: ({ owner, hamlet }) =>
    change(owner, 'stage', {
      can_send_message_group: { new: only(owner, hamlet) },
      can_create_topic_group: { new: only(hamlet) },
      can_resolve_topics_group: { new: only(owner) },
    }),
  'announcements only': ({ owner }) =>
    change(owner, 'stage', { can_send_message_group: { new: only(owner) } }),
  'several at once': ({ owner }) =>
    change(owner, 'stage', {
      new_name: 'stage',
      description: 'again',
      message_retention_days: 'unlimited',
      can_send_message_group: { new: 7 },
      can_create_topic_group: { new: 7 },
    }),
  'a default channel': ({ owner }) =>
    owner.ok('POST', '/default_streams', { stream_id: made.stage }),
  'no default channel': ({ owner }) =>
    owner.ok('DELETE', '/default_streams', { stream_id: made.stage }),
  'a default channel by its settings': ({ owner }) =>
    change(owner, 'empty', { is_default_stream: true }),
  'joining and leaving at once': ({ iago }) =>
    subscriptions(iago, { add: [{ name: 'empty' }, { name: 'stage' }], delete: ['general'] }),
};

const FOLDERS: Readonly<Record<string, Operation>> = {
  'a folder': ({ owner }) => createFolder(owner, 'plays'),
  'another folder': ({ owner }) => createFolder(owner, 'actors'),
  'a channel goes into a folder': ({ owner }) => change(owner, 'stage', { folder_id: made.plays }),
  'a new channel in a folder': ({ hamlet }) =>
    create(hamlet, 'pit', { folder_id: made.plays, invite_only: true }),
  'a folder gets a name': ({ owner }) =>
    folder(owner, 'plays', { name: 'Plays', description: 'On `stage`' }),
  'another order': ({ owner }) =>
    owner.ok('PATCH', '/channel_folders', { order: [made.actors, made.plays] }),
  'a third one': ({ owner }) => createFolder(owner, 'props'),
  'a folder is archived': ({ owner }) => folder(owner, 'actors', { is_archived: true }),
  'and comes back': ({ owner }) => folder(owner, 'actors', { is_archived: false }),
  'a channel leaves its folder': ({ owner }) => change(owner, 'stage', { folder_id: null }),
};

const PRIVACY: Readonly<Record<string, Operation>> = {
  'a guest comes': ({ owner, guest }) => add(owner, 'stage', guest),
  'a message': ({ owner }) => owner.say('hear', 'stage', 'x'),
  'a star of somebody who is not subscribed': async (theatre) => {
    const { owner, hamlet, iago } = theatre;
    await subscriptions(iago, { delete: ['stage'] });
    const message = await owner.say('see', 'stage', 'x');
    made.starred = message;
    for (const client of [iago, hamlet]) {
      await client.ok('POST', '/messages/flags', {
        messages: [message],
        op: 'add',
        flag: 'starred',
      });
    }
  },
  'topics that are muted there': async ({ hamlet, iago, guest }) => {
    const muted = { stream_id: made.stage, topic: 'x', visibility_policy: 1 };
    for (const client of [hamlet, iago, guest]) await client.ok('POST', '/user_topics', muted);
  },
  'public to private': ({ owner }) => change(owner, 'stage', { is_private: true }),
  'shared history': ({ owner }) => change(owner, 'stage', { history_public_to_subscribers: true }),
  'a message to those who are left': ({ owner }) => owner.say('psst', 'stage', 'x'),
  'somebody may subscribe': ({ owner, iago }) =>
    change(owner, 'stage', { can_subscribe_group: { new: only(iago) } }),
  'and may not any more': ({ owner, iago }) =>
    change(owner, 'stage', { can_subscribe_group: { new: only(), old: only(iago) } }),
  'somebody may administer': ({ owner, iago }) =>
    change(owner, 'stage', { can_administer_channel_group: { new: only(iago) } }),
  'a starred message goes that not all can see any more': ({ owner }) =>
    owner.ok('DELETE', `/messages/${made.starred}`),
  'private to public': ({ owner }) => change(owner, 'stage', { is_private: false }),
  'a guest leaves': ({ guest }) => subscriptions(guest, { delete: ['stage'] }),
  'somebody leaves': ({ hamlet }) => subscriptions(hamlet, { delete: ['stage'] }),
  'it is hidden from who left': ({ owner }) => change(owner, 'stage', { is_private: true }),
  'and shown again': ({ owner }) => change(owner, 'stage', { is_private: false }),
  'who left comes back': ({ hamlet }) => subscriptions(hamlet, { add: [{ name: 'stage' }] }),
};

const ARCHIVE: Readonly<Record<string, Operation>> = {
  'who is to read comes again': ({ iago }) => subscriptions(iago, { add: [{ name: 'stage' }] }),
  'a message nobody reads': ({ iago, hamlet }) =>
    iago.say('unread', 'stage', 'x').then(() => hamlet.say('unread', 'stage', 'y')),
  archiving: ({ owner }) => archive(owner, 'stage'),
  'a change in the archive': ({ owner }) =>
    change(owner, 'stage', { description: 'old', new_name: 'old stage' }),
  'who leaves in the archive': ({ iago }) => subscriptions(iago, { delete: ['old stage'] }),
  'back from the archive': ({ owner }) =>
    change(owner, 'stage', { is_archived: false, new_name: 'stage' }),
  'a message after that': ({ owner }) => owner.say('back', 'stage', 'x'),
  'a default channel goes': ({ owner }) => archive(owner, 'empty'),
  'back, private and renamed': ({ owner }) =>
    change(owner, 'empty', { is_archived: false, new_name: 'full', topics_policy: 'inherit' }),
  'the last one leaves a private channel': async ({ hamlet }) => {
    await create(hamlet, 'attic', { invite_only: true });
    await subscriptions(hamlet, { delete: ['attic'] });
  },
  'which comes back': ({ owner }) => change(owner, 'attic', { is_archived: false }),
};

void t.test('snapshot and events meet: channels', async (t) => {
  const organization = await startOrganization(t);
  const { owner, hamlet, iago, server } = organization;
  const guest = await owner.createUser('guest');
  await owner.ok('PATCH', `/users/${guest.userId}`, { role: 600 });
  const theatre: Theatre = { ...organization, guest };
  const viewers = await Promise.all(
    Object.entries({ owner, hamlet, iago, guest }).flatMap(([who, client]) => [
      Viewer.open(`${who}, modern`, client, MODERN),
      Viewer.open(`${who}, legacy`, client, LEGACY),
    ]),
  );
  await check(t, theatre, viewers, { ...PROPERTIES, ...FOLDERS, ...PRIVACY, ...ARCHIVE });

  await t.test('all of it is there after a restart', async (t) => {
    const known = async (client: ApiClient) => {
      const snapshot = await client.register({ ...MODERN });
      const names = ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'];
      return [...names, 'channel_folders'].map((name) => snapshot[name]);
    };
    const before = await known(hamlet);
    await server.stop();
    const { url } = await server.restart(t);
    t.strictSame(await known(hamlet.at(url)), before);
  });
});
