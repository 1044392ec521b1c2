import type { CustomEmojiDocument } from '../../schemas/documents/custom-emoji.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import { MAX_CUSTOM_EMOJI } from '../../schemas/limits.js';
import { badRequest } from '../errors.js';
import { emojiCode } from '../services/emoji.js';
import { Collection, release, type Recorder } from './collection.js';
import { insufficient } from './group-rights.js';
import type { Organization } from './organization.js';
import { allows, isAdministrator } from './permissions.js';
import type { Transaction } from './transaction.js';

/** Where this server gives out the pictures of custom emoji. */
export const EMOJI_PATH = '/user_avatars/emoji/';

/** All custom emoji; at most one of each name is active. */
export class CustomEmojiCollection extends Collection<number, CustomEmojiDocument> {
  private readonly idByName = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('custom_emoji', recorder, (emoji) => emoji.id);
  }

  /** The active one of a name. */
  active(name: string): CustomEmojiDocument | undefined {
    const id = this.idByName.get(name);
    return id === undefined ? undefined : this.get(id);
  }

  protected override reindex(previous?: CustomEmojiDocument, next?: CustomEmojiDocument): void {
    if (previous && !previous.deactivated) release(this.idByName, previous.name, previous.id);
    if (next && !next.deactivated) this.idByName.set(next.name, next.id);
  }
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

/** Where a custom emoji's file is kept. */
export function customEmojiKey(fileName: string): string {
  return `emoji/${fileName}`;
}

/** A custom emoji as clients see it (events.md section 13). */
function customEmojiObject(emoji: CustomEmojiDocument) {
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

/**
 * Whether somebody may add an emoji under this name (endpoints.md section G.2).
 * @returns the name as it is stored
 * @throws ApiError
 */
export function checkNewEmoji(org: Organization, user: UserDocument, given: string): string {
  const name = given.trim().replaceAll(' ', '_');
  checkEmojiName(name);
  const may = allows(org, org.realm.current.can_add_custom_emoji_group, user);
  if (!may) throw insufficient();
  if (org.customEmoji.active(name)) {
    throw badRequest('A custom emoji with this name already exists.');
  }
  if (emojiCode(name) !== undefined && !isAdministrator(user)) {
    throw badRequest('Only administrators can override default emoji.');
  }
  // Deactivated ones count: they are in every snapshot.
  if (org.customEmoji.size >= MAX_CUSTOM_EMOJI) {
    throw badRequest(`An organization can have at most ${MAX_CUSTOM_EMOJI} custom emoji.`);
  }
  return name;
}

function checkEmojiName(name: string): void {
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

/** Adds a custom emoji whose files are stored. @throws ApiError */
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
  tell(tx, { op: 'add', emoji: customEmojiObject(emoji) });
}

/** Takes a custom emoji out of use; what it was used for still shows it. @throws ApiError */
export function deactivateCustomEmoji(tx: Transaction, user: UserDocument, given: string): void {
  const { org } = tx;
  const emoji = org.customEmoji.active(given.trim().replaceAll(' ', '_'));
  if (!emoji) throw badRequest(`Emoji '${given}' does not exist`);
  if (!isAdministrator(user) && emoji.author_id !== user.user_id) {
    throw badRequest('Must be an organization administrator or emoji author');
  }
  org.customEmoji.update(emoji.id, { deactivated: true });
  tell(tx, { op: 'update_one', emoji_id: String(emoji.id), data: { deactivated: true } });
}

function tell(tx: Transaction, change: Record<string, unknown>): void {
  tx.emit('realm_emoji', { to: 'all' }, { change, realm_emoji: customEmojiMap(tx.org) });
}
