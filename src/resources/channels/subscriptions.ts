import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  getSubscriptions,
  subscribe,
  unsubscribe,
  updateSubscriptions,
} from '../../../schemas/channels/channels.js';
import type { ParamsOf, Mutable, ReplyOf } from '../../../schemas/endpoint.js';
import { namesOf } from '../../../schemas/lenient-list.js';
import { MAX_NEW_CHANNELS } from '../../../schemas/limits.js';
import { badRequest, guestsNotAllowed } from '../../errors/index.js';
import {
  canCreateChannel,
  channelSettings,
  createChannel,
} from '../../organization/channels/channel-creation.js';
import { emitDefaultChannels } from '../../organization/views/channel-events.js';
import {
  postAnnouncement,
  postCreationNotice,
  postSubscriptionNotice,
} from '../../organization/channels/channel-notices.js';
import {
  canAddSubscribers,
  canRemoveSubscriber,
} from '../../organization/access/channel-rights.js';
import { isUsableFolder } from '../../organization/channels/channel-folders.js';
import { subscriptionList } from '../../organization/channels/channel-snapshot.js';
import { recordSubscribers } from '../../organization/state/audit.js';
import type { Organization } from '../../organization/state/organization.js';
import { canReadChannel, canSeeChannel, isGuest } from '../../organization/access/permissions.js';
import type { PartedChange, Parts } from '../../organization/state/parted-change.js';
import { subscribeInParts } from '../../organization/channels/subscribing.js';
import { unsubscribeInParts } from '../../organization/channels/unsubscribing.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { nameKey } from '../../services/text/stored-text.js';
import { handleInParts, type AnyHandler } from '../kernel/handler.js';
import { principalUsers } from '../kernel/principals.js';
import { renderDescription, wantedChannels, type WantedChannel } from './wanted-channels.js';

/** Dependencies of subscribing and channel creation. */
interface SubscriptionDependencies {
  readonly markdown: Markdown;
}

type SubscribeParams = ParamsOf<typeof subscribe>;

/** The channels of a subscribe request: existing, refused and missing ones. */
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
    else if (canReadChannel(org, user, channel)) selection.existing.push(channel);
    else selection.unauthorized.push(channel);
  }
  return selection;
}

/** Creates channels, one per part. @param check validates the first, in its part; all have the same settings */
function* createMissing(
  change: PartedChange,
  user: UserDocument,
  missing: readonly WantedChannel[],
  params: SubscribeParams,
  { markdown }: SubscriptionDependencies,
  check: (created: readonly ChannelDocument[]) => void,
): Parts<ChannelDocument[]> {
  const created: ChannelDocument[] = [];
  if (missing.length > MAX_NEW_CHANNELS) {
    throw badRequest(`Too many new channels (maximum ${MAX_NEW_CHANNELS}).`);
  }
  if (missing.length > 0 && user.is_bot && !canCreateChannel(change.org, user, params)) {
    throw doNotExist(missing);
  }
  const settings =
    missing.length > 0 ? channelSettings(change.org, user, params, isUsableFolder) : null;
  for (const { name, description } of missing) {
    if (created.length > 0 && change.isOver) yield* change.nextPart();
    // Another request created it between two parts: it is one of the existing channels then.
    if (change.org.channels.byName(name)) continue;
    const rendered_description = renderDescription(change.org, markdown, description);
    const text = { name, description, rendered_description };
    created.push(createChannel(change.tx, text, settings!));
    if (created.length === 1) check(created);
  }
  if (created.length === 0) check(created);
  return created;
}

function doNotExist(channels: readonly { readonly name: string }[]): Error {
  return badRequest(`Channel(s) (${channels.map((one) => one.name).join(', ')}) do not exist`);
}

/** Existing and created channels, in the order of the request. */
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
  if (channels.every((channel) => mayAdd(org, actor, users, channel))) return;
  throw badRequest('You do not have permission to subscribe other users to channels.');
}

function mayAdd(
  org: Organization,
  actor: UserDocument,
  users: readonly UserDocument[],
  channel: ChannelDocument,
): boolean {
  return (
    users.every(({ user_id }) => user_id === actor.user_id) ||
    canAddSubscribers(org, actor, channel)
  );
}

