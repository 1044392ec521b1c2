import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { badRequest, noSuchChannelId, noSuchChannelName } from '../../../errors/index.js';
import type { Organization } from '../../state/organization.js';
import { canSeeChannel } from '../../access/permissions.js';
import { canSeeUser } from '../../access/user-access.js';
import { userByEmail } from '../../views/user-view.js';
import type { TextFacts } from '../../../services/markdown/facts.js';
import type { MentionDirectory } from '../../../services/markdown/render-environment.js';
import { mediaOf } from '../../uploads/media.js';
import type { Media } from '../../../services/markdown/media/preview-html.js';
import { mayFetch } from '../attachment-links.js';
import { MessageAccess } from '../message-access.js';
import { customEmojiPicture } from '../../views/custom-emoji-view.js';
import type { Rendered, Markdown } from '../../../services/markdown/markdown.js';
import type { WidgetContent } from '../widgets/widget-content.js';

/** The recipient of a message. */
export type Recipient =
  | { readonly kind: 'channel'; readonly channel: ChannelDocument; readonly topic: string }
  | {
      readonly kind: 'direct';
      /** All participants by ascending id, the sender included. */
      readonly users: readonly UserDocument[];
    };

/** Most participants of a direct conversation. */
export const MAX_PARTICIPANTS = 1000;

/** The participants of a direct message: the recipients and the sender, each once, by ascending id. */
export function participants(
  sender: UserDocument,
  others: readonly UserDocument[],
): readonly UserDocument[] {
  const byId = new Map([sender, ...others].map((user) => [user.user_id, user]));
  return [...byId.values()].sort((a, b) => a.user_id - b.user_id);
}

/**
 * The channel that `to` names: a name, an id, or a list of one of either (endpoints-messages.md#send-message).
 * @throws ApiError, `STREAM_DOES_NOT_EXIST` also for a channel the sender may not see
 */
export function readChannel(org: Organization, sender: UserDocument, to: unknown): ChannelDocument {
  const named = Array.isArray(to) ? onlyEntry(to) : to;
  if (named === '') throw badRequest('Missing channel');
  const channel = channelNamed(org, named);
  if (channel && canSeeChannel(org, sender, channel)) return channel;
  throw typeof named === 'number' ? noSuchChannelId(named) : noSuchChannelName(String(named));
}

function onlyEntry(list: readonly unknown[]): unknown {
  if (list.length !== 1) throw badRequest('Expected exactly one channel');
  return list[0];
}

function channelNamed(org: Organization, named: unknown): ChannelDocument | undefined {
  if (typeof named === 'string') return org.channels.byName(named.trim());
  // A channel may be called `2024`, which is a number when it is sent without quotes.
  if (typeof named === 'number') {
    return org.channels.get(named) ?? org.channels.byName(String(named));
  }
  throw badRequest('Invalid data type for channel');
}

/**
 * The users that `to` names: ids, API e-mails, or e-mails separated by commas.
 * @throws ApiError with the messages of endpoints-messages.md#send-message; users whom the sender may not see are
 * unknown
 */
export function readUsers(org: Organization, sender: UserDocument, to: unknown): UserDocument[] {
  const entries = entriesOf(to);
  if (entries.length === 0) throw badRequest('Message must have recipients');
  const ids = entries.filter((entry) => typeof entry === 'number');
  if (ids.length > 0 && ids.length < entries.length) {
    throw badRequest('Recipient lists may contain emails or user IDs, but not both.');
  }
  if (entries.length > MAX_PARTICIPANTS) {
    throw badRequest(`Too many recipients (maximum ${MAX_PARTICIPANTS}).`);
  }
  return entries.map((entry) => userNamed(org, sender, entry));
}

function entriesOf(to: unknown): (number | string)[] {
  const list: unknown[] = Array.isArray(to) ? to : typeof to === 'string' ? to.split(',') : [to];
  const entries = list.map((entry) => {
    if (Number.isInteger(entry)) return entry as number;
    if (typeof entry === 'string') return entry.trim();
    throw badRequest('Invalid data type for recipients');
  });
  return entries.filter((entry) => entry !== '');
}

