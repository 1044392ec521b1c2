import { fieldOf } from '../shared/components.js';
import type { Model } from './model.js';

/** The title of the view, the way back on phones, and the search. */
export function Header({ model }: { model: Model }) {
  const { view } = model;
  const search = (event: SubmitEvent): void => {
    event.preventDefault();
    const text = fieldOf(event, 'text');
    if (text !== '') model.go({ kind: 'search', text });
  };
  return (
    <header class="bar">
      {view.kind !== 'home' && (
        <a class="back" href="#/home" aria-label="Back to all conversations">
          ‹
        </a>
      )}
      <h1>{model.titleOf(view)}</h1>
      <form role="search" onSubmit={search}>
        <input
          id="search"
          name="text"
          type="search"
          placeholder="Search"
          aria-label="Search all messages"
          value={view.kind === 'search' ? view.text : ''}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
      </form>
    </header>
  );
}
