import type { Random } from './random.js';
import type { Scheduler } from './scheduler.js';

/** What listens at a port of a host. Null: nobody does. */
export type Accept = (end: End) => void;

/** How a connection ends for the side that did not end it. */
export type Ending = 'closed' | 'reset';

/** Half a second at most for ordinary traffic, milliseconds; what a segment takes that was lost and is sent again. */
const RESENT_MS = { least: 200, most: 600 };

/** The network between hosts: each direction of each pair of hosts can be cut or slow. Nothing overtakes in a connection. */
export class Network {
  readonly #listeners = new Map<string, Accept>();
  readonly #cut = new Set<string>();
  /** Pipes that hold bytes back because their direction is cut. */
  readonly #held = new Map<string, Set<Pipe>>();
  readonly #connections = new Set<Connection>();
  /** Milliseconds that one way takes at most, where it is not slow. */
  usual = 1;
  /** Ways that are slow, with the most milliseconds that they take. */
  readonly slow = new Map<string, number>();
  /** Probability that a segment is lost and sent again. */
  loss = 0;
  /** Whether what was sent behind a segment arrives with it, in one packet: then all of it is taken in one step. */
  together: () => boolean = () => false;
  /** What was delivered, cut and reset. */
  readonly counts = { delivered: 0, held: 0, reset: 0, resent: 0 };

  constructor(
    readonly scheduler: Scheduler,
    private readonly random: Random,
  ) {}

  listen(host: string, port: number | string, accept: Accept): void {
    this.#listeners.set(`${host}:${port}`, accept);
  }

