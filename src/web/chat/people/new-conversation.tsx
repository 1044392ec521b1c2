import { useState } from 'preact/hooks';
import type { Model } from '../model.js';
import { Dialog } from '../parts/dialog.js';
import { PeoplePicker } from './picker.js';

/** Begins a conversation with one person or several. */
export function showNewConversation(model: Model, first: readonly number[] = []): void {
  model.surface.show(() => (
    <Dialog model={model} title="New conversation">
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
      <PeoplePicker model={model} label="With whom?" chosen={chosen} onChange={choose} />
      <p class="choices">
        <button disabled={chosen.size === 0}>
          {chosen.size > 1 ? `Begin with ${chosen.size} people` : 'Begin'}
        </button>
      </p>
    </form>
  );
}
