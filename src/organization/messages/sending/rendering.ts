import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { MentionDirectory } from '../../../services/markdown/mention-directory.js';
import type { Markdown, Rendered } from '../../../services/markdown/markdown.js';
import { customEmojiPicture } from '../../views/custom-emoji-view.js';
import type { Organization } from '../../state/organization.js';
import { canSeeChannel } from '../../access/permissions.js';

/** What a sender can name in a message. */
export function directoryFor(org: Organization, sender: UserDocument): MentionDirectory {
  return {
    userByName: (name) => org.users.byFullName(name),
    userById: (id) => org.users.get(id),
    groupByName: (name) => {
      const group = org.groups.byName(name);
      return group && !group.deactivated ? group : undefined;
    },
    channelByName: (name) => {
      const channel = org.channels.byName(name);
      return channel && canSeeChannel(org, sender, channel) ? channel : undefined;
    },
    customEmoji: (name) => customEmojiPicture(org, name),
    translateEmoticons: org.settings.value(sender.user_id, 'translate_emoticons'),
    linkifiers: org.linkifiers.compiled,
    defaultCodeLanguage: org.realm.current.default_code_block_language,
  };
}

/** Renders a message as the sender means it. */
export function renderFor(
  org: Organization,
  markdown: Markdown,
  sender: UserDocument,
  content: string,
): Rendered {
  return markdown.render(content, directoryFor(org, sender));
}
