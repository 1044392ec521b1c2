/** Settings that name networks and origins; null for text that is none. */
import { isIP } from 'node:net';
import { ConfigError, type Given } from './values.js';

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where the SMTP listener for incoming mail listens. */
export interface MailListener extends Address {
  readonly protocol: 'smtp' | 'lmtp';
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

/**
 * Where incoming mail is accepted, and for which addresses. Nodes of one organization may have the addresses and leave
 * the listening to others.
 * @throws ConfigError
 */
export function incomingMailFrom(
  listener: Given,
  pattern: Given,
): { incomingMail: MailListener | null; incomingMailAddress: string | null } {
  const { value, source } = pattern;
  if (
    value !== '' &&
    !/^[a-z0-9._+-]{0,30}%s[a-z0-9._+-]{0,30}@[a-z0-9._:[\]-]{1,255}$/i.test(value)
  ) {
    throw new ConfigError(`${source}: ${value} is not a pattern such as %s@chat.example.org`);
  }
  const incomingMailAddress = value === '' ? null : value;
  if (listener.value === '') return { incomingMail: null, incomingMailAddress };
  const [, protocol, address = ''] = /^(smtp|lmtp):\/\/(.+)$/.exec(listener.value) ?? [];
  if (protocol !== 'smtp' && protocol !== 'lmtp') {
    throw new ConfigError(
      `${listener.source}: ${listener.value} is not an address such as smtp://127.0.0.1:2525`,
    );
  }
  if (incomingMailAddress === null) {
    throw new ConfigError(
      `${listener.source}: needs --incoming-mail-address, such as %s@chat.example.org`,
    );
  }
  const at = addressFrom({ value: address, source: listener.source });
  return { incomingMail: { protocol, ...at }, incomingMailAddress };
}

/** Hosts that only their own machine reaches. */
export const LOOPBACK = /^(127\.|::1$|localhost$)/;

/** An address that other nodes can connect to: not a wildcard such as 0.0.0.0. @throws ConfigError */
export function nodeAddressFrom({ value, source }: Given): Address {
  const address = addressFrom({ value, source });
  if (!/^(0\.0\.0\.0|::)$/.test(address.host)) return address;
  throw new ConfigError(`${source}: ${value} is not an address that other nodes can connect to`);
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
  // Browser extensions and the shells of apps have origins of their own schemes: tauri://localhost.
  if (/^(?!https?:|wss?:|ftp:|file:)[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+$/.test(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url && /^https?:$/.test(url.protocol) && url.pathname === '/';
  return isOrigin && !url.search && !url.hash && !url.username ? url.origin : null;
}

/** Where a server is reached on its machine, for operators. */
export function localUrl(host: string, port: number, hasTls: boolean): string {
  const scheme = hasTls ? 'https' : 'http';
  if (host === '0.0.0.0') return `${scheme}://127.0.0.1:${port}`;
  // All addresses of the machine, as which it can be asked nothing.
  const name = host === '::' ? '::1' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
