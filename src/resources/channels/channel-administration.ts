import * as descriptors from '../../../schemas/channels/channel-administration.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { ParamsOf, ReplyOf } from '../../../schemas/endpoint.js';
import { badRequest, cannotAdministerChannel, channelAlreadyExists } from '../../errors/index.js';
import {
  archiveInParts,
  changeChannel,
  type ChannelChange,
} from '../../organization/channels/channel-change.js';
import { postChangeNotices } from '../../organization/channels/channel-notices.js';
import { checkedChannelChange } from '../../organization/channels/channel-checks.js';
import { channelName } from '../../organization/channels/channel-creation.js';
import { emitDefaultChannels } from '../../organization/views/channel-events.js';
import { canAdministerChannel, visibleChannel } from '../../organization/access/channel-rights.js';
import type { Organization } from '../../organization/state/organization.js';
import type { PartedChange, Parts } from '../../organization/state/parted-change.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, handleInParts, permitting, type AnyHandler } from '../kernel/handler.js';
import { principalUsers } from '../kernel/principals.js';
import { subscribeAll } from './subscriptions.js';
import { renderDescription } from './wanted-channels.js';

/** A visible channel that the user may change. @throws ApiError */
function administeredChannel(
  org: Organization,
  user: UserDocument,
  streamId: number,
): ChannelDocument {
  const channel = visibleChannel(org, user, streamId);
  if (!canAdministerChannel(org, user, channel)) throw cannotAdministerChannel();
  return channel;
}

/** `PATCH /streams/{stream_id}` (endpoints-channels.md#change-channel). */
function updateChannel(
  tx: Transaction,
  user: UserDocument,
  params: ParamsOf<typeof descriptors.updateChannel>,
  markdown: Markdown,
): ReplyOf<typeof descriptors.updateChannel> {
  const { org } = tx;
  const channel = visibleChannel(org, user, params.stream_id);
  const checked = checkedChannelChange(org, user, channel, params);
  const { description } = checked;
  const change: ChannelChange =
    description === undefined
      ? checked
      : { ...checked, rendered_description: renderDescription(org, markdown, description) };
  postChangeNotices(tx, markdown, user, channel, changeChannel(tx, channel, change));
  return {};
}

/** `DELETE /streams/{stream_id}` (endpoints-channels.md#change-channel). */
function* archive(
  change: PartedChange,
  user: UserDocument,
  streamId: number,
): Parts<ReplyOf<typeof descriptors.archiveChannel>> {
  const channel = administeredChannel(change.org, user, streamId);
  if (channel.is_archived) throw badRequest('Channel is already deactivated');
  yield* archiveInParts(change, channel);
  return {};
}

/** `POST /channels/create` (endpoints-channels.md#subscribe). */
function* createOne(
  change: PartedChange,
  user: UserDocument,
  params: ParamsOf<typeof descriptors.createChannel>,
  markdown: Markdown,
): Parts<ReplyOf<typeof descriptors.createChannel>> {
  const { name: asked, description, subscribers, ...settings } = params;
  const name = channelName(asked);
  if (change.org.channels.byName(name)) throw channelAlreadyExists(name);
  const wanted = {
    ...settings,
    subscriptions: [{ name, description }],
    authorization_errors_fatal: true,
  };
  // Unlike elsewhere, an empty list means nobody, not the caller.
  const users = subscribers.length === 0 ? [] : principalUsers(change.org, user, subscribers);
  yield* subscribeAll(change, user, wanted, { markdown }, users);
  return { id: change.org.channels.byName(name)!.stream_id };
}

/** A visible channel that is not archived. @throws ApiError */
function liveChannel(tx: Transaction, user: UserDocument, streamId: number): ChannelDocument {
  const channel = visibleChannel(tx.org, user, streamId);
  if (channel.is_archived) throw badRequest('Invalid channel ID');
  return channel;
}

function setDefault(
  tx: Transaction,
  channel: ChannelDocument,
  is_default: boolean,
): ReplyOf<typeof descriptors.addDefaultChannel> {
  if (channel.is_default === is_default) return {};
  tx.org.channels.update(channel.stream_id, { is_default });
  emitDefaultChannels(tx);
  return {};
}

/**
 * Creating, changing and archiving channels (endpoints-channels.md#subscribe and endpoints-channels.md#change-channel).
 */
export function channelAdministrationHandlers(markdown: Markdown): AnyHandler[] {
  return [
    permitting(
      (org, user, { path }) => void administeredChannel(org, user, Number(path.stream_id)),
      handle(descriptors.updateChannel, (tx, { user, params }) =>
        updateChannel(tx, user, params, markdown),
      ),
    ),
    handleInParts(descriptors.archiveChannel, (change, { user, params }) =>
      archive(change, user, params.stream_id),
    ),
    handleInParts(descriptors.createChannel, (change, { user, params }) =>
      createOne(change, user, params, markdown),
    ),
    handle(descriptors.addDefaultChannel, (tx, { user, params }) => {
      const channel = liveChannel(tx, user, params.stream_id);
      if (channel.invite_only) throw badRequest('Private channels cannot be made default.');
      return setDefault(tx, channel, true);
    }),
    handle(descriptors.removeDefaultChannel, (tx, { user, params }) =>
      setDefault(tx, liveChannel(tx, user, params.stream_id), false),
    ),
  ];
}
