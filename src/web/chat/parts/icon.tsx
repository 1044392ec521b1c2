/** Drawn for this chat: strokes in a square of 24. */
const PATHS = {
  back: 'M15 5l-7 7 7 7',
  bell: 'M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  browse: 'M4 6h10M4 12h7M4 18h6M17 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM20 18l2 3',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clip: 'M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.5 8.5a1.8 1.8 0 0 1-2.5-2.5L14.5 7.5',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  edit: 'M4 20l1-4L16 5l3 3L8 19zM14 7l3 3',
  eye: 'M2 12s4-6.5 10-6.5S22 12 22 12s-4 6.5-10 6.5S2 12 2 12zM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
  gear: 'M12 15.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM12 2v4M12 18v4M2 12h4M18 12h4M5 5l2.8 2.8M16.2 16.2L19 19M19 5l-2.8 2.8M7.8 16.2L5 19',
  hash: 'M10 4L8 20M16 4l-2 16M4.5 9.5H20M4 14.5h15.5',
  inbox: 'M3 13l3-8h12l3 8v6H3zM3 13h5l1.5 3h5L16 13h5',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8v.01',
  leave: 'M10 4H5v16h5M15 8l4 4-4 4M19 12H9',
  link: 'M10 14a4.5 4.5 0 0 0 6.5 0l3-3a4.6 4.6 0 0 0-6.5-6.5l-1 1M14 10a4.5 4.5 0 0 0-6.5 0l-3 3a4.6 4.6 0 0 0 6.5 6.5l1-1',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  minus: 'M5 12h14',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  move: 'M4 12h15M13 6l6 6-6 6',
  mute: 'M5 9v6h4l5 4V5L9 9zM17.5 9.5l4 5M21.5 9.5l-4 5',
  next: 'M9 5l7 7-7 7',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-4 3-6 6.5-6s6.5 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14.5c2 .8 3.5 2.5 3.5 5.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c0-4 3.5-6 7.5-6s7.5 2 7.5 6',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  plus: 'M12 5v14M5 12h14',
  quote: 'M4 5h16v11H10l-5 4v-4H4zM8 9h8M8 12h5',
  smile: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14c1.5 2.3 5.5 2.3 7 0M9 9.5v.01M15 9.5v.01',
  star: 'M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  unread: 'M4 6h16v12H4zM4 7l8 6 8-6',
  video: 'M3 6h12v12H3zM15 10.5L21 7v10l-6-3.5',
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words, or in a button that has a name. */
export function Icon({ name, color }: { name: IconName; color?: string }) {
  return (
    <svg
      class={`icon icon-${name}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
      style={color === undefined ? undefined : { color }}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

interface ButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly onClick: (event: MouseEvent) => void;
}

/** A button that is a picture, with its name for who does not see or know it. */
export function IconButton({ icon, label, pressed, disabled, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class="plain icon-button"
      title={label}
      aria-label={label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
