import { machineNow } from '../clock.js';
import type { RoundReport } from '../exchange/jobs.js';
import type { Latencies } from './latencies.js';

/** Gathers what every generator reports about a round. */
export class ReportWriter {
  operations = 0;
  bytes = 0;
  private faults = 0;
  private firstFault: string | null = null;
  private startedAt = 0;
  private cpu = process.cpuUsage();

  /** Starts over; faults seen since the last round stay, because nobody heard of them yet. */
  begin(): void {
    this.operations = 0;
    this.bytes = 0;
    this.startedAt = machineNow();
    this.cpu = process.cpuUsage();
  }

  fault(error: Error): void {
    this.faults += 1;
    this.firstFault ??= error.message;
  }

  report(own: {
    readonly lost: number;
    readonly repeated: number;
    readonly latencies: Latencies;
    readonly lateMs: number;
  }): RoundReport {
    const cpu = process.cpuUsage(this.cpu);
    const report: RoundReport = {
      operations: this.operations,
      bytes: this.bytes,
      lost: own.lost,
      repeated: own.repeated,
      faults: this.faults,
      firstFault: this.firstFault,
      latencies: own.latencies.encode(),
      elapsedMs: machineNow() - this.startedAt,
      cpuMs: (cpu.user + cpu.system) / 1000,
      lateMs: own.lateMs,
    };
    this.faults = 0;
    this.firstFault = null;
    return report;
  }
}
