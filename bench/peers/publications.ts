import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listening } from '../exchange/targets.js';

/** An event to pass on: to one client, or to all. */
export interface Publication {
  /** The event as JSON. */
  readonly text: string;
  readonly client: number | null;
}

/**
 * The HTTP server of a peer: `POST /publish[?client=N]` with an event as its body. Other requests are
 * the peer's own.
 */
export function createPeerServer(publish: (publication: Publication) => void): Server {
  return createServer((request, response) => {
    if (request.method !== 'POST' || !request.url?.startsWith('/publish')) return;
    const client = new URL(request.url, 'http://peer').searchParams.get('client');
    void readBody(request).then((text) => {
      response.setHeader('Content-Length', 2);
      response.end('{}');
      publish({ text, client: client === null ? null : Number(client) });
    });
  });
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Listens on a free port and says so. Connections between requests stay open as long as the bench. */
export function startPeer(server: Server): void {
  server.keepAliveTimeout = 600_000;
  server.listen(0, '127.0.0.1', 4096, () => {
    process.stdout.write(`${listening((server.address() as AddressInfo).port)}\n`);
  });
}
