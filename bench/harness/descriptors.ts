import { readFileSync } from 'node:fs';

/** Descriptors a server needs for itself. */
const RESERVED = 500;

/** Connections one process may have, after its limit of open files; Infinity where nobody tells. */
export function mostConnections(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found ? Number(found[1]) - RESERVED : Infinity;
  } catch {
    return Infinity;
  }
}
