/**
 * The key under which an address is counted. An IPv6 user commands a whole /64, so that is what counts;
 * IPv4 addresses mapped into IPv6 count as themselves.
 */
export function addressKey(address: string): string {
  const groups = address.split(':');
  if (groups.length !== 8) return address;
  const isMapped = groups.slice(0, 5).every((group) => /^0+$/.test(group)) && groups[5] === 'ffff';
  return isMapped ? address : groups.slice(0, 4).join(':');
}
