import type { Model } from './model.js';

/** Names that are offered at once. */
const MOST_NAMES = 6;
/** A mention that is being written, up to the cursor. */
const MENTION = /(^|\s)@(\*{0,2})([^@*\n]{1,40})$/;

/** Names of people that complete the mention at the cursor. */
export function namesFor(model: Model, text: string, cursor: number): string[] {
  const begun = MENTION.exec(text.slice(0, cursor))?.[3]?.toLowerCase();
  if (begun === undefined) return [];
  const found: string[] = [];
  for (const { full_name, is_active } of model.users.values()) {
    if (!is_active) continue;
    const name = full_name.toLowerCase();
    if (name.startsWith(begun) || name.includes(` ${begun}`)) found.push(full_name);
    if (found.length === MOST_NAMES) break;
  }
  return found;
}

/** The text with the mention at the cursor completed. */
export function completed(text: string, cursor: number, name: string): string {
  return `${text.slice(0, cursor).replace(MENTION, `$1@**${name}** `)}${text.slice(cursor)}`;
}

export function Mentions({
  names,
  onChoose,
}: {
  names: readonly string[];
  onChoose: (name: string) => void;
}) {
  if (names.length === 0) return null;
  return (
    <ul class="mentions" aria-label="Mention">
      {names.map((name, index) => (
        <li key={name}>
          <button type="button" onClick={() => onChoose(name)}>
            {name}
            {index === 0 && <kbd>Tab</kbd>}
          </button>
        </li>
      ))}
    </ul>
  );
}
