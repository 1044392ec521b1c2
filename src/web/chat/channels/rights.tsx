import { useEffect, useState } from 'preact/hooks';
import type { GroupSettingValue, Params, Reply } from '../../../client/index.js';
import type { Model } from '../model.js';
import { say } from '../say.js';

/** What a channel allows to some, by the settings that people ask for. */
const RIGHTS = {
  can_send_message_group: 'rights.post',
  can_add_subscribers_group: 'rights.add',
  can_remove_subscribers_group: 'rights.remove',
  can_administer_channel_group: 'rights.manage',
} as const;
type Right = keyof typeof RIGHTS;

const ROLES = {
  'role:everyone': 'role.everyone',
  'role:members': 'role.members',
  'role:moderators': 'role.moderators',
  'role:administrators': 'role.administrators',
  'role:owners': 'role.owners',
  'role:nobody': 'role.nobody',
} as const;

type Group = Reply<'GET /user_groups'>['user_groups'][number];

interface Props {
  readonly model: Model;
  readonly channelId: number;
}

/** Who may do what in a channel, for who may change that. */
export function Rights({ model, channelId }: Props) {
  const { surface, client } = model;
  const [groups, show] = useState<readonly Group[]>([]);
  useEffect(
    () =>
      surface.attempt(client.call('GET /user_groups', {}), ({ user_groups }) => show(user_groups)),
    [],
  );
  const channel = model.channels.get(channelId);
  if (!channel || groups.length === 0) return null;
  const roles = Object.entries(ROLES).flatMap(([name, text]) =>
    groups.filter((one) => one.name === name).map(({ id }) => ({ id, name: say(text) })),
  );
  const people = groups.filter((one) => !one.is_system_group && !one.deactivated);
  const change = (right: Right, group: number): void => {
    const params = { stream_id: channelId, [right]: { new: group } };
    const call = 'PATCH /streams/{stream_id}';
    surface.attempt(client.call(call, params as Params<typeof call>), () => say('common.saved'));
  };
  return (
    <section class="settings pairs" aria-label={say('rights.title')}>
      <h3>{say('rights.title')}</h3>
      {Object.entries(RIGHTS).map(([name, text]) => {
        const right = name as Right;
        const value: GroupSettingValue = channel[right];
        const isKnown = [...roles, ...people].some(({ id }) => id === value);
        return (
          <>
            <label for={right}>{say(text)}</label>
            <select
              id={right}
              value={isKnown && typeof value === 'number' ? value : ''}
              onChange={(event) => change(right, Number(event.currentTarget.value))}
            >
              {!isKnown && (
                <option value="" disabled>
                  {say('rights.some')}
                </option>
              )}
              {[...roles, ...people].map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </>
        );
      })}
    </section>
  );
}
