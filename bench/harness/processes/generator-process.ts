import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RoundRunner } from '../measuring/run-round.js';
import type { FromGenerator, Job, Round, RoundReport, ToGenerator } from '../../exchange/jobs.js';

const PROGRAM = fileURLToPath(new URL('../../generators/main.js', import.meta.url));

interface Waiting {
  readonly resolve: (message: FromGenerator) => void;
  readonly reject: (error: Error) => void;
}

/** One load generator, in a process of its own. */
export class GeneratorProcess implements RoundRunner {
  private waiting: Waiting | null = null;
  private tally: (operations: number) => void = () => undefined;
  private failure: Error | null = null;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message) => this.heard(message as FromGenerator));
    // It ended, and its exit is not known yet.
    child.on('error', ({ message }) =>
      this.fail(new Error(`A generator ended early (${message})`)),
    );
    child.on('exit', (code, signal) => {
      this.fail(new Error(`A generator ended early (${signal ?? code})`));
    });
  }

  /** Starts a generator and waits until its clients are attached. */
  static async start(job: Job): Promise<GeneratorProcess> {
    const child = fork(PROGRAM, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const generator = new GeneratorProcess(child);
    try {
      await generator.ask({ type: 'job', job });
    } catch (error) {
      generator.stop();
      throw error;
    }
    return generator;
  }

  async run(
    round: Round,
    tally?: { readonly tallyMs: number; take(operations: number): void },
  ): Promise<RoundReport> {
    this.tally = (operations) => tally?.take(operations);
    const asked = tally ? { tallyMs: tally.tallyMs } : {};
    const answer = await this.ask({ type: 'round', round, ...asked });
    if (answer.type !== 'report') throw new Error('A generator did not report');
    return answer.report;
  }

  stop(): void {
    this.failure ??= new Error('The generator was stopped');
    if (this.child.connected) this.child.send({ type: 'stop' } satisfies ToGenerator);
  }

  private ask(message: ToGenerator): Promise<FromGenerator> {
    return new Promise((resolve, reject) => {
      if (this.failure) return reject(this.failure);
      this.waiting = { resolve, reject };
      this.child.send(message);
    });
  }

  private heard(message: FromGenerator): void {
    if (message.type === 'failed') return this.fail(new Error(message.message));
    if (message.type === 'tally') return this.tally(message.operations);
    this.waiting?.resolve(message);
    this.waiting = null;
  }

  private fail(error: Error): void {
    this.failure ??= error;
    this.waiting?.reject(this.failure);
    this.waiting = null;
  }
}
