import { createRequire } from 'node:module';
import { readFileSync } from '../../platform/files.js';
import { domainOf } from './mail-address.js';

/** Begin and end of the list in the source of its package, which is an array of texts. */
const BEGIN = 'new Set(["';
const END = '"])';
/** Between two domains. */
const SEPARATOR = '","';

/** The domains in ascending order, with {@link SEPARATOR} between them, before the first and behind the last. */
let domains: string | undefined;

/**
 * Domains of providers of throw-away mailboxes, read with the first check: 1 MB in 2 ms. The source of the package is
 * searched as text: to run it would take thirty milliseconds, in which everybody waits.
 */
function listed(): string {
  if (domains === undefined) {
    const path = createRequire(import.meta.url).resolve('mailchecker');
    const source = readFileSync(path, 'latin1');
    const begin = source.indexOf(BEGIN) + BEGIN.length;
    const end = source.indexOf(END, begin);
    domains = SEPARATOR + source.slice(begin, end) + SEPARATOR;
  }
  return domains;
}

/** Whether a domain is in the list, which ascends. */
function isListed(domain: string): boolean {
  const all = listed();
  // Positions of separators: the domain is behind the first and before the second one.
  let low = 0;
  let high = all.length - SEPARATOR.length;
  while (low < high) {
    const middle = all.lastIndexOf(SEPARATOR, (low + high) >>> 1);
    const end = all.indexOf(SEPARATOR, middle + SEPARATOR.length);
    const found = all.slice(middle + SEPARATOR.length, end);
    if (found === domain) return true;
    if (found < domain) low = end;
    else high = middle;
  }
  return false;
}

/** Whether an address is of a provider of throw-away mailboxes, or of a subdomain of one. */
export function isDisposableAddress(email: string): boolean {
  let domain = domainOf(email);
  for (;;) {
    if (isListed(domain)) return true;
    const dot = domain.indexOf('.');
    if (dot === -1) return false;
    domain = domain.slice(dot + 1);
  }
}
