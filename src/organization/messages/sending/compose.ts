import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { MentionDirectory } from '../../../services/markdown/render-environment.js';
import { canSeeChannel } from '../../access/permissions.js';
import { mediaOf } from '../../uploads/media.js';
import type { Media } from '../../../services/markdown/media/preview-html.js';
import { mayFetch } from '../attachment-links.js';
import { MessageAccess } from '../message-access.js';
import { canSeeUser } from '../../access/user-access.js';
import type { Organization } from '../../state/organization.js';
import { customEmojiPicture } from '../../views/custom-emoji-view.js';
import type { Rendered, Markdown } from '../../../services/markdown/markdown.js';
import type { WidgetContent } from '../widgets/widget-content.js';
import type { Recipient } from './recipients.js';

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
  return {
    ...unrendered,
    rendered: renderFor(org, markdown, reader, content),
    topicLinks: topic === null ? [] : markdown.renderTopicLinks(topic, org.linkifiers.compiled),
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