/** Missing channels that another request created between two parts, as far as the user can read them. */
function foreignCreations(
  org: Organization,
  user: UserDocument,
  missing: readonly WantedChannel[],
  created: readonly ChannelDocument[],
): ChannelDocument[] {
  const own = new Set(created.map(({ stream_id }) => stream_id));
  return select(org, user, missing).existing.filter(({ stream_id }) => !own.has(stream_id));
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
 * `POST /users/me/subscriptions` (endpoints-channels.md#subscribe).
 * @param users users to subscribe; default: those the parameters name
 * @throws ApiError
 */
export function* subscribeAll(
  change: PartedChange,
  user: UserDocument,
  params: SubscribeParams,
  parts: SubscriptionDependencies,
  users: readonly UserDocument[] = principalUsers(change.org, user, params.principals),
): Parts<ReplyOf<typeof subscribe>> {
  const { org } = change;
  const wanted = wantedChannels(params.subscriptions);
  const { existing, unauthorized, missing } = select(org, user, wanted);
  if (unauthorized.length > 0 && params.authorization_errors_fatal) {
    throw badRequest(`Unable to access channel (${unauthorized[0]!.name}).`);
  }
  const created = yield* createMissing(change, user, missing, params, parts, (made) =>
    requireMayAddOthers(org, user, users, [...existing, ...made]),
  );
  const usable = (channel: ChannelDocument) => mayAdd(org, user, users, channel);
  const foreign = foreignCreations(org, user, missing, created).filter(usable);
  const channels = inOrder(org, wanted, [...existing, ...foreign, ...created]);
  const userIds = users.map((one) => one.user_id);
  const colors = colorsOf(org, wanted);
  const result = yield* subscribeInParts(change, { channels, userIds, colors });
  recordSubscribers(change.tx, user.user_id, result.subscribed, 'new');
  if (created.some((channel) => channel.is_default)) emitDefaultChannels(change.tx);
  for (const channel of created) {
    if (change.isOver) yield* change.nextPart();
    postCreationNotice(change.tx, parts.markdown, user, channel);
  }
  if (params.announce) postAnnouncement(change.tx, parts.markdown, user, created);
  const reply: Mutable<ReplyOf<typeof subscribe>> = {
    subscribed: namesByUser(result.subscribed),
    already_subscribed: namesByUser(result.alreadySubscribed),
  };
  if (!params.authorization_errors_fatal) {
    reply.unauthorized = unauthorized.map((channel) => channel.name);
  }
  if (params.send_new_subscription_messages) {
    const sent = yield* postSubscriptionNotice(change, parts.markdown, user, result);
    reply.new_subscription_messages_sent = sent;
  }
  return reply;
}

/**
 * Channels by name.
 * @param toCome keys of names of channels that the same request creates; they may be missing
 * @throws ApiError when one does not exist or is not visible to the user
 */
function namedChannels(
  org: Organization,
  user: UserDocument,
  names: readonly string[],
  toCome: ReadonlySet<string> = new Set(),
): ChannelDocument[] {
  const found = new Set<ChannelDocument>();
  const missing: { name: string }[] = [];
  for (const name of names.map((one) => one.trim())) {
    const channel = org.channels.byName(name);
    if (channel && canSeeChannel(org, user, channel)) found.add(channel);
    else if (!toCome.has(nameKey(name))) missing.push({ name });
  }
  if (missing.length > 0) throw doNotExist(missing);
  return [...found];
}

/** `DELETE /users/me/subscriptions` (endpoints-channels.md#subscribe). */
function* unsubscribeAll(
  change: PartedChange,
  user: UserDocument,
  params: ParamsOf<typeof unsubscribe>,
): Parts<ReplyOf<typeof unsubscribe>> {
  const { org } = change;
  const channels = namedChannels(org, user, namesOf(params.subscriptions));
  const users = principalUsers(org, user, params.principals);
  for (const channel of channels) {
    if (!users.every((one) => canRemoveSubscriber(org, user, channel, one))) {
      throw badRequest('Insufficient permission');
    }
  }
  const userIds = users.map((one) => one.user_id);
  const request = { channels, userIds };
  const { removed, notSubscribed } = yield* unsubscribeInParts(change, request);
  const left = channels.flatMap((one) =>
    (removed.get(one.stream_id) ?? []).map((id) => [id, [one]] as const),
  );
  recordSubscribers(change.tx, user.user_id, left, 'old');
  const named = (users: ReadonlyMap<number, readonly number[]>) =>
    channels.filter(({ stream_id }) => users.get(stream_id)?.length).map(({ name }) => name);
  return { removed: named(removed), not_removed: named(notSubscribed) };
}

/** `PATCH /users/me/subscriptions`: both at once, for the caller alone (endpoints-channels.md#subscribe). */
function* updateAll(
  change: PartedChange,
  user: UserDocument,
  params: ParamsOf<typeof updateSubscriptions>,
  parts: SubscriptionDependencies,
): Parts<ReplyOf<typeof updateSubscriptions>> {
  const gone = namesOf(params.delete);
  if (params.add.length === 0 && gone.length === 0) {
    throw badRequest('Nothing to do. Specify at least one of "add" or "delete".');
  }
  if (params.add.length > 0 && isGuest(user)) throw guestsNotAllowed();
  // Checked before anything is added, because adding may take several parts, each of which stays.
  const names = wantedChannels(params.add).map(({ name }) => nameKey(name));
  namedChannels(change.org, user, gone, new Set(names));
  const wanted = { ...SUBSCRIBE_DEFAULTS, subscriptions: params.add };
  const added = yield* subscribeAll(change, user, wanted, parts);
  const removed = yield* unsubscribeAll(change, user, { subscriptions: gone });
  return { ...added, ...removed };
}

/** Parameters for subscribing only the caller, without notices to others. */
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
    handleInParts(getSubscriptions, function* (change, { user, params }) {
      const subscriptions = yield* subscriptionList(change, user, params.include_subscribers);
      return { subscriptions };
    }),
    handleInParts(subscribe, (change, { user, params }) =>
      subscribeAll(change, user, params, parts),
    ),
    handleInParts(unsubscribe, (change, { user, params }) => unsubscribeAll(change, user, params)),
    handleInParts(updateSubscriptions, (change, { user, params }) =>
      updateAll(change, user, params, parts),
    ),
  ];
}
