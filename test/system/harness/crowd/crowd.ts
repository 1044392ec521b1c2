import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { CrowdOrder, CrowdReport } from './crowd-process.js';

const PROGRAM = fileURLToPath(new URL('./crowd-process.js', import.meta.url));

/** A part of a crowd, in a process of its own. */
export class CrowdPart {
  /** Resolves when every member waits. */
  readonly waiting: Promise<void>;
  /** Resolves when every member got the broadcast, with the moments, milliseconds since 1970. */
  readonly delivered: Promise<readonly number[]>;

  private constructor(private readonly child: ChildProcess) {
    const report = <T extends CrowdReport['type']>(type: T) =>
      new Promise<Extract<CrowdReport, { type: T }>>((resolve, reject) => {
        child.on('message', (message: CrowdReport) => {
          if (message.type === type) resolve(message as Extract<CrowdReport, { type: T }>);
          if (message.type === 'failed') reject(new Error(message.why));
        });
        child.on('exit', (code) => reject(new Error(`a part of the crowd ended with ${code}`)));
      });
    this.waiting = report('waiting').then(() => undefined);
    this.delivered = report('delivered').then((found) => found.times);
    // Whoever awaits them later still sees the failure.
    this.waiting.catch(() => undefined);
    this.delivered.catch(() => undefined);
  }

  /** Starts a part; it ends with the test. */
  static start(t: Test, order: CrowdOrder): CrowdPart {
    const part = new CrowdPart(fork(PROGRAM, [JSON.stringify(order)], { execArgv: [] }));
    t.teardown(() => part.child.kill('SIGKILL'));
    return part;
  }
}
