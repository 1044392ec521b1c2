import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

interface Company extends AskedOrganization {
  /** A bot of Hamlet's, which looks on. */
  readonly prompter: ApiClient;
}

/** Bots that operations made, by name. */
const made: Record<string, number> = {};

type Operation = (organization: Company) => Promise<unknown>;

async function createBot(owner: ApiClient, name: string, more = {}): Promise<ApiClient> {
  const parameters = { full_name: name, short_name: name.toLowerCase(), ...more };
  const { user_id, api_key } = await owner.ok('POST', '/bots', parameters);
  made[name] = Number(user_id);
  const { user } = await owner.ok('GET', `/users/${String(user_id)}`);
  const { email } = user as { email: string };
  return new ApiClient(owner.url, email, String(api_key), Number(user_id));
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'a bot': ({ hamlet }) => createBot(hamlet, 'Echo'),
  'a bot with defaults': ({ iago }) =>
    createBot(iago, 'Weather', {
      bot_type: 2,
      default_sending_stream: 'general',
      default_all_public_streams: true,
    }),
  'other defaults': ({ hamlet }) =>
    hamlet.ok('PATCH', `/bots/${made.Echo}`, {
      default_sending_stream: 'general',
      default_events_register_stream: 'general',
    }),
  'the same again': ({ owner }) =>
    owner.ok('PATCH', `/bots/${made.Echo}`, {
      default_sending_stream: 'general',
      default_all_public_streams: true,
    }),
  'no default': ({ hamlet }) =>
    hamlet.ok('PATCH', `/bots/${made.Echo}`, { default_sending_stream: '' }),
  'another name and address': ({ hamlet }) =>
    hamlet.ok('PATCH', `/bots/${made.Echo}`, { full_name: 'Narcissus', short_name: 'narcissus' }),
  'another owner': ({ hamlet, iago }) =>
    hamlet.ok('PATCH', `/bots/${made.Echo}`, { bot_owner_id: iago.userId }),
  'an administrator as owner': ({ owner }) =>
    owner.ok('PATCH', `/bots/${made.Echo}`, { bot_owner_id: owner.userId }),
  'back to a member': ({ owner, hamlet }) =>
    owner.ok('PATCH', `/bots/${made.Echo}`, { bot_owner_id: hamlet.userId }),
  'a bot becomes an administrator': ({ owner, prompter }) =>
    owner.ok('PATCH', `/bots/${prompter.userId}`, { role: 200 }),
  'a bot becomes a member': ({ owner, prompter }) =>
    owner.ok('PATCH', `/users/${prompter.userId}`, { role: 400 }),
  'a member becomes an administrator': ({ owner, iago }) =>
    owner.ok('PATCH', `/users/${iago.userId}`, { role: 200 }),
  'an administrator becomes a member': ({ owner, iago }) =>
    owner.ok('PATCH', `/users/${iago.userId}`, { role: 400 }),
  'a bot is subscribed': ({ owner }) =>
    owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'general' }],
      principals: [made.Echo],
    }),
  'a bot is deactivated': ({ hamlet }) => hamlet.ok('DELETE', `/bots/${made.Echo}`),
  'and comes back': ({ owner }) => owner.ok('POST', `/users/${made.Echo}/reactivate`),
  'its owner is deactivated': ({ owner, iago }) => owner.ok('DELETE', `/users/${iago.userId}`),
  'a bot comes back without its owner': ({ owner }) =>
    owner.ok('POST', `/users/${made.Weather}/reactivate`),
};

void t.test('snapshot and events meet: bots', async (t) => {
  const organization = await askOrganization(t);
  const { owner, hamlet, iago } = organization;
  const prompter = await createBot(hamlet, 'Prompter');
  const company: Company = { ...organization, prompter };
  const viewers: Viewer[] = [];
  for (const [who, client] of Object.entries({ owner, hamlet, prompter })) {
    viewers.push(await Viewer.open(`${who}, modern`, client, MODERN));
    viewers.push(await Viewer.open(`${who}, legacy`, client, LEGACY));
  }
  const staying = Object.entries(OPERATIONS).filter(([name]) => !/owner is|without its/.test(name));
  const iagos = [
    await Viewer.open('iago, modern', iago, MODERN),
    await Viewer.open('iago, plain', iago, {}),
  ];
  await check(t, company, [...viewers, ...iagos], Object.fromEntries(staying));
  const leaving = Object.entries(OPERATIONS).slice(staying.length);
  await check(t, company, viewers, Object.fromEntries(leaving));
});
