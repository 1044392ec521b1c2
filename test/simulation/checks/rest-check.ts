import { isDeepStrictEqual } from 'node:util';
import type { Reader } from '../clients/reader.js';
import type { Writer } from '../clients/writer.js';
import { MOST_IDLE_MS } from '../node/native.js';
import type { SimProcess } from '../node/process.js';
import type { World } from '../world/world.js';
import type { StoreCheck } from './store-check.js';
import { maySee } from './visibility.js';

/**
 * Those that wait for a message have had the one before for so long, and have it so long after its sender, milliseconds:
 * together less than the two seconds after which a heartbeat would wake them.
 */
const WAIT_MS = 500;
const TOLD_MS = 1000;

/** What a process at rest has of timers and connections: its own, and those of each client that may wait there. */
const MOST_TIMERS = 40;
const TIMERS_PER_CLIENT = 2;
const MOST_CONNECTIONS = 20;
const CONNECTIONS_PER_CLIENT = 2;

/** Id of a message that is sent while others wait for it. */
interface Awaited {
  readonly promise: Promise<number>;
  readonly resolve: (id: number) => void;
}

function newAwaited(): Awaited {
  let resolve: (id: number) => void = () => undefined;
  const promise = new Promise<number>((done) => (resolve = done));
  return { promise, resolve };
}

/** What is looked at whenever everybody rests. */
export class RestCheck {
  private awaited: Awaited = newAwaited();

  /** @param firstId id of the first message that all readers are told of */
  constructor(
    private readonly world: World,
    private readonly storeCheck: StoreCheck,
    private readonly writers: readonly Writer[],
    private readonly readers: readonly Reader[],
    private readonly firstId: number,
    /** Readers of accounts that are used by others, too, who may unsubscribe from what they read. */
    private readonly shared: readonly Reader[] = [],
  ) {}

  /** What holds whenever everybody rests. */
  async check(when: string): Promise<void> {
    const { world, writers, readers } = this;
    await this.told(when, await writers[0]!.sayInTheEnd());
    // Those that wait are told at once, and not with the next heartbeat.
    const patient = this.told(when, null);
    await this.world.scheduler.pause(WAIT_MS);
    this.awaited.resolve(await writers[0]!.sayInTheEnd());
    await patient;
    if (world.isOver) return;
    for (const difference of this.storeCheck.differences()) world.fault(difference);
    const stored = await writers[0]!.client.allMessages([]);
    this.checkContents(stored, when);
    for (const reader of readers) {
      if (!reader.isOfNow) {
        world.fault(`${when}: ${reader.client.host} reads a queue of a former history`);
      }
      const expected = this.sentMessages(reader).join();
      const got = reader
        .messages()
        .filter((id) => this.isOfWriter(id))
        .join();
      if (got !== expected) {
        world.fault(
          `${when}: queue of ${reader.client.host} got ${got}, and should have ${expected}`,
        );
      }
    }
    for (const reader of [...readers, ...this.shared]) {
      for (const { name } of world.nodes) await this.compare(reader, name, when);
    }
  }

  /** All readers have had a message; where it is null, they wait for one that is still to be sent. */
  private async told(when: string, id: number | null): Promise<void> {
    const { world } = this;
    const { scheduler } = world;
    let sentAt = scheduler.now;
    if (id === null) {
      this.awaited = newAwaited();
      void this.awaited.promise.then(() => (sentAt = scheduler.now));
    } else this.awaited = { promise: Promise.resolve(id), resolve: () => undefined };
    await Promise.all(this.readers.map((reader) => reader.catchUp(this.awaited.promise)));
    const took = scheduler.now - sentAt;
    if (id === null && took > TOLD_MS) {
      world.fault(`${when}: readers that waited were told after ${Math.round(took)} ms`);
    }
  }

