import type { Parameters } from '../../system/harness/client.js';
import { RETENTION_DAY_MS, HOUR_MS } from '../node/bounds.js';
import type { Reply, SimClient } from './client.js';

/** Where the planner's messages are, and where those that expire are. */
const PLANS = 'plans';
const BRIEF = 'brief';

/** What is to be delivered is due so long after it was asked for, seconds. */
const DUE_S = { least: 2, most: 5 };
/** It is there so long after that, and an expired message gone, milliseconds, once everybody rests: clocks run apart. */
const LATE_MS = 12_000;
/** So long before, no machine takes it for due, whose clock runs apart, milliseconds. */
const SURELY_BEFORE_MS = 200;
/** Messages of a topic that is deleted: some batches. */
const DELETED = 7;
/** Calls of a deletion until it is complete. */
const MOST_CALLS = 20;
/** The life of a queue that is left, seconds, and the time after which it has ended for everybody, milliseconds. */
const QUEUE_S = 1;
const QUEUE_ENDS_MS = 6000;

/** Something that is to be sent later. */
interface Planned {
  readonly kind: 'scheduled' | 'reminder';
  readonly id: number;
  /** What the message has: any of these; several where an edit got no reply. */
  readonly texts: Set<string>;
  /** Whether its author took it back: it is not sent; null: perhaps. */
  isCancelled: boolean | null;
  /** By the clock of the simulation, milliseconds. */
  readonly dueAt: number;
  /** How often the store had gone back when it was made. */
  readonly setbacks: number;
}

/** A message whose channel keeps it for a day. */
interface Brief {
  readonly text: string;
  readonly at: number;
  readonly setbacks: number;
}

/**
 * What is due later: messages that are scheduled, reminders, messages that expire, queues that are left; and what is
 * searched for, and topics that are deleted. The planner is an administrator, and the only one who writes where it does.
 */
export class Planner {
  private number = 0;
  private readonly planned: Planned[] = [];
  private readonly briefs: Brief[] = [];
  private plans = 0;
  private readonly works = [
    () => this.schedule(),
    () => this.remind(),
    () => this.search(),
    () => this.deleteTopic(),
    () => this.expire(),
  ];

  constructor(private readonly client: SimClient) {}

