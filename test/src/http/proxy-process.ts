/**
 * Reverse proxies of the tests' own, run by the blocks of `docs/operations/proxies.md` and `docs/operations/nodes.md`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { freePort } from '../../../bench/harness/processes/free-port.js';

/** A proxy that the documentation configures. */
export interface ProxyKind {
  readonly name: 'nginx' | 'haproxy' | 'caddy';
  /** Why it cannot run here, or null. */
  readonly missing: string | null;
}

/** Debian keeps them where only administrators look. */
function programOf(name: string): string | null {
  const folders = ['/usr/sbin', '/usr/local/sbin', ...(process.env['PATH'] ?? '').split(':')];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

export const PROXIES: readonly ProxyKind[] = (['nginx', 'haproxy', 'caddy'] as const).map(
  (name) => ({
    name,
    missing: programOf(name) === null ? `${name} is not installed (apt-get install ${name})` : null,
  }),
);

/** Those for which the documentation has a block with several nodes. */
export const BALANCERS = PROXIES.filter(({ name }) => name !== 'caddy');

/** How each is started with a block of the documentation. */
interface Program {
  /** Of the block. */
  readonly language: string;
  /** What stands around the block. @param folder that is the proxy's own */
  readonly config: (block: string, folder: string) => string;
  /** Lets the block speak HTTP/2 without TLS, to clients that know it (RFC 9113, 3.3). */
  readonly overHttp2: (config: string) => string;
  readonly args: (file: string, folder: string) => readonly string[];
}

const PROGRAMS: Readonly<Record<ProxyKind['name'], Program>> = {
  nginx: {
    language: 'nginx',
    config: (block, folder) => {
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
        .join(' ');
      const own = `daemon off; worker_processes 1; pid ${folder}/pid; error_log stderr;`;
      return `${own}\nevents {}\nhttp { access_log off; ${temporary}\n${block}}\n`;
    },
    overHttp2: (config) => config.replace(/(\blisten [\d.:]+);/, '$1 http2;'),
    args: (file, folder) => ['-p', folder, '-c', file, '-e', 'stderr'],
  },
  haproxy: {
    language: 'haproxy',
    config: (block) => `global\n  maxconn 200\n${block}`,
    overHttp2: (config) => config.replace(/(\bbind [\d.:]+)/, '$1 proto h2'),
    args: (file) => ['-db', '-f', file],
  },
  caddy: {
    language: 'caddyfile',
    // Without TLS nobody asks for a certificate.
    config: (block) => `{\n  admin off\n  auto_https off\n}\n${block}`,
    overHttp2: (config) => config.replace('{\n', '{\n  servers {\n    protocols h1 h2c\n  }\n'),
    args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
  },
};

/** A block of the documentation, and the addresses that it gives as examples of what stands behind the proxy. */
interface Documented {
  readonly page: string;
  readonly upstreams: readonly string[];
}

const ONE: Documented = { page: 'docs/operations/proxies.md', upstreams: ['127.0.0.1:9991'] };
const SEVERAL: Documented = {
  page: 'docs/operations/nodes.md',
  upstreams: ['10.0.0.11:9991', '10.0.0.12:9991'],
};

/** The block of a page in this language, for other ports. */
function documented(
  { page, upstreams }: Documented,
  language: string,
  port: number,
  ports: readonly number[],
): string {
  const block = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(
    readFileSync(page, 'utf8'),
  )?.[1];
  if (block === undefined) throw new Error(`${page} has no ${language} block`);
  let replaced = block
    .replace(/\blisten 80;/, `listen 127.0.0.1:${port};`)
    .replace(/\bbind :80\b/, `bind 127.0.0.1:${port}`)
    .replace(/^chat\.example\.org \{/, `http://chat.example.org:${port} {\n  bind 127.0.0.1`);
  upstreams.forEach((example, i) => {
    replaced = replaced.replace(example, `127.0.0.1:${ports[i]}`);
  });
  if (![port, ...ports].every((one) => replaced.includes(`:${one}`))) {
    throw new Error(`The ${language} block does not say where it listens and what is behind it`);
  }
  return replaced;
}

/** What clients speak to the proxy. */
export type Front = 'HTTP/1.1' | 'HTTP/2';

/** Starts a proxy in front of a port; it ends with the test. @returns where it listens */
export function startProxyServer(
  t: Test,
  kind: ProxyKind,
  upstream: number,
  front: Front = 'HTTP/1.1',
): Promise<number> {
  return start(t, kind, ONE, [upstream], front);
}

/** Starts a proxy that spreads requests over the ports of two nodes. @returns where it listens */
export function startBalancer(
  t: Test,
  kind: ProxyKind,
  nodes: readonly [number, number],
  front: Front = 'HTTP/1.1',
): Promise<number> {
  return start(t, kind, SEVERAL, nodes, front);
}

async function start(
  t: Test,
  { name }: ProxyKind,
  block: Documented,
  upstreams: readonly number[],
  front: Front,
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), `parley-${name}-`));
  // The workers of nginx, which are another user where the tests run as root, go through it.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const { language, config, overHttp2, args } = PROGRAMS[name];
  const file = join(folder, 'proxy.conf');
  const text = config(documented(block, language, port, upstreams), folder);
  writeFileSync(file, front === 'HTTP/2' ? overHttp2(text) : text);
  const child = spawn(programOf(name)!, args(file, folder), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
  }
  return port;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** What goes to a server, byte for byte. */
export interface Wiretap {
  readonly port: number;
  /** All that was sent to the server since the last call. */
  taken(): string;
}

/** Listens in on what goes to a port; ends with the test. */
export async function tap(t: Test, target: number): Promise<Wiretap> {
  let heard = '';
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    client.on('data', (chunk) => (heard += chunk.toString('latin1')));
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    t.teardown(() => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    taken: () => {
      const all = heard;
      heard = '';
      return all;
    },
  };
}
