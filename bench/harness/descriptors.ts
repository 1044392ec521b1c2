import { openFilesLimit } from '../../src/platform/figures.js';

/** Descriptors a server needs for itself. */
const RESERVED = 500;

/** Connections one process may have, after its limit of open files; Infinity where the system does not say. */
export function mostConnections(): number {
  return (openFilesLimit() ?? Infinity) - RESERVED;
}
