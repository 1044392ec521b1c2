/** Longest address that the server asks for, characters; addresses of people are shorter. */
const MAX_ADDRESS = 2000;

/**
 * An address of the web that somebody wrote, where the server may ask for it: of a bounded length and without
 * credentials. Whether it may go to the host is decided when it does (`ReachableAddresses`).
 */
export function webAddress(address: string, base?: string): URL | null {
  if (address.length > MAX_ADDRESS || !URL.canParse(address, base)) return null;
  const url = new URL(address, base);
  if (!/^https?:$/.test(url.protocol) || url.href.length > MAX_ADDRESS) return null;
  return url.username === '' && url.password === '' ? url : null;
}
