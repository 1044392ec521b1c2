import {
  ACCOUNTS,
  ADMINISTRATORS,
  administratorsElse,
  except,
  MEMBERS,
  NO_GUESTS,
  NO_RIGHT,
  NOT_OWNER,
  refused,
  type Matrix,
  type Who,
} from './roles.js';
import type { World } from './world.js';

/** A channel of the owner: administrators, beside whom the channel says. */
const OF_THE_CHANNEL: Who = except(
  administratorsElse(
    refused('You do not have permission to administer this channel.', 'CANNOT_ADMINISTER_CHANNEL'),
  ),
  { guest: NO_GUESTS },
);

const inGeneral = ({ general }: World) => ({ stream_id: general });

/**
 * Channels, subscriptions and folders (endpoints-channels.md#channels; specification-endpoints.md#update-subscriptions
 * and specification-endpoints.md#update-subscription).
 */
export const CHANNELS: Matrix = {
  'get-channels': [
    { who: ACCOUNTS, of: 'those one sees' },
    {
      who: except(ACCOUNTS, { guest: refused('User not authorized for this query') }),
      of: 'all',
      given: () => ({ include_all: true }),
    },
  ],
  subscribe: [
    {
      who: MEMBERS,
      of: 'oneself, to what is there',
      given: async (world) => ({ subscriptions: [{ name: (await world.channel()).name }] }),
    },
    {
      who: except(MEMBERS, { 'new member': NO_RIGHT }),
      of: 'a new public channel',
      given: (world) => ({ subscriptions: [{ name: world.name() }] }),
    },
    {
      who: except(MEMBERS, { 'new member': NO_RIGHT }),
      of: 'a new private channel',
      given: (world) => ({ subscriptions: [{ name: world.name() }], invite_only: true }),
    },
    {
      who: except(MEMBERS, {
        'new member': refused('You do not have permission to subscribe other users to channels.'),
      }),
      of: 'others',
      given: async (world) => ({
        subscriptions: [{ name: (await world.channel()).name }],
        principals: [await world.spare(400)],
      }),
    },
  ],
  unsubscribe: [
    {
      who: ACCOUNTS,
      of: 'oneself',
      given: async (world, caller) => {
        const { name } = await world.channel({ principals: [caller.userId] });
        return { subscriptions: [name] };
      },
    },
    {
      // `can_remove_subscribers_group` is administrators by default.
      who: administratorsElse(NO_RIGHT),
      of: 'others',
      given: async (world, caller) => {
        const others = await world.spare(400);
        const { name } = await world.channel({ principals: [caller.userId, others] });
        return { subscriptions: [name], principals: [others] };
      },
    },
  ],
  'update-subscriptions': [
    {
      who: MEMBERS,
      of: 'joining',
      given: async (world) => ({ add: [{ name: (await world.channel()).name }] }),
    },
    {
      who: ACCOUNTS,
      of: 'leaving',
      given: async (world, caller) => {
        const { name } = await world.channel({ principals: [caller.userId] });
        return { delete: [name] };
      },
    },
  ],

  'get-channel-email-address': [
    {
      who: ACCOUNTS,
      given: inGeneral,
      meets: refused('Sending messages to channels by email is not supported by this server.'),
    },
  ],
  'create-channel': [
    {
      who: except(MEMBERS, { 'new member': NO_RIGHT }),
      given: (world, caller) => ({ name: world.name(), subscribers: [caller.userId] }),
    },
  ],
  'update-channel': [
    {
      who: OF_THE_CHANNEL,
      of: 'most settings',
      given: async (world) => ({
        stream_id: (await world.channel()).stream_id,
        description: world.name(),
      }),
    },
    {
      who: except(OF_THE_CHANNEL, { administrator: NOT_OWNER }),
      of: 'the retention period',
      given: async (world) => ({
        stream_id: (await world.channel()).stream_id,
        message_retention_days: 30,
      }),
    },
  ],
  'archive-channel': [
    {
      who: OF_THE_CHANNEL,
      given: async (world) => ({ stream_id: (await world.channel()).stream_id }),
    },
  ],

  'reorder-channel-folders': [
    {
      who: ADMINISTRATORS,
      given: async (world) => {
        await folder(world);
        const { channel_folders } = await world.owner.ok('GET', '/channel_folders');
        return { order: (channel_folders as { id: number }[]).map((one) => one.id).reverse() };
      },
    },
  ],
};

async function folder(world: World): Promise<number> {
  const made = await world.owner.ok('POST', '/channel_folders/create', { name: world.name() });
  return Number(made.channel_folder_id);
}
