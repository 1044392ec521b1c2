import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { RealmExportDocument } from '../../../schemas/realm/exports.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import { SOFTWARE_VERSION } from '../state/software.js';
import { realmUserGroups } from '../users/people-snapshot.js';
import { channelView } from '../views/channel-view.js';
import { userView } from '../views/user-view.js';

/** What the first line of an export calls itself. */
const FORMAT = 'parley-organization-export';
const VERSION = 1;
/** Messages read at a time: decoding them keeps nobody waiting. */
const BATCH = 50;

type Line = Readonly<Record<string, unknown>>;

/** A conversation that is exported, and which of its messages are. */
interface Exported {
  readonly recipientId: number;
  /** Where the messages are; other ones were moved away meanwhile. */
  readonly place: Line;
  readonly isExported: (message: MessageDocument) => boolean;
}

/**
 * The lines of an export (endpoints-organization.md#exports): the organization, people, channels and groups, then
 * messages by conversation, and the number of these. Everything is as it is when its line is made.
 */
export async function* exportLines(
  org: Organization,
  { acting_user_id, export_type, export_time }: RealmExportDocument,
): AsyncGenerator<Line> {
  const viewer = org.users.get(acting_user_id)!;
  const consenting = export_type === 'public' ? [] : consentingUsers(org);
  const { name, string_id, uuid, description, date_created } = org.realm.current;
  yield {
    ...{ format: FORMAT, version: VERSION, software: SOFTWARE_VERSION, export_type },
    exported_at: new Date(export_time * 1000).toISOString(),
    organization: { name, string_id, uuid, description, date_created, url: org.site.url },
    consenting_user_ids: consenting,
  };
  const options = { clientGravatar: false, withProfile: true };
  for (const user of org.users.values()) {
    yield { kind: 'user', ...userView(org, viewer, user, options) };
  }
  const channels = exportedChannels(org, consenting);
  for (const { channel } of channels) {
    const { subscriptions } = org;
    const subscriber_ids = [...subscriptions.subscribers(channel.stream_id)];
    yield { kind: 'channel', ...channelView(org, channel), subscriber_ids };
  }
  for (const group of realmUserGroups(org, { includeDeactivated: true })) {
    yield { kind: 'user_group', ...group };
  }
  let messages = 0;
  for (const one of [...channels, ...exportedConversations(org, consenting)]) {
    for await (const message of messagesOf(org, one)) {
      messages += 1;
      yield { kind: 'message', ...one.place, ...messageLine(message) };
    }
  }
  yield { kind: 'end', messages };
}

/** Active people who allow the export of their private data, ascending. */
function consentingUsers(org: Organization): number[] {
  return [...org.users.active]
    .filter((id) => org.settings.value(id, 'allow_private_data_export'))
    .sort((a, b) => a - b);
}

/** Public channels, and private ones with a subscriber who consents: what these can read of them. */
function exportedChannels(
  org: Organization,
  consenting: readonly number[],
): (Exported & { readonly channel: ChannelDocument })[] {
  return [...org.channels.values()].flatMap((channel) => {
    const { recipient_id, stream_id, invite_only } = channel;
    const isHere = (message: MessageDocument): boolean => message.stream_id === stream_id;
    const found = {
      ...{ channel, recipientId: recipient_id, place: { channel_id: stream_id } },
      isExported: isHere,
    };
    if (!invite_only) return [found];
    const readers = consenting
      .filter((id) => org.subscriptions.isSubscribed(id, stream_id))
      .map((id) => new MessageAccess(org, org.users.get(id)!));
    if (readers.length === 0) return [];
    const isExported = (message: MessageDocument): boolean =>
      isHere(message) && readers.some((reader) => reader.canSee(message.id));
    return [{ ...found, isExported }];
  });
}

/** Direct conversations of somebody who consents. */
function exportedConversations(org: Organization, consenting: readonly number[]): Exported[] {
  const ids = new Set(consenting.flatMap((id) => [...org.conversations.ofUser(id)]));
  return [...ids]
    .sort((a, b) => a - b)
    .map((recipientId) => ({
      recipientId,
      place: { user_ids: org.conversations.get(recipientId)!.user_ids },
      isExported: () => true,
    }));
}

async function* messagesOf(
  org: Organization,
  { recipientId, isExported }: Exported,
): AsyncGenerator<MessageDocument> {
  const list = org.messages.index.conversation(recipientId);
  const pause = new EventLoopYield();
  let above = 0;
  for (;;) {
    const ids: number[] = [];
    // By the last id and not by place: messages come and go meanwhile.
    for (let at = list.lowerBound(above + 1); ids.length < BATCH; at++) {
      const id = list.at(at);
      if (id === undefined) break;
      ids.push(id);
    }
    if (ids.length === 0) return;
    above = ids.at(-1)!;
    const documents = await org.messages.fetch(ids);
    for (const id of ids) {
      const message = documents.get(id);
      if (message && org.messages.has(id) && isExported(message)) yield message;
    }
    if (pause.isDue) await pause.take();
  }
}

function messageLine(message: MessageDocument): Line {
  const { id, sender_id, timestamp, topic, content, rendered_content, client } = message;
  const { reactions, edit_history, last_edit_timestamp } = message;
  return {
    ...{ id, sender_id, timestamp, topic, content, rendered_content, client },
    ...{ reactions, edit_history, last_edit_timestamp },
  };
}