function userNamed(org: Organization, sender: UserDocument, entry: number | string): UserDocument {
  if (typeof entry === 'number') {
    const user = org.users.get(entry);
    if (!user || !canSeeUser(org, sender, user)) throw badRequest(`Invalid user ID ${entry}`);
    return user;
  }
  const user = userByEmail(org, entry);
  if (!user || !canSeeUser(org, sender, user)) throw badRequest(`Invalid email '${entry}'`);
  return user;
}

/** The users that a message notifies. */
interface MentionTargets {
  /** Receivers mentioned by name or through a group, ascending. */
  readonly mentioned: number[];
  readonly channelWildcard: boolean;
  /** Receivers whom a topic wildcard mentions, ascending. */
  readonly topicWildcard: number[];
}

/** Newest messages of a topic that determine its participants: bounds the work of one mention. */
const PARTICIPATION_DEPTH = 10_000;

/** The receivers of a message, in no particular order. */
export function receivers(org: Organization, recipient: Recipient): readonly number[] {
  return recipient.kind === 'channel'
    ? org.subscriptions.subscribers(recipient.channel.stream_id)
    : recipient.users.map((user) => user.user_id);
}

/** Subscribers who sent messages to the topic, ascending. */
export function topicParticipants(
  org: Organization,
  channel: ChannelDocument,
  topic: string,
): number[] {
  const { index } = org.messages;
  const list = index.topic(channel.recipient_id, topic)?.list;
  const found = new Set<number>();
  if (!list) return [];
  const oldest = Math.max(0, list.length - PARTICIPATION_DEPTH);
  for (let i = list.length - 1; i >= oldest; i--) {
    found.add(index.columns.senderAt(index.columns.find(list.at(i)!)));
  }
  return [...found]
    .filter((userId) => org.subscriptions.isSubscribed(userId, channel.stream_id))
    .sort((a, b) => a - b);
}

/**
 * The mention targets of a message. Only receivers are notified: a mention does not deliver a message to
 * anybody.
 */
export function mentionTargetsOf(
  org: Organization,
  recipient: Recipient,
  mentions: TextFacts['mentions'],
): MentionTargets {
  return {
    mentioned: mentionedReceivers(org, recipient, mentions),
    channelWildcard: mentions.channel_wildcard,
    topicWildcard: mentions.topic_wildcard ? topicWildcardReceivers(org, recipient) : [],
  };
}

function mentionedReceivers(
  org: Organization,
  recipient: Recipient,
  mentions: TextFacts['mentions'],
): number[] {
  if (mentions.users.length === 0 && mentions.groups.length === 0) return [];
  const found = new Set(mentions.users.filter((userId) => receives(org, recipient, userId)));
  if (mentions.groups.length > 0) {
    for (const userId of receivers(org, recipient)) {
      const user = org.users.get(userId);
      if (!user) continue;
      const inGroup = mentions.groups.some((id) => org.groups.isMember(id, user, org.isFullMember));
      if (inGroup) found.add(userId);
    }
  }
  return [...found].sort((a, b) => a - b);
}

function topicWildcardReceivers(org: Organization, recipient: Recipient): number[] {
  if (recipient.kind === 'direct') return recipient.users.map((user) => user.user_id);
  return topicParticipants(org, recipient.channel, recipient.topic);
}

function receives(org: Organization, recipient: Recipient, userId: number): boolean {
  return recipient.kind === 'channel'
    ? org.subscriptions.isSubscribed(userId, recipient.channel.stream_id)
    : recipient.users.some((user) => user.user_id === userId);
}

/** A message to be sent. Text and topic are in their stored form (`storedContent`, `storedTopicName`). */
export interface OutgoingMessage {
  readonly sender: UserDocument;
  readonly recipient: Recipient;
  readonly content: string;
  readonly rendered: Rendered;
  readonly topicLinks?: readonly { text: string; url: string }[];
  /** The widget in place of the one that the text makes, if that makes one. */
  readonly widget?: WidgetContent;
  /** Name of the client program. */
  readonly clientName: string;
  /** Whether sending marks it as read for the sender (conventions.md#callers). */
  readonly readBySender: boolean;
  /** Further receivers for whom it is read at once. */
  readonly readBy?: readonly number[];
  /** Nobody is told of it by mail or push. */
  readonly unannounced?: true;
  /** The sending queue, and the client's own id of the message. */
  readonly local?: { readonly queue_id: string; readonly local_id: string };
}

/** A message whose text is only the Markdown of its sender; `compose` renders it. */
type UnrenderedMessage = Omit<OutgoingMessage, 'rendered' | 'topicLinks'>;

