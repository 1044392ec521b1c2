import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** What the reverse proxies in front say of a request; header lines of one name joined by commas. */
export interface ForwardedHeaders {
  /** `X-Forwarded-For`. */
  readonly addresses: string;
  /** `X-Forwarded-Proto`. */
  readonly protocols: string;
  /** `Forwarded` (RFC 7239). */
  readonly forwarded: string;
}

/** Where a request came from. */
export interface ClientOrigin {
  /** IPv4 dotted, or IPv6 as eight groups. */
  readonly address: string;
  /** How the client reached the outermost trusted proxy; null where none says. */
  readonly protocol: 'http' | 'https' | null;
}

/** One hop, as the proxy that received it reported it; null for what cannot be read. */
interface Hop {
  readonly address: string | null;
  readonly protocol: string | null;
}

/**
 * TrustedProxies knows the reverse proxies whose word about the client counts. A header is read from
 * its right end, where the nearest proxy wrote, and only as far as each writer is trusted; the rest may
 * be the client's invention. What cannot be read ends the walk: the client is then the last hop that
 * could be.
 */
export class TrustedProxies {
  private readonly networks = new BlockList();

  /** @param networks valid addresses and networks in CIDR form */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [text, prefix] = network.split('/') as [string, string?];
      const address = canonicalAddress(text) ?? text;
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      // An IPv4 network may be written as one of mapped addresses.
      const mappedBits = family === 'ipv4' && !isIPv4(text) ? 96 : 0;
      if (prefix === undefined) this.networks.addAddress(address, family);
      else this.networks.addSubnet(address, Math.max(0, Number(prefix) - mappedBits), family);
    }
  }

  /** Whether this address is a trusted proxy. @param address canonical */
  trusts(address: string): boolean {
    return isIP(address) !== 0 && this.networks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }

  /**
   * The client behind the trusted proxies; the peer itself where it is none of them.
   *
   * A proxy writes one of the two headers and may pass on the other as the client sent it. Where both
   * are there and name different clients, neither is believed.
   *
   * @param peer canonical address at the other end of the connection
   */
  clientOf(peer: string, headers: ForwardedHeaders): ClientOrigin {
    if (!this.trusts(peer)) return { address: peer, protocol: null };
    const { addresses, forwarded, protocols } = headers;
    const byAddresses = addresses === '' ? null : this.walk(peer, hopsOf(addresses, protocols));
    const byForwarded = forwarded === '' ? null : this.walk(peer, forwardedHops(forwarded));
    if (byAddresses && byForwarded && byAddresses.address !== byForwarded.address) {
      return { address: peer, protocol: null };
    }
    const client = byAddresses ?? byForwarded;
    if (client) return client;
    return { address: peer, protocol: protocolOf(lastOf(protocols)) };
  }

  /** @param hops from the nearest to the farthest */
  private walk(peer: string, hops: readonly Hop[]): ClientOrigin {
    let origin: ClientOrigin = { address: peer, protocol: null };
    for (const { address, protocol } of hops) {
      if (address === null) break;
      origin = { address, protocol: protocolOf(protocol) };
      if (!this.trusts(address)) break;
    }
    return origin;
  }
}

/** No address is longer, with its zone. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * The usual form of an address: IPv4 dotted, IPv4 mapped into IPv6 too, IPv6 as eight groups without
 * leading zeros. Null for what is no address.
 */
export function canonicalAddress(text: string): string | null {
  if (text.length > MAX_ADDRESS_LENGTH) return null;
  if (isIPv4(text)) return text;
  const bare = text.split('%', 1)[0]!;
  if (!isIPv6(bare)) return null;
  const compressed = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [head = '', tail] = compressed.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const groups = [...left, ...zeros, ...right];
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  return isMapped ? dotted(groups[6]!, groups[7]!) : groups.join(':');
}

function dotted(high: string, low: string): string {
  const bits = (parseInt(high, 16) << 16) | parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.');
}

/** `X-Forwarded-For`, with the protocol the same proxy reported where each reported one. */
function hopsOf(addresses: string, protocols: string): Hop[] {
  const names = protocols === '' ? [] : protocols.split(',').reverse();
  return addresses
    .split(',')
    .reverse()
    .map((entry, i) => ({
      address: hostAddress(entry.trim()),
      // A proxy that replaces the header leaves one value for all hops.
      protocol: (names.length === 1 ? names[0] : names[i]) ?? null,
    }));
}

/** A pair of RFC 7239: a name, and a token or a quoted text. Host and port are no tokens but common. */
const PAIR = /^\s*([A-Za-z-]+)=(?:"([^"\\]*)"|([^\s";,=]*))\s*$/;

/**
 * `Forwarded`. Elements are divided at every comma, also one between quotes: no address or protocol
 * has one, and so nothing a client sends can swallow what a proxy adds behind it.
 */
function forwardedHops(header: string): Hop[] {
  return header
    .split(',')
    .reverse()
    .map((element) => {
      const pairs = new Map<string, string>();
      for (const text of element.split(';')) {
        const [, name, quoted, token] = PAIR.exec(text) ?? [];
        if (name === undefined || pairs.has(name.toLowerCase())) {
          return { address: null, protocol: null };
        }
        pairs.set(name.toLowerCase(), quoted ?? token ?? '');
      }
      const address = hostAddress(pairs.get('for') ?? '');
      return { address, protocol: pairs.get('proto') ?? null };
    });
}

/** An address with or without brackets and port, as proxies write it; null for anything else. */
function hostAddress(text: string): string | null {
  if (isIP(text) !== 0) return canonicalAddress(text);
  const [, bracketed, dottedHost] =
    /^(?:\[([0-9A-Fa-f:.]+)\](?::\d{1,5})?|([0-9.]+):\d{1,5})$/.exec(text) ?? [];
  return canonicalAddress(bracketed ?? dottedHost ?? '');
}

function lastOf(list: string): string {
  return list.slice(list.lastIndexOf(',') + 1);
}

function protocolOf(text: string | null): ClientOrigin['protocol'] {
  const name = text?.trim().toLowerCase();
  return name === 'http' || name === 'https' ? name : null;
}
