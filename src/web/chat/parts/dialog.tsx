import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Model } from '../model.js';
import { IconButton } from './icon.js';

interface Props {
  readonly model: Model;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A part of its own above the page. Where one was before, the focus is afterwards. */
export function Dialog({ model, title, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current!.showModal();
    return () => void (before instanceof HTMLElement && before.focus({ preventScroll: true }));
  }, []);
  // One may follow another in the same place.
  useEffect(() => {
    const field = box.current!.querySelector<HTMLElement>('.dialog-body [autofocus]');
    (field ?? box.current!.querySelector('h2')!).focus();
  }, [title]);
  return (
    <dialog
      ref={box}
      class="part"
      aria-labelledby="dialog-title"
      onClose={() => model.surface.close()}
      onClick={(event) => event.target === event.currentTarget && box.current?.close()}
    >
      <div class="dialog-head">
        <h2 id="dialog-title" tabIndex={-1}>
          {title}
        </h2>
        <IconButton icon="close" label="Close" onClick={() => box.current?.close()} />
      </div>
      <div class="dialog-body">{children}</div>
      <Notice model={model} />
    </dialog>
  );
}

/** What was refused, or done out of sight. */
export function Notice({ model }: { model: Model }) {
  const { notice } = model.surface;
  return (
    <p class={notice === '' ? 'hidden' : 'snack'} role="status">
      {notice}
    </p>
  );
}

interface Question {
  readonly title: string;
  readonly text: string;
  /** What the button says that does it. */
  readonly action: string;
  readonly run: () => void;
}

/** Asks before something is done that nobody takes back. */
export function ask(model: Model, { title, text, action, run }: Question): void {
  const { surface } = model;
  surface.show(() => (
    <Dialog model={model} title={title}>
      <p dir="auto">{text}</p>
      <p class="choices">
        <button class="plain" onClick={() => surface.close()}>
          Cancel
        </button>
        <button
          class="danger"
          onClick={() => {
            surface.close();
            run();
          }}
        >
          {action}
        </button>
      </p>
    </Dialog>
  ));
}
