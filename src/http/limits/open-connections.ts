/*
 * Which addresses hold the connections of a port, as Linux tells: the native layer tells that a connection was closed,
 * but not which one.
 */
import { readFile } from '../../platform/files.js';
import { canonicalAddress } from '../request/trusted-proxies.js';
import { addressKey } from '../../services/auth/address-key.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';

const TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];

/** States of connections that the process holds: established, and closed by the client alone. */
const HELD = new Set(['01', '08']);
/** Lines read between two looks at the clock. */
const LINES_AT_ONCE = 500;

/** How many connections each address has, under the key of its address; those of other processes of the port, too. */
export type ConnectionCounts = ReadonlyMap<string, number>;

/** Reads the connections of a local port. @throws Error where the system does not tell */
export async function connectionCounts(
  port: number,
  read: (path: string) => Promise<string> = (path) => readFile(path, 'latin1'),
): Promise<ConnectionCounts> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const counts = new Map<string, number>();
  const keys = new Map<string, string>();
  const pause = new EventLoopYield();
  for (const path of TABLES) {
    const text = await read(path).catch((error: NodeJS.ErrnoException) => {
      // A machine without IPv6 has no table of it.
      if (error.code === 'ENOENT' && path !== TABLES[0]) return '';
      throw error;
    });
    for (let at = text.indexOf('\n') + 1, lines = 1; at > 0 && at < text.length; lines += 1) {
      const end = text.indexOf('\n', at);
      const [, local, remote, state] = text
        .slice(at, at + 160)
        .trim()
        .split(/\s+/, 4);
      if (local?.endsWith(suffix) && HELD.has(state ?? '')) {
        const hex = remote!.slice(0, remote!.indexOf(':'));
        const key = keys.get(hex) ?? addressKey(addressOf(hex));
        keys.set(hex, key);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      if (end === -1) break;
      at = end + 1;
      if (lines % LINES_AT_ONCE === 0 && pause.isDue) await pause.take();
    }
  }
  return counts;
}

/** The address of a table: words of 32 bits, each with its lowest byte first. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse();
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return canonicalAddress(groups.join(':')) ?? hex;
}
