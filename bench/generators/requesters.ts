import { machineNow } from '../clock.js';
import type { ClosedRound, OpenRound, RequesterJob, Round, RoundReport } from '../exchange/jobs.js';
import { intendedMs, isRate } from '../exchange/pace.js';
import type { Generator } from './generator.js';
import { HttpConnection, type HttpReply } from './http-connection.js';
import { Latencies } from './latencies.js';
import { MqttPublisher } from './mqtt.js';
import { ReportWriter } from './report-writer.js';
import { RequestWriter } from './request-text.js';

interface Lane {
  readonly connection: HttpConnection | MqttPublisher;
  /** Requests that are due on this connection, in order; the first may be under way. */
  readonly due: { readonly n: number; readonly intendedAt: number }[];
}

/** A request that waited longer for its connection missed the rate. Milliseconds. */
const MISSED_MS = 100;

/**
 * Sends requests. On a schedule (open round) every latency counts from the intended time, also when
 * the connection was still busy with the request before: a server that stalls cannot hide it. As fast
 * as it goes (closed round) the next request is intended when the reply before it arrived.
 */
export class Requesters implements Generator {
  private readonly lanes: Lane[];
  private readonly writer: RequestWriter;
  private readonly late = Latencies.empty();
  private readonly reports = new ReportWriter();
  private readonly share: { readonly index: number; readonly of: number };
  /** Requests of a schedule, and those of them that were sent late or never because their connection was busy. */
  private intended = 0;
  private missed = 0;
  private isPaced = false;
  private outstanding = 0;
  private closedUntil = 0;
  private finish: (() => void) | null = null;

  constructor(private readonly job: RequesterJob) {
    this.writer = new RequestWriter(job.server, job.plan);
    this.share = job.share ?? { index: 0, of: 1 };
    this.lanes = Array.from({ length: job.connections }, (_, i) => this.lane(i));
  }

  async prepare(): Promise<void> {
    // Connections open with their first request.
  }

  get operations(): number {
    return this.reports.operations;
  }

  async run(round: Round): Promise<RoundReport> {
    this.late.reset();
    this.intended = 0;
    this.missed = 0;
    this.reports.begin(round);
    await pauseUntil(round.startAt);
    await (round.kind === 'open' ? this.open(round) : this.closed(round));
    const lost = this.abandon();
    const { intended, missed } = this;
    const lateMs = this.late.percentile(99);
    return this.reports.report({ lost, repeated: 0, intended, missed, lateMs });
  }

  close(): void {
    for (const { connection } of this.lanes) connection.close();
  }

  private async open(round: OpenRound): Promise<void> {
    const { first, count, startAt, pace } = round;
    const { index, of } = this.share;
    this.isPaced = isRate(pace);
    const own = (at: number): number => startAt + intendedMs(pace, at);
    // The first of the round that is this generator's.
    let at = (((index - first) % of) + of) % of;
    while (at < count) {
      const now = machineNow();
      for (; at < count && own(at) <= now; at += of) {
        this.late.record(now - own(at));
        this.add(first + at, own(at));
        this.intended += 1;
      }
      if (at < count) await pauseUntil(own(at));
    }
    await this.answers(round.graceMs);
  }

  private async closed(round: ClosedRound): Promise<void> {
    this.isPaced = false;
    this.closedUntil = round.startAt + round.durationMs;
    const { length } = this.lanes;
    // Request n uses lane n modulo their number, which keeps an account's requests in order.
    for (let i = 0; i < length; i++) this.add(round.first + i, machineNow());
    await this.answers(round.durationMs + 30_000);
    this.closedUntil = 0;
  }

  /** Gives up on what was not answered, with its connections: the next round begins afresh. @returns how much it was */
  private abandon(): number {
    const unanswered = this.outstanding;
    for (const { due, connection } of this.lanes) {
      if (due.length > 0) connection.close();
      // The first is under way.
      if (this.isPaced) this.missed += Math.max(0, due.length - 1);
      due.length = 0;
    }
    this.outstanding = 0;
    return unanswered;
  }

  private lane(index: number): Lane {
    const due: Lane['due'] = [];
    const Connection = this.job.plan.method === 'PUBLISH' ? MqttPublisher : HttpConnection;
    const lane: Lane = {
      due,
      connection: new Connection(this.job.server, index, {
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
    const lane = Math.floor(n / this.share.of) % this.lanes.length;
    this.enqueue(this.lanes[lane]!, n, intendedAt);
  }

  private enqueue(lane: Lane, n: number, intendedAt: number): void {
    lane.due.push({ n, intendedAt });
    if (lane.due.length === 1) lane.connection.send(this.writer.write(n));
  }

  private answered(lane: Lane, { status, body, bytes }: HttpReply): void {
    const { n, intendedAt } = lane.due[0]!;
    const now = machineNow();
    this.reports.took(now - intendedAt, now);
    this.reports.bytes += bytes;
    // Others than ours answer 201 and 202, too.
    if (status >= 200 && status < 300) {
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
      if (this.isPaced && now - following.intendedAt > MISSED_MS) this.missed += 1;
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
