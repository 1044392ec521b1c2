import type { CustomEmojiDocument } from '../../../schemas/realm/custom-emoji-document.js';
import type { Organization } from '../state/organization.js';

/** Where this server gives out the pictures of custom emoji. */
export const EMOJI_PATH = '/user_avatars/emoji/';

/** Where a custom emoji's file is kept. */
export function customEmojiKey(fileName: string): string {
  return `emoji/${fileName}`;
}

/** Files of a custom emoji: the picture, and the still one of a moving picture. */
export function customEmojiFiles({
  file,
  animated,
}: Pick<CustomEmojiDocument, 'file' | 'animated'>): { picture: string; still: string | null } {
  return animated
    ? { picture: `${file}.gif`, still: `${file}-still.png` }
    : { picture: `${file}.png`, still: null };
}

/** All custom emoji by id, as clients see them. */
export function customEmojiMap(org: Organization) {
  return Object.fromEntries(
    [...org.customEmoji.values()].map((emoji) => [String(emoji.id), customEmojiObject(emoji)]),
  );
}

/** What messages show for the name of a custom emoji. */
export function customEmojiPicture(
  org: Organization,
  name: string,
): { id: string; source_url: string } | undefined {
  const emoji = org.customEmoji.active(name);
  return emoji && customEmojiObject(emoji);
}

/** A custom emoji as clients see it (events-organization.md#organization). */
export function customEmojiObject(emoji: CustomEmojiDocument) {
  const { picture, still } = customEmojiFiles(emoji);
  return {
    id: String(emoji.id),
    name: emoji.name,
    source_url: EMOJI_PATH + picture,
    still_url: still === null ? null : EMOJI_PATH + still,
    deactivated: emoji.deactivated,
    author_id: emoji.author_id,
  };
}
