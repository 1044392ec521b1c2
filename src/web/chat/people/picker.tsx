import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.js';
import type { Model } from '../model.js';
import { Avatar } from '../parts/avatar.js';
import { say } from '../say.js';
import { isolated } from '../view.js';

/** People that are listed at once; the filter finds the others. */
const MOST = 50;

/** People whose names or addresses have a text, by name. */
export function peopleWith(model: Model, wanted: string, most: number): User[] {
  const text = wanted.trim().toLowerCase();
  const found: User[] = [];
  for (const user of model.users.byName) {
    if (found.length === most) break;
    const { is_active, is_bot, full_name, delivery_email } = user;
    if (!is_active || is_bot) continue;
    const has = (one: string | null): boolean => one?.toLowerCase().includes(text) ?? false;
    if (has(full_name) || has(delivery_email)) found.push(user);
  }
  return found;
}

interface Props {
  readonly model: Model;
  readonly label: string;
  readonly chosen: ReadonlySet<number>;
  /** Those who cannot be chosen: they are there already. */
  readonly without?: ReadonlySet<number>;
  readonly onChange: (chosen: ReadonlySet<number>) => void;
}

/** Chooses people from all. */
export function PeoplePicker({ model, label, chosen, without, onChange }: Props) {
  const [wanted, setWanted] = useState('');
  const turn = (id: number): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  const others = peopleWith(model, wanted, MOST + (without?.size ?? 0)).filter(
    ({ user_id }) => user_id !== model.me.user_id && !without?.has(user_id),
  );
  return (
    <fieldset class="people-picker">
      <legend>{label}</legend>
      <input
        type="search"
        placeholder={say('people.find')}
        aria-label={say('people.find')}
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      {chosen.size > 0 && (
        <p class="chips">
          {[...chosen].map((id) => (
            <button
              key={id}
              type="button"
              aria-label={say('people.leave-out', { person: isolated(model.nameOf(id)) })}
              onClick={() => turn(id)}
            >
              <bdi>{model.nameOf(id)}</bdi> ×
            </button>
          ))}
        </p>
      )}
      <ul class="list">
        {others.slice(0, MOST).map(({ user_id, full_name, avatar_url, delivery_email }) => (
          <li key={user_id}>
            <label>
              <input type="checkbox" checked={chosen.has(user_id)} onChange={() => turn(user_id)} />
              <Avatar userId={user_id} url={avatar_url} size={24} />
              <span class="name" dir="auto">
                {full_name}
              </span>
              <small>{delivery_email}</small>
            </label>
          </li>
        ))}
        {others.length === 0 && (
          <li>
            <small>{say('people.nobody-else')}</small>
          </li>
        )}
      </ul>
    </fieldset>
  );
}
