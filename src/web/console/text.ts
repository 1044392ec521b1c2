import { texts } from '../shared/texts.js';

/* Messages (`src/languages/en/console.json`), and numbers and times in words. */

export const say = texts('console');

export function written(value: number | null): string {
  if (value === null) return '–';
  return value.toLocaleString(undefined, { maximumFractionDigits: value < 10 ? 1 : 0 });
}

export function durationOf(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}

/** Bytes. */
export function sizeOf(bytes: number): string {
  if (bytes < 10_000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${written(bytes / 1e6)} MB`;
}

/** @param at milliseconds since 1970 */
export function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString();
}

/** Day and time of day, in the user's language. @param at milliseconds since 1970 */
export function momentOf(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' });
}

/** The day of a time, in the user's language. @param at milliseconds since 1970, or a text of ISO 8601 */
export function dayOf(at: number | string): string {
  return new Date(at).toLocaleDateString();
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
