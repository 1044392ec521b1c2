/**
 * Reads the URL of a Redis store.
 *
 *     redis://user:password@host:6379/0?organization=main      one server
 *     redis+sentinel://user:password@s1:26379,s2:26379/name/0  a master that Sentinels name
 *     redis+cluster://user:password@n1:6379,n2:6379            a Cluster, found through these nodes
 *
 * `rediss` instead of `redis` encrypts every connection. User and password are those of the servers
 * with the data; percent-encode what a URL cannot hold. Options after `?`:
 *
 *     organization        names the keys (see `keys.ts`); `main` unless told
 *     sentinel_user, sentinel_password   for the Sentinels, where they ask for any
 *     ca                  PEM file of the authorities to trust, instead of the usual ones
 *     cert, key           PEM files of our own certificate, where servers ask for one
 */
import { isStorableName } from '../commits.js';

/** Where a server listens. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

/** How to get in; what is absent is not asked for. */
export interface RedisCredentials {
  readonly username?: string;
  readonly password?: string;
}

/** Names of PEM files; null where there is none. */
export interface TlsFiles {
  /** Authorities to trust, instead of the usual ones. */
  readonly ca: string | null;
  /** Our own certificate, where servers ask for one. */
  readonly cert: string | null;
  readonly key: string | null;
}

/** Where a store is and how to get in. */
export interface RedisTarget {
  readonly kind: 'server' | 'sentinel' | 'cluster';
  /** Null where connections are not encrypted. */
  readonly tls: TlsFiles | null;
  /** The server, the Sentinels, or some nodes of the Cluster. */
  readonly addresses: readonly RedisAddress[];
  readonly credentials: RedisCredentials;
  readonly sentinelCredentials: RedisCredentials;
  /** What the Sentinels call the master; empty otherwise. */
  readonly masterName: string;
  readonly database: number;
  readonly organization: string;
  /** The URL without credentials, for logs. */
  readonly description: string;
}

const KINDS = { '': 'server', '+sentinel': 'sentinel', '+cluster': 'cluster' } as const;
const URL_PARTS =
  /^redis(s?)(|\+sentinel|\+cluster):\/\/(?:([^/?#]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const ADDRESS = /^(\[[0-9a-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i;
const TLS_OPTIONS = ['ca', 'cert', 'key'];
const OPTIONS = ['organization', 'sentinel_user', 'sentinel_password', ...TLS_OPTIONS];
const DEFAULT_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26379;

/** @throws Error that says what is wrong without repeating any of the URL */
export function parseRedisUrl(url: string): RedisTarget {
  const parts = URL_PARTS.exec(url);
  if (parts === null) throw new Error('Not a Redis URL: use redis://host:port/database');
  const [, s = '', suffix = '', userInfo = '', hosts = '', path = '', query = ''] = parts;
  const kind = KINDS[suffix as keyof typeof KINDS];
  const port = kind === 'sentinel' ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT;
  const addresses = hosts.split(',').map((address) => parseAddress(address, port));
  if (kind === 'server' && addresses.length > 1) throw new Error('A Redis URL names one server');
  const options = parseOptions(query);
  const organization = options.get('organization') ?? 'main';
  if (!isStorableName(organization)) {
    throw new Error('The organization of a Redis URL is 1 to 64 of A-Z a-z 0-9 _ . -');
  }
  const place = parsePath(kind, path);
  const names = addresses.map(({ host, port }) => `${host}:${port}`).join(',');
  const where = [`redis${s}${suffix}://${names}`, place.masterName, String(place.database)];
  return {
    kind,
    tls: tlsFiles(s !== '', options),
    addresses,
    credentials: parseUserInfo(userInfo),
    sentinelCredentials: credentials(
      options.get('sentinel_user') ?? '',
      options.get('sentinel_password') ?? '',
    ),
    ...place,
    organization,
    description: `${where.filter((part) => part !== '').join('/')}?organization=${organization}`,
  };
}

function parseAddress(text: string, defaultPort: number): RedisAddress {
  const [, host = '', port] = ADDRESS.exec(text) ?? [];
  const number = port === undefined ? defaultPort : Number(port);
  if (host === '' || number < 1 || number > 65_535) {
    throw new Error('A Redis URL names its servers as host or host:port');
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}

function parseOptions(query: string): Map<string, string> {
  const options = new Map(new URLSearchParams(query));
  for (const name of options.keys()) {
    if (!OPTIONS.includes(name)) {
      throw new Error(`A Redis URL has an unknown option; known are ${OPTIONS.join(', ')}`);
    }
  }
  return options;
}

function tlsFiles(encrypts: boolean, options: ReadonlyMap<string, string>): TlsFiles | null {
  const [ca = null, cert = null, key = null] = TLS_OPTIONS.map((name) => options.get(name) || null);
  if (!encrypts) {
    if (ca ?? cert ?? key) throw new Error('Certificates of a Redis URL go with rediss: only');
    return null;
  }
  if ((cert === null) !== (key === null)) {
    throw new Error('A Redis URL names cert and key together, or neither');
  }
  return { ca, cert, key };
}

function parsePath(kind: RedisTarget['kind'], path: string) {
  const steps = path === '' ? [] : path.split('/');
  const masterName = kind === 'sentinel' ? decode(steps.shift() ?? '') : '';
  if (kind === 'sentinel' && masterName === '') {
    throw new Error('A Sentinel URL names the master after the hosts: redis+sentinel://host/name');
  }
  const database = steps.shift() ?? '';
  if (!/^\d{0,5}$/.test(database) || steps.length > 0) {
    throw new Error('The path of a Redis URL is the number of the database');
  }
  if (kind === 'cluster' && Number(database) !== 0) {
    throw new Error('A Redis Cluster has database 0 only');
  }
  return { masterName, database: Number(database) };
}

function parseUserInfo(userInfo: string): RedisCredentials {
  const colon = userInfo.indexOf(':');
  const username = colon < 0 ? userInfo : userInfo.slice(0, colon);
  return credentials(decode(username), colon < 0 ? '' : decode(userInfo.slice(colon + 1)));
}

function credentials(username: string, password: string): RedisCredentials {
  return {
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('A Redis URL has a percent sign that encodes nothing');
  }
}
