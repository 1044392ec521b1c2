import type { ComponentChildren } from 'preact';
import { Confirm } from './deed-line.js';

interface Props {
  readonly name: string;
  readonly isOff: boolean;
  /** Words of the two buttons, such as Archive and Unarchive. */
  readonly words: readonly [off: string, on: string];
  readonly turnOff: () => void;
  readonly turnOn: () => void;
  /** What turning it off means, which is asked before. */
  readonly children: ComponentChildren;
}

/** Turns something off, which is asked before, and on again. */
export function Reversible({ name, isOff, words: [off, on], turnOff, turnOn, children }: Props) {
  if (!isOff) {
    return (
      <Confirm words={off} label={`${off} ${name}`} onConfirm={turnOff}>
        {children}
      </Confirm>
    );
  }
  return (
    <button class="plain" aria-label={`${on} ${name}`} onClick={turnOn}>
      {on}
    </button>
  );
}
