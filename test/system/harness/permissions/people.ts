import {
  ACCOUNTS,
  ADMINISTRATORS,
  administratorsElse,
  except,
  HUMANS,
  MEMBERS,
  NO_BOTS,
  NO_RIGHT,
  OWNERS_AMONG_ADMINISTRATORS,
  refused,
  type Matrix,
  type Who,
} from './roles.js';

const NOT_TO_CREATE = refused('User not authorized to create users');

/** A command gives and takes the right; here nobody used it, so roles decide. */
const WHO_CREATES: Who = administratorsElse(NOT_TO_CREATE);

/** A bot of the full member: its owner and administrators; bots have no say in bots. */
const OF_THE_BOT: Who = {
  ...HUMANS,
  moderator: NO_RIGHT,
  'new member': NO_RIGHT,
  guest: NO_RIGHT,
};

/** A group of the administrator: they, and owners by `can_manage_all_groups`. */
const OF_THE_GROUP: Who = {
  ...MEMBERS,
  moderator: NO_RIGHT,
  'full member': NO_RIGHT,
  'new member': NO_RIGHT,
  bot: NO_RIGHT,
};

const NO_KEY_OF_A_PERSON = refused(
  'Webhooks need the API key of an incoming webhook bot or a generic bot.',
);
const ONLY_BOTS: Who = {
  ...ACCOUNTS,
  owner: NO_KEY_OF_A_PERSON,
  administrator: NO_KEY_OF_A_PERSON,
  moderator: NO_KEY_OF_A_PERSON,
  'full member': NO_KEY_OF_A_PERSON,
  'new member': NO_KEY_OF_A_PERSON,
  guest: NO_KEY_OF_A_PERSON,
};

/**
 * Accounts, settings, presence, bots and groups (endpoints-users.md#users, endpoints-groups.md#user-groups,
 * endpoints-bots.md#bots, settings.md#settings; specification-endpoints.md#update-settings,
 * specification-endpoints.md#update-user-group to specification-endpoints.md#update-presence).
 */
