import { useEffect, useState } from 'preact/hooks';
import { fieldOf } from '../../shared/components.js';
import type { Reply } from '../../../client/index.js';
import type { Model } from '../model.js';
import { Dialog } from '../parts/dialog.js';
import { IconButton } from '../parts/icon.js';
import { isIn } from '../people/groups.js';
import { say } from '../say.js';
import { ALPHABET } from '../times.js';

type Emoji = Reply<'GET /realm/emoji'>['emoji'][string];

/** Emoji that people of the organization made. */
export function showOwnEmoji(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('emoji.title')}>
      <OwnEmoji model={model} />
    </Dialog>
  ));
}

function OwnEmoji({ model }: { model: Model }) {
  const { surface, client, me, isAdmin, allowed, facts } = model;
  const [all, show] = useState<readonly Emoji[]>([]);
  const [mayAdd, allow] = useState(false);
  const load = (): void =>
    surface.attempt(client.call('GET /realm/emoji', {}), ({ emoji }) =>
      show(Object.values(emoji).filter(({ deactivated }) => !deactivated)),
    );
  useEffect(load, [facts]);
  useEffect(() => {
    if (allowed.emoji !== undefined) model.quietly(isIn(model, allowed.emoji).then(allow));
  }, []);
  const remove = (emoji_name: string): void => {
    const call = 'DELETE /realm/emoji/{emoji_name}';
    surface.attempt(client.call(call, { emoji_name }), () => {
      document.getElementById('dialog-title')?.focus();
      return say('emoji.removed', { name: emoji_name });
    });
  };
  return (
    <>
      {all.length === 0 && <p class="empty">{say('emoji.none')}</p>}
      <ul class="list">
        {[...all]
          .sort((a, b) => ALPHABET.compare(a.name, b.name))
          .map(({ id, name, author_id }) => (
            <li key={id} class="field-row">
              <img class="emoji" src={model.emoji.urlOf(id)} alt="" />
              <span class="name">
                :{name}: {author_id !== null && <small>{model.nameOf(author_id)}</small>}
              </span>
              {(isAdmin || author_id === me.user_id) && (
                <IconButton
                  icon="trash"
                  label={say('emoji.remove', { name })}
                  onClick={() => remove(name)}
                />
              )}
            </li>
          ))}
      </ul>
      {mayAdd && (
        <form
          class="settings"
          aria-label={say('emoji.add')}
          onSubmit={(event) => {
            event.preventDefault();
            const form = event.currentTarget;
            const data = new FormData(form).get('picture') as File;
            const emoji_name = fieldOf(event, 'emoji_name').toLowerCase();
            const file = { data, name: data.name };
            const call = 'POST /realm/emoji/{emoji_name}';
            surface.attempt(client.call(call, { emoji_name }, { file }), () => {
              form.reset();
              return say('emoji.added', { name: emoji_name });
            });
          }}
        >
          <h3>{say('emoji.add')}</h3>
          <label for="emoji-name">{say('common.name')}</label>
          <input
            id="emoji-name"
            name="emoji_name"
            pattern="[A-Za-z0-9_\-]+"
            title={say('emoji.name-hint')}
            maxLength={60}
            required
          />
          <label for="emoji-picture">{say('message.picture')}</label>
          <p class="field-row">
            <input id="emoji-picture" name="picture" type="file" accept="image/*" required />
            <button>{say('common.add')}</button>
          </p>
        </form>
      )}
    </>
  );
}
