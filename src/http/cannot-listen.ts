/** Why a server cannot listen: the native layer does not tell. */
import { once } from 'node:events';
import { createServer } from '../platform/network.js';

/** Nobody listens on the address, for a reason that is not known here. */
export class CannotListenError extends Error {
  constructor(
    readonly host: string,
    readonly port: number,
    reason = 'is the port in use, or the address not one of this machine?',
  ) {
    super(`Cannot listen on ${host.includes(':') ? `[${host}]` : host}:${port}: ${reason}`);
    this.name = 'CannotListenError';
  }
}

/** One sentence per cause. */
function reasonOf(code: string | undefined, port: number): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return 'the port is in use by another process';
    case 'EACCES':
      return port < 1024
        ? `ports below 1024 need a right that this account lacks (CAP_NET_BIND_SERVICE): take a higher one, or a proxy`
        : 'this account may not';
    case 'EADDRNOTAVAIL':
      return 'the address is not one of this machine';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name has no address';
    default:
      return undefined;
  }
}

/** The refusal of an address, with its cause where `error` has it. */
export function cannotListen(host: string, port: number, error?: unknown): CannotListenError {
  const { code } = (error ?? {}) as { code?: string };
  return new CannotListenError(host, port, reasonOf(code, port));
}

/**
 * Listens by the native layer.
 * @throws CannotListenError with its cause, which a listener of Node finds out
 */
export async function listening<T>(listen: () => T): Promise<T> {
  try {
    return listen();
  } catch (error) {
    if (!(error instanceof CannotListenError)) throw error;
    const { host, port } = error;
    const probe = createServer();
    try {
      await once(probe.listen({ host, port, exclusive: true }), 'listening');
    } catch (cause) {
      throw cannotListen(host, port, cause);
    }
    probe.close();
    throw error;
  }
}
