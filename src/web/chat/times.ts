/** Times in words. A formatter is made once: it costs as much as fifty texts. */
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const WHOLE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Number of the local day. @param seconds UNIX time */
export function dayOf(seconds: number): number {
  const offset = new Date(seconds * 1000).getTimezoneOffset() * 60;
  return Math.floor((seconds - offset) / 86_400);
}

export function dayText(seconds: number): string {
  return DAY.format(seconds * 1000);
}

export function timesOf(seconds: number) {
  const at = new Date(seconds * 1000);
  return {
    iso: at.toISOString(),
    clock: CLOCK.format(at),
    short: SHORT.format(at),
    whole: WHOLE.format(at),
  };
}
