import { language, locale, texts } from '../shared/texts.js';

/* Messages (`src/languages/en/console.json`), and numbers and times in words. */

export const say = texts('console');

export function written(value: number | null): string {
  if (value === null) return '–';
  return value.toLocaleString(language, { maximumFractionDigits: value < 10 ? 1 : 0 });
}

export function durationOf(seconds: number): string {
  if (seconds < 120) return say('duration.seconds', { count: Math.round(seconds) });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return say('duration.minutes', { count: minutes });
  return minutes < 2880
    ? say('duration.hours', { count: Math.floor(minutes / 60) })
    : say('count.days', { count: Math.floor(minutes / 1440) });
}

/** Bytes. */
export function sizeOf(bytes: number): string {
  if (bytes < 10_000) return say('size.bytes', { size: written(bytes) });
  return bytes < 1e6
    ? say('size.kilobytes', { size: written(Math.round(bytes / 1000)) })
    : say('size.megabytes', { size: written(bytes / 1e6) });
}

/** @param at milliseconds since 1970 */
export function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString(locale);
}

/** Day and time of day, in the user's language. @param at milliseconds since 1970 */
export function momentOf(at: number): string {
  return new Date(at).toLocaleString(locale, { dateStyle: 'short', timeStyle: 'medium' });
}

/** The day of a time, in the user's language. @param at milliseconds since 1970, or a text of ISO 8601 */
export function dayOf(at: number | string): string {
  return new Date(at).toLocaleDateString(locale);
}
