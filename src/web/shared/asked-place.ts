/*
 * The place of the chat that a visitor asked for, kept while they log in: by the form, by another service, or by a link in
 * a mail, which opens in another tab. It is only ever what stands behind `#`, so it leads to no other site.
 */
const KEY = 'parley-place';
/** How long a login takes at most, with a mail to wait for. Milliseconds. */
const KEPT_MS = 3_600_000;

/** The place that the address of this page names: behind `#`, or in `next` as the public web app sends it; else empty. */
function askedPlace(): string {
  if (location.hash.length > 1) return location.hash;
  const next = new URLSearchParams(location.search).get('next');
  if (next === null || !URL.canParse(next, location.origin)) return '';
  const url = new URL(next, location.origin);
  return url.origin === location.origin && url.pathname === '/' ? url.hash : '';
}

/** Remembers what is asked for here; nothing where the browser keeps nothing for pages. */
export function keepPlace(): void {
  const place = askedPlace();
  if (place === '') return;
  try {
    localStorage.setItem(KEY, JSON.stringify([place, Date.now() + KEPT_MS]));
  } catch {
    // The login leads to where one begins.
  }
}

/** What was asked for here or before the login, once; empty for none. Otherwise it begins with `#`. */
export function takePlace(): string {
  const kept = takeKept();
  const here = askedPlace();
  return here === '' ? kept : here;
}

function takeKept(): string {
  try {
    const kept = localStorage.getItem(KEY);
    localStorage.removeItem(KEY);
    if (kept === null) return '';
    const [place, until] = JSON.parse(kept) as [string, number];
    return Date.now() < until ? place : '';
  } catch {
    return '';
  }
}
