import { request } from 'node:http';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
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
/** Clocks drift apart by up to some hundred microseconds a second: after so long they are compared again. */
const COMPARED_MS = 30_000;
/** Clients may take two minutes to attach. */
const ANSWER_MS = 150_000;

/** How a worker is watched while it makes load: a machine without power or network closes no connection. */
export interface Watch {
  readonly everyMs: number;
  /** A worker that says nothing for so long is gone. */
  readonly patienceMs: number;
}
const WATCH: Watch = { everyMs: 2000, patienceMs: 10_000 };

interface Comparison {
  /** What the other clock shows more than ours, milliseconds. */
  readonly ahead: number;
  /** By how much that may be wrong, milliseconds. */
  readonly uncertainty: number;
  readonly at: number;
}

/** A worker of the bench on another machine, over HTTP. */
export class RemoteMachine implements LoadMachine {
  cores = 1;
  private comparison: Comparison = { ahead: 0, uncertainty: Infinity, at: -Infinity };
  private comparing: Promise<void> | null = null;

  private constructor(
    private readonly url: URL,
    private readonly token: string,
    private readonly watch: Watch,
  ) {}

  /** Finds a worker and compares the clocks. @throws Error when it does not answer or refuses the token */
  static async find(url: URL, token: string, watch = WATCH): Promise<RemoteMachine> {
    const machine = new RemoteMachine(url, token, watch);
    await machine.compare();
    return machine;
  }

  get name(): string {
    return this.url.host;
  }

  /** By how much the other clock is misjudged at most, milliseconds. */
  get uncertainty(): number {
    return this.comparison.uncertainty;
  }

  async start(job: Job): Promise<RoundRunner> {
    const { id } = await this.ask<{ id: number }>('POST', '/jobs', { body: job });
    return {
      run: (round) => this.run(id, round),
      stop: () => void this.ask('DELETE', `/jobs/${id}`).catch(() => undefined),
    };
  }

  /** @throws Error when the worker ends or is silent meanwhile, with its name */
  private async run(id: number, round: Round): Promise<RoundReport> {
    const over = new AbortController();
    const body: Round = { ...round, startAt: round.startAt + this.comparison.ahead };
    try {
      const report = await Promise.race([
        this.ask<RoundReport>('POST', `/jobs/${id}/round`, { body, signal: over.signal, ms: 0 }),
        this.silence(over.signal),
      ]);
      if (machineNow() - this.comparison.at > COMPARED_MS) await this.compare();
      return report;
    } finally {
      over.abort();
    }
  }

  /** Asks for its clock again and again. @throws Error once it does not answer */
  private async silence(signal: AbortSignal): Promise<never> {
    const { everyMs, patienceMs: ms } = this.watch;
    for (;;) {
      await pause(everyMs, undefined, { signal });
      await this.ask('GET', '/clock', { signal, ms });
    }
  }

  /** One comparison at a time, whoever asks: others would slow its looks. */
  private compare(): Promise<void> {
    this.comparing ??= this.look().finally(() => {
      this.comparing = null;
    });
    return this.comparing;
  }

  private async look(): Promise<void> {
    let best: Comparison | null = null;
    for (let i = 0; i < CLOCK_LOOKS; i++) {
      const at = machineNow();
      const { now, cores } = await this.ask<ClockReply>('GET', '/clock');
      const uncertainty = (machineNow() - at) / 2;
      if (!best || uncertainty < best.uncertainty) {
        best = { ahead: now - (at + uncertainty), uncertainty, at };
      }
      this.cores = cores;
    }
    this.comparison = best!;
  }

  private ask<T>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    { body, signal, ms = ANSWER_MS }: Asking = {},
  ): Promise<T> {
    const { url, token, name } = this;
    const text = body === undefined ? '' : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void =>
        reject(new Error(`The worker ${name} does not answer: ${error.message}`));
      const asked = request(
        new URL(path, url),
        {
          method,
          ...(signal ? { signal } : {}),
          headers: { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(text) },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', fail);
          response.on('end', () => {
            const reply = Buffer.concat(chunks).toString();
            if (response.statusCode === 200) resolve(JSON.parse(reply) as T);
            else reject(new Error(`The worker ${name} answered ${response.statusCode}: ${reply}`));
          });
        },
      );
      if (ms > 0) {
        const silent = new Error(`not within ${ms / 1000} s`);
        const timer = setTimeout(() => asked.destroy(silent), ms);
        asked.once('close', () => clearTimeout(timer));
      }
      asked.on('error', fail);
      asked.end(text);
    });
  }
}

interface Asking {
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Silence after which the answer is given up; 0: never. */
  readonly ms?: number;
}
