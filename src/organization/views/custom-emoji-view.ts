import type { CustomEmojiDocument } from '../../../schemas/realm/custom-emoji.js';
import type { Organization } from '../state/organization.js';

/** Path of the pictures of custom emoji. */
export const EMOJI_PATH = '/user_avatars/emoji/';

/** Storage key of a custom emoji's file. */
export function customEmojiKey(fileName: string): string {
  return `emoji/${fileName}`;
}

/** Files of a custom emoji: the picture, and the still picture of an animated one. */
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

/** The active custom emoji with a name, as messages show it. */
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
