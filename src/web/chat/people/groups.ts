import type { GroupSettingValue } from '../../../client/index.js';
import type { Model } from '../model.js';

/** Whether the reader is among those whom a setting allows something; the server knows its groups. */
export async function isIn({ client, me }: Model, setting: GroupSettingValue): Promise<boolean> {
  const { user_id, is_guest } = me;
  const groups = typeof setting === 'number' ? [setting] : setting.direct_subgroups;
  if (typeof setting !== 'number' && setting.direct_members.includes(user_id)) return true;
  // Guests may not ask.
  for (const user_group_id of is_guest ? [] : groups) {
    const call = 'GET /user_groups/{user_group_id}/members/{user_id}';
    const reply = await client.call(call, { user_group_id, user_id });
    if (reply.is_user_group_member) return true;
  }
  return false;
}
