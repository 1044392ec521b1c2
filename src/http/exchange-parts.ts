import type { Compressor } from './compression.js';
import type { PendingExchange, PendingExchanges } from './pending.js';
import type { RequestLog } from './request-log.js';
import type { TrustedProxies } from './request/trusted-proxies.js';

/** Dependencies that all exchanges share. */
export interface SharedParts<Exchange extends PendingExchange> {
  /** The exchanges that wait for their reply, for draining. */
  readonly pending: PendingExchanges<Exchange>;
  /** Proxies whose headers about the client are trusted; null: none. */
  readonly proxies: TrustedProxies | null;
  readonly compressor: Compressor;
  /** The journal's position for replies to requests that may write; null where they carry none. */
  readonly position: () => number | null;
  readonly requests: RequestLog;
  /** Whether nodes of the organization are the clients, and tell where requests came from. */
  readonly isInternal: boolean;
}
