import type { ChannelDocument, ListedChannel } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { getChannels } from '../../../schemas/channels/channels.js';
import type { ParamsOf } from '../../../schemas/endpoint.js';
import { badRequest } from '../../errors/index.js';
import { byName } from '../../organization/channels/channel-snapshot.js';
import { channelView } from '../../organization/views/channel-view.js';
import type { Organization } from '../../organization/state/organization.js';
import type { PartedChange, Parts } from '../../organization/state/parted-change.js';
import { canReadChannel, canSeeChannel, isGuest } from '../../organization/access/permissions.js';
import { handleInParts, type AnyHandler } from '../kernel/handler.js';

type Wanted = ParamsOf<typeof getChannels>;

/** Whether the request includes a channel that the caller may see. */
function isWanted(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  wanted: Wanted,
): boolean {
  if (wanted.exclude_archived && channel.is_archived) return false;
  if (wanted.include_all) return true;
  const subscribes = (userId: number) => org.subscriptions.isSubscribed(userId, channel.stream_id);
  if (wanted.include_public && !channel.invite_only && !isGuest(user)) return true;
  if (wanted.include_web_public && channel.is_web_public) return true;
  if (wanted.include_subscribed && subscribes(user.user_id)) return true;
  if (wanted.include_can_access_content && canReadChannel(org, user, channel)) return true;
  const owner = user.is_bot ? user.bot_owner_id : null;
  return wanted.include_owner_subscribed && owner !== null && subscribes(owner);
}

function* listChannels(
  change: PartedChange,
  user: UserDocument,
  wanted: Wanted,
): Parts<ListedChannel[]> {
  const { org } = change;
  const found = [...org.channels.values()].filter(
    (channel) => canSeeChannel(org, user, channel) && isWanted(org, user, channel, wanted),
  );
  const streams: ListedChannel[] = [];
  for (const channel of found.sort(byName)) {
    if (change.isOver) yield* change.nextPart();
    const view = channelView(org, channel);
    streams.push(wanted.include_default ? { ...view, is_default: channel.is_default } : view);
  }
  return streams;
}

/** `GET /streams` (endpoints-channels.md#read-channels). */
export function channelHandlers(): AnyHandler[] {
  return [
    handleInParts(getChannels, function* (change, { user, params }) {
      if (params.include_all && isGuest(user)) {
        throw badRequest('User not authorized for this query');
      }
      return { streams: yield* listChannels(change, user, params) };
    }),
  ];
}
