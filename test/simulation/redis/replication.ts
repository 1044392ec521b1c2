import type { End, Network } from '../world/network.js';
import type { Random } from '../world/random.js';
import type { Change, Database } from './database.js';

/** Where a server hands out what is written to it. */
const REPLICATION_PORT = 16_379;
/** A replica that has lost its master looks for it again after so long, milliseconds. */
const AGAIN_MS = { least: 20, most: 200 };

/** What a master sends: all that it has, and then what is written, each with how much it had been told to write by then. */
type Handed =
  | { readonly copy: Database; readonly offset: number }
  | { readonly changes: readonly Change[]; readonly offset: number };

/** What a replica says: that it begins, or how much it has. */
interface Had {
  readonly offset: number | null;
}

/** What either side needs of its server. */
interface Copied {
  readonly host: string;
  /** How far it may be behind what it is sent, milliseconds. */
  readonly lagMs: number;
  db: Database;
  /** How many writes it has, of all that there were in its line of masters. */
  offset: number;
}

/** Master: hands what is written to those that copy it, and knows how much each has said to have. */
export class Feed {
  readonly #copies = new Map<End, number>();
  readonly #ends = new Set<End>();

  constructor(
    private readonly server: Copied,
    private readonly network: Network,
    /** Told when a replica said how much it has. */
    private readonly heard: () => void,
  ) {}

  start(): void {
    this.network.listen(this.server.host, REPLICATION_PORT, this.#accept);
  }

  stop(silently: boolean): void {
    this.network.unlisten(this.server.host, REPLICATION_PORT, this.#accept);
    this.drop(silently);
  }

  /** Nobody copies it any more: what replicas have said was of another line of masters. */
  drop(silently: boolean): void {
    this.network.drop(this.#ends, silently);
    this.#ends.clear();
    this.#copies.clear();
  }

  /** Hands on what was written last. */
  send(changes: readonly Change[]): void {
    const { offset } = this.server;
    for (const end of this.#copies.keys()) end.send({ changes, offset } satisfies Handed);
  }

  /** How many have said that they have so much. */
  countAt(offset: number): number {
    return [...this.#copies.values()].filter((had) => had >= offset).length;
  }

  /** As a server lists them: those that have their copy, with how much they have said to have. */
  get list(): readonly (readonly [host: string, offset: number])[] {
    return [...this.#copies].flatMap(([{ peer }, had]) => (had < 0 ? [] : [[peer, had] as const]));
  }

  readonly #accept = (end: End): void => {
    // A machine that was started again answers to none of its former connections.
    for (const former of this.#ends) if (former.peer === end.peer) this.#copies.delete(former);
    this.#ends.add(end);
    end.onData = (payload) => {
      const { offset } = payload as Had;
      this.#copies.set(end, offset ?? -1);
      if (offset !== null) this.heard();
      else end.send({ copy: this.server.db.copy(), offset: this.server.offset } satisfies Handed);
    };
    end.onClose = () => {
      this.#ends.delete(end);
      this.#copies.delete(end);
    };
  };
}

/**
 * Replica: copies what a master has, and then takes what is written there, in order, each a while later. Where the
 * connection breaks it begins again with a copy: what it had beside is gone.
 */
export class Copying {
  #end: End | null = null;
  #isOver = false;
  #last = 0;

  constructor(
    private readonly server: Copied,
    readonly master: string,
    private readonly network: Network,
    private readonly random: Random,
    /** Told when the server has more than before. */
    private readonly taken: () => void,
  ) {
    this.#connect();
  }

  /** @param silently its machine is gone: nobody is told */
  stop(silently: boolean): void {
    this.#isOver = true;
    if (this.#end) this.network.drop([this.#end], silently);
  }

  /** Whether it has had its copy. */
  hasCopy = false;

  #connect(): void {
    const { scheduler } = this.network;
    const end = this.network.connect(this.server.host, this.master, REPLICATION_PORT);
    this.#end = end;
    end.onOpen = () => end.send({ offset: null } satisfies Had);
    end.onData = (payload) => {
      const lag = this.random.between(0, this.server.lagMs);
      this.#last = Math.max(this.#last, scheduler.now + lag);
      scheduler.at(this.#last, () => this.#take(end, payload as Handed));
    };
    end.onClose = () => {
      const { least, most } = AGAIN_MS;
      scheduler.in(this.random.between(least, most), () => {
        if (!this.#isOver && this.#end === end) this.#connect();
      });
    };
  }

  #take(end: End, handed: Handed): void {
    if (this.#isOver || this.#end !== end) return;
    const { server } = this;
    if ('copy' in handed) {
      server.db = handed.copy;
      this.hasCopy = true;
    } else for (const change of handed.changes) server.db.apply(change);
    server.offset = handed.offset;
    end.send({ offset: server.offset } satisfies Had);
    this.taken();
  }
}
