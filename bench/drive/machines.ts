import { request } from 'node:http';
import { cpus } from 'node:os';
import { machineNow } from '../clock.js';
import type { Job, Round, RoundReport } from '../exchange/jobs.js';
import type { RoundRunner } from '../harness/measuring/run-round.js';
import { GeneratorProcess } from '../harness/processes/generator-process.js';

/** A machine that makes load. */
export interface LoadMachine {
  readonly name: string;
  /** For generators. */
  readonly cores: number;
  start(job: Job): Promise<RoundRunner>;
}

/** This one, where the server has a core, too. */
export const HERE: LoadMachine = {
  name: 'here',
  cores: Math.max(1, cpus().length - 1),
  start: (job) => GeneratorProcess.start(job),
};

/** What a worker answers to a look at its clock. */
export interface ClockReply {
  readonly now: number;
  readonly cores: number;
}

/** Looks at the other clock, of which the fastest counts: what it took bounds the error. */
const CLOCK_LOOKS = 15;

/** A worker of the bench on another machine, over HTTP. */
export class RemoteMachine implements LoadMachine {
  private constructor(
    readonly name: string,
    readonly cores: number,
    private readonly url: URL,
    private readonly token: string,
    /** What its clock shows more than ours, milliseconds. */
    private readonly ahead: number,
    /** By how much that may be wrong, milliseconds. */
    readonly uncertainty: number,
  ) {}

  /** Finds a worker and compares the clocks. @throws Error when it does not answer or refuses the token */
  static async find(url: URL, token: string): Promise<RemoteMachine> {
    let best = { ahead: 0, took: Infinity, cores: 1 };
    for (let i = 0; i < CLOCK_LOOKS; i++) {
      const sentAt = machineNow();
      const { now, cores } = await ask<ClockReply>(url, token, 'GET', '/clock');
      const took = machineNow() - sentAt;
      if (took < best.took) best = { ahead: now - (sentAt + took / 2), took, cores };
    }
    return new RemoteMachine(url.host, best.cores, url, token, best.ahead, best.took / 2);
  }

  async start(job: Job): Promise<RoundRunner> {
    const { url, token } = this;
    const { id } = await ask<{ id: number }>(url, token, 'POST', '/jobs', job);
    return {
      run: (round) => {
        const own: Round = { ...round, startAt: round.startAt + this.ahead };
        return ask<RoundReport>(url, token, 'POST', `/jobs/${id}/round`, own);
      },
      stop: () => void ask(url, token, 'DELETE', `/jobs/${id}`).catch(() => undefined),
    };
  }
}

/** @throws Error with what the worker says */
function ask<T>(
  url: URL,
  token: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  const text = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const asked = request(
      new URL(path, url),
      {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(text) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const reply = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve(JSON.parse(reply) as T);
          else
            reject(new Error(`The worker ${url.host} answered ${response.statusCode}: ${reply}`));
        });
      },
    );
    asked.on('error', (error) => {
      reject(new Error(`The worker ${url.host} does not answer: ${error.message}`));
    });
    asked.end(text);
  });
}
