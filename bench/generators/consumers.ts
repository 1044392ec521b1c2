import { machineNow } from '../clock.js';
import type { ConsumerJob, OpenRound, Round, RoundReport } from '../exchange/jobs.js';
import { markOf, type WireEvent } from '../exchange/sample.js';
import type { Client, ClientEvents } from './client.js';
import { FayePoller, FayeSocket } from './faye-clients.js';
import type { Generator } from './generator.js';
import { Latencies } from './latencies.js';
import { DeliveryLedger } from './ledger.js';
import { ParleyPoller, ParleySocket } from './parley-clients.js';
import { ReportWriter } from './report-writer.js';
import { SocketIoPoller, SocketIoSocket } from './socket-io-clients.js';

/** Connections opened at once, so that the server's backlog is not overrun. */
const CONNECTING = 64;
/** Longest time until all clients are attached. */
const ATTACH_MS = 120_000;

/** Clients that receive: counts, checks and times every delivery. */
export class Consumers implements Generator {
  private readonly clients: Client[] = [];
  private readonly ledger: DeliveryLedger;
  private readonly latencies = Latencies.empty();
  private readonly writer = new ReportWriter();
  private round: OpenRound | null = null;
  private finish: (() => void) | null = null;
  private attach: { opened: number; ready: number; done: () => void } | null = null;
  private failAttach: (error: Error) => void = () => undefined;

  constructor(private readonly job: ConsumerJob) {
    this.ledger = new DeliveryLedger(job.seats.length);
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
    this.latencies.reset();
    this.writer.begin();
    this.round = round;
    this.expect(round);
    if (!this.ledger.complete) await this.completion(round);
    this.ledger.close();
    const { lost, repeated } = this.ledger;
    this.ledger.lost = 0;
    this.ledger.repeated = 0;
    return this.writer.report({ lost, repeated, latencies: this.latencies, lateMs: 0 });
  }

  close(): void {
    for (const client of this.clients) client.close();
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

  private completion(round: OpenRound): Promise<void> {
    return new Promise((resolve) => {
      const lastAt = round.startAt + (round.count - 1) * round.intervalMs;
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
    const local = attach.opened++;
    const client = this.client(local, {
      ready: () => {
        attach.ready += 1;
        if (attach.ready === job.seats.length) attach.done();
        // In the next turn: a poller is ready at once, and others want to read meanwhile.
        else setImmediate(() => this.open());
      },
      events: (events, bytes) => this.received(local, events, bytes),
      fault: (error) => {
        this.failAttach(error);
        this.writer.fault(error);
      },
    });
    this.clients.push(client);
    client.start();
  }

  private client(local: number, events: ClientEvents): Client {
    const { server, transport, dialect, offset, seats } = this.job;
    const index = offset + local;
    const poll = transport === 'poll';
    switch (dialect) {
      case 'parley':
        return new (poll ? ParleyPoller : ParleySocket)(server, index, seats[local]!, events);
      case 'socket.io':
        return new (poll ? SocketIoPoller : SocketIoSocket)(server, index, events);
      case 'faye':
        return new (poll ? FayePoller : FayeSocket)(server, index, events);
    }
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
      this.latencies.record(now - (round.startAt + (number - round.first) * round.intervalMs));
    }
    if (this.finish && this.ledger.complete) {
      this.finish();
      this.finish = null;
    }
  }
}
