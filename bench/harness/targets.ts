import { fileURLToPath } from 'node:url';
import type { Dialect, Transport } from '../exchange/jobs.js';
import type { TargetOptions } from '../exchange/targets.js';
import { ServerProcess, type ServerCommand } from './processes/server-process.js';
import { findTornado, packageVersion } from './measuring/versions.js';

const PEERS = ['socket.io', 'ws', 'faye', 'tornado'] as const;
export type PeerName = (typeof PEERS)[number];

/** How the bench's clients speak to a peer, and over what. */
export const PEER_DIALECT: Readonly<Record<PeerName, Dialect>> = {
  'socket.io': 'socket.io',
  ws: 'parley',
  faye: 'faye',
  tornado: 'parley',
};

const TRANSPORTS: Readonly<Record<PeerName, readonly Transport[]>> = {
  'socket.io': ['push', 'poll'],
  ws: ['push'],
  faye: ['push', 'poll'],
  tornado: ['poll'],
};

/** Peers that offer a transport. */
export function peersOver(transport: Transport): PeerName[] {
  return PEERS.filter((peer) => TRANSPORTS[peer].includes(transport));
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
  const file = name === 'socket.io' ? 'socket-io' : name;
  const server = await ServerProcess.start(node(name, `../peers/${file}.js`, options));
  return { server, version: packageVersion(name) };
}