  /** Makes its channels. */
  async begin(): Promise<void> {
    const { client } = this;
    for (const name of [PLANS, BRIEF]) {
      const subscriptions = [{ name }];
      await client.mustCall('POST', '/users/me/subscriptions', { subscriptions });
    }
    const brief = await client.channelId(BRIEF);
    await client.mustCall('PATCH', `/streams/${brief}`, { message_retention_days: 1 });
    this.plans = await client.channelId(PLANS);
  }

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    while (!world.isResting && !world.isOver) {
      await world.random.pick(this.works)();
      await world.scheduler.pause(world.random.between(0, world.habits.pauseMs));
    }
  }

  /** All that was due is there once, what was taken back is not, what expired is gone; everybody rests. */
  async check(when: string): Promise<void> {
    const { world, host } = this.client;
    const { scheduler } = world;
    // Until now nobody may have led.
    const restedAt = scheduler.now;
    const until = Math.max(restedAt, ...this.planned.map(({ dueAt }) => dueAt)) + LATE_MS;
    const expired = Math.max(restedAt, ...this.briefs.map(({ at }) => at + RETENTION_DAY_MS));
    const gone = expired + HOUR_MS + LATE_MS;
    for (;;) {
      const said = await this.said();
      const wrong = this.faultsIn(said);
      const isLate = scheduler.now > Math.max(until, gone);
      if (world.isOver || wrong.length === 0) break;
      if (isLate) for (const one of wrong) world.fault(`${host}: ${when}: ${one}`);
      else await scheduler.pause(500);
    }
    this.planned.length = 0;
    this.briefs.length = 0;
    if (!world.isOver) await this.leaveQueue();
  }

  /** What is not as it must become; of an expired message also before its time. */
  private faultsIn(said: readonly string[]): string[] {
    const { world } = this.client;
    const { now } = world.scheduler;
    const wrong: string[] = [];
    for (const { kind, id, texts, isCancelled, setbacks } of this.planned) {
      const found = said.filter((text) => [...texts].some((one) => text.includes(one))).length;
      const isSure = setbacks === world.setbacks && isCancelled !== null;
      const wanted = isCancelled === true ? 0 : 1;
      const isWrong = isSure ? found !== wanted : found > 1;
      if (isWrong) {
        const names = [...texts].join(' or ');
        wrong.push(`${kind} ${id}, ${names}, is there ${found} times, and ${wanted} times due`);
      }
    }
    for (const { text, at, setbacks } of this.briefs) {
      const isThere = said.includes(text);
      if (isThere) wrong.push(`${text} is still there, and has expired`);
      // Clocks of machines run apart, and a second is the unit of what expires.
      if (!isThere && now < at + RETENTION_DAY_MS - 2000 && setbacks === world.setbacks)
        wrong.push(`${text} is gone before it has expired`);
    }
    return wrong;
  }

  /**
   * Texts of all messages where its own can be. By sender alone there would be more than it wrote, as its account may be
   * that of all writers.
   */
  private async said(): Promise<string[]> {
    const texts: string[] = [];
    for (const operand of [PLANS, BRIEF]) {
      const found = await this.client.allMessages([{ operator: 'channel', operand }]);
      texts.push(...found.values());
    }
    const direct = await this.client.allMessages([{ operator: 'is', operand: 'dm' }]);
    return [...texts, ...direct.values()];
  }

  private async schedule(): Promise<void> {
    const { world } = this.client;
    const text = this.newText();
    const said = { type: 'channel', to: this.plans, topic: 'later', content: text };
    const planned = await this.plan('scheduled', '/scheduled_messages', text, said);
    if (!planned) return;
    const path = `/scheduled_messages/${planned.id}`;
    if (!world.random.chance(0.6)) return;
    await this.nearDue(planned);
    if (world.random.chance(0.5)) {
      const content = this.newText();
      planned.texts.add(content);
      const reply = await this.client.call('PATCH', path, { content });
      // Whatever else it says, the message was sent before, or is there no more.
      if (reply?.status === 200) planned.texts.delete(text);
      else if (reply !== null && reply.status !== 503) planned.texts.delete(content);
    } else await this.takeBack(planned, path);
  }

  private async remind(): Promise<void> {
    const { world } = this.client;
    const about = await this.say(PLANS, 'remind', this.newText());
    if (about === null) return;
    const note = this.newText();
    const planned = await this.plan('reminder', '/reminders', note, { message_id: about, note });
    if (!planned || !world.random.chance(0.3)) return;
    await this.nearDue(planned);
    await this.takeBack(planned, `/reminders/${planned.id}`);
  }

  private async plan(
    kind: Planned['kind'],
    path: string,
    text: string,
    parameters: Parameters,
  ): Promise<Planned | null> {
    const { world } = this.client;
    const seconds = world.random.int(DUE_S.least, DUE_S.most);
    const dueAt = world.scheduler.now + 1000 * seconds;
    const { setbacks } = world;
    const scheduled_delivery_timestamp = Math.ceil((world.start + dueAt) / 1000);
    const asked = { ...parameters, scheduled_delivery_timestamp };
    const reply = await this.client.call('POST', path, asked);
    if (!this.isDone(`POST ${path}`, reply, ['BAD_REQUEST'])) return null;
    const { body } = reply!;
    const id = Number(body.scheduled_message_id ?? body.reminder_id);
    const planned: Planned = {
      kind,
      id,
      texts: new Set([text]),
      isCancelled: false,
      dueAt,
      setbacks,
    };
    this.planned.push(planned);
    return planned;
  }

  /** Waits until about the moment at which it is due. */
  private nearDue({ dueAt }: Planned): Promise<void> {
    const { random, scheduler } = this.client.world;
    if (random.chance(0.3)) return Promise.resolve();
    return scheduler.pause(dueAt + random.between(-600, 1200) - scheduler.now);
  }

  private async takeBack(planned: Planned, path: string): Promise<void> {
    planned.isCancelled = null;
    const reply = await this.client.call('DELETE', path);
    // Who was overtaken by the delivery is told the same, as it is not scheduled any more.
    const isBefore = this.client.world.scheduler.now < planned.dueAt - SURELY_BEFORE_MS;
    if (reply?.status === 200) planned.isCancelled = isBefore ? true : null;
    else if (reply !== null && reply.status !== 503) planned.isCancelled = false;
  }

  /** What was sent is found by its words at any node, what was deleted is not. */
  private async search(): Promise<void> {
    const { client } = this;
    const { world } = client;
    const { setbacks } = world;
    const text = this.newText();
    const sent = await client.call('POST', '/messages', this.message(PLANS, 'searched', text));
    if (!this.isDone('POST /messages', sent, [])) return;
    const id = Number(sent!.body.id);
    if (world.random.chance(0.5)) await world.scheduler.pause(world.random.between(0, 3000));
    await this.find(text, [id], sent!.position, setbacks);
    if (world.random.chance(0.5)) return;
    const gone = await client.call('DELETE', `/messages/${id}`);
    if (gone?.status === 200) await this.find(text, [], gone.position, setbacks);
  }

  private async find(
    word: string,
    ids: readonly number[],
    position: number | null,
    setbacks: number,
  ): Promise<void> {
    const { client } = this;
    const { world } = client;
    const narrow = [{ operator: 'search', operand: word }];
    const asked = { anchor: 'newest', num_before: 10, num_after: 0, narrow };
    const headers = { 'Parley-Position': String(position ?? 0) };
    const reply = await client.call('GET', '/messages', asked, { headers });
    if (!this.isDone('GET /messages', reply, []) || world.setbacks !== setbacks) return;
    const found = (reply!.body.messages as { id: number }[]).map(({ id }) => id);
    world.counted('searches');
    if (found.join() === ids.join()) return;
    world.fault(
      `${client.host}: a search for ${word} finds ${found.join()}, and not ${ids.join()}`,
    );
  }

  /** A topic that is deleted is gone with all of its messages, also where several calls were needed. */
  private async deleteTopic(): Promise<void> {
    const { client } = this;
    const { world } = client;
    const { setbacks } = world;
    const topic = `deleted ${++this.number}`;
    const ids: number[] = [];
    while (ids.length < DELETED) {
      const id = await this.say(PLANS, topic, this.newText());
      if (id === null) return;
      ids.push(id);
    }
    const path = `/streams/${this.plans}/delete_topic`;
    for (let calls = 0; calls < MOST_CALLS && !world.isOver; calls++) {
      const reply = await client.call('POST', path, { topic_name: topic });
      if (!this.isDone(`POST ${path}`, reply, [])) continue;
      if (reply!.body.complete !== true) continue;
      world.counted('topics that were deleted');
      const headers = { 'Parley-Position': String(reply!.position ?? 0) };
      for (const id of ids) {
        const left = await client.call('GET', `/messages/${id}`, {}, { headers });
        if (left?.status === 200 && world.setbacks === setbacks)
          world.fault(`${client.host}: message ${id} is there, and its topic is deleted`);
      }
      return;
    }
  }

  /** A message that its channel keeps for a day. */
  private async expire(): Promise<void> {
    const { world } = this.client;
    const { setbacks } = world;
    const text = this.newText();
    const at = world.scheduler.now;
    const id = await this.say(BRIEF, 'expires', text);
    if (id !== null) this.briefs.push({ text, at, setbacks });
  }

  /** A queue that nobody reads ends after its time, for every node. */
  private async leaveQueue(): Promise<void> {
    const { client } = this;
    const { world } = client;
    const asked = { event_types: ['message'], fetch_event_types: [], idle_queue_timeout: QUEUE_S };
    const { queue_id, last_event_id } = await client.mustCall('POST', '/register', asked);
    const poll = (node: string): Promise<Reply | null> =>
      client.call('GET', '/events', { queue_id, last_event_id, dont_block: true }, { node });
    await world.scheduler.pause(QUEUE_ENDS_MS);
    for (const { name } of world.nodes) {
      const reply = await poll(name);
      if (reply === null || reply.status === 503) continue;
      world.counted('queues that were left');
      if (reply.body.code === 'BAD_EVENT_QUEUE_ID') continue;
      world.fault(
        `${client.host}: a queue that was left for ${QUEUE_ENDS_MS} ms is there at ${name}`,
      );
    }
  }

  private newText(): string {
    return `${this.client.host}plan${++this.number}x`;
  }

  private message(to: string, topic: string, content: string): Parameters {
    return { type: 'channel', to, topic, content };
  }

  /** @returns the id of a message; null where it is not known to be there */
  private async say(to: string, topic: string, content: string): Promise<number | null> {
    const reply = await this.client.call('POST', '/messages', this.message(to, topic, content));
    return this.isDone('POST /messages', reply, []) ? Number(reply!.body.id) : null;
  }

  /** Whether it was carried out; no reply and 503 leave that open, and other refusals are faults. */
  private isDone(what: string, reply: Reply | null, refusals: readonly string[]): boolean {
    if (reply === null || reply.status === 503) return false;
    if (reply.status === 200) return true;
    const { host, world } = this.client;
    if (!refusals.includes(String(reply.body.code)))
      world.fault(`${host}: ${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return false;
  }
}
