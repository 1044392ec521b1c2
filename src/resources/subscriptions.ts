import type { ChannelDocument } from '../../schemas/documents/channel.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import {
  getSubscriptions,
  subscribe,
  unsubscribe,
  updateSubscriptions,
} from '../../schemas/channels.js';
import type { ParamsOf } from '../../schemas/endpoint.js';
import { namesOf } from '../../schemas/lenient-list.js';
import { badRequest, guestsNotAllowed } from '../errors.js';
import {
  canCreateChannel,
  channelSettings,
  createChannel,
} from '../organization/channel-creation.js';
import { tellDefaultChannels } from '../organization/channel-events.js';
import {
  noticeAnnounced,
  noticeCreated,
  noticeSubscribed,
} from '../organization/channel-notices.js';
import {
  canAddSubscribers,
  canJoinChannel,
  canRemoveSubscriber,
} from '../organization/channel-rights.js';
import { isUsableFolder } from '../organization/channel-folders.js';
import { subscriptionList } from '../organization/channel-snapshot.js';
import type { Organization } from '../organization/organization.js';
import { canSeeChannel, isGuest } from '../organization/permissions.js';
import { subscribeUsers } from '../organization/subscribing.js';
import type { Transaction } from '../organization/transaction.js';
import { unsubscribeUsers } from '../organization/unsubscribing.js';
import type { Markdown } from '../services/markdown/markdown.js';
import { handle, type AnyHandler } from './handler.js';
import { principalUsers } from './principals.js';
import type { Reply } from './route.js';
import { renderDescription, wantedChannels, type WantedChannel } from './wanted-channels.js';

/** What subscribing and channel creation need of others. */
export interface SubscriptionDependencies {
  readonly markdown: Markdown;
}

type SubscribeParams = ParamsOf<typeof subscribe>;

/** The channels of a subscribe request, sorted out. */
interface Selection {
  readonly existing: ChannelDocument[];
  readonly unauthorized: ChannelDocument[];
  readonly missing: WantedChannel[];
}

function select(
  org: Organization,
  user: UserDocument,
  wanted: readonly WantedChannel[],
): Selection {
  const selection: Selection = { existing: [], unauthorized: [], missing: [] };
  for (const one of wanted) {
    const channel = org.channels.byName(one.name);
    if (!channel) selection.missing.push(one);
    else if (canJoinChannel(org, user, channel)) selection.existing.push(channel);
    else selection.unauthorized.push(channel);
  }
  return selection;
}

function createMissing(
  tx: Transaction,
  user: UserDocument,
  missing: readonly WantedChannel[],
  params: SubscribeParams,
  { markdown }: SubscriptionDependencies,
): ChannelDocument[] {
  if (missing.length === 0) return [];
  if (user.is_bot && !canCreateChannel(tx.org, user, params)) throw doNotExist(missing);
  const settings = channelSettings(tx.org, user, params, isUsableFolder);
  return missing.map(({ name, description }) => {
    const rendered_description = renderDescription(tx.org, markdown, description);
    return createChannel(tx, { name, description, rendered_description }, settings);
  });
}

function doNotExist(channels: readonly { readonly name: string }[]): Error {
  return badRequest(`Channel(s) (${channels.map((one) => one.name).join(', ')}) do not exist`);
}

/** In the order of the request: what exists already and what was made. */
function inOrder(
  org: Organization,
  wanted: readonly WantedChannel[],
  channels: readonly ChannelDocument[],
): ChannelDocument[] {
  const usable = new Set(channels.map((channel) => channel.stream_id));
  return wanted
    .map((one) => org.channels.byName(one.name)!)
    .filter((channel) => usable.has(channel.stream_id));
}

function requireMayAddOthers(
  org: Organization,
  actor: UserDocument,
  users: readonly UserDocument[],
  channels: readonly ChannelDocument[],
): void {
  if (users.every((user) => user.user_id === actor.user_id)) return;
  if (channels.every((channel) => canAddSubscribers(org, actor, channel))) return;
  throw badRequest('You do not have permission to subscribe other users to channels.');
}

function namesByUser(
  channels: ReadonlyMap<number, readonly ChannelDocument[]>,
): Record<string, string[]> {
  return Object.fromEntries(
    [...channels].map(([userId, list]) => [String(userId), list.map((channel) => channel.name)]),
  );
}

function colorsOf(
  org: Organization,
  wanted: readonly WantedChannel[],
): ReadonlyMap<number, string> {
  const colors = new Map<number, string>();
  for (const { name, color } of wanted) {
    const channel = org.channels.byName(name);
    if (channel && color !== undefined) colors.set(channel.stream_id, color);
  }
  return colors;
}

/**
 * `POST /users/me/subscriptions` (endpoints.md section D.3).
 * @param users who is to be subscribed; without it, whom the parameters name
 * @throws ApiError
 */
