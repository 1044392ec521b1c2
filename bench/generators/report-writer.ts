import { machineNow } from '../clock.js';
import type { Round, RoundReport, SecondReport } from '../exchange/jobs.js';
import { Latencies } from './latencies.js';

/** What kind of failure an error is, so that failures can be counted: a status, a code of the system or of a socket. */
export function kindOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  const status = /(?:answered|HTTP\/1\.1) (\d{3})/.exec(error.message)?.[1];
  if (status !== undefined) return `status ${status}`;
  const closed = /(?:closed|ended) with (\d{4})/.exec(error.message)?.[1];
  if (closed !== undefined) return `closed with ${closed}`;
  return /closed|ended/.test(error.message) ? 'closed' : 'other';
}

/** Gathers what every generator reports about a round, and about each second of it. */
export class ReportWriter {
  operations = 0;
  bytes = 0;
  private readonly latencies = Latencies.empty();
  private readonly ofSecond = Latencies.coarse();
  private seconds: SecondReport[] = [];
  private operationsBefore = 0;
  private faultsOfSecond = 0;
  private secondEnds = Infinity;
  private faults: Record<string, number> = {};
  private firstFault: string | null = null;
  private startedAt = 0;
  private cpu = process.cpuUsage();

  /** Starts over; faults seen since the last round stay, because nobody heard of them yet. */
  begin({ startAt }: Round): void {
    this.operations = 0;
    this.operationsBefore = 0;
    this.bytes = 0;
    this.seconds = [];
    this.latencies.reset();
    this.ofSecond.reset();
    this.secondEnds = startAt + 1000;
    this.startedAt = machineNow();
    this.cpu = process.cpuUsage();
  }

  /** Notes how long something took that was intended, and ended `now`. Whether it is an operation is the caller's matter. */
  took(ms: number, now: number): void {
    if (now >= this.secondEnds) this.endSeconds(now);
    this.latencies.record(ms);
    this.ofSecond.record(ms);
  }

  fault(error: Error): void {
    this.count(kindOf(error));
    this.firstFault ??= error.message;
  }

  /** Counts failures of a kind that no error tells. */
  count(kind: string, times = 1): void {
    this.faults[kind] = (this.faults[kind] ?? 0) + times;
    this.faultsOfSecond += times;
  }

  report(own: {
    readonly lost: number;
    readonly repeated: number;
    readonly intended?: number;
    readonly missed?: number;
    readonly lateMs: number;
    readonly recoveryMs?: number;
  }): RoundReport {
    const cpu = process.cpuUsage(this.cpu);
    // Of a second that began just before the end nothing can be said, unless there is no other.
    const isLong = machineNow() > this.secondEnds - 500;
    if (isLong || this.seconds.length === 0) this.endSeconds(this.secondEnds);
    const report: RoundReport = {
      operations: this.operations,
      bytes: this.bytes,
      lost: own.lost,
      repeated: own.repeated,
      intended: own.intended ?? 0,
      missed: own.missed ?? 0,
      faults: this.faults,
      firstFault: this.firstFault,
      latencies: this.latencies.encode(),
      seconds: this.seconds,
      elapsedMs: machineNow() - this.startedAt,
      cpuMs: (cpu.user + cpu.system) / 1000,
      lateMs: own.lateMs,
      recoveryMs: own.recoveryMs ?? 0,
    };
    this.faults = {};
    this.firstFault = null;
    return report;
  }

  /** Closes the seconds that ended until `now`; those in which nothing came are empty. */
  private endSeconds(now: number): void {
    while (now >= this.secondEnds) {
      this.seconds.push({
        operations: this.operations - this.operationsBefore,
        faults: this.faultsOfSecond,
        latencies: this.ofSecond.count === 0 ? '' : this.ofSecond.encode(),
      });
      this.operationsBefore = this.operations;
      this.faultsOfSecond = 0;
      this.ofSecond.reset();
      this.secondEnds += 1000;
    }
  }
}
