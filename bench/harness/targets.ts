import { fileURLToPath } from 'node:url';
import type { Dialect, Transport } from '../exchange/jobs.js';
import type { TargetOptions } from '../exchange/targets.js';
import { findMosquitto, findNchan } from './processes/native-peers.js';
import { ServerProcess, type ServerCommand } from './processes/server-process.js';
import { findTornado, packageVersion } from './measuring/versions.js';

/** A server that the bench starts to compare with. */
interface Peer {
  /** How the bench's clients speak to it, and over what. */
  readonly dialect: Dialect;
  readonly transports: readonly Transport[];
}

const PEERS = {
  nchan: { dialect: 'nchan', transports: ['poll', 'push', 'stream'] },
  mosquitto: { dialect: 'mqtt', transports: ['push'] },
  'socket.io': { dialect: 'socket.io', transports: ['push', 'poll'] },
  ws: { dialect: 'parley', transports: ['push'] },
  faye: { dialect: 'faye', transports: ['push', 'poll'] },
  tornado: { dialect: 'parley', transports: ['poll'] },
} as const satisfies Readonly<Record<string, Peer>>;
export type PeerName = keyof typeof PEERS;

export function dialectOf(peer: PeerName): Dialect {
  return PEERS[peer].dialect;
}

/** Peers that offer a transport. */
export function peersOver(transport: Transport): PeerName[] {
  const all = Object.entries<Peer>(PEERS) as [PeerName, Peer][];
  return all.filter(([, { transports }]) => transports.includes(transport)).map(([name]) => name);
}

function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function node(name: string, path: string, options: TargetOptions): ServerCommand {
  return {
    name,
    command: process.execPath,
    args: [program(path), JSON.stringify(options)],
    env: { NODE_ENV: 'production' },
  };
}

export function startFloor(options: TargetOptions): Promise<ServerProcess> {
  return ServerProcess.start(node('the floor', '../floor/main.js', options));
}

/** The Python program is no build product; it stands in the sources. */
const TORNADO = '../../../bench/peers/tornado-server.py';

/** A started peer, or null when it is not installed here. */
export async function startPeer(
  name: PeerName,
  options: TargetOptions,
): Promise<{ server: ServerProcess; version: string } | null> {
  if (name === 'tornado') {
    const tornado = await findTornado();
    if (!tornado) return null;
    const args = [program(TORNADO)];
    const server = await ServerProcess.start({ name, command: tornado.python, args });
    return { server, version: tornado.version };
  }
  if (name === 'nchan' || name === 'mosquitto') {
    const native = await (name === 'nchan' ? findNchan() : findMosquitto());
    return native && { server: await ServerProcess.start(native.command), version: native.version };
  }
  const file = name === 'socket.io' ? 'socket-io' : name;
  const server = await ServerProcess.start(node(name, `../peers/${file}.js`, options));
  return { server, version: packageVersion(name) };
}
