import { hostname } from 'node:os';
import { randomUUID } from '../platform/randomness.js';

/** Id of this process, for operators and for other nodes. */
export const NODE_ID = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/** The part of a node's id that strangers may see: neither the host's name nor the process. */
export function shortId(node: string): string {
  return node.slice(node.lastIndexOf(':') + 1);
}
