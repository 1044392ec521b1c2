import type { ComponentChild } from 'preact';

/** How long a notice stays, and one that only confirms what was done. Milliseconds. */
const NOTICE_MS = 6000;
const DONE_MS = 2500;

/** What lies above the page: one dialog, and one notice. */
export class Surface {
  dialog: (() => ComponentChild) | null = null;
  notice = '';
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly changed: () => void) {}

  show(dialog: () => ComponentChild): void {
    this.dialog = dialog;
    this.notice = '';
    this.changed();
  }

  close(): void {
    this.dialog = null;
    this.changed();
  }

  say(notice: string, ms = NOTICE_MS): void {
    this.notice = notice;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.say(''), ms);
    this.changed();
  }

  /** Says why something was refused. @param done what follows where it was not; a text is said */
  attempt<T>(work: Promise<T>, done?: (value: T) => string | void): void {
    work.then(
      (value) => {
        const text = done?.(value);
        if (typeof text === 'string') this.say(text, DONE_MS);
      },
      (error: Error) => this.say(error.message),
    );
  }
}