export const PEOPLE: Matrix = {
  'get-user-by-email': [{ who: ACCOUNTS, given: () => ({ email: 'owner@example.org' }) }],
  'create-user': [
    {
      who: WHO_CREATES,
      given: (world) => ({
        email: `${world.name()}@example.org`,
        full_name: 'Somebody New',
        password: 'cedar-window-31-map',
      }),
    },
  ],
  'update-user': [
    {
      who: ADMINISTRATORS,
      of: 'a person',
      given: async (world) => ({ user_id: await world.spare(400), full_name: `A${world.fresh()}` }),
    },
    {
      who: except(ADMINISTRATORS, { 'full member': 'allowed' }),
      of: 'the name of a bot',
      target: 'bot',
      given: async (world) => ({ user_id: await world.bot(), full_name: `B${world.fresh()}` }),
    },
    {
      who: OWNERS_AMONG_ADMINISTRATORS,
      of: 'the role of an owner',
      given: async (world) => ({ user_id: await world.spare(400), role: 100 }),
    },
    {
      who: ADMINISTRATORS,
      of: 'another role',
      given: async (world) => ({ user_id: await world.spare(400), role: 400 }),
    },
  ],
  'update-user-by-email': [
    {
      who: ADMINISTRATORS,
      given: async (world) => {
        await world.spare(400);
        return { email: 'spare400@example.org', full_name: `A${world.fresh()}` };
      },
    },
  ],
  'deactivate-user': [
    {
      who: ADMINISTRATORS,
      of: 'a member',
      given: async (world) => ({ user_id: await world.spare(400) }),
    },
    {
      who: OWNERS_AMONG_ADMINISTRATORS,
      of: 'an owner',
      given: async (world) => ({ user_id: await world.spare(100) }),
    },
  ],
  'reactivate-user': [
    { who: ADMINISTRATORS, given: async (world) => ({ user_id: await world.spare(400, false) }) },
  ],
  'deactivate-own-user': [{ who: HUMANS, doomed: true }],
  'regenerate-own-api-key': [{ who: ACCOUNTS, doomed: true }],
  'end-session': [
    {
      who: HUMANS,
      given: () => ({ session_id: 1 }),
      meets: refused('No such session', 'BAD_REQUEST', 404),
    },
  ],
  'begin-two-factor': [
    { who: HUMANS, given: () => ({ password: 'not theirs' }), meets: refused('Wrong password!') },
  ],
  'confirm-two-factor': [
    {
      who: HUMANS,
      given: () => ({ code: '000000' }),
      meets: refused('Two-factor authentication was not begun.'),
    },
  ],
  'remove-two-factor': [
    {
      who: HUMANS,
      given: () => ({ password: 'not theirs', code: '000000' }),
      meets: refused('Two-factor authentication is off.'),
    },
  ],

  'update-settings': [
    { who: HUMANS, of: 'oneself', given: () => ({ enter_sends: true }) },
    {
      who: except(ADMINISTRATORS, { bot: NO_BOTS }),
      of: 'others',
      given: async (world) => ({
        enter_sends: true,
        target_users: { user_ids: [await world.spare(400)], skip_if_already_edited: false },
      }),
    },
  ],
  // Humans only, as the profile is (endpoints-users.md#avatar).
  'update-own-profile-data': [{ who: HUMANS, given: () => ({ data: [] }) }],
  'remove-own-profile-data': [{ who: HUMANS, given: () => ({ data: [] }) }],
  'get-user-presence': [
    {
      who: ACCOUNTS,
      given: async ({ owner }) => {
        await owner.ok('POST', '/users/me/presence', { status: 'active', ping_only: true });
        return { user_id_or_email: owner.userId };
      },
    },
  ],

  // The body of a webhook is no form, so parameters in it are only part of the message.
  'probe-webhook': [{ who: ONLY_BOTS, given: () => ({ integration: 'json' }) }],
  'receive-webhook': [{ who: ONLY_BOTS, given: () => ({ integration: 'json', play: 'Hamlet' }) }],
  'create-bot': [
    {
      who: except(HUMANS, { 'new member': NO_RIGHT, guest: NO_RIGHT }),
      given: (world) => ({ full_name: `Bot ${world.fresh()}`, short_name: world.name() }),
    },
    {
      of: 'for incoming webhooks',
      who: except(HUMANS, { guest: NO_RIGHT }),
      given: (world) => ({
        ...{ full_name: `Bot ${world.fresh()}`, short_name: world.name(), bot_type: 2 },
      }),
    },
  ],
  'update-bot': [
    {
      who: OF_THE_BOT,
      given: async (world) => ({ bot_id: await world.bot(), full_name: `C${world.fresh()}` }),
    },
  ],
  'deactivate-bot': [{ who: OF_THE_BOT, given: async (world) => ({ bot_id: await world.bot() }) }],
  'get-bot-api-key': [{ who: OF_THE_BOT, given: async (world) => ({ bot_id: await world.bot() }) }],
  'regenerate-bot-api-key': [
    { who: OF_THE_BOT, given: async (world) => ({ bot_id: await world.bot() }) },
  ],

  'create-user-group': [
    {
      who: except(MEMBERS, { 'new member': NO_RIGHT }),
      given: (world) => ({ name: world.name(), description: '', members: [] }),
    },
  ],
  'update-user-group': [
    {
      who: OF_THE_GROUP,
      given: async (world) => ({ user_group_id: await world.group(), description: 'else' }),
    },
  ],
  'deactivate-user-group': [
    { who: OF_THE_GROUP, given: async (world) => ({ user_group_id: await world.group() }) },
  ],
  'update-user-group-members': [
    {
      who: OF_THE_GROUP,
      of: 'somebody else',
      given: async (world) => ({ user_group_id: await world.group(), add: [world.owner.userId] }),
    },
    {
      // `can_leave_group` is everyone by default.
      who: MEMBERS,
      of: 'leaving',
      given: async (world, caller) => {
        const user_group_id = await world.group();
        const add = [caller.userId];
        await world.administrator.ok('POST', `/user_groups/${user_group_id}/members`, { add });
        return { user_group_id, delete: add };
      },
    },
  ],
  'update-user-group-subgroups': [
    {
      who: OF_THE_GROUP,
      given: async (world) => ({
        user_group_id: await world.group(),
        add: [await world.group()],
      }),
    },
  ],
};
