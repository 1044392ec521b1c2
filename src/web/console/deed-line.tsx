import { useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { Asked, Deed } from './asked.js';
import { say } from './text.js';

/** What became of the newest change, and of the newest question. */
export function DeedLine({ deed, asked }: { deed: Deed; asked?: Asked<unknown> }) {
  return (
    <>
      <p role="status">{deed.said}</p>
      {deed.fault !== '' && <p role="alert">{deed.fault}</p>}
      {asked?.error && <p role="alert">{asked.error.message}</p>}
    </>
  );
}

interface ConfirmProps {
  /** On the button that opens it, and on the one that does it. */
  readonly words: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  /** Tells one button from others of its kind. */
  readonly label: string;
  readonly onConfirm: () => void;
}

/** A button that asks before it does what cannot be taken back at once. */
export function Confirm({ words, children, label, onConfirm }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button class="plain" aria-label={label} onClick={() => dialog.current?.showModal()}>
        {words} …
      </button>
      <dialog ref={dialog} aria-label={label}>
        <form method="dialog">
          <p>{children}</p>
          <p class="buttons">
            <button class="plain">{say('dialog.cancel')}</button>{' '}
            <button onClick={onConfirm}>{words}</button>
          </p>
        </form>
      </dialog>
    </>
  );
}
