import { useState } from 'preact/hooks';
import { fieldOf } from '../../shared/components.js';
import { Dialog } from '../parts/dialog.js';
import type { Model } from '../model.js';
import { PeoplePicker } from '../people/picker.js';
import { say } from '../say.js';
import { isolated } from '../view.js';

/** Makes a channel: only by this form, so that no mistyped name makes one. */
export function showCreate(model: Model, name = ''): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('channel.new')}>
      <Create model={model} name={name} />
    </Dialog>
  ));
}

function Create({ model, name }: { model: Model; name: string }) {
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set());
  const [isPrivate, makePrivate] = useState(!model.canCreatePublic);
  const { surface, client, me } = model;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const params = {
          name: fieldOf(event, 'name'),
          description: fieldOf(event, 'description'),
          subscribers: [me.user_id, ...chosen],
          invite_only: isPrivate,
        };
        surface.attempt(client.call('POST /channels/create', params), ({ id }) => {
          surface.close();
          model.go({ kind: 'channel', channelId: id });
        });
      }}
    >
      <label for="new-name">{say('common.name')}</label>
      <input
        id="new-name"
        name="name"
        dir="auto"
        maxLength={60}
        defaultValue={name}
        required
        autofocus
      />
      <label for="new-description">{say('channel.purpose')}</label>
      <input id="new-description" name="description" dir="auto" maxLength={1024} />
      <fieldset class="kinds">
        <legend>{say('channel.readers')}</legend>
        <label class="switch">
          <input
            type="radio"
            name="kind"
            checked={!isPrivate}
            disabled={!model.canCreatePublic}
            onChange={() => makePrivate(false)}
          />
          {say('channel.public', { organization: isolated(model.realmName) })}
        </label>
        <label class="switch">
          <input
            type="radio"
            name="kind"
            checked={isPrivate}
            disabled={!model.canCreatePrivate}
            onChange={() => makePrivate(true)}
          />
          {say('channel.private')}
        </label>
      </fieldset>
      <PeoplePicker model={model} label={say('people.add')} chosen={chosen} onChange={choose} />
      <p class="choices">
        <button>{say('channel.create')}</button>
      </p>
    </form>
  );
}
