import { machineNow } from '../../clock.js';
import type { Address, Seat } from '../../exchange/jobs.js';
import { markDigits, messageContent, type WireEvent } from '../../exchange/sample.js';
import type { Client } from '../../generators/client.js';
import { HttpConnection } from '../../generators/http-connection.js';
import { ParleyPoller, ParleySocket } from '../../generators/parley-clients.js';
import type { Figures } from '../measuring/figures.js';

/** Messages a second, so that gaps are told to some 10 ms. */
const WRITE_EVERY_MS = 10;
/** A watcher whose connection broke comes back after so long, milliseconds. */
const AGAIN_MS = 50;

/** A message on its way to a node. */
interface Write {
  readonly sentAt: number;
  answeredAt: number;
  /** 0 where the connection broke. */
  status: number;
}

/** A connection that sends one message at a time. */
class WriteLane {
  private write: Write | null = null;
  private readonly connection: HttpConnection;

  /** @param free called when another message can be sent */
  constructor(server: Address, free: (lane: WriteLane) => void) {
    const answered = (status: number): void => {
      this.write!.answeredAt = machineNow();
      this.write!.status = status;
      free(this);
    };
    this.connection = new HttpConnection(server, 0, {
      reply: ({ status }) => answered(status),
      fault: () => answered(0),
    });
  }

  send(request: string, write: Write): void {
    this.write = write;
    this.connection.send(request);
  }

  close(): void {
    this.connection.close();
  }
}

/** Watches one queue at one node and comes back when its connection breaks. */
class Watcher {
  faults = 0;
  /** Longest time without an event since `watchFrom`, milliseconds. */
  gapMs = 0;
  private client!: Client;
  private lastAt = 0;
  private cursor: number;
  private closed = false;

  constructor(
    private readonly server: Address,
    readonly transport: 'poll' | 'push',
    private readonly seat: Seat,
  ) {
    this.cursor = seat.lastEventId;
    this.open();
  }

  /** Gaps count from now on. */
  watchFrom(now: number): void {
    this.lastAt = now;
    this.gapMs = 0;
    this.faults = 0;
  }

  close(): void {
    this.closed = true;
    this.client.close();
  }

  private open(): void {
    if (this.closed) return;
    const Transport = this.transport === 'poll' ? ParleyPoller : ParleySocket;
    const seat = { ...this.seat, lastEventId: this.cursor };
    this.client = new Transport(this.server, 0, seat, {
      ready: () => undefined,
      events: (events) => this.received(events),
      fault: () => {
        if (this.closed) return;
        this.faults += 1;
        this.client.close();
        setTimeout(() => this.open(), AGAIN_MS);
      },
    });
    this.client.start();
  }

  private received(events: readonly WireEvent[]): void {
    this.cursor = events.at(-1)?.id ?? this.cursor;
    if (!events.some(({ type }) => type === 'message')) return;
    const now = machineNow();
    this.gapMs = Math.max(this.gapMs, now - this.lastAt);
    this.lastAt = now;
  }
}

/** Where the load goes, and as whom. */
export interface FailoverTargets {
  /** The nodes that survive. */
  readonly nodes: readonly Address[];
  readonly authorization: string;
  readonly channelId: number;
  /** Watchers take turns with the nodes and with poll and socket. */
  readonly seats: readonly Seat[];
}

/** Messages to nodes and clients that watch them, around the failure of another node. */
export class FailoverLoad {
  private readonly writes: Write[] = [];
  private readonly idle: WriteLane[][];
  private readonly lanes: WriteLane[] = [];
  private readonly watchers: readonly Watcher[];
  private readonly timer: NodeJS.Timeout;
  private struckAt = Infinity;

  constructor(private readonly targets: FailoverTargets) {
    const { nodes, seats } = targets;
    this.idle = nodes.map(() => []);
    this.watchers = seats.map((seat, i) => {
      const node = nodes[(i >> 1) % nodes.length]!;
      return new Watcher(node, i % 2 === 0 ? 'poll' : 'push', seat);
    });
    this.timer = setInterval(() => this.write(), WRITE_EVERY_MS);
  }

  /** The node fails now. */
  strike(): void {
    this.struckAt = machineNow();
    for (const watcher of this.watchers) watcher.watchFrom(this.struckAt);
  }

  /** Time from the strike to the first acknowledgement of a message sent after it; null before. */
  get firstWriteMs(): number | null {
    const after = this.writes.filter((one) => one.sentAt >= this.struckAt && one.status === 200);
    const first = Math.min(...after.map((one) => one.answeredAt));
    return Number.isFinite(first) ? first - this.struckAt : null;
  }

  get isQuiet(): boolean {
    return this.writes.every(({ answeredAt }) => answeredAt > 0);
  }

  /** Sends no more. */
  stopWriting(): void {
    clearInterval(this.timer);
  }

  close(): void {
    this.stopWriting();
    for (const watcher of this.watchers) watcher.close();
    for (const lane of this.lanes) lane.close();
  }

  figures(): Figures {
    const failed = this.writes.filter(({ status }) => status !== 200);
    const gap = (transport: Watcher['transport']): number =>
      Math.round(
        Math.max(
          ...this.watchers.filter((one) => one.transport === transport).map((one) => one.gapMs),
        ),
      );
    const after = this.writes.filter(({ sentAt }) => sentAt >= this.struckAt);
    const waited = after.map(({ sentAt, answeredAt }) => answeredAt - sentAt);
    const before = failed.filter(({ sentAt }) => sentAt < this.struckAt).length;
    return {
      first_write_ms: Math.round(this.firstWriteMs ?? NaN),
      poll_gap_ms: gap('poll'),
      socket_gap_ms: gap('push'),
      longest_write_ms: Math.round(Math.max(...waited)),
      writes: after.length,
      failed_after: failed.length - before,
      failed_before: before,
      broken_watchers: this.watchers.reduce((sum, { faults }) => sum + faults, 0),
    };
  }

  private write(): void {
    const { nodes, authorization, channelId } = this.targets;
    const number = this.writes.length;
    const node = number % nodes.length;
    const write: Write = { sentAt: machineNow(), answeredAt: 0, status: 0 };
    this.writes.push(write);
    const content = encodeURIComponent(messageContent(markDigits(number)));
    const body = `type=stream&to=${channelId}&topic=failover&content=${content}`;
    const request =
      'POST /api/v1/messages HTTP/1.1\r\n' +
      `Host: ${nodes[node]!.host}\r\nAuthorization: ${authorization}\r\n` +
      'User-Agent: parley-bench\r\nContent-Type: application/x-www-form-urlencoded\r\n' +
      `Content-Length: ${body.length}\r\n\r\n${body}`;
    (this.idle[node]!.pop() ?? this.lane(node)).send(request, write);
  }

  private lane(node: number): WriteLane {
    const lane = new WriteLane(this.targets.nodes[node]!, (free) => this.idle[node]!.push(free));
    this.lanes.push(lane);
    return lane;
  }
}
