import { badRequest } from '../../errors.js';
import { emojiCode, emojiNames, knownName, standardCode } from '../../services/text/emoji.js';
import type { Organization } from '../state/organization.js';

/** An emoji by name, code and type, as reactions store it (events-messages.md#messages). */
export interface EmojiChoice {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: 'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji';
}

/** What a client said of it. */
export interface WantedEmoji {
  readonly emoji_name: string;
  readonly emoji_code?: string;
  readonly reaction_type?: string;
}

/** The one emoji that is neither custom nor Unicode; its code is its name. */
const EXTRA = 'zulip';

/**
 * The emoji of a name: a custom one first, then Unicode, then the extra one (endpoints-flags.md#reactions).
 * @throws ApiError `Emoji '{name}' does not exist`
 */
export function emojiNamed(org: Organization, emoji_name: string): EmojiChoice {
  const custom = org.customEmoji.active(emoji_name);
  if (custom) return { emoji_name, emoji_code: String(custom.id), reaction_type: 'realm_emoji' };
  const code = emojiCode(emoji_name);
  if (code !== undefined) return { emoji_name, emoji_code: code, reaction_type: 'unicode_emoji' };
  if (emoji_name === EXTRA) {
    return { emoji_name, emoji_code: EXTRA, reaction_type: 'zulip_extra_emoji' };
  }
  throw badRequest(`Emoji '${emoji_name}' does not exist`);
}

/**
 * What a client means; what it left out is found by the name. Whether such an emoji exists is for
 * {@link checkEmoji} to say.
 * @throws ApiError for a name or a type that does not exist
 */
export function chosenEmoji(org: Organization, wanted: WantedEmoji): EmojiChoice {
  const { emoji_name, emoji_code, reaction_type } = wanted;
  const named =
    emoji_code === undefined || reaction_type === undefined ? emojiNamed(org, emoji_name) : null;
  const type = emojiType(reaction_type ?? named!.reaction_type);
  const code = keptCode(emoji_code ?? named!.emoji_code, type);
  const name = type === 'unicode_emoji' ? knownName(emoji_name, code) : emoji_name;
  return { emoji_name: name, emoji_code: code, reaction_type: type };
}

/** A code as reactions keep it. */
export function keptCode(code: string, type: string): string {
  return type === 'unicode_emoji' ? standardCode(code) : code;
}

/** @throws ApiError `Invalid emoji type.` */
function emojiType(type: string): EmojiChoice['reaction_type'] {
  if (type === 'unicode_emoji' || type === 'realm_emoji' || type === 'zulip_extra_emoji') {
    return type;
  }
  throw badRequest('Invalid emoji type.');
}

/**
 * Refuses an emoji that does not exist, or whose name and code do not go together.
 * @throws ApiError
 */
export function checkEmoji(org: Organization, emoji: EmojiChoice): void {
  const { emoji_name: name, emoji_code: code } = emoji;
  switch (emoji.reaction_type) {
    case 'realm_emoji': {
      const custom = /^\d{1,15}$/.test(code) ? org.customEmoji.get(Number(code)) : undefined;
      if (!custom || String(custom.id) !== code) throw badRequest('Invalid custom emoji.');
      if (custom.name !== name) throw badRequest('Invalid custom emoji name.');
      if (custom.deactivated) throw badRequest('This custom emoji has been deactivated.');
      return;
    }
    case 'zulip_extra_emoji':
      if (code !== EXTRA) throw badRequest('Invalid emoji code.');
      if (name !== EXTRA) throw badRequest('Invalid emoji name.');
      return;
    case 'unicode_emoji': {
      const names = emojiNames(code);
      if (names.length === 0) throw badRequest('Invalid emoji code.');
      if (!names.includes(name)) throw badRequest('Invalid emoji name.');
    }
  }
}
