import { ParleyError } from '../../client/index.js';
import { useCallback, useEffect, useState } from 'preact/hooks';

/** What the server answered, and how to ask again. */
export interface Asked<T> {
  /** Undefined until the first answer. */
  readonly value: T | undefined;
  /** Of the newest question; undefined where it was answered. */
  readonly error: Error | undefined;
  readonly reload: () => void;
}

/** Asks when the view is opened, when one of the keys is another, and again by `reload`. */
export function useAsked<T>(ask: () => Promise<T>, keys: readonly unknown[]): Asked<T> {
  const [round, setRound] = useState(0);
  const [shown, setShown] = useState<{ value?: T; error?: Error }>({});
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    let isOver = false;
    ask().then(
      (value) => isOver || setShown({ value }),
      (error: Error) => {
        if (isOver) return;
        // Whoever ended their own login gets the form to log in.
        if (round > 0 && error instanceof ParleyError && error.status === 401) location.reload();
        setShown((before) => ({ ...before, error }));
      },
    );
    return () => {
      isOver = true;
    };
  }, [...keys, round]);
  return { value: shown.value, error: shown.error, reload };
}

/** A change under way or done. */
export interface Deed {
  readonly isBusy: boolean;
  /** What was done; empty where nothing was. */
  readonly said: string;
  /** Why it was not done; empty where it was. */
  readonly fault: string;
  /** @param words what is said once it is done; absent: what the work resolves to */
  readonly run: {
    (work: () => Promise<unknown>, words: string): void;
    (work: () => Promise<string>): void;
  };
}

/** Carries out one change at a time. @param after called once it is done, or refused: what is shown may be older */
export function useDeed(after: () => void): Deed {
  const [state, setState] = useState({ isBusy: false, said: '', fault: '' });
  const run = (work: () => Promise<unknown>, words?: string): void => {
    if (state.isBusy) return;
    setState({ isBusy: true, said: '', fault: '' });
    work()
      .then(
        (told) => setState({ isBusy: false, said: words ?? String(told), fault: '' }),
        (error: Error) => setState({ isBusy: false, said: '', fault: error.message }),
      )
      .finally(after);
  };
  return { ...state, run };
}
