import type { GroupSettingValue } from '../../../client/index.js';

/** What people ask for that not everybody may, and the setting that says who may. */
const SETTINGS = {
  invite: 'create_multiuse_invite_group',
  emoji: 'can_add_custom_emoji_group',
  bots: 'can_create_bots_group',
} as const;

/** Who may do these things, as far as the server has told. */
export type Allowed = Partial<Record<keyof typeof SETTINGS, GroupSettingValue>>;

/** What settings say, whose names begin as the section has them; the others are as before. */
export function allowedOf(settings: object, before: Allowed, prefix = ''): Allowed {
  const values = settings as Readonly<Record<string, GroupSettingValue>>;
  const told = Object.entries(SETTINGS).filter(([, name]) => prefix + name in values);
  const now = told.map(([thing, name]) => [thing, values[prefix + name]]);
  return { ...before, ...(Object.fromEntries(now) as Allowed) };
}
