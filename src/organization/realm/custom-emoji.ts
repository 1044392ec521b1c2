import type { CustomEmojiChange } from '../../journal/renderers/realm.js';
import type { CustomEmojiDocument } from '../../../schemas/realm/custom-emoji.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_CUSTOM_EMOJI } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { emojiCode } from '../../services/text/emoji.js';
import type { Organization } from '../state/organization.js';
import { isAdministrator } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';
import { customEmojiMap, customEmojiObject } from '../views/custom-emoji-view.js';

/**
 * Checks that a user may add an emoji under this name (endpoints-organization.md#custom-emoji).
 * @returns the name as it is stored
 * @throws ApiError
 */
export function checkNewEmoji(org: Organization, user: UserDocument, given: string): string {
  const name = given.trim().replaceAll(' ', '_');
  checkEmojiName(name);
  if (org.customEmoji.active(name)) {
    throw badRequest('A custom emoji with this name already exists.');
  }
  if (emojiCode(name) !== undefined && !isAdministrator(user)) {
    throw badRequest('Only administrators can override default emoji.');
  }
  // Deactivated ones count too: they are in every snapshot.
  if (org.customEmoji.size >= MAX_CUSTOM_EMOJI) {
    throw badRequest(`An organization can have at most ${MAX_CUSTOM_EMOJI} custom emoji.`);
  }
  return name;
}

/** @throws ApiError for a name that no custom emoji can have */
export function checkEmojiName(name: string): void {
  if (name === '') throw badRequest('Emoji name is missing');
  if (!/^[0-9a-z\-_]+$/.test(name)) {
    throw badRequest(
      'Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.',
    );
  }
  if (!/[0-9a-z]$/.test(name)) {
    throw badRequest('Emoji names must end with either a letter or digit.');
  }
}

/** Adds a custom emoji; its files are stored already. @throws ApiError */
export function addCustomEmoji(
  tx: Transaction,
  user: UserDocument,
  given: string,
  picture: Pick<CustomEmojiDocument, 'file' | 'animated'>,
): void {
  const { org } = tx;
  const name = checkNewEmoji(org, user, given);
  const emoji = org.customEmoji.insert({
    id: org.counters.next('custom_emoji'),
    name,
    author_id: user.user_id,
    deactivated: false,
    ...picture,
  });
  emitCustomEmoji(tx, { op: 'add', emoji: customEmojiObject(emoji) });
}

/** Deactivates a custom emoji; existing messages and reactions still show it. @throws ApiError */
export function deactivateCustomEmoji(tx: Transaction, user: UserDocument, given: string): void {
  const { org } = tx;
  const emoji = org.customEmoji.active(given.trim().replaceAll(' ', '_'));
  if (!emoji) throw badRequest(`Emoji '${given}' does not exist`);
  if (!isAdministrator(user) && emoji.author_id !== user.user_id) {
    throw badRequest('Must be an organization administrator or emoji author');
  }
  org.customEmoji.update(emoji.id, { deactivated: true });
  emitCustomEmoji(tx, {
    op: 'update_one',
    emoji_id: String(emoji.id),
    data: { deactivated: true },
  });
}

function emitCustomEmoji(tx: Transaction, change: CustomEmojiChange): void {
  tx.emit('realm_emoji', { to: 'all' }, { change, realm_emoji: customEmojiMap(tx.org) });
}
