import Type, { type TProperties, type TSchema } from 'typebox';
import { CHANNEL_PERMISSIONS, TOPICS_POLICIES } from './channel-document.js';
import { GroupSettingValue } from '../groups/group-document.js';
import { nullable, oneOf } from '../endpoint.js';
import { ChannelObject, SubscriptionObject } from './channel-object.js';
import { exact } from '../exact.js';
import { events } from '../event.js';

const Int = Type.Integer();
const Flag = Type.Boolean();
const Text = Type.String();
const Ids = Type.Array(Int);
const stream = Type.Literal('stream');

/** events-channels.md#channels. */
export const streamCreate = Type.Object(
  { type: stream, op: Type.Literal('create'), streams: Type.Array(ChannelObject) },
  exact,
);

/** events-channels.md#channels. */
export const streamDelete = Type.Object(
  {
    type: stream,
    op: Type.Literal('delete'),
    streams: Type.Array(Type.Object({ stream_id: Int }, exact)),
    stream_ids: Ids,
  },
  exact,
);

const UPDATE = { type: stream, op: Type.Literal('update'), stream_id: Int, name: Text };
function update<P extends TSchema, V extends TSchema, E extends TProperties = Record<never, never>>(
  property: P,
  value: V,
  extras?: E,
) {
  return Type.Object({ ...UPDATE, property, value, ...(extras as E) }, exact);
}

/** events-channels.md#channels, by the kind of property. */
export const streamUpdates = [
  update(Type.Literal('name'), Text),
  update(Type.Literal('description'), Text, { rendered_description: Text }),
  update(Type.Literal('invite_only'), Flag, {
    history_public_to_subscribers: Flag,
    is_web_public: Flag,
  }),
  update(Type.Literal('stream_post_policy'), oneOf(1, 2, 3, 4)),
  update(oneOf('is_announcement_only', 'is_recently_active', 'is_archived'), Flag),
  update(
    oneOf('message_retention_days', 'first_message_id', 'folder_id', 'stream_weekly_traffic'),
    nullable(Type.Number()),
  ),
  update(Type.Literal('topics_policy'), oneOf(...TOPICS_POLICIES)),
  update(oneOf(...CHANNEL_PERMISSIONS), GroupSettingValue),
] as const;

/** events-channels.md#channels. */
export const defaultStreams = Type.Object(
  { type: Type.Literal('default_streams'), default_streams: Ids },
  exact,
);

const subscription = Type.Literal('subscription');

/** specification.md#events: the user was subscribed. */
export const subscriptionAdd = Type.Object(
  { type: subscription, op: Type.Literal('add'), subscriptions: Type.Array(SubscriptionObject) },
  exact,
);

/** events-channels.md#channels. */
export const subscriptionRemove = Type.Object(
  {
    type: subscription,
    op: Type.Literal('remove'),
    subscriptions: Type.Array(Type.Object({ stream_id: Int, name: Text }, exact)),
  },
  exact,
);

/** events-channels.md#channels. */
export const subscriptionUpdate = Type.Object(
  {
    type: subscription,
    op: Type.Literal('update'),
    stream_id: Int,
    property: Text,
    value: Type.Union([Flag, Text, Type.Null()]),
  },
  exact,
);

/** events-channels.md#channels: others came, or left. */
export const subscriptionPeers = Type.Object(
  {
    type: subscription,
    op: oneOf('peer_add', 'peer_remove'),
    stream_ids: Ids,
    user_ids: Ids,
  },
  exact,
);

/** All events of channels and subscriptions. */
export const channelEvents = events(
  streamCreate,
  streamDelete,
  ...streamUpdates,
  defaultStreams,
  subscriptionAdd,
  subscriptionRemove,
  subscriptionUpdate,
  subscriptionPeers,
);
