import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { MentionDirectory } from '../../../services/markdown/mention-directory.js';
import { canSeeChannel } from '../../access/permissions.js';
import { mediaOf } from '../../uploads/media.js';
import type { Media } from '../../../services/markdown/media/preview-html.js';
import { mayFetch } from '../attachment-links.js';
import { MessageAccess } from '../message-access.js';
import { canSeeUser } from '../../access/user-access.js';
import type { Organization } from '../../state/organization.js';
import { customEmojiPicture } from '../../views/custom-emoji-view.js';

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

  media(pathId: string): Media | undefined {
    const attachment = this.org.attachments.byPath(pathId);
    const media = attachment && mediaOf(attachment);
    if (!media || !mayFetch(this.org, this.sender, attachment)) return undefined;
    const isShown = media.kind === 'audio' || this.org.realm.current.inline_image_preview;
    return isShown ? media : undefined;
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
