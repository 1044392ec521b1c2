import { BlockList, isIP, isIPv4 } from 'node:net';
import { hostNames, type ResolveName } from './host-names.js';

/** Networks that are no part of the public internet (IANA's special-purpose registries). */
const CLOSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of IPv6 only this network is public, without those that lead elsewhere or are for documents. */
const OPEN_IPV6 = ['2000::/3'];
const CLOSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/** One for the process, as its threads are. */
const RESOLVE = hostNames();

/** Addresses of a name that are tried where some do not answer: a few of each family. */
const MAX_TRIED = 8;

/** An address that a name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** An address that nobody may be led to, or a name that stands for one. */
export class ClosedAddressError extends Error {}

/**
 * ReachableAddresses says which addresses the server goes to for its users: public ones, and those that the operator
 * allows. Names are resolved once, and the connection goes to the address that was checked.
 */
export class ReachableAddresses {
  private readonly closed = listOf([...CLOSED_IPV4, ...CLOSED_IPV6]);
  private readonly open = listOf(OPEN_IPV6);
  private readonly allowed: BlockList;

  /** @param allowed addresses and networks in CIDR form that are reachable though they are not public */
  constructor(
    allowed: readonly string[],
    private readonly resolveName: ResolveName = RESOLVE,
  ) {
    this.allowed = listOf(allowed);
  }

  /** Whether the server may go to an address. */
  isReachable(address: string): boolean {
    const plain = unmapped(address);
    const family = familyOf(plain);
    if (this.allowed.check(plain, family)) return true;
    if (this.closed.check(plain, family)) return false;
    return family === 'ipv4' || this.open.check(plain, family);
  }

  /**
   * The addresses of a host that may be connected to, in the order in which they are tried.
   * @param host name or address, in brackets or not
   * @param signal ends the search for the addresses of a name
   * @throws ClosedAddressError where one of its addresses is not reachable; Error for a name that does not resolve
   */
  async addressesOf(host: string, signal?: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const bare = host.replace(/^\[|\]$/g, '');
    const found = isIP(bare)
      ? [{ address: bare, family: isIP(bare) }]
      : await this.resolveName(bare, signal);
    if (found.length === 0) throw new Error(`${bare} has no address`);
    if (!found.every(({ address }) => this.isReachable(address))) {
      throw new ClosedAddressError('The address is not public');
    }
    return found
      .slice(0, MAX_TRIED)
      .map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
  }
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string?];
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** An IPv4 address that is written as one of IPv6 leads to the same place; the URL parser writes it in hexadecimal. */
function unmapped(address: string): string {
  const text = address.toLowerCase();
  const dotted = /^(?:::ffff:|0:0:0:0:0:ffff:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^(?:::ffff:|0:0:0:0:0:ffff:)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text);
  if (!hex) return address;
  const [high, low] = [parseInt(hex[1]!, 16), parseInt(hex[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
