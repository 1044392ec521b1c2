import { maySee } from '../checks/visibility.js';
import { SnapshotClient } from '../../system/harness/apply/apply-events.js';
import type { Body, Snapshot, WireEvent } from '../../system/harness/client.js';
import { LEGACY, MODERN, type Registration } from '../../system/harness/viewers.js';
import { MOST_EVENTS } from '../node/bounds.js';
import type { Random } from '../world/random.js';
import type { Reply, SimClient } from './client.js';

/** A reader leaves what it reads by after at most this time, milliseconds. */
const LONGEST_STAY_MS = 4000;
/** The stay of one that does not read for most of it, milliseconds. */
const NAPPING_MS = 10_000;
/** Longer than the interval of heartbeats, milliseconds. */
const PATIENT_MS = 60_000;
/** How long it waits that was asked to come back later, milliseconds. */
const COME_BACK_MS = 50;
/** Nothing more comes for so long: it sleeps, as a closed laptop does, milliseconds. */
const SLEEP_MS = { least: 1000, most: 30_000 };

/** What a reader may say of itself beside the newest form: what other programs, and older ones, say. */
const FORMS: readonly Registration[] = [
  LEGACY,
  { ...MODERN, all_public_streams: true },
  { ...LEGACY, client_gravatar: true, slim_presence: true },
];
/** Share of the readers that register in the newest form. */
const MODERN_SHARE = 0.5;

/** How a reader registers: each form says which events it gets, and what they have. */
export function drawnForm(random: Random): Registration {
  if (random.chance(MODERN_SHARE)) return MODERN;
  const form = random.pick(FORMS);
  const { client_capabilities = {} } = form;
  const known = Object.entries(client_capabilities).filter(() => random.chance(0.7));
  return { ...form, client_capabilities: Object.fromEntries(known) };
}

/** Reads one queue at any node, by polls, sockets and streams, and goes on with its cursor. */
export class Reader {
  /** Ids of the messages that came, in order. */
  private readonly told: number[] = [];
  /** Id of the first message that its queue can have; null for one that began before all others. */
  since: number | null = null;
  private cursor: number;
  private state: SnapshotClient;
  /** How often the store had gone back, or another history begun, before it registered. */
  private setbacksKnown: number;
  /** Histories that began before it had registered. */
  private historiesKnown: number;

  private constructor(
    readonly client: SimClient,
    private readonly form: Registration,
    /** Whether its account is used by others too, who may take what it subscribes to, or replace its key. */
    private readonly isShared: boolean,
    private snapshot: Snapshot,
  ) {
    this.cursor = snapshot.last_event_id;
    this.acknowledged = this.cursor;
    this.state = new SnapshotClient(client.userId, snapshot, form);
    this.setbacksKnown = client.world.setbacks;
    this.historiesKnown = client.world.histories;
  }

  static async open(client: SimClient, form = MODERN, isShared = false): Promise<Reader> {
    const snapshot = (await client.mustCall('POST', '/register', form)) as Snapshot;
    return new Reader(client, form, isShared, snapshot);
  }

  /** Whether its queue is of the history that goes on. */
  get isOfNow(): boolean {
    return this.historiesKnown === this.client.world.histories;
  }

  /** Its queue is gone: it registers again, as it may only after the store lost something. */
  private async begin(why: string): Promise<void> {
    const { client } = this;
    const { world } = client;
    const missed = world.newestTold - world.positionOf(this.queueId, this.acknowledged);
    // Some positions have several events.
    if (missed >= MOST_EVENTS / 4) world.counted('queues that were too long');
    else if (this.setbacksKnown === world.setbacks) {
      world.fault(`${client.host}: ${why}`);
      return;
    }
    this.setbacksKnown = world.setbacks;
    this.snapshot = (await client.mustCall('POST', '/register', this.form)) as Snapshot;
    this.historiesKnown = world.histories;
    this.cursor = this.snapshot.last_event_id;
    this.acknowledged = this.cursor;
    this.state = new SnapshotClient(client.userId, this.snapshot, this.form);
    this.since = Number(this.snapshot.max_message_id) + 1;
    this.told.length = 0;
  }

  get queueId(): string {
    return this.snapshot.queue_id;
  }

  /** Reads until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    while (!world.isResting) {
      await this.once();
      if (world.random.chance(world.habits.sleeps)) {
        await world.scheduler.pause(world.random.between(SLEEP_MS.least, SLEEP_MS.most));
      }
    }
  }

  /** Reads until it has had a message, whose id may not be known yet. */
  async catchUp(message: Promise<number>): Promise<void> {
    const { world } = this.client;
    const { since } = this;
    const known = this.messages().length;
    // Its sender may be told later than its readers.
    let id = await Promise.race([message, Promise.resolve(null)]);
    while (!world.isOver && (id === null || !this.hasHad(id))) {
      await this.poll(true, PATIENT_MS);
      // A queue that it had to begin meanwhile may have begun behind the message: nothing comes of that one.
      const isSure = this.since !== since || this.messages().length > known;
      if (id === null && isSure) id = await message;
    }
  }

  /** Whether it was told of a message, or began behind it. */
  private hasHad(id: number): boolean {
    return id < (this.since ?? 0) || this.told.lastIndexOf(id) >= 0;
  }

  /** Ids of the messages that it was told of, in order. */
  messages(): readonly number[] {
    return this.told;
  }

