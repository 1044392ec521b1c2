import { useEffect, useRef } from 'preact/hooks';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl+K', 'Find a channel or a person'],
  ['/', 'Search all messages'],
  ['n', 'Next unread conversation'],
  ['c', 'Write'],
  ['j, k', 'Next and previous message'],
  ['+, s, e', 'On a message: react, star, edit'],
  ['Enter', 'Send; with Shift: new line'],
  ['↑', 'In an empty message: edit the last one'],
  ['Esc', 'Leave the text, then the conversation'],
];

export function Help({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <h2 id="help-title">Keys</h2>
      <dl>
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <button onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}
