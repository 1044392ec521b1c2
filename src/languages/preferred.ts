/** Languages that are looked at; a browser names a few. */
const MAX_NAMED = 20;

/**
 * The language that a reader prefers among those that there are; English where they name none of these.
 * @param accepted the `Accept-Language` header
 * @param codes such as `de` and `pt-br`
 */
export function preferredLanguage(accepted: string, codes: readonly string[]): string {
  return namedLanguage(accepted, codes) ?? 'en';
}

/** As `preferredLanguage`; null where they name none of these. */
export function namedLanguage<C extends string>(accepted: string, codes: readonly C[]): C | null {
  const wanted = accepted
    .split(',')
    .slice(0, MAX_NAMED)
    .map((one) => {
      const [name = '', ...more] = one.split(';').map((part) => part.trim());
      const quality = more.find((part) => part.startsWith('q='))?.slice(2);
      return { name: name.toLowerCase(), quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ name, quality }) => name !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  for (const { name } of wanted) {
    const found = nearestLanguage(name, codes);
    if (found !== undefined) return found;
  }
  return null;
}

/** The language of a code, or of its family: `de` for `de-at`. @param code in small letters */
export function nearestLanguage<C extends string>(
  code: string,
  codes: readonly C[],
): C | undefined {
  const [family] = code.split('-');
  return codes.find((one) => one === code) ?? codes.find((one) => one === family);
}
