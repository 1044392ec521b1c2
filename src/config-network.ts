/** Settings that name networks and origins; null for text that is none. */
import { isIP } from 'node:net';
import { ConfigError, type Given } from './option-values.js';

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A port; 0 picks a free one. @throws ConfigError */
export function portFrom({ value, source }: Given): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) {
    throw new ConfigError(`${source}: ${value} is not a port (0 to 65535)`);
  }
  return Number(value);
}

/** An address and a port. @throws ConfigError */
export function addressFrom({ value, source }: Given): Address {
  const [, host = '', port = ''] = /^(\[[0-9a-f:.]+\]|[^:\s]+):(\d+)$/i.exec(value) ?? [];
  if (host === '') {
    throw new ConfigError(`${source}: ${value} is not an address and port such as 127.0.0.1:9464`);
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: portFrom({ value: port, source }) };
}

/** An address that other nodes can connect to: not one that stands for all of a machine. @throws ConfigError */
export function nodeAddressFrom({ value, source }: Given): Address {
  const address = addressFrom({ value, source });
  if (!/^(0\.0\.0\.0|::)$/.test(address.host)) return address;
  throw new ConfigError(`${source}: ${value} is no address that other nodes can connect to`);
}

/** Words of a list: separated by commas or white space. */
function wordsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}

/** An address (`10.0.0.7`, `::1`), or a network with the length of its prefix (`10.0.0.0/8`). */
function isNetwork(text: string): boolean {
  const [address = '', prefix, more] = text.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (version === 0 || more !== undefined) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

/** Addresses and networks. @returns the first word that is neither, as `wrong` */
export function networkList(text: string): { list: readonly string[]; wrong?: string } {
  const list = wordsOf(text);
  return { list, wrong: list.find((word) => !isNetwork(word)) };
}

/**
 * Origins as browsers send them, such as `https://app.example.org`; `*` stands for all.
 * @returns the first word that is none, as `wrong`
 */
export function originList(text: string): { list: readonly string[]; wrong?: string } {
  const words = wordsOf(text);
  const list = words.map((word) => (word === '*' ? word : originOf(word)));
  const wrong = words.find((_word, i) => list[i] === null);
  return { list: list.filter((origin) => origin !== null), wrong };
}

function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/';
  return isOrigin && !url.search && !url.hash && !url.username ? url.origin : null;
}