export function subscribeAll(
  tx: Transaction,
  user: UserDocument,
  params: SubscribeParams,
  parts: SubscriptionDependencies,
  users: readonly UserDocument[] = principalUsers(tx.org, user, params.principals),
): Reply {
  const { org } = tx;
  const wanted = wantedChannels(params.subscriptions);
  const { existing, unauthorized, missing } = select(org, user, wanted);
  if (unauthorized.length > 0 && params.authorization_errors_fatal) {
    throw badRequest(`Unable to access channel (${unauthorized[0]!.name}).`);
  }
  const created = createMissing(tx, user, missing, params, parts);
  const channels = inOrder(org, wanted, [...existing, ...created]);
  requireMayAddOthers(org, user, users, channels);
  const userIds = users.map((one) => one.user_id);
  const result = subscribeUsers(tx, { channels, userIds, colors: colorsOf(org, wanted) });
  if (created.some((channel) => channel.is_default)) tellDefaultChannels(tx);
  for (const channel of created) noticeCreated(tx, parts.markdown, user, channel);
  if (params.announce) noticeAnnounced(tx, parts.markdown, user, created);
  const reply: Record<string, unknown> = {
    subscribed: namesByUser(result.subscribed),
    already_subscribed: namesByUser(result.alreadySubscribed),
  };
  if (!params.authorization_errors_fatal) {
    reply.unauthorized = unauthorized.map((channel) => channel.name);
  }
  if (params.send_new_subscription_messages) {
    reply.new_subscription_messages_sent = noticeSubscribed(tx, parts.markdown, user, result);
  }
  return reply;
}

/** The channels named. @throws ApiError when one does not exist, or not for this user */
function namedChannels(
  org: Organization,
  user: UserDocument,
  names: readonly string[],
): ChannelDocument[] {
  const found = new Set<ChannelDocument>();
  const missing: { name: string }[] = [];
  for (const name of names.map((one) => one.trim())) {
    const channel = org.channels.byName(name);
    if (channel && canSeeChannel(org, user, channel)) found.add(channel);
    else missing.push({ name });
  }
  if (missing.length > 0) throw doNotExist(missing);
  return [...found];
}

/** `DELETE /users/me/subscriptions` (endpoints.md section D.3). */
function unsubscribeAll(
  tx: Transaction,
  user: UserDocument,
  params: ParamsOf<typeof unsubscribe>,
): Reply {
  const { org } = tx;
  const channels = namedChannels(org, user, namesOf(params.subscriptions));
  const users = principalUsers(org, user, params.principals);
  for (const channel of channels) {
    if (!users.every((one) => canRemoveSubscriber(org, user, channel, one))) {
      throw badRequest('Insufficient permission');
    }
  }
  const userIds = users.map((one) => one.user_id);
  const { removed, notSubscribed } = unsubscribeUsers(tx, { channels, userIds });
  const named = (list: ReadonlyMap<ChannelDocument, readonly number[]>) =>
    channels.filter((channel) => list.get(channel)!.length > 0).map((channel) => channel.name);
  return { removed: named(removed), not_removed: named(notSubscribed) };
}

/** `PATCH /users/me/subscriptions`: both at once, for the caller alone (endpoints.md section D.3). */
function updateAll(
  tx: Transaction,
  user: UserDocument,
  params: ParamsOf<typeof updateSubscriptions>,
  parts: SubscriptionDependencies,
): Reply {
  const gone = namesOf(params.delete);
  if (params.add.length === 0 && gone.length === 0) {
    throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
  }
  if (params.add.length > 0 && isGuest(user)) throw guestsNotAllowed();
  const added = subscribeAll(tx, user, { ...SUBSCRIBE_DEFAULTS, subscriptions: params.add }, parts);
  const removed = unsubscribeAll(tx, user, { subscriptions: gone });
  return { ...added, ...removed };
}

/** What `POST /users/me/subscriptions` takes for granted; nobody else is to be told of anything. */
const SUBSCRIBE_DEFAULTS = {
  authorization_errors_fatal: true,
  announce: false,
  send_new_subscription_messages: false,
  invite_only: false,
  is_web_public: false,
  is_default_stream: false,
  message_retention_days: 'realm_default',
  topics_policy: 'inherit',
} as const;

/** Subscriptions: listing, subscribing, unsubscribing. */
export function subscriptionHandlers(parts: SubscriptionDependencies): AnyHandler[] {
  return [
    handle(getSubscriptions, ({ org }, { user, params }) => ({
      subscriptions: subscriptionList(org, user, params.include_subscribers),
    })),
    handle(subscribe, (tx, { user, params }) => subscribeAll(tx, user, params, parts)),
    handle(unsubscribe, (tx, { user, params }) => unsubscribeAll(tx, user, params)),
    handle(updateSubscriptions, (tx, { user, params }) => updateAll(tx, user, params, parts)),
  ];
}
