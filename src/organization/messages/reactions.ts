import { type MessageDocument, REACTION_TYPES } from '../../../schemas/messages/message.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_REACTIONS } from '../../../schemas/limits.js';
import { badRequest, reactionExists, reactionMissing } from '../../errors/index.js';
import { without } from '../access/permissions.js';
import { guestsWithoutAccess } from '../access/user-access.js';
import { holderAudiences, isInAudience } from './holder-audiences.js';
import type { Organization } from '../state/organization.js';
import { followByAction } from '../topics/topic-policy.js';
import type { Transaction } from '../state/transaction.js';
import { UNKNOWN_USER } from '../views/unknown-user.js';
import { apiEmail, placeholderEmail } from '../views/user-view.js';
import {
  emojiCode,
  emojiNames,
  EXTRA_EMOJI,
  knownName,
  standardCode,
} from '../../services/text/emoji.js';

type Reaction = MessageDocument['reactions'][number];

/**
 * Adds a reaction to a message that the user may see, given its current document
 * (endpoints-flags.md#reactions). A further reaction with the same emoji takes the stored name. A reaction
 * counts as participation in the topic.
 * @throws ApiError
 */
export function addReaction(
  tx: Transaction,
  user: UserDocument,
  message: MessageDocument,
  wanted: WantedEmoji,
): void {
  const { org } = tx;
  const chosen = chosenEmoji(org, wanted);
  const same = message.reactions.filter((one) => isSame(one, chosen));
  if (same.some((one) => one.user_id === user.user_id)) throw reactionExists();
  if (same.length === 0) checkEmoji(org, chosen);
  if (message.reactions.length >= MAX_REACTIONS) {
    throw badRequest(`A message can have at most ${MAX_REACTIONS} reactions.`);
  }
  const { emoji_code, reaction_type } = chosen;
  const emoji_name = same[0]?.emoji_name ?? chosen.emoji_name;
  const reaction = { emoji_name, emoji_code, reaction_type, user_id: user.user_id };
  const reactions = [...message.reactions, reaction];
  const channel = message.stream_id === null ? undefined : org.channels.get(message.stream_id);
  if (channel) followByAction(tx, user, channel, message.topic, 'participates');
  emitReaction(tx, 'add', org.messages.update(message, { reactions }, tx.seq), reaction);
}

/** The reaction that a client removes: at least its name or its code. */
type UnwantedEmoji = Partial<WantedEmoji>;

/** Removes a user's reaction, given the message's current document. @throws ApiError */
export function removeReaction(
  tx: Transaction,
  user: UserDocument,
  message: MessageDocument,
  unwanted: UnwantedEmoji,
): void {
  const { org } = tx;
  const own = message.reactions.filter((one) => one.user_id === user.user_id);
  const reaction = own.find(matcher(org, own, unwanted));
  if (!reaction) throw reactionMissing();
  const reactions = message.reactions.filter((one) => one !== reaction);
  emitReaction(tx, 'remove', org.messages.update(message, { reactions }, tx.seq), reaction);
}

/**
 * Selects the reaction to remove. A name alone may be that of a custom emoji that was deactivated since, or
 * an alias of the stored name.
 * @throws ApiError for a name that neither the message nor the organization knows
 */
function matcher(
  org: Organization,
  own: readonly Reaction[],
  { emoji_name, emoji_code, reaction_type }: UnwantedEmoji,
): (reaction: Reaction) => boolean {
  const ofType = (one: Reaction) =>
    reaction_type === undefined || one.reaction_type === reaction_type;
  if (emoji_code !== undefined) {
    return (one) => storedCodeOf(one) === storedCode(emoji_code, one.reaction_type) && ofType(one);
  }
  const name = emoji_name!;
  if (own.some((one) => one.emoji_name === name && ofType(one))) {
    return (one) => one.emoji_name === name && ofType(one);
  }
  const named = emojiNamed(org, name);
  return (one) => isSame(one, named) && ofType(one);
}

function isSame(one: Pick<Reaction, 'emoji_code' | 'reaction_type'>, other: EmojiChoice): boolean {
  return storedCodeOf(one) === other.emoji_code && one.reaction_type === other.reaction_type;
}

