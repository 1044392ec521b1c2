/** Longest client name in characters (conventions.md#callers). */
const MAX_LENGTH = 30;

/**
 * The name under which a client program is known: the `client` parameter where given, else what stands
 * before the first `/` or space of the User-Agent, else `Unspecified` (conventions.md#callers).
 * Control characters are dropped: the name is shown to people and stored.
 */
export function clientName(userAgent: string, parameter: string | undefined): string {
  return (
    (parameter !== undefined && shorten(parameter)) ||
    shorten(/^[^/ ]*/.exec(userAgent)![0]) ||
    'Unspecified'
  );
}

function shorten(text: string): string {
  const clean = text.replace(/[\u0000-\u001f\u007f\p{Surrogate}]/gu, '').trim();
  return clean.length <= MAX_LENGTH ? clean : [...clean].slice(0, MAX_LENGTH).join('').trimEnd();
}
