import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import type { ServerCommand } from './server-process.js';

/** Peers that are programs of the system, with a configuration of the bench's own. */

const run = promisify(execFile);

export interface NativePeer {
  readonly command: ServerCommand;
  readonly version: string;
}

/** Where servers are that not everybody has in the path. */
const FURTHER_FOLDERS = ['/usr/sbin', '/usr/local/sbin'];
/** Where packages put the module: Debian, and builds from source. */
const MODULES = [
  '/usr/lib/nginx/modules/ngx_nchan_module.so',
  '/usr/share/nginx/modules/ngx_nchan_module.so',
  '/usr/local/nginx/modules/ngx_nchan_module.so',
];

function programAt(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...FURTHER_FOLDERS];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** The first version that a program tells of itself; empty where it tells none. */
async function versionOf(program: string, ...args: readonly string[]): Promise<string> {
  // Help may end with an error status.
  const { stdout = '', stderr = '' } = await run(program, [...args]).catch(
    (error: { stdout?: string; stderr?: string }) => error,
  );
  return /\d+\.\d+[\w.+]*/.exec(stdout + stderr)?.[0] ?? '';
}

/** One process, as the others have; the messages in memory, as many as the floor keeps. */
function nginxConfiguration(module: string, port: number): string {
  return `load_module ${module};
daemon off;
master_process off;
pid nginx.pid;
error_log stderr error;
events { worker_connections 60000; }
http {
  access_log off;
  tcp_nodelay on;
  keepalive_requests 1000000000;
  keepalive_timeout 600s;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  nchan_shared_memory_size 128M;
  nchan_message_buffer_length 256;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /publish {
      nchan_publisher;
      nchan_channel_id "c$arg_client";
    }
    location = /events {
      nchan_subscriber longpoll websocket eventsource;
      nchan_subscriber_first_message oldest;
      nchan_channel_id "c$arg_client";
    }
  }
}
`;
}

/** nginx with the module nchan; null where one of them is not installed. */
export async function findNchan(): Promise<NativePeer | null> {
  const program = programAt('nginx');
  const module = MODULES.find((path) => existsSync(path));
  if (program === null || module === undefined) return null;
  const port = await freePort();
  const package_ = await versionOf('dpkg-query', '--show', 'libnginx-mod-nchan');
  return {
    version: `${package_} (nginx ${await versionOf(program, '-v')})`.trim(),
    command: {
      name: 'nchan',
      command: program,
      args: ['-p', '.', '-c', 'nginx.conf', '-e', 'stderr'],
      files: { 'nginx.conf': nginxConfiguration(module, port) },
      port,
    },
  };
}

/** Eclipse Mosquitto, in memory; null where it is not installed. */
export async function findMosquitto(): Promise<NativePeer | null> {
  const program = programAt('mosquitto');
  if (program === null) return null;
  const port = await freePort();
  const configuration = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous true',
    'persistence false',
    'set_tcp_nodelay true',
    'log_dest stderr',
    'log_type error',
    // Else root gives itself up for an account that may be missing.
    ...(process.getuid?.() === 0 ? ['user root'] : []),
  ];
  return {
    version: await versionOf(program, '-h'),
    command: {
      name: 'mosquitto',
      command: program,
      args: ['-c', 'mosquitto.conf'],
      files: { 'mosquitto.conf': `${configuration.join('\n')}\n` },
      port,
    },
  };
}
