import type { ApiClient, Body } from '../client.js';
import { ACCOUNTS, HUMANS, refused, type Matrix } from './roles.js';
import type { World } from './world.js';

/**
 * What everybody keeps to themselves (endpoints-devices.md#push-devices,
 * endpoints-users.md#muted-users-and-alert-words, endpoints-personal.md#personal-things;
 * specification-endpoints.md#add-apns-token and specification-endpoints.md#add-navigation-view).
 */
export const PERSONAL: Matrix = {
  'edit-draft': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => ({ draft_id: await draft(caller), draft: DRAFT }),
    },
  ],
  'delete-draft': [
    { who: ACCOUNTS, given: async (_world, caller) => ({ draft_id: await draft(caller) }) },
  ],
  'edit-saved-snippet': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => ({ saved_snippet_id: await snippet(caller), title: 'else' }),
    },
  ],
  'delete-saved-snippet': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => ({ saved_snippet_id: await snippet(caller) }),
    },
  ],
  'update-navigation-view': [
    {
      who: ACCOUNTS,
      given: async (world, caller) => ({ fragment: await viewOf(world, caller), is_pinned: false }),
    },
  ],
  'mute-user': [
    {
      who: ACCOUNTS,
      given: async (world, caller) => {
        const muted_user_id = await world.spare(400);
        await caller.call('DELETE', `/users/me/muted_users/${muted_user_id}`);
        return { muted_user_id };
      },
    },
  ],
  'unmute-user': [
    {
      who: ACCOUNTS,
      given: async (world, caller) => {
        const muted_user_id = await world.spare(400);
        await caller.call('POST', `/users/me/muted_users/${muted_user_id}`);
        return { muted_user_id };
      },
    },
  ],

  'remove-apns-token': [
    {
      who: HUMANS,
      given: async (_world, caller) => {
        const token = 'decade';
        await human(caller, '/users/me/apns_device_token', { token, appid: 'org.example.App' });
        return { token };
      },
    },
  ],
  'remove-fcm-token': [
    {
      who: HUMANS,
      given: async (_world, caller) => {
        await human(caller, '/users/me/android_gcm_reg_id', { token: 'other' });
        return { token: 'other' };
      },
    },
  ],
  'send-test-notification': [
    {
      who: HUMANS,
      given: () => ({ token: 'nobody has this one' }),
      meets: refused('Device not recognized', 'INVALID_PUSH_DEVICE_TOKEN'),
    },
  ],
  'remove-client-device': [
    { who: ACCOUNTS, given: async (_world, caller) => ({ device_id: await device(caller) }) },
  ],
  'register-push-device': [
    {
      who: HUMANS,
      given: async (_world, caller) => ({
        device_id: await device(caller),
        push_key_id: 1,
        push_key: Buffer.alloc(33, 1).toString('base64'),
      }),
      meets: refused('No push registration exists to rotate key for.'),
    },
  ],
  // Bots may call, though they can have no such device.
  'send-encrypted-test-notification': [
    {
      who: ACCOUNTS,
      meets: refused('No active registered push device', 'NO_ACTIVE_PUSH_DEVICE'),
    },
  ],
};

const DRAFT = { type: '', to: [], topic: '', content: 'draft' };
const SNIPPET = { title: 'greeting', content: 'hello' };

async function draft(caller: ApiClient): Promise<number> {
  const { ids } = await caller.ok('POST', '/drafts', { drafts: [DRAFT] });
  return (ids as number[])[0]!;
}

async function snippet(caller: ApiClient): Promise<number> {
  return Number((await caller.ok('POST', '/saved_snippets', SNIPPET)).saved_snippet_id);
}

async function device(caller: ApiClient): Promise<number> {
  return Number((await caller.ok('POST', '/register_client_device')).device_id);
}

function view(world: World): Body {
  const name = world.name();
  return { fragment: `narrow/topic/${name}`, is_pinned: true, name };
}

async function viewOf(world: World, caller: ApiClient): Promise<string> {
  const { fragment, ...rest } = view(world);
  await caller.ok('POST', '/navigation_views', { fragment, ...rest });
  return String(fragment);
}

/** Makes what only humans may have; bots go on without it. */
async function human(caller: ApiClient, path: string, parameters: Body): Promise<void> {
  await caller.call('POST', path, parameters);
}
