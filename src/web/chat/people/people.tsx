import { useState } from 'preact/hooks';
import type { Model } from '../model.js';
import { Avatar } from '../parts/avatar.js';
import { Dialog } from '../parts/dialog.js';
import { presenceText } from '../presences.js';
import { say } from '../say.js';
import { peopleWith } from './picker.js';
import { roleOf, showProfile } from './profile.js';

/** People that are listed at once; the filter finds the others. */
const MOST = 100;

/** Everybody in the organization. */
export function showPeople(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('people.title')}>
      <People model={model} />
    </Dialog>
  ));
}

function People({ model }: { model: Model }) {
  const [wanted, setWanted] = useState('');
  return (
    <>
      <input
        class="wide-field"
        type="search"
        placeholder={say('people.find-by')}
        aria-label={say('people.find')}
        autofocus
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
      />
      <ul class="list">
        {peopleWith(model, wanted, MOST).map(({ user_id, full_name, avatar_url, role }) => (
          <li key={user_id}>
            <button class="line" onClick={() => showProfile(model, user_id)}>
              <Avatar userId={user_id} url={avatar_url} size={28} />
              <span class={`presence ${model.presences.of(user_id)}`} />
              <span class="name" dir="auto">
                {full_name}
              </span>
              <span class="hidden"> {presenceText(model.presences.of(user_id))}</span>
              <small>{roleOf(role)}</small>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
