import { useRef, useState } from 'preact/hooks';
import { addressOf } from '../view.js';
import type { Model } from '../model.js';
import { say } from '../say.js';
import { Completions } from '../writing/completion.js';
import { offersAt, type Offer } from './offers.js';

/** The field of the search, with what goes on from what is written there. */
export function SearchBox({ model }: { model: Model }) {
  const { view } = model;
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(view.kind === 'search' ? view.text : '');
  const [isOpen, open] = useState(false);
  const [moved, move] = useState<number>();
  const cursor = box.current?.selectionStart ?? text.length;
  const { from, options, isValue } = offersAt(model, text, cursor);
  const isOffering = isOpen && options.length > 0;
  const chosen = moved ?? (isValue ? 0 : -1);
  const write = (value: string): void => {
    setText(value);
    move(undefined);
    open(true);
  };
  const choose = (offer: Offer): void => {
    if (offer.view) {
      open(false);
      return model.go(offer.view);
    }
    const next = text.slice(0, from) + offer.text + text.slice(cursor).trimStart();
    write(next);
    const field = box.current!;
    field.value = next;
    field.focus();
    const at = from + offer.text.length;
    field.setSelectionRange(at, at);
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const { length } = options;
    if (by !== 0 && length > 0) {
      open(true);
      // From none, down leads to the first and up to the last.
      move(isOffering ? (Math.max(chosen, by < 0 ? 0 : -1) + by + length) % length : 0);
    } else if (isOffering && event.key === 'Enter' && chosen >= 0) choose(options[chosen]!);
    else if (isOffering && event.key === 'Tab' && text.trim() !== '' && !event.shiftKey) {
      choose(options[Math.max(chosen, 0)]!);
    } else if (event.key === 'Escape' && isOffering) open(false);
    else if (event.key === 'Escape') return box.current?.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        open(false);
        if (text.trim() !== '') model.go({ kind: 'search', text: text.trim() });
      }}
    >
      <input
        ref={box}
        id="search"
        name="text"
        type="search"
        autocomplete="off"
        // At home of a phone it stands beside the filter of the conversations.
        placeholder={say(view.kind === 'home' ? 'header.search-all' : 'header.search')}
        aria-label={say('header.search-all')}
        aria-autocomplete="list"
        aria-controls={isOffering ? 'offers' : undefined}
        aria-activedescendant={isOffering && chosen >= 0 ? `offers-${chosen}` : undefined}
        value={text}
        onInput={(event) => write(event.currentTarget.value)}
        onFocus={() => open(true)}
        onBlur={() => open(false)}
        onKeyDown={pressed}
      />
      {isOffering && (
        <Completions id="offers" options={options} chosen={chosen} onChoose={choose} />
      )}
    </form>
  );
}

/** The part of the address by which the field begins anew. */
export function searchKey({ view }: Model): string {
  return view.kind === 'search' ? addressOf(view) : '';
}
