import type { NativeRequest } from '../native.js';
import type { ClientOrigin } from '../request/trusted-proxies.js';

/**
 * The headers that nodes of one organization send one another. The public listener reads none of them but
 * the position.
 */

/** A number to be proven with, and a proof: see node-proof.ts. */
export const CHALLENGE = 'Parley-Node-Challenge';
export const PROOF = 'Parley-Node-Proof';
/** Of a forwarded request: address and protocol of the client, `-` where that is unknown, and its id in logs. */
export const CLIENT = 'Parley-Client';
/** On a refusal: the request had no effect and may be sent to the next leader. */
export const UNPROCESSED = 'Parley-Unprocessed';
/** The journal's position, in a reply and in a request that must not be answered from an older state. */
export const POSITION = 'Parley-Position';

/**
 * Where a forwarded request came from, as the node that received it says, and its id in the logs of both nodes; the id
 * is empty for a call of the node itself.
 */
export function sentBy(request: NativeRequest): [ClientOrigin, id: string] {
  const [address, protocol, id = ''] = request.getHeader('parley-client').split(' ', 3);
  const known = protocol === 'http' || protocol === 'https' ? protocol : null;
  return [{ address: address || 'unknown', protocol: known }, id];
}

/** The position in a header of a request or a reply; null where there is none. */
export function positionIn(text: string): number | null {
  // Further digits are no number that JavaScript holds exactly.
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
