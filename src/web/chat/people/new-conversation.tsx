import { useState } from 'preact/hooks';
import type { Model } from '../model.js';
import { Dialog } from '../parts/dialog.js';
import { say } from '../say.js';
import { PeoplePicker } from './picker.js';

/** Begins a conversation with one person or several. */
export function showNewConversation(model: Model, first: readonly number[] = []): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('people.new-conversation')}>
      <NewConversation model={model} first={first} />
    </Dialog>
  ));
}

function NewConversation({ model, first }: { model: Model; first: readonly number[] }) {
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set(first));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        model.surface.close();
        model.go({ kind: 'direct', userIds: [...chosen].sort((a, b) => a - b) });
      }}
    >
      <PeoplePicker
        model={model}
        label={say('people.with-whom')}
        chosen={chosen}
        onChange={choose}
      />
      <p class="choices">
        <button disabled={chosen.size === 0}>{say('people.begin', { count: chosen.size })}</button>
      </p>
    </form>
  );
}
