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

/** The value that a request's `Cookie` header has for a name; null without it. */
export function cookieIn(header: string, url: string, name: string): string | null {
  if (header === '') return null;
  const full = cookieName(url, name);
  for (const cookie of header.split(';')) {
    const at = cookie.indexOf('=');
    if (at > 0 && cookie.slice(0, at).trim() === full) return cookie.slice(at + 1).trim();
  }
  return null;
}
