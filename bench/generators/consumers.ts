import { machineNow } from '../clock.js';
import type { ConsumerJob, OpenRound, Round, RoundReport } from '../exchange/jobs.js';
import { intendedMs } from '../exchange/pace.js';
import { markOf, type WireEvent } from '../exchange/sample.js';
import type { ClientEvents } from './client.js';
import { clientOf } from './client-of.js';
import type { Generator } from './generator.js';
import { DeliveryLedger } from './ledger.js';
import { Place } from './place.js';
import { ReportWriter } from './report-writer.js';

/** Connections opened at once, so that the server's backlog is not overrun. */
const CONNECTING = 64;
/** Longest time until all clients are attached. */
const ATTACH_MS = 120_000;

/** Clients that receive: counts, checks and times every delivery. */
export class Consumers implements Generator {
  private readonly places: readonly Place[];
  private readonly ledger: DeliveryLedger;
  private readonly writer = new ReportWriter();
  private round: OpenRound | null = null;
  private finish: (() => void) | null = null;
  private attach: { opened: number; ready: number; done: () => void } | null = null;
  private failAttach: ((error: Error) => void) | null = null;

  constructor(private readonly job: ConsumerJob) {
    this.ledger = new DeliveryLedger(job.seats.length, job.lanes);
    this.places = job.seats.map((seat, local) => this.place(seat, local));
  }

  /** Attaches all clients. @throws Error when one cannot attach */
  prepare(): Promise<void> {
    if (this.job.seats.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`${this.attach?.ready ?? 0} clients attached in ${ATTACH_MS} ms`));
      }, ATTACH_MS);
      this.failAttach = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      const done = (): void => {
        clearTimeout(timer);
        this.failAttach = null;
        this.attach = null;
        resolve();
      };
      this.attach = { opened: 0, ready: 0, done };
      for (let i = 0; i < CONNECTING; i++) this.open();
    });
  }

  get operations(): number {
    return this.writer.operations;
  }

  async run(round: Round): Promise<RoundReport> {
    if (round.kind !== 'open') throw new Error('Consumers need to know what to expect');
    this.writer.begin(round);
    this.round = round;
    this.expect(round);
    const mishaps = this.arrange(round);
    if (!this.ledger.complete) await this.completion(round);
    for (const timer of mishaps) clearTimeout(timer);
    this.ledger.close();
    const { lost, repeated } = this.ledger;
    this.ledger.lost = 0;
    this.ledger.repeated = 0;
    const recoveryMs = Math.max(0, ...this.places.map((place) => place.takeRecovery()));
    return this.writer.report({ lost, repeated, lateMs: 0, recoveryMs });
  }

  close(): void {
    for (const place of this.places) place.close();
  }

  private expect(round: OpenRound): void {
    const { addressing, offset, total, seats } = this.job;
    const end = round.first + round.count;
    for (let i = 0; i < seats.length; i++) {
      // Of the numbers below `end`, those equal to the seat modulo `total`.
      const own = Math.max(0, Math.ceil((end - (offset + i)) / total));
      this.ledger.expect(i, addressing === 'all' ? end : own);
    }
  }

  /** Plans the storms of a round, and who vanishes when. */
  private arrange({ mishaps, startAt }: OpenRound): NodeJS.Timeout[] {
    if (!mishaps) return [];
    const left = startAt - machineNow();
    const storms = mishaps.stormsAt.map((at) =>
      setTimeout(() => {
        for (const place of this.places) place.storm();
      }, left + at),
    );
    const vanishing = this.places.slice(0, Math.round(this.places.length * mishaps.vanishing));
    const gone = vanishing.map((place, i) =>
      setTimeout(
        () => place.vanish(),
        left + (mishaps.withinMs * (i + 1)) / (vanishing.length + 1),
      ),
    );
    return [...storms, ...gone];
  }

  private completion(round: OpenRound): Promise<void> {
    return new Promise((resolve) => {
      const lastAt = round.startAt + intendedMs(round.pace, round.count - 1);
      const timer = setTimeout(resolve, lastAt + round.graceMs - machineNow());
      this.finish = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private open(): void {
    const { attach, job } = this;
    if (!attach || attach.opened >= job.seats.length) return;
    this.places[attach.opened++]!.open();
  }

  private place(seat: ConsumerJob['seats'][number], local: number): Place {
    const { server, offset, manner } = this.job;
    const events: ClientEvents = {
      ready: () => this.ready(),
      events: (events, bytes) => this.received(local, events, bytes),
      fault: (error) => {
        if (this.failAttach) this.failAttach(error);
        this.writer.fault(error);
      },
    };
    const connect = (from: typeof seat, events: ClientEvents) =>
      clientOf(this.job, { server, index: offset + local, seat: from, events });
    return new Place(seat, manner ?? null, events, connect);
  }

  private ready(): void {
    const { attach, job } = this;
    if (!attach) return;
    attach.ready += 1;
    if (attach.ready === job.seats.length) attach.done();
    // In the next turn: a poller is ready at once, and others want to read meanwhile.
    else setImmediate(() => this.open());
  }

  private received(local: number, events: readonly WireEvent[], bytes: number): void {
    const now = machineNow();
    this.writer.bytes += bytes;
    for (const event of events) {
      const mark = markOf(event);
      if (event.type !== 'heartbeat') this.writer.operations += 1;
      if (mark < 0) continue;
      this.ledger.take(local, mark);
      const { round, job } = this;
      if (!round) continue;
      const number = job.addressing === 'all' ? mark : mark * job.total + job.offset + local;
      // What was intended in a round before is late, and was told as lost there.
      if (number < round.first) continue;
      this.writer.took(now - (round.startAt + intendedMs(round.pace, number - round.first)), now);
    }
    if (this.finish && this.ledger.complete) {
      this.finish();
      this.finish = null;
    }
  }
}
