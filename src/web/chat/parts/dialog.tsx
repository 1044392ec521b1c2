import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Model } from '../model.js';
import { say } from '../say.js';
import { IconButton } from './icon.js';

interface Props {
  readonly model: Model;
  readonly title: string;
  /** Its class, where it looks otherwise than others. */
  readonly kind?: string;
  readonly children: ComponentChildren;
}

/** A part of its own above the page. Where one was before, the focus is afterwards. */
export function Dialog({ model, title, kind = '', children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const close = (): void => model.surface.close();
  useEffect(() => {
    const before = document.activeElement;
    const dialog = box.current!;
    dialog.showModal();
    return () => {
      // What lies behind an open dialog takes no focus.
      dialog.close();
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  // One may follow another in the same place.
  useEffect(() => {
    const field = box.current!.querySelector<HTMLElement>('.dialog-body [autofocus]');
    (field ?? box.current!.querySelector('h2')!).focus();
  }, [model.surface.dialog]);
  return (
    <dialog
      ref={box}
      class={`part ${kind}`}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        // A choice of files is cancelled, too.
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        close();
      }}
      // The browser tells with its next frame: by then the dialog may be another one.
      onClose={() => box.current && close()}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div class="dialog-head">
        <h2 id="dialog-title" tabIndex={-1}>
          {title}
        </h2>
        <IconButton icon="close" label={say('common.close')} onClick={close} />
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
          {say('common.cancel')}
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
