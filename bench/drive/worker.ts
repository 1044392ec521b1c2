import { timingSafeEqual, createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus } from 'node:os';
import { machineNow } from '../clock.js';
import type { Job, Round } from '../exchange/jobs.js';
import { GeneratorProcess } from '../harness/processes/generator-process.js';
import type { ClockReply } from './machines.js';

/** More generators than any coordinator starts on one machine. */
const MOST_JOBS = 64;
/** The seats of some hundred thousand clients. */
const MOST_BYTES = 64 * 1024 * 1024;
/** A coordinator that asks for nothing for so long is gone. */
const IDLE_MS = 600_000;

/** A request that cannot be served. */
class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Makes load on this machine for a coordinator elsewhere, which knows the token. */
export class Worker {
  private readonly jobs = new Map<number, GeneratorProcess>();
  private readonly server: Server;
  private next = 1;
  /** Requests that are not answered yet. */
  private serving = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly token: string) {
    this.server = createServer((request, response) => {
      this.serving += 1;
      const reply = this.serve(request, response).then(
        (reply) => answer(response, 200, reply),
        (error: unknown) => {
          const status = error instanceof Refusal ? error.status : 500;
          answer(response, status, {
            error: error instanceof Error ? error.message : String(error),
          });
        },
      );
      void reply.finally(() => this.rest());
    });
    // A round takes as long as it takes.
    this.server.requestTimeout = 0;
  }

  /** @returns where it listens */
  listen(host: string, port: number): Promise<string> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        const { address, port } = this.server.address() as AddressInfo;
        resolve(`http://${address}:${port}`);
      });
    });
  }

  close(): void {
    clearTimeout(this.idle);
    this.stopAll();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    if (!isSame(request.headers.authorization ?? '', `Bearer ${this.token}`)) {
      throw new Refusal(401, 'This is not the token');
    }
    clearTimeout(this.idle);
    const [, , id, work] = (request.url ?? '').split('/');
    switch (`${request.method} ${request.url?.replace(/\d+/, 'ID')}`) {
      case 'GET /clock':
        return { now: machineNow(), cores: cpus().length } satisfies ClockReply;
      case 'POST /jobs':
        return { id: await this.start((await read(request)) as Job) };
      case 'POST /jobs/ID/round': {
        const generator = this.job(Number(id));
        const round = (await read(request)) as Round;
        // The coordinator is gone: nobody wants the figures any more.
        response.on('close', () => {
          if (!response.writableFinished) this.stop(Number(id));
        });
        return generator.run(round);
      }
      case 'DELETE /jobs/ID':
        this.stop(Number(id));
        return {};
      default:
        throw new Refusal(404, `There is no ${work ?? request.url}`);
    }
  }

  /** Waits for the next request, but not for ever. */
  private rest(): void {
    this.serving -= 1;
    clearTimeout(this.idle);
    if (this.serving === 0) this.idle = setTimeout(() => this.stopAll(), IDLE_MS).unref();
  }

  private async start(job: Job): Promise<number> {
    if (this.jobs.size >= MOST_JOBS) throw new Refusal(429, `There are ${MOST_JOBS} jobs already`);
    const generator = await GeneratorProcess.start(job);
    const id = this.next++;
    this.jobs.set(id, generator);
    return id;
  }

  private job(id: number): GeneratorProcess {
    const generator = this.jobs.get(id);
    if (!generator) throw new Refusal(404, `There is no job ${id}`);
    return generator;
  }

  private stop(id: number): void {
    this.jobs.get(id)?.stop();
    this.jobs.delete(id);
  }

  private stopAll(): void {
    for (const id of [...this.jobs.keys()]) this.stop(id);
  }
}

/** Compares in a time that tells nothing. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Refusal(413, 'The request is too large');
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString());
}

function answer(response: ServerResponse, status: number, reply: unknown): void {
  const text = JSON.stringify(reply);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(text);
}
