import { machineNow } from '../clock.js';
import type { ClosedRound, OpenRound, RequesterJob, Round, RoundReport } from '../exchange/jobs.js';
import type { Generator } from './generator.js';
import { HttpConnection, type HttpReply } from './http-connection.js';
import { Latencies } from './latencies.js';
import { ReportWriter } from './report-writer.js';
import { RequestWriter } from './request-text.js';

interface Lane {
  readonly connection: HttpConnection;
  /** Requests that are due on this connection, in order; the first may be under way. */
  readonly due: { readonly n: number; readonly intendedAt: number }[];
}

/**
 * Sends requests. On a schedule (open round) every latency counts from the intended time, also when
 * the connection was still busy with the request before: a server that stalls cannot hide it. As fast
 * as it goes (closed round) the next request is intended when the reply before it arrived.
 */
export class Requesters implements Generator {
  private readonly lanes: Lane[];
  private readonly writer: RequestWriter;
  private readonly latencies = Latencies.empty();
  private readonly late = Latencies.empty();
  private readonly reports = new ReportWriter();
  private outstanding = 0;
  private closedUntil = 0;
  private finish: (() => void) | null = null;

  constructor(private readonly job: RequesterJob) {
    this.writer = new RequestWriter(job.server, job.plan);
    this.lanes = Array.from({ length: job.connections }, (_, i) => this.lane(i));
  }

  async prepare(): Promise<void> {
    // Connections open with their first request.
  }

  get operations(): number {
    return this.reports.operations;
  }

  async run(round: Round): Promise<RoundReport> {
    this.latencies.reset();
    this.late.reset();
    this.reports.begin();
    await pauseUntil(round.startAt);
    const wanted = round.kind === 'open' ? await this.open(round) : await this.closed(round);
    const lost = wanted - this.reports.operations;
    return this.reports.report({
      lost,
      repeated: 0,
      latencies: this.latencies,
      lateMs: this.late.percentile(99),
    });
  }

  close(): void {
    for (const { connection } of this.lanes) connection.close();
  }

  private async open(round: OpenRound): Promise<number> {
    const { first, count, startAt, intervalMs } = round;
    let sent = 0;
    while (sent < count) {
      const now = machineNow();
      while (sent < count && startAt + sent * intervalMs <= now) {
        const intendedAt = startAt + sent * intervalMs;
        this.late.record(now - intendedAt);
        this.add(first + sent, intendedAt);
        sent += 1;
      }
      if (sent < count) await pauseUntil(startAt + sent * intervalMs);
    }
    await this.answers(round.graceMs);
    return count;
  }

  private async closed(round: ClosedRound): Promise<number> {
    this.closedUntil = round.startAt + round.durationMs;
    const { length } = this.lanes;
    // Request n uses lane n modulo their number, which keeps an account's requests in order.
    for (let i = 0; i < length; i++) this.add(round.first + i, machineNow());
    await this.answers(round.durationMs + 30_000);
    this.closedUntil = 0;
    return this.reports.operations + this.outstanding;
  }

  private lane(index: number): Lane {
    const due: Lane['due'] = [];
    const lane: Lane = {
      due,
      connection: new HttpConnection(this.job.server, index, {
        reply: (reply) => this.answered(lane, reply),
        fault: (error) => {
          this.reports.fault(error);
          this.settled(lane, false);
        },
      }),
    };
    return lane;
  }

  private add(n: number, intendedAt: number): void {
    this.outstanding += 1;
    this.enqueue(this.lanes[n % this.lanes.length]!, n, intendedAt);
  }

  private enqueue(lane: Lane, n: number, intendedAt: number): void {
    lane.due.push({ n, intendedAt });
    if (lane.due.length === 1) lane.connection.send(this.writer.write(n));
  }

  private answered(lane: Lane, { status, body, bytes }: HttpReply): void {
    const { n, intendedAt } = lane.due[0]!;
    this.latencies.record(machineNow() - intendedAt);
    this.reports.bytes += bytes;
    if (status === 200 || status === 204) {
      this.writer.answered(n, body);
      this.settled(lane, true);
    } else {
      const text = body.toString('utf8', 0, 200);
      this.reports.fault(new Error(`Request ${n} was answered ${status}: ${text}`));
      this.settled(lane, false);
    }
  }

  private settled(lane: Lane, success: boolean): void {
    const former = lane.due.shift()!;
    this.outstanding -= 1;
    if (success) this.reports.operations += 1;
    const following = lane.due[0];
    const now = machineNow();
    if (following) {
      lane.connection.send(this.writer.write(following.n));
    } else if (now < this.closedUntil) {
      this.outstanding += 1;
      this.enqueue(lane, former.n + this.lanes.length, now);
    }
    if (this.outstanding === 0 && this.finish) {
      this.finish();
      this.finish = null;
    }
  }

  /** Resolves when every reply is there, or after `graceMs`. */
  private answers(graceMs: number): Promise<void> {
    if (this.outstanding === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.finish = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Resolves at a time of the machine's clock; timers round down, so it may take two. */
async function pauseUntil(at: number): Promise<void> {
  for (let left = at - machineNow(); left > 0; left = at - machineNow()) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, Math.floor(left))));
  }
}