  /** Ids of all messages for a user whose creation the journal has, since the reader's queue began. */
  private sentMessages({ client, since }: Reader): number[] {
    const first = since ?? this.firstId;
    return [...this.storeCheck.createdMessages]
      .filter(([id, text]) => {
        return id >= first && this.isOfWriter(id) && maySee(client.userId, text);
      })
      .map(([id]) => id);
  }

  /** Others write to channels of their own, too. */
  private isOfWriter(id: number): boolean {
    return isOfWriter(this.storeCheck.createdMessages.get(id) ?? '');
  }

  /**
   * A process that serves as ever, while nobody asks for anything but its clients and nothing waits to leave the server,
   * holds no more than for them.
   */
  async checkLoad(when: string): Promise<void> {
    const { world } = this;
    // Two kinds are there until they have long been idle: those of a machine that lost its power, and those of a new leader
    // to itself, for all the requests that had waited for one.
    const isOver = world.nodes.some(({ process }) => process && this.excess(process) !== null);
    if (isOver) await world.scheduler.pause(MOST_IDLE_MS);
    for (const { name, process } of world.nodes) {
      if (!process) continue;
      const { timers, connections } = process.load;
      world.most('timers of a process at rest', timers);
      world.most('connections of a process at rest', connections);
      const excess = this.excess(process);
      if (excess !== null) world.fault(`${when}: ${name} has ${excess}`);
    }
  }

  /** What a process has too much of; null where it has not. */
  private excess({ load: { timers, connections } }: SimProcess): string | null {
    const clients = this.world.clientHosts.length;
    if (timers > MOST_TIMERS + TIMERS_PER_CLIENT * clients) return `${timers} timers`;
    const most = MOST_CONNECTIONS + CONNECTIONS_PER_CLIENT * clients;
    return connections > most ? `${connections} connections` : null;
  }

  private checkContents(stored: ReadonlyMap<number, string>, when: string): void {
    const { world, writers } = this;
    for (const writer of writers) {
      for (const { id, content } of writer.sent) {
        const found = stored.get(id) ?? null;
        if (!content.mayBe(found)) {
          world.fault(`${when}: message ${id} is ${found}, and can only be ${content.text}`);
        }
      }
    }
    const contents = [...stored.values()].filter((content) => {
      return isOfWriter(content) && !content.includes('edited');
    });
    const seen = new Set<string>();
    for (const content of contents) {
      if (seen.has(content) && !world.mayBeTwice.has(content))
        world.fault(`${when}: ${content} is there twice`);
      seen.add(content);
    }
  }

  private async compare(reader: Reader, node: string, when: string): Promise<void> {
    const { world } = this;
    for (let attempts = 0; !world.isOver; attempts++) {
      const views = await reader.compare(node);
      if (!views) {
        await this.world.scheduler.pause(100);
        continue;
      }
      if (isDeepStrictEqual(views.believed, views.actual)) return;
      // Entries may have come between, such as a presence that ended.
      if (attempts < 3) continue;
      world.fault(`${when}: ${reader.client.host} at ${node}: ${firstDifference(views)}`);
      return;
    }
  }
}

function isOfWriter(content: string): boolean {
  return /(^|: )w\d+-\d+/.test(content);
}

function firstDifference({ believed, actual }: { believed: object; actual: object }): string {
  const names = new Set([...Object.keys(believed), ...Object.keys(actual)]);
  for (const name of names) {
    const [a, b] = [believed, actual].map((one) => (one as Record<string, unknown>)[name]);
    if (isDeepStrictEqual(a, b)) continue;
    const [left = '', right = ''] = [a, b].map((one) => JSON.stringify(one));
    // From where they begin to differ, with what stands before it.
    const differs = [...left].findIndex((character, at) => character !== right[at]);
    const from = Math.max(0, (differs < 0 ? left.length : differs) - 100);
    const [said, is] = [left, right].map((text) => text.slice(from, from + 400));
    return `${name} is ${said} after all events, and ${is} in a fresh snapshot`;
  }
  return 'nothing differs';
}
