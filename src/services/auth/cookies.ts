/**
 * Name of a cookie of this server. Browsers take one with the prefix `__Host-` from this host alone and over HTTPS, not
 * from a neighbour under its domain. Over HTTP they would refuse it: there is nothing then that a prefix could promise.
 * @param url the server's public address
 */
export function cookieName(url: string, name: string): string {
  return url.startsWith('https:') ? `__Host-parley-${name}` : `parley-${name}`;
}

/** Value of `Set-Cookie`: sent along when another site's page leads here (`Lax`), and to no script. */
export function cookieLine(url: string, name: string, value: string, seconds: number): string {
  const secure = url.startsWith('https:') ? '; Secure' : '';
  const life = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
  return `${cookieName(url, name)}=${value}; ${life}`;
}

const PAIR = /^ *([^=]*)=(.*)$/s;

/**
 * The value that a request's `Cookie` header has for a name; null without it. Spaces alone are left out: a neighbour
 * under the domain may set a cookie whose name begins with another white character, which is no prefix to its browser.
 * Of several the last one counts: browsers send those for longer paths first, and ours are for `/`.
 */
export function cookieIn(header: string, url: string, name: string): string | null {
  if (header === '') return null;
  const full = cookieName(url, name);
  let found: string | null = null;
  for (const cookie of header.split(';')) {
    const [, given, value] = PAIR.exec(cookie) ?? [];
    if (given === full) found = value!.trim();
  }
  return found;
}
