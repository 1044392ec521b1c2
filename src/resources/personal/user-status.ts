import type { UserDocument } from '../../../schemas/users/user-document.js';
import * as descriptors from '../../../schemas/personal/user-status.js';
import { badRequest } from '../../errors/index.js';
import type { PresenceTracker } from '../../organization/presence/presence-tracker.js';
import { customEmojiPicture } from '../../organization/views/custom-emoji-view.js';
import { changeOwnSettings } from '../../organization/users/settings-change.js';
import { canSeeUser } from '../../organization/access/user-access.js';
import { recordAction } from '../../organization/state/audit.js';
import type { Organization } from '../../organization/state/organization.js';
import { changeStatus, type StatusFields } from '../../organization/personal/user-statuses.js';
import { statusObject } from '../../organization/views/user-view.js';
import { invalidCharacterAt } from '../../services/text/stored-text.js';
import { emojiCode, emojiNames, knownName } from '../../services/text/emoji.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** An emoji by name, type and code, as it is stored. */
type StatusEmoji = Pick<StatusFields, 'emoji_name' | 'emoji_code' | 'reaction_type'>;

/** Dependencies of the status endpoints. */
export interface UserStatusParts {
  readonly presence: PresenceTracker;
}

/** Status texts and emoji of users (endpoints-users.md#presence-and-status). */
export function userStatusHandlers(parts: UserStatusParts): AnyHandler[] {
  const { presence } = parts;
  return [
    handle(descriptors.updateOwnStatus, (tx, { user, params, clientName }) => {
      const change = checkedStatus(tx.org, params, params.away !== undefined);
      if (params.away !== undefined) {
        const values = { presence_enabled: !params.away };
        changeOwnSettings(tx, user, values, { presence, client: clientName });
      }
      changeStatus(tx, user, change);
      return {};
    }),
    handle(descriptors.updateUserStatus, (tx, { user, params }) => {
      const target = userOf(tx.org, params.user_id);
      if (!target.is_active) throw badRequest('User is deactivated');
      if (target !== user) {
        const { user_id: id, full_name: name } = target;
        const fields = [{ name: 'status', old: null, new: null }];
        recordAction(tx, { kind: 'user', id, name, action: 'changed', fields });
      }
      changeStatus(tx, target, checkedStatus(tx.org, params, false));
      return {};
    }),
    statusOf,
  ];
}

const statusOf = handle(descriptors.getUserStatus, ({ org }, { user, params }) => {
  const target = userOf(org, params.user_id);
  if (!canSeeUser(org, user, target)) throw badRequest('No such user');
  return { status: target.is_active ? statusObject(org, target) : {} };
});

function userOf(org: Organization, userId: number): UserDocument {
  const user = org.users.get(userId);
  if (!user || user.is_system_bot) throw badRequest('No such user');
  return user;
}

type StatusParams = Partial<StatusFields>;

/** @throws ApiError for an emoji that does not exist, or a request without new values */
function checkedStatus(org: Organization, params: StatusParams, saysMore: boolean): StatusParams {
  const { status_text, emoji_name, emoji_code, reaction_type } = params;
  if (!emoji_name && (emoji_code || reaction_type)) {
    throw badRequest(
      'Client must pass emoji_name if they pass either emoji_code or reaction_type.',
    );
  }
  if (status_text === undefined && emoji_name === undefined && !saysMore) {
    throw badRequest('Client did not pass any new values.');
  }
  const text = status_text?.trim();
  const position = text === undefined ? null : invalidCharacterAt(text);
  if (position !== null) throw badRequest(`Invalid character in status, at position ${position}!`);
  return {
    ...(text === undefined ? {} : { status_text: text }),
    ...(emoji_name === undefined ? {} : statusEmoji(org, { ...params, emoji_name })),
  };
}

const NO_EMOJI: StatusEmoji = { emoji_name: '', emoji_code: '', reaction_type: '' };

function statusEmoji(
  org: Organization,
  wanted: StatusParams & { readonly emoji_name: string },
): StatusEmoji {
  const { emoji_code, reaction_type } = wanted;
  if (wanted.emoji_name === '') return NO_EMOJI;
  const emoji_name =
    emoji_code && reaction_type === 'unicode_emoji'
      ? knownName(wanted.emoji_name, emoji_code)
      : wanted.emoji_name;
  const unknown = () => badRequest(`Emoji '${emoji_name}' does not exist`);
  const custom = customEmojiPicture(org, emoji_name)?.id;
  // A custom emoji takes precedence over the Unicode emoji of its name, unless the request names a type.
  const type = reaction_type || (custom === undefined ? typeOf(emoji_name) : 'realm_emoji');
  const code = codeOf(type, emoji_name, custom);
  if (code === undefined) throw unknown();
  const given = emoji_code || code;
  const matches = given === code || (type === 'unicode_emoji' && isNamed(given, emoji_name));
  if (!matches) throw badRequest('Invalid emoji name.');
  return { emoji_name, emoji_code: given, reaction_type: type };
}

function typeOf(name: string): string {
  return name === 'zulip' ? 'zulip_extra_emoji' : 'unicode_emoji';
}

function isNamed(code: string, name: string): boolean {
  return emojiNames(code).includes(name);
}

function codeOf(type: string, name: string, custom: string | undefined): string | undefined {
  switch (type) {
    case 'unicode_emoji':
      return emojiCode(name);
    case 'zulip_extra_emoji':
      return name === 'zulip' ? 'zulip' : undefined;
    case 'realm_emoji':
      return custom;
    default:
      throw badRequest('Invalid emoji type.');
  }
}
