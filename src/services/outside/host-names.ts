import type { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { readFile, stat } from '../../platform/files.js';
import { lookup, resolver as askServers } from '../../platform/network.js';
import { monotonicTime } from '../../platform/time.js';
import { ConcurrencyLimiter } from '../../turns/concurrency-limiter.js';

/** An address as resolvers tell it. */
export interface NamedAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name, IPv4 first. @throws Error where there are none, or they cannot be had in time */
export type ResolveName = (host: string, signal?: AbortSignal) => Promise<readonly NamedAddress[]>;

/** How {@link hostNames} is set up; all of it is for tests. */
interface HostNameOptions {
  /** Addresses of name servers; those of the machine by default. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  /** First attempt at a name server, milliseconds: a second and last one takes longer. */
  readonly attemptMs?: number;
  /** The machine's own way to find addresses. */
  readonly system?: (host: string) => Promise<readonly NamedAddress[]>;
}

/**
 * A name server of the same network answers what it knows in milliseconds, and what it has to ask for within a second.
 */
const ATTEMPT_MS = 1500;
const ATTEMPTS = 2;
/** How long the file of the machine's own names counts as read, milliseconds. */
const HOSTS_FRESH_MS = 5000;
/**
 * A larger file lists names to be blocked, bytes; it is left to the machine's own way. This one is read in a
 * millisecond.
 */
const MAX_HOSTS = 64 * 1024;
/** Names that wait to be looked for by the machine's own way. */
const MAX_WAITING = 100;
/** The name servers know no such name, or there are none: the machine may have it from elsewhere. */
const UNKNOWN: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Resolves names that users chose. The machine's own way (`getaddrinfo`) keeps a thread of four for up to half a minute
 * where a name server never answers, and these threads also read files, compress and hash passwords; nothing can end
 * it. So the machine's own names are read from its file, and name servers are asked without a thread and for a few
 * seconds. What they do not know is looked for by the machine's own way (search domains, multicast), one name at a
 * time: at most one thread.
 */
export function hostNames({
  servers,
  hostsFile = '/etc/hosts',
  attemptMs = ATTEMPT_MS,
  system = lookup,
}: HostNameOptions = {}): ResolveName {
  const hosts = new HostsFile(hostsFile);
  const oneAtATime = new ConcurrencyLimiter(1, MAX_WAITING, 'Too many names are being looked for');
  return async (host, signal) => {
    const own = await hosts.addressesOf(host);
    if (own.length > 0) return own;
    signal?.throwIfAborted();
    const resolver = askServers({ timeout: attemptMs, tries: ATTEMPTS });
    if (servers) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await asked(resolver, host);
    } catch (error) {
      if (!UNKNOWN.has((error as NodeJS.ErrnoException).code)) throw error;
      return await oneAtATime.take(async () => {
        // Whoever waited may have given up.
        signal?.throwIfAborted();
        return system(host);
      });
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  };
}

/** @throws Error of the name servers where they tell no address */
async function asked(resolver: Resolver, host: string): Promise<readonly NamedAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
  return found;
}

/** The names that the machine has in its file. */
class HostsFile {
  private names: Promise<ReadonlyMap<string, readonly NamedAddress[]>> | undefined;
  private readAt = 0;

  constructor(private readonly path: string) {}

  async addressesOf(host: string): Promise<readonly NamedAddress[]> {
    const now = monotonicTime();
    if (!this.names || now - this.readAt > HOSTS_FRESH_MS) {
      this.readAt = now;
      this.names = this.read().catch(() => new Map());
    }
    return (await this.names).get(plain(host)) ?? [];
  }

  private async read(): Promise<ReadonlyMap<string, readonly NamedAddress[]>> {
    const { size } = await stat(this.path);
    return size > MAX_HOSTS ? new Map() : namesIn(await readFile(this.path, 'utf8'));
  }
}

function namesIn(text: string): Map<string, NamedAddress[]> {
  const found = new Map<string, NamedAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*$/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const list = found.get(plain(name)) ?? [];
      found.set(plain(name), list);
      if (family === 4) list.unshift({ address, family });
      else list.push({ address, family });
    }
  }
  return found;
}

/** A name without the dot that ends it. */
function plain(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
