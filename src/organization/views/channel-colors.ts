/** Colours of new subscriptions, in order of use (endpoints-channels.md#subscribe). */
export const CHANNEL_COLORS = [
  '#76ce90',
  '#fae589',
  '#a6c7e5',
  '#e79ab5',
  '#bfd56f',
  '#f4ae55',
  '#b0a5fd',
  '#addfe5',
  '#f5ce6e',
  '#c2726a',
  '#94c849',
  '#bd86e5',
  '#ee7e4a',
  '#a6dcbf',
  '#95a5fd',
  '#53a063',
  '#9987e1',
  '#e4523d',
  '#c2c2c2',
  '#4f8de4',
  '#c6a8ad',
  '#e7cc4d',
  '#c8bebf',
  '#a47462',
] as const;

/** The first unused colour; when all are used, they repeat by the number of channels. */
export function nextColor(used: ReadonlySet<string>, count: number): string {
  const free = CHANNEL_COLORS.find((color) => !used.has(color));
  return free ?? CHANNEL_COLORS[count % CHANNEL_COLORS.length]!;
}

/** The stored form of `#rgb` or `#rrggbb`: six digits, lower case. Undefined for anything else. */
export function normalColor(input: string): string | undefined {
  if (!/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(input)) return undefined;
  const digits = input.slice(1).toLowerCase();
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
}