  /** What it believes after its events, and what a fresh snapshot of a node says. */
  async compare(node: string): Promise<{ believed: object; actual: object } | null> {
    const { client } = this;
    const { world } = client;
    const reply = await client.call('POST', '/register', this.form, { node });
    if (reply?.status !== 200) return null;
    const fresh = reply.body as Snapshot;
    this.look(`the snapshot of ${node}`, fresh);
    await client.call('DELETE', '/events', { queue_id: fresh.queue_id });
    // The events up to the moment of the snapshot.
    do await this.poll(false);
    while (this.cursor < fresh.last_event_id && !world.isOver && !this.wasEmpty);
    const believed = this.state.comparable();
    const actual = new SnapshotClient(client.userId, fresh, this.form).comparable();
    // No event tells of these: clients ask for presences, and each leader has a generation of its own.
    for (const name of [...this.state.unknown, 'presences', 'server_generation']) {
      delete believed[name];
      delete actual[name];
    }
    // A reminder shows its message as it is whenever it is asked for.
    for (const { reminders = [] } of [believed, actual] as { reminders?: Body[] }[])
      for (const reminder of reminders) {
        delete reminder.content;
        delete reminder.rendered_content;
      }
    return { believed, actual };
  }

  private wasEmpty = false;
  /**
   * The cursor of the newest request that a node has answered: one that is refused acknowledges nothing, and a stream
   * nothing that it brings.
   */
  private acknowledged: number;

  private async once(): Promise<void> {
    const { world } = this.client;
    const by = world.random.pick(world.habits.transports);
    if (by === 'poll') await this.poll(true);
    else await this.listen(by);
  }

  private async poll(waits: boolean, patienceMs = this.stay()): Promise<void> {
    const { client, queueId, cursor } = this;
    const parameters = {
      queue_id: queueId,
      last_event_id: this.cursor,
      ...(waits ? {} : { dont_block: true }),
    };
    const reply = await client.call('GET', '/events', parameters, { patienceMs });
    this.wasEmpty = false;
    if (reply?.status === 200) {
      this.acknowledged = cursor;
      const events = reply.body.events as WireEvent[];
      if (events.length > MOST_EVENTS) {
        client.world.fault(`${client.host}: ${events.length} events waited in queue ${queueId}`);
      }
      this.wasEmpty = events.length === 0;
      this.take(events);
    } else if (reply === null || reply.status === 503 || this.isReplaced(reply))
      await this.comeBack();
    else {
      const why = `poll at ${this.cursor}: ${JSON.stringify(reply.body)}`;
      if (reply.body.code === 'BAD_EVENT_QUEUE_ID') await this.begin(why);
      else client.world.fault(`${client.host}: ${why}`);
    }
  }

  private async listen(by: 'socket' | 'stream'): Promise<void> {
    const { client, queueId, cursor } = this;
    const { world } = client;
    const parameters = { queue_id: queueId, last_event_id: cursor };
    const naps = world.random.chance(world.habits.naps);
    const take = (events: readonly WireEvent[]): number => {
      this.acknowledged = cursor;
      this.take(events);
      return this.cursor;
    };
    const stayMs = naps ? NAPPING_MS : this.stay();
    const how = await client.listen(by, parameters, stayMs, take, naps);
    // Ends of all queues count together.
    world.counted(`${by} ${how.replace(/,"queue_id":"[^"]*"/, '')}`);
    world.tell(client.host, `${by} at ${this.cursor}: ${how}`);
    if (how.includes('BAD_EVENT_QUEUE_ID') || how.includes('4001')) {
      await this.begin(`${by} at ${this.cursor}: ${how}`);
    }
    if (how !== 'left') await this.comeBack();
  }

  /** Whether the key of its request was another by then. */
  private isReplaced({ status }: Reply): boolean {
    return this.isShared && status === 401;
  }

  private comeBack(): Promise<void> {
    return this.client.world.scheduler.pause(COME_BACK_MS);
  }

  private stay(): number {
    return Math.round(20 + this.client.world.random.next() * LONGEST_STAY_MS);
  }

  /** Nothing is told to whom it must not be. */
  private look(what: string, told: object): void {
    const { client } = this;
    if (!client.world.habits.work.direct || maySee(client.userId, JSON.stringify(told))) return;
    client.world.fault(`${client.host}: ${what} tells user ${client.userId} what is not for them`);
  }

  private take(events: readonly WireEvent[]): void {
    const { client, queueId } = this;
    for (const event of events) {
      if (event.id <= this.cursor) {
        client.world.fault(
          `${client.host}: queue ${queueId} gave ${event.type} ${event.id} after ${this.cursor}`,
        );
        continue;
      }
      this.cursor = event.id;
      client.world.toldOf(client.world.positionOf(queueId, event.id));
      this.look(`event ${event.id}`, event);
      if (event.type === 'heartbeat') continue;
      const what = `${client.host}: event ${event.id}, ${event.type},`;
      client.world.mayTell(what, client.world.positionOf(queueId, event.id));
      if (event.type === 'message') this.told.push((event.message as { id: number }).id);
      client.world.tell(client.host, `takes event ${event.id}, ${shownEvent(event)}`);
      try {
        this.state.apply(event);
      } catch (error) {
        client.world.fault(
          `${client.host}: event ${event.id} (${event.type}) does not fit: ${(error as Error).message}`,
        );
      }
    }
  }
}

function shownEvent(event: WireEvent): string {
  const { id, content } = (event.message ?? {}) as { id?: number; content?: string };
  return id === undefined ? event.type : `message ${id} ${content}`;
}
