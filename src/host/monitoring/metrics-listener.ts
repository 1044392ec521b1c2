/** `GET /metrics` and `GET /health` on a listener apart from the API. */
import { createHttpServer } from '../../platform/network.js';
import { cannotListen } from '../../http/cannot-listen.js';
import type { ConnectionLimit } from '../../http/limits/connection-limit.js';
import { guardServer } from '../../http/limits/guarded.js';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { healthRefusal, isHealthy, type Health, type NodeHealth } from '../../http/health.js';
import { successText } from '../../http/reply/json-reply.js';

/** Connections at once: a scraper has one or two, and a health check as many. Half at most from one address. */
const MAX_CONNECTIONS = 100;

/** What a listener shows. */
export interface ShownMetrics {
  readonly contentType: string;
  /** The metrics at a path; null where there are none. */
  readonly text: (path: string) => Promise<string> | null;
  readonly health: () => Promise<{
    readonly status: Health;
    readonly node?: NodeHealth | undefined;
  }>;
}

/** Answers whoever scrapes metrics or checks health, also over HTTP/1.0, which some health checks use. */
export class MetricsListener {
  private readonly server: Server;
  /** Connections with a request that is not answered yet. */
  private readonly answering = new WeakSet<Socket>();

  constructor(
    private readonly shown: ShownMetrics,
    limit: ConnectionLimit,
  ) {
    this.server = createHttpServer((request, response) => this.answer(request, response));
    guardServer(this.server, limit.gate('metrics', MAX_CONNECTIONS));
  }

  /**
   * Serves the metrics; port 0 takes a free one.
   * @returns the URL
   * @throws Error when the port is in use
   */
  async listen({ host, port }: { host: string; port: number }): Promise<string> {
    const { server } = this;
    try {
      await once(server.listen(port, host), 'listening');
    } catch (error) {
      throw new Error(`Metrics: ${cannotListen(host, port, error).message}`, { cause: error });
    }
    const { port: taken } = server.address() as AddressInfo;
    return `http://${host.includes(':') ? `[${host}]` : host}:${taken}/metrics`;
  }

  /** Idempotent. */
  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private answer({ url, method, socket }: IncomingMessage, response: ServerResponse): void {
    // One at a time: the metrics are computed for each, and a segment may hold thousands of requests.
    if (this.answering.has(socket)) return void socket.destroy();
    this.answering.add(socket);
    response.once('close', () => this.answering.delete(socket));
    const path = url?.split('?')[0] ?? '';
    const isRead = method === 'GET' || method === 'HEAD';
    const failed = (): void => void response.writeHead(500).end();
    if (path === '/health') {
      if (isRead) this.answerHealth(response).catch(failed);
      else refuseMethod(response);
      return;
    }
    const text = isRead ? this.shown.text(path) : null;
    if (text) {
      const headers = { 'Content-Type': this.shown.contentType };
      text.then((found) => response.writeHead(200, headers).end(found)).catch(failed);
    } else if (path === '/metrics') refuseMethod(response);
    else response.writeHead(404).end();
  }

  /** The same as `GET /health` of the API. */
  private async answerHealth(response: ServerResponse): Promise<void> {
    const { status, node } = await this.shown.health();
    const serves = isHealthy(status);
    const refusal = healthRefusal(status, node);
    const body = serves ? successText({ status, ...node }, []) : refusal.body;
    response
      .writeHead(serves ? 200 : 503, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'X-Content-Type-Options': 'nosniff',
        ...(serves ? {} : refusal.headers),
      })
      .end(body);
  }
}

function refuseMethod(response: ServerResponse): void {
  response.writeHead(405, { Allow: 'GET, HEAD' }).end();
}