/** The code of a stored reaction; older ones lack the variation selectors that ten of the codes have. */
function storedCodeOf(one: Pick<Reaction, 'emoji_code' | 'reaction_type'>): string {
  return storedCode(one.emoji_code, one.reaction_type);
}

function emitReaction(
  tx: Transaction,
  op: 'add' | 'remove',
  message: MessageDocument,
  reaction: Reaction,
): void {
  const { org } = tx;
  const user = org.users.get(reaction.user_id)!;
  const { user_id, full_name } = user;
  const data = { op, message_id: message.id, ...reaction };
  const shown = { ...data, user: { user_id, email: apiEmail(org, user), full_name } };
  const involved = new Set([reaction.user_id, ...message.reactions.map((one) => one.user_id)]);
  const blind = guestsWithoutAccess(org, user);
  for (const audience of holderAudiences(org, message, involved)) {
    tx.emit('reaction', without(audience, blind), shown);
    const users = blind.filter((id) => isInAudience(org, audience, id));
    const unknown = { user_id, email: placeholderEmail(org, user_id), full_name: UNKNOWN_USER };
    tx.emit('reaction', { to: 'users', users }, { ...data, user: unknown });
  }
}

/** An emoji by name, code and type, as reactions store it (events-messages.md#messages). */
interface EmojiChoice {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: 'unicode_emoji' | 'realm_emoji' | 'zulip_extra_emoji';
}

/** The emoji as the client named it. */
interface WantedEmoji {
  readonly emoji_name: string;
  readonly emoji_code?: string;
  readonly reaction_type?: string;
}

/**
 * The emoji with a name: custom emoji first, then Unicode, then the extra one
 * (endpoints-flags.md#reactions).
 * @throws ApiError `Emoji '{name}' does not exist`
 */
function emojiNamed(org: Organization, emoji_name: string): EmojiChoice {
  const custom = org.customEmoji.active(emoji_name);
  if (custom) return { emoji_name, emoji_code: String(custom.id), reaction_type: 'realm_emoji' };
  const code = emojiCode(emoji_name);
  if (code !== undefined) return { emoji_name, emoji_code: code, reaction_type: 'unicode_emoji' };
  if (emoji_name === EXTRA_EMOJI) {
    return { emoji_name, emoji_code: EXTRA_EMOJI, reaction_type: 'zulip_extra_emoji' };
  }
  throw badRequest(`Emoji '${emoji_name}' does not exist`);
}

/**
 * The emoji that a client selected; missing parts follow from the name. {@link checkEmoji} checks whether
 * it exists.
 * @throws ApiError for an unknown name or type
 */
function chosenEmoji(org: Organization, wanted: WantedEmoji): EmojiChoice {
  const { emoji_name, emoji_code, reaction_type } = wanted;
  const named =
    emoji_code === undefined || reaction_type === undefined ? emojiNamed(org, emoji_name) : null;
  const type = emojiType(reaction_type ?? named!.reaction_type);
  const code = storedCode(emoji_code ?? named!.emoji_code, type);
  const name = type === 'unicode_emoji' ? knownName(emoji_name, code) : emoji_name;
  return { emoji_name: name, emoji_code: code, reaction_type: type };
}

/** A code in its stored form. */
function storedCode(code: string, type: string): string {
  return type === 'unicode_emoji' ? standardCode(code) : code;
}

/** @throws ApiError `Invalid emoji type.` */
function emojiType(type: string): EmojiChoice['reaction_type'] {
  const known = REACTION_TYPES.find((one) => one === type);
  if (known === undefined) throw badRequest('Invalid emoji type.');
  return known;
}

/**
 * Refuses an emoji that does not exist, or whose name and code do not match.
 * @throws ApiError
 */
function checkEmoji(org: Organization, emoji: EmojiChoice): void {
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
      if (code !== EXTRA_EMOJI) throw badRequest('Invalid emoji code.');
      if (name !== EXTRA_EMOJI) throw badRequest('Invalid emoji name.');
      return;
    case 'unicode_emoji': {
      const names = emojiNames(code);
      if (names.length === 0) throw badRequest('Invalid emoji code.');
      if (!names.includes(name)) throw badRequest('Invalid emoji name.');
    }
  }
}
