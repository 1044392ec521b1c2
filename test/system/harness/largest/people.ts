import { text } from './messages.js';
import { atFullScale, upTo, type Rows } from './world.js';

function names(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix} ${i}`);
}

/** People invited at once: of the 500 of a day one is left for the invitation that is sent again. */
const INVITED = 499;
const TOO_MANY_INVITED =
  'To protect users, the number of invitations that can be sent in one day is limited. ' +
  'Because you have reached the limit, no invitations were sent.';

/** Groups within groups: their ids follow that of the first row's group. */
const NESTED_GROUPS = 60;
const FIRST_NESTED = 10;
const LAST_NESTED = FIRST_NESTED + NESTED_GROUPS - 1;

const newChannels = (count: number, prefix: string) =>
  names(count, prefix).map((name) => ({ name, description: text(1024) }));

/** Requests about channels, groups and people. */
export const PEOPLE_ROWS: Rows = {
  subscribe: ({ people, fresh }) => [
    {
      what: 'many to many new ones',
      params: {
        subscriptions: newChannels(upTo(3000), 'new'),
        principals: people.slice(0, upTo(400)),
      },
      status: 400,
    },
    {
      what: 'many new ones, for oneself',
      params: { subscriptions: newChannels(upTo(100), `own ${fresh()}`) },
    },
    {
      what: 'many private new ones, for oneself',
      params: {
        subscriptions: newChannels(upTo(100), 'secret'),
        invite_only: true,
      },
    },
    {
      what: 'everybody to a new one',
      params: {
        subscriptions: [{ name: `all ${fresh()}` }],
        principals: people.slice(0, upTo(10_000)),
      },
    },
    {
      what: 'everybody to a private new one',
      params: {
        subscriptions: [{ name: `priv ${fresh()}` }],
        principals: people.slice(0, upTo(10_000)),
        invite_only: true,
      },
    },
    {
      what: 'a hundred to a hundred new ones',
      params: {
        subscriptions: newChannels(upTo(100, 20), `square ${fresh()}`),
        principals: people.slice(0, upTo(100, 20)),
        announce: true,
      },
    },
    {
      what: 'existing',
      params: { subscriptions: [{ name: 'everybody' }], principals: people.slice(0, upTo(10_000)) },
    },
  ],
  unsubscribe: ({ people }) => [
    {
      what: 'everybody',
      params: { subscriptions: ['all 2'], principals: people.slice(0, upTo(10_000)) },
    },
    {
      what: 'everybody, private',
      params: { subscriptions: ['priv 3'], principals: people.slice(0, upTo(10_000)) },
    },
    {
      what: 'a hundred from a hundred',
      params: {
        subscriptions: names(upTo(100, 20), 'square 4'),
        principals: people.slice(0, upTo(100, 20)),
      },
    },
  ],
  'update-subscriptions': ({ fresh }) => {
    const n = fresh();
    return [
      { what: 'add', params: { add: newChannels(upTo(100), `patch ${n}`) } },
      { what: 'delete', params: { delete: names(upTo(100), `patch ${n}`) } },
    ];
  },
  'create-channel': ({ people }) => [
    {
      params: {
        name: 'created',
        subscribers: people.slice(0, upTo(10_000)),
        description: text(1000),
      },
    },
    {
      what: 'private',
      params: {
        name: 'created private',
        invite_only: true,
        subscribers: people.slice(0, upTo(10_000)),
      },
    },
  ],
  'get-channels': () => ({ params: { include_all: true } }),
  'get-channel-id': () => ({ params: { stream: 'everybody' } }),
  'get-channel-email-address': ({ everybody }) => ({
    params: { stream_id: everybody },
    status: 400,
  }),
  'get-subscriptions': () => ({ params: { include_subscribers: true } }),
  'update-channel': ({ long }) => [
    {
      what: 'private',
      params: { stream_id: long, is_private: true, history_public_to_subscribers: false },
    },
    { what: 'public again', params: { stream_id: long, is_private: false } },
    { what: 'name', params: { stream_id: long, new_name: 'long ones', description: text(1000) } },
  ],
  'create-channel-folder': () => ({ params: { name: 'folder', description: text(1000) } }),
  'update-channel-folder': () => ({ params: { channel_folder_id: 1, description: text(1000) } }),
  'reorder-channel-folders': () => ({
    params: { order: Array.from({ length: upTo(10_000) }, (_, i) => i) },
    status: 400,
  }),
  'update-subscription-properties': ({ everybody }) => [
    {
      params: {
        subscription_data: Array.from({ length: upTo(10_000) }, (_, i) => ({
          stream_id: everybody,
          property: 'pin_to_top',
          value: i % 2 === 0,
        })),
      },
    },
    {
      what: 'a colour after the other',
      params: {
        subscription_data: Array.from({ length: upTo(10_000) }, (_, i) => ({
          stream_id: everybody,
          property: 'color',
          value: `#${100_000 + i}`,
        })),
      },
    },
  ],
  'update-subscription-property': ({ everybody }) => ({
    params: { stream_id: everybody, property: 'is_muted', value: true },
  }),
  'create-user-group': ({ people }) => [
    {
      params: {
        name: 'all of us',
        description: text(1000),
        members: people.slice(0, upTo(10_000)),
        subgroups: [1, 2, 3, 4, 5],
      },
    },
    // Each contains all before it.
    ...Array.from({ length: NESTED_GROUPS }, (_, i) => ({
      what: `nested ${i}`,
      params: {
        name: `nested ${i}`,
        description: '',
        members: people.slice(i, i + 1),
        subgroups: Array.from({ length: i }, (_, before) => FIRST_NESTED + before),
      },
    })),
  ],
  'update-user-group-members': ({ people }) => [
    { what: 'delete', params: { user_group_id: 9, delete: people.slice(0, upTo(10_000)) } },
    { what: 'add', params: { user_group_id: 9, add: people.slice(0, upTo(10_000)) } },
  ],
  'update-user-group-subgroups': () => ({ params: { user_group_id: 9, delete: [1, 2, 3, 4, 5] } }),
  'update-user-group': ({ people }) => ({
    params: {
      user_group_id: 9,
      name: 'renamed group',
      can_mention_group: {
        new: { direct_members: people.slice(0, upTo(1000)), direct_subgroups: [] },
      },
    },
  }),
  'get-user-group-members': () => [
    { params: { user_group_id: 9 } },
    { what: 'of nested groups', params: { user_group_id: LAST_NESTED } },
  ],
  'get-is-user-group-member': ({ people }) => [
    { params: { user_group_id: 9, user_id: people[0] } },
    {
      what: 'of nested groups',
      params: { user_group_id: LAST_NESTED, user_id: people[people.length - 1] },
    },
  ],
  'get-user-group-subgroups': () => [
    { params: { user_group_id: 9 } },
    { what: 'nested', params: { user_group_id: LAST_NESTED } },
  ],
  'deactivate-user-group': () => ({ params: { user_group_id: 9 }, status: 200 }),
  'get-users': ({ people }) => [
    { params: { client_gravatar: false, include_custom_profile_fields: true } },
    { what: 'by id', params: { user_ids: people.slice(0, upTo(10_000)), client_gravatar: false } },
  ],
  'get-user-by-email': ({ owner }) => ({ params: { email: owner.email } }),
  'create-user': () => ({
    params: { email: 'x@example.org', full_name: 'X Y', password: 'long window pane 4711' },
  }),
  'update-user': ({ spare }) => [
    { what: 'role', params: { user_id: spare[1]!.userId, role: 300 } },
    { what: 'guest', params: { user_id: spare[1]!.userId, role: 600 } },
    { what: 'name', params: { user_id: spare[1]!.userId, full_name: 'Renamed' } },
  ],
  'update-user-by-email': ({ owner }) => ({
    params: { email: owner.email, full_name: 'Owner Again' },
  }),
  'deactivate-user': ({ spare }) => ({ params: { user_id: spare[2]!.userId } }),
  'reactivate-user': ({ spare }) => ({ params: { user_id: spare[2]!.userId } }),
  'mute-user': ({ people, accounts }) => ({
    params: { muted_user_id: people[3] },
    as: accounts[8]!.authorization,
  }),
  'unmute-user': ({ people, accounts }) => ({
    params: { muted_user_id: people[3] },
    as: accounts[8]!.authorization,
  }),
  'get-user-presence': ({ people }) => ({ params: { user_id_or_email: people[0] }, status: 400 }),
  'update-presence': () => [
    { params: { status: 'active', last_update_id: -1, slim_presence: true } },
    { what: 'legacy', params: { status: 'active' } },
  ],
  'send-invites': () => [
    {
      what: 'many addresses, many channels',
      params: {
        invitee_emails: Array.from(
          { length: upTo(INVITED, 50) },
          (_, i) => `guest${i}@x.example`,
        ).join(),
        stream_ids: [1, 2, 3],
        group_ids: [],
        invite_expires_in_minutes: 100,
        invite_as: 400,
      },
    },
    {
      what: 'too many addresses',
      params: {
        invitee_emails: Array.from({ length: 30_000 }, (_, i) => `guest${i}@x.example`).join(),
        stream_ids: [1],
      },
      status: 400,
    },
  ],
  'create-invite-link': () => ({ params: { stream_ids: [1, 2, 3] } }),
  'resend-invite': () => [
    { params: { invite_id: 1 } },
    ...atFullScale({
      what: 'too many in a day',
      params: { invite_id: 1 },
      refusal: TOO_MANY_INVITED,
    }),
  ],
  'revoke-invite': () => ({ params: { invite_id: 1 } }),
  'archive-channel': ({ everybody }) => ({ params: { stream_id: everybody } }),
  'revoke-invite-link': () => ({ params: { invite_id: 1 } }),
};
