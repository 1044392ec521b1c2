import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

export interface Item {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}

interface Props {
  readonly label: string;
  readonly icon: IconName;
  readonly items: () => readonly Item[];
}

/** Pixels between a menu and the edge of the window. */
const MARGIN = 8;

/** A button that opens a list of things to do. */
export function Menu({ label, icon, items }: Props) {
  const [isOpen, open] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        class="plain icon-button"
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => open(true)}
      >
        <Icon name={icon} />
      </button>
      {isOpen && (
        <List label={label} items={items()} at={button.current!} onClose={() => open(false)} />
      )}
    </>
  );
}

interface ListProps {
  readonly label: string;
  readonly items: readonly Item[];
  readonly at: HTMLElement;
  readonly onClose: () => void;
}

/** Above everything, so that nothing cuts it off; on a phone at the bottom of the screen (`chat.css`). */
function List({ label, items, at, onClose }: ListProps) {
  const box = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = box.current!;
    dialog.showModal();
    const { bottom, left, right } = at.getBoundingClientRect();
    const { width, height } = dialog.getBoundingClientRect();
    // Where lines end there is most often no room beyond the button.
    const start = document.documentElement.dir === 'rtl' ? left : right - width;
    dialog.style.left = `${Math.max(MARGIN, Math.min(start, innerWidth - width - MARGIN))}px`;
    dialog.style.top = `${Math.max(MARGIN, Math.min(bottom + 4, innerHeight - height - MARGIN))}px`;
    return () => {
      // What lies behind an open dialog takes no focus.
      dialog.close();
      at.focus({ preventScroll: true });
    };
  }, []);
  const pressed = (event: KeyboardEvent): void => {
    event.stopPropagation();
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const all = [...box.current!.querySelectorAll('button')];
    const index = all.indexOf(document.activeElement as HTMLButtonElement);
    all.at((index + by) % all.length)?.focus();
  };
  return (
    <dialog
      ref={box}
      class="menu"
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // The browser tells with its next frame: by then the menu may be another one.
      onClose={() => box.current && onClose()}
      onKeyDown={pressed}
      onDblClick={(event) => event.stopPropagation()}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <ul role="menu" aria-label={label}>
        {items.map((item) => (
          <li key={item.label} role="none">
            <button
              type="button"
              role="menuitem"
              onClick={() => {
                onClose();
                item.onClick();
              }}
            >
              <Icon name={item.icon} />
              {item.label}
            </button>
          </li>
        ))}
      </ul>
    </dialog>
  );
}
