import type { ComponentChildren } from 'preact';

interface Props {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onFilter: (value: string) => void;
  /** What was found. */
  readonly children?: ComponentChildren;
}

/** The field of a list that shows what has a text. */
export function Filter({ id, label, value, onFilter, children }: Props) {
  return (
    <p>
      <label for={id}>{label}</label>{' '}
      <input
        id={id}
        type="search"
        value={value}
        onInput={(event) => onFilter(event.currentTarget.value)}
      />{' '}
      {children && <small>{children}</small>}
    </p>
  );
}
