import { useState } from 'preact/hooks';
import { fieldOf } from '../../shared/components.js';
import { Dialog } from '../parts/dialog.js';
import type { Model } from '../model.js';
import { PeoplePicker } from '../people/picker.js';

/** Makes a channel: only by this form, so that no mistyped name makes one. */
export function showCreate(model: Model, name = ''): void {
  model.surface.show(() => (
    <Dialog model={model} title="New channel">
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
      <label for="new-name">Name</label>
      <input id="new-name" name="name" maxLength={60} defaultValue={name} required autofocus />
      <label for="new-description">What it is for</label>
      <input id="new-description" name="description" maxLength={1024} />
      <fieldset class="kinds">
        <legend>Who can read it</legend>
        <label class="switch">
          <input
            type="radio"
            name="kind"
            checked={!isPrivate}
            disabled={!model.canCreatePublic}
            onChange={() => makePrivate(false)}
          />
          Everybody of {model.realmName}
        </label>
        <label class="switch">
          <input
            type="radio"
            name="kind"
            checked={isPrivate}
            disabled={!model.canCreatePrivate}
            onChange={() => makePrivate(true)}
          />
          Only those who are added: private
        </label>
      </fieldset>
      <PeoplePicker model={model} label="Add people" chosen={chosen} onChange={choose} />
      <p class="choices">
        <button>Create channel</button>
      </p>
    </form>
  );
}
