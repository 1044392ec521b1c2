import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/** The headers of reverse proxies; several lines of one name joined by commas. */
export interface ForwardedHeaders {
  /** `X-Forwarded-For`. */
  readonly addresses: string;
  /** `X-Forwarded-Proto`. */
  readonly protocols: string;
  /** `Forwarded` (RFC 7239). */
  readonly forwarded: string;
  /** `X-Request-Id`; absent as an empty one. */
  readonly requestId?: string;
}

/** Where a request came from. */
export interface ClientOrigin {
  /** IPv4 dotted, or IPv6 as eight groups. */
  readonly address: string;
  /** Protocol between the client and the outermost trusted proxy; null where unknown. */
  readonly protocol: 'http' | 'https' | null;
}

/** One hop, as reported by the proxy that received it; null for unreadable parts. */
interface Hop {
  readonly address: string | null;
  readonly protocol: string | null;
}

/**
 * TrustedProxies determines the client behind trusted reverse proxies. It reads a header from its right
 * end, where the nearest proxy wrote, and only as far as each writer is trusted; the rest may be forged by
 * the client. An unreadable hop ends the traversal: the client is then the last readable hop.
 */
export class TrustedProxies {
  private readonly networks = new BlockList();

  /** @param networks valid addresses and networks in CIDR form */
  constructor(networks: readonly string[]) {
    for (const network of networks) {
      const [text, prefix] = network.split('/') as [string, string?];
      const address = canonicalAddress(text) ?? text;
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      // An IPv4 network may be written as a network of mapped addresses.
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
   * The client behind the trusted proxies; the peer itself where it is not trusted.
   *
   * A proxy writes one of the two headers and may forward the other as the client sent it. Where both are
   * present and name different clients, neither counts.
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

/** Longest textual address, with its zone. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * The canonical form of an address: IPv4 dotted, also where mapped into IPv6; IPv6 as eight groups without
 * leading zeros. Null for anything else.
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

/** Hops of `X-Forwarded-For`, with the protocol that the same proxy reported where each reported one. */
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

/** A pair of RFC 7239: a name, and a token or a quoted text. Host and port are not tokens but common. */
const PAIR = /^\s*([A-Za-z-]+)=(?:"([^"\\]*)"|([^\s";,=]*))\s*$/;

/**
 * Hops of `Forwarded`. Elements are split at every comma, also within quotes: no address or protocol has
 * one, so a client cannot hide what a proxy appends.
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

/** An address with or without brackets and port; null for anything else. */
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
