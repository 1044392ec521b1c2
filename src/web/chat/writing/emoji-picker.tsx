import { useState } from 'preact/hooks';
import type { Model } from '../model.js';
import { say } from '../say.js';
import { COMMON, type Emoji } from './emoji.js';

/** Emoji that are shown at once. */
const MOST = 48;

interface Props {
  readonly model: Model;
  readonly label: string;
  readonly onChoose: (emoji: Emoji) => void;
  readonly onClose: () => void;
}

/** The common emoji, and all others by name. */
export function EmojiPicker({ model, label, onChoose, onClose }: Props) {
  const [wanted, setWanted] = useState('');
  const found = wanted.trim() === '' ? COMMON : model.emoji.search(wanted.trim(), MOST);
  const pressed = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
      event.preventDefault();
      if (found[0]) onChoose(found[0]);
    }
  };
  return (
    <div class="picker" role="group" aria-label={label} onKeyDown={pressed}>
      <input
        type="search"
        placeholder={say('emoji.search')}
        aria-label={say('emoji.search-by-name')}
        value={wanted}
        onInput={(event) => setWanted(event.currentTarget.value)}
        ref={(input) => void (input && !input.dataset['seen'] && seen(input))}
      />
      <div class="found-emoji">
        {found.map((emoji) => (
          <button
            key={emoji.code}
            type="button"
            title={emoji.name}
            aria-label={emoji.name}
            onClick={() => onChoose(emoji)}
          >
            {emoji.text ?? <img class="emoji" src={emoji.url} alt="" />}
          </button>
        ))}
        {found.length === 0 && <small>{say('emoji.none')}</small>}
      </div>
    </div>
  );
}

/** Takes the focus once, when it is there. */
function seen(input: HTMLInputElement): void {
  input.dataset['seen'] = '';
  input.focus();
}