/**
 * Renders what is sent, and finds the links of its topic.
 * @param reader whose access decides which channels the text can link; the sender's, if not given
 */
export function compose(
  org: Organization,
  markdown: Markdown,
  unrendered: UnrenderedMessage,
  reader: UserDocument = unrendered.sender,
): OutgoingMessage {
  const { recipient, content } = unrendered;
  const topic = recipient.kind === 'channel' ? recipient.topic : null;
  // One shape, whichever of its properties the caller names: a copy would be an object of a shape of its own.
  return {
    sender: unrendered.sender,
    recipient,
    content,
    rendered: renderFor(org, markdown, reader, content),
    topicLinks: topic === null ? [] : markdown.renderTopicLinks(topic, org.linkifiers.compiled),
    widget: unrendered.widget,
    clientName: unrendered.clientName,
    readBySender: unrendered.readBySender,
    readBy: unrendered.readBy,
    unannounced: unrendered.unannounced,
    local: unrendered.local,
  };
}

/** Renders a message with the sender's access and settings. */
export function renderFor(
  org: Organization,
  markdown: Markdown,
  sender: UserDocument,
  content: string,
): Rendered {
  return markdown.render(content, new SenderDirectory(org, sender));
}

/** Interactive clients: messages sent by them count as read by the sender. */
const INTERACTIVE_CLIENTS: ReadonlySet<string> = new Set([
  'website',
  'zulipmobile',
  'zulipflutter',
  'zulipterminal',
  'zulipelectron',
]);

/** Whether messages sent by a client count as read by the sender (conventions.md#callers). */
export function isInteractive(clientName: string): boolean {
  const name = clientName.toLowerCase();
  return INTERACTIVE_CLIENTS.has(name) || name.includes('desktop app');
}

/** The users, groups, channels and emoji that a sender can name in a message; most messages ask for none. */
export class SenderDirectory implements MentionDirectory {
  constructor(
    private readonly org: Organization,
    private readonly sender: UserDocument,
  ) {}

  userByName(name: string): UserDocument | undefined {
    const { org, sender } = this;
    return org.users.byFullName(name, (user) => canSeeUser(org, sender, user));
  }

  userById(id: number): UserDocument | undefined {
    const user = this.org.users.get(id);
    return user && canSeeUser(this.org, this.sender, user) ? user : undefined;
  }

  groupByName(name: string): { id: number; name: string } | undefined {
    const group = this.org.groups.byName(name);
    return group && !group.deactivated ? group : undefined;
  }

  channelByName(name: string): ChannelDocument | undefined {
    const channel = this.org.channels.byName(name);
    return channel && canSeeChannel(this.org, this.sender, channel) ? channel : undefined;
  }

  newestInTopic(channelId: number, name: string): number | undefined {
    const channel = this.org.channels.get(channelId);
    const topic = channel && this.org.messages.index.topic(channel.recipient_id, name);
    const newest = topic?.list.last;
    if (newest === undefined) return undefined;
    return new MessageAccess(this.org, this.sender).canSee(newest) ? newest : undefined;
  }

  media(pathId: string, place: 'preview' | 'text'): Media | undefined {
    const attachment = this.org.attachments.byPath(pathId);
    const media = attachment && mediaOf(attachment);
    if (!media || !mayFetch(this.org, this.sender, attachment)) return undefined;
    const isShown = place === 'text' || this.org.realm.current.inline_image_preview;
    return isShown ? media : undefined;
  }

  get outsidePicture(): MentionDirectory['outsidePicture'] {
    const { realm, site } = this.org;
    return realm.current.inline_image_preview ? site.outsidePicture : undefined;
  }

  get previewsPages(): boolean {
    const { realm, site } = this.org;
    return site.previewsPages === true && realm.current.inline_url_embed_preview;
  }

  customEmoji(name: string): { id: string; source_url: string } | undefined {
    return customEmojiPicture(this.org, name);
  }

  get translateEmoticons(): boolean {
    return this.org.settings.value(this.sender.user_id, 'translate_emoticons');
  }

  get linkifiers(): MentionDirectory['linkifiers'] {
    return this.org.linkifiers.compiled;
  }

  get defaultCodeLanguage(): string {
    return this.org.realm.current.default_code_block_language;
  }
}