  /** Of the listener that was given: another process may listen there by now. */
  unlisten(host: string, port: number | string, accept: Accept): void {
    const name = `${host}:${port}`;
    if (this.#listeners.get(name) === accept) this.#listeners.delete(name);
  }

  isListening(host: string, port: number | string): boolean {
    return this.#listeners.has(`${host}:${port}`);
  }

  /** Begins a connection; `onOpen` or `onClose` of the end is called later. */
  connect(from: string, to: string, port: number | string): End {
    const connection = new Connection(this, from, to);
    this.#connections.add(connection);
    const { near, far } = connection;
    connection.there.send(() => {
      if (near.isOver) return;
      const accept = this.#listeners.get(`${to}:${port}`);
      if (!accept) {
        connection.back.send(() => near.ended('reset', 'ECONNREFUSED'));
        return;
      }
      far.isOpen = true;
      accept(far);
      connection.back.send(() => near.opened());
    });
    return near;
  }

  /** Milliseconds that a segment takes from host to host. */
  delay(from: string, to: string): number {
    if (from === to) return this.random.between(0.01, 0.05);
    const most = this.slow.get(way(from, to)) ?? this.slow.get(way('*', to)) ?? this.usual;
    let ms = this.random.between(0.05, most);
    if (this.loss > 0 && this.random.chance(this.loss)) {
      this.counts.resent++;
      ms += this.random.between(RESENT_MS.least, RESENT_MS.most);
    }
    return ms;
  }

  isCut(from: string, to: string): boolean {
    return this.#cut.has(way(from, to));
  }

  cut(from: string, to: string): void {
    this.#cut.add(way(from, to));
  }

  /** @param breaking whether connections with bytes on the way are reset; otherwise these arrive now */
  heal(from: string, to: string, breaking: boolean): void {
    const name = way(from, to);
    this.#cut.delete(name);
    const held = [...(this.#held.get(name) ?? [])];
    this.#held.delete(name);
    for (const pipe of held) {
      if (breaking) pipe.connection.reset();
      else pipe.resume();
    }
  }

  hold(pipe: Pipe): void {
    const name = way(pipe.from, pipe.to);
    const held = this.#held.get(name) ?? new Set();
    this.#held.set(name, held.add(pipe));
    this.counts.held++;
  }

  /** Ends everything of a process that died. @param silently its machine died, too: nobody is told */
  drop(ends: Iterable<End>, silently: boolean): void {
    for (const end of ends) {
      if (silently) end.isOver = true;
      else end.close('reset');
    }
  }

  /** Connections between hosts, one of which may be any. */
  between(a: string, b: string | null): Connection[] {
    const isOf = ({ near, far }: Connection): boolean =>
      (near.host === a && (b === null || far.host === b)) ||
      (far.host === a && (b === null || near.host === b));
    return [...this.#connections].filter(isOf);
  }

  forget(connection: Connection): void {
    this.#connections.delete(connection);
  }
}

function way(from: string, to: string): string {
  return `${from}>${to}`;
}

/** One direction of a connection: in order, late, or not at all. */
class Pipe {
  #last = 0;
  /** What has not arrived, in order; each is told whether another part of its packet arrived before it. */
  readonly #sent: ((isBehind: boolean) => void)[] = [];
  #isHeld = false;

  constructor(
    readonly connection: Connection,
    readonly from: string,
    readonly to: string,
  ) {}

  send(arrive: (isBehind: boolean) => void): void {
    this.#sent.push(arrive);
    if (!this.#waits) this.#fly();
  }

  /** Holds everything back until `resume`. */
  stall(): void {
    this.#isHeld = true;
  }

  resume(): void {
    this.#isHeld = false;
    for (const _ of this.#sent) if (!this.#waits) this.#fly();
  }

  /** Whether nothing arrives now: what is sent, and what is on its way as the cut comes. */
  get #waits(): boolean {
    const { network } = this.connection;
    if (!this.#isHeld && network.isCut(this.from, this.to)) {
      this.#isHeld = true;
      network.hold(this);
    }
    return this.#isHeld;
  }

  /** The first that has not arrived by then does. */
  #fly(): void {
    const { network } = this.connection;
    const { scheduler } = network;
    this.#last = Math.max(this.#last, scheduler.now + network.delay(this.from, this.to));
    scheduler.at(this.#last, () => {
      if (this.#sent.length === 0 || this.#waits) return;
      let isBehind = false;
      do {
        network.counts.delivered++;
        this.#sent.shift()!(isBehind);
        isBehind = true;
      } while (this.#sent.length > 0 && !this.#waits && network.together());
    });
  }
}

/** A connection of two hosts, as TCP. */
export class Connection {
  readonly near: End;
  readonly far: End;
  readonly there: Pipe;
  readonly back: Pipe;

  constructor(
    readonly network: Network,
    from: string,
    to: string,
  ) {
    this.there = new Pipe(this, from, to);
    this.back = new Pipe(this, to, from);
    this.near = new End(this, from, to);
    this.far = new End(this, to, from);
  }

  other(end: End): End {
    return end === this.near ? this.far : this.near;
  }

  pipeFrom(end: End): Pipe {
    return end === this.near ? this.there : this.back;
  }

  /** Nothing arrives in either direction until it is resumed. */
  stall(): void {
    this.there.stall();
    this.back.stall();
  }

  resume(): void {
    this.there.resume();
    this.back.resume();
  }

  /** Both sides learn that it broke. */
  reset(): void {
    this.network.counts.reset++;
    for (const end of [this.near, this.far]) end.ended('reset', 'ECONNRESET');
    this.network.forget(this);
  }
}

/** What a connection carries: bytes, or what a protocol above them sends as one. */
export type Payload = unknown;

/** Bytes of what is sent, of a text as if all of it were ASCII. */
function sizeOf(payload: Payload): number {
  if (Buffer.isBuffer(payload)) return payload.length;
  return (payload as { frame?: string }).frame?.length ?? 0;
}

/** One side of a connection. Who owns it sets what is called. */
export class End {
  isOpen = false;
  /** Closed by this side, or this side knows that the other has closed it. */
  isOver = false;
  /** Bytes that were sent and that the other side has not taken. */
  unsent = 0;
  /** The other side has taken something. */
  onTaken: () => void = () => undefined;
  #isEnding = false;
  onOpen: () => void = () => undefined;
  onData: (payload: Payload) => void = () => undefined;
  onClose: (how: Ending, code: string) => void = () => undefined;
  /** How this side's callbacks run: later for a process that is busy, never for one that is gone. */
  run: (work: () => void, isBehind?: boolean) => void = (work) => work();

  constructor(
    private readonly connection: Connection,
    readonly host: string,
    readonly peer: string,
  ) {}

  send(payload: Payload): void {
    if (this.isOver) return;
    const other = this.connection.other(this);
    const size = sizeOf(payload);
    this.unsent += size;
    this.connection.pipeFrom(this).send((isBehind) => {
      if (!other.isOver) {
        other.run(() => {
          if (other.isOver) return;
          this.unsent -= size;
          this.onTaken();
          other.onData(payload);
        }, isBehind);
      } else if (!this.isOver) this.ended('reset', 'ECONNRESET');
    });
  }

  /** Reads nothing more until `read`: what the other side sends waits there. */
  stopReading(): void {
    this.connection.pipeFrom(this.connection.other(this)).stall();
  }

  read(): void {
    this.connection.pipeFrom(this.connection.other(this)).resume();
  }

  /** Ends it on this side; the other learns of it behind all that was sent. */
  close(how: Ending = 'closed'): void {
    if (this.isOver) return;
    this.isOver = true;
    const other = this.connection.other(this);
    this.connection.pipeFrom(this).send(() => other.ended(how, 'ECONNRESET'));
    if (other.isOver) this.connection.network.forget(this.connection);
  }

  /** For the network: it is there. */
  opened(): void {
    if (this.isOver) return;
    this.isOpen = true;
    this.run(() => {
      if (!this.isOver) this.onOpen();
    });
  }

  /** For the network: it was ended by the other side, or broke. */
  ended(how: Ending, code: string): void {
    if (this.isOver || this.#isEnding) return;
    this.#isEnding = true;
    this.connection.network.forget(this.connection);
    // Behind what has arrived and not run yet.
    this.run(() => {
      if (this.isOver) return;
      this.isOver = true;
      this.onClose(how, code);
    });
  }
}
