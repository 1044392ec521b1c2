/**
 * How nodes of one organization prove to one another that they have its key, which no connection ever carries: each
 * side sends a number that it has used nowhere else, and gets an HMAC of both numbers. The HMAC of the node that
 * listens names its address, so nobody else can pass it on as their own; the one of each request counts, so nobody can
 * send it again.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { steadyClock } from '../../platform/clock.js';
import { lruOfEntries } from '../../platform/lru.js';
import { randomBytes } from '../../platform/randomness.js';
import { CHALLENGE, PROOF } from './internal-headers.js';

/** Where the internal listener of a node is. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

/** The first request of a connection between nodes. */
export const HELLO = '/internal/hello';

/** Bytes of a number that is used once: too many to guess or to meet again. */
const NONCE_BYTES = 16;
const NONCE = /^[\w-]{22}$/;
/** Life of a challenge that nobody has used yet, milliseconds: the first request follows at once. */
const FRESH_MS = 30_000;
/**
 * Connections whose count is known, some 200 bytes each: 64 of each of 150 nodes. One beyond them is opened anew.
 */
const MAX_CONNECTIONS = 10_000;

function hmac(key: string | Buffer, ...said: readonly (string | number)[]): string {
  return createHmac('sha256', key).update(said.join('\n')).digest('base64url');
}

function isEqual(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function listenerProof(key: string, { host, port }: NodeAddress, ...nonces: string[]): string {
  return hmac(key, 'listener', host, port, ...nonces);
}

function requestProof(key: string, count: number, ...nonces: string[]): string {
  return hmac(key, 'request', count, ...nonces);
}

/** ConnectionProof is the side that opens a connection. */
export class ConnectionProof {
  private readonly own = randomBytes(NONCE_BYTES).toString('base64url');
  private theirs = '';
  private count = 0;

  /** @param address where the connection leads */
  constructor(
    private readonly key: string,
    private readonly address: NodeAddress,
  ) {}

  /** The first request. */
  get hello(): string {
    return `GET ${HELLO} HTTP/1.1\r\nHost: parley\r\n${CHALLENGE}: ${this.own}\r\n\r\n`;
  }

  /** Whether the reply to the first request proves that the other side has the key. @param lines of its head */
  accepts(lines: string): boolean {
    const [theirs, proof] = [CHALLENGE, PROOF].map((name) => valueOf(lines, name));
    if (!theirs || !proof) return false;
    this.theirs = theirs;
    return isEqual(proof, listenerProof(this.key, this.address, this.own, theirs));
  }

  /** The header line of the next request. */
  next(): string {
    this.count += 1;
    const { own, theirs, count } = this;
    return `${PROOF}: ${own} ${theirs} ${count} ${requestProof(this.key, count, own, theirs)}\r\n`;
  }
}

function valueOf(lines: string, name: string): string | undefined {
  const start = `${name}: `;
  return lines
    .split('\r\n')
    .find((line) => line.startsWith(start))
    ?.slice(start.length);
}

/** ListenerProof is the side that listens. What it keeps of a connection begins with the first right proof. */
export class ListenerProof {
  /** Of the challenges that this process made. */
  private readonly secret = randomBytes(NONCE_BYTES);
  /** The count of the last request, by challenge. */
  private readonly counts = lruOfEntries<string, number>(MAX_CONNECTIONS);

  /** @param address by which other nodes reach this one */
  constructor(
    private readonly key: string,
    private readonly address: NodeAddress,
    private readonly now: () => number = () => steadyClock.now(),
  ) {}

  /** The challenge to a node that says hello, and the proof for its own; null where it has none. */
  answer(theirs: string): { readonly challenge: string; readonly proof: string } | null {
    if (!NONCE.test(theirs)) return null;
    const nonce = `${Math.floor(this.now())}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
    const challenge = `${nonce}.${hmac(this.secret, nonce)}`;
    return { challenge, proof: listenerProof(this.key, this.address, theirs, challenge) };
  }

  /** Whether a request comes from a node with the key, and for the first time. */
  admits(header: string): boolean {
    const [theirs = '', own = '', text = '', proof = ''] = header.split(' ', 5);
    const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (count === 0 || !isEqual(proof, requestProof(this.key, count, theirs, own))) return false;
    const last = this.counts.get(own);
    if (last === undefined ? !this.isFresh(own) : count <= last) return false;
    this.counts.set(own, count);
    return true;
  }

  private isFresh(challenge: string): boolean {
    const [time = '', nonce = '', sign = ''] = challenge.split('.', 4);
    const isOwn = isEqual(sign, hmac(this.secret, `${time}.${nonce}`));
    return isOwn && this.now() - Number(time) <= FRESH_MS;
  }
}
