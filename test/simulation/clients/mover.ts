import { Register } from '../checks/register.js';
import type { Reply, SimClient } from './client.js';

/** Messages of a topic that is moved: with them a commit is a large one for the embedded store of the simulation. */
const MESSAGES = 14;
const TOPICS = 2;
const CHANNEL = 'moved';
/** Where topics are moved to, too; the last one is private, and others join and leave it. */
const CHANNELS = [CHANNEL, 'moved elsewhere', 'moved apart'];
/** Share of the moves that lead to another channel. */
const ELSEWHERE_SHARE = 0.3;
/** A message may be moved 200 times. */
const MOST_MOVES = 190;

interface Topic {
  readonly name: Register<string>;
  readonly ids: number[];
  /** How often it was moved, or may have been. */
  moves: number;
}

/**
 * Moves topics with all of their messages, again and again: one commit that changes many documents, which an embedded
 * store writes behind it. Whatever is read of them afterwards must say the same.
 */
export class Mover {
  private readonly topics: Topic[] = [];
  private moves = 0;
  /** Ids of the channels. */
  private readonly places: number[] = [];
  /** The newest that it was told of. */
  private position = 0;

  constructor(private readonly client: SimClient) {}

  /** Makes the topics. */
  async begin(): Promise<void> {
    const { client } = this;
    for (const name of CHANNELS) {
      const invite_only = name === CHANNELS.at(-1);
      const asked = { subscriptions: [{ name }], invite_only };
      await client.mustCall('POST', '/users/me/subscriptions', asked);
      this.places.push(await client.channelId(name));
    }
    while (this.topics.length < TOPICS) {
      const topic = `place ${++this.moves}`;
      const ids: number[] = [];
      while (ids.length < MESSAGES) {
        const content = `moved ${ids.length}`;
        const said = { type: 'channel', to: CHANNEL, topic, content };
        const { id } = await client.mustCall('POST', '/messages', said);
        ids.push(Number(id));
      }
      const name = new Register(topic, () => client.world.scheduler.now);
      this.topics.push({ name, ids, moves: 0 });
    }
  }

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    const { random, habits } = world;
    while (!world.isResting && !world.isOver) {
      await this.move(random.pick(this.topics));
      if (random.chance(ELSEWHERE_SHARE)) await this.company(random.pick(this.topics));
      await world.scheduler.pause(random.between(0, habits.pauseMs));
      await this.look(random.pick(this.topics));
    }
  }

  private async move(topic: Topic): Promise<void> {
    if (topic.moves++ >= MOST_MOVES) return;
    const { name, ids } = topic;
    const { client } = this;
    const { world } = client;
    const to = `place ${++this.moves}`;
    const done = name.begin(to);
    const isElsewhere = world.random.chance(ELSEWHERE_SHARE);
    const place = isElsewhere ? { stream_id: world.random.pick(this.places) } : {};
    const reply = await client.call('PATCH', `/messages/${world.random.pick(ids)}`, {
      ...{ topic: to, ...place, propagate_mode: 'change_all' },
      ...{ send_notification_to_new_thread: false, send_notification_to_old_thread: false },
    });
    if (!this.isAnswered(reply)) return;
    const position = reply?.position ?? 0;
    done(position);
    this.position = Math.max(this.position, position);
    world.counted(isElsewhere ? 'acknowledged moves to any channel' : 'acknowledged moves');
  }

  /** Somebody joins the private channel, marks a message where it is readable, or leaves it. */
  private async company({ ids }: Topic): Promise<void> {
    const { client } = this;
    const { random, clients } = client.world;
    const other = random.pick(clients);
    const principals = [other.userId];
    const name = CHANNELS.at(-1)!;
    const messages = [random.pick(ids)];
    const flag = random.pick(['starred', 'read', 'collapsed']);
    const isMover = other.userId === client.userId;
    const path = '/users/me/subscriptions';
    if (random.chance(0.5)) {
      const op = random.pick(['add', 'add', 'remove']);
      await other.call('POST', '/messages/flags', { messages, op, flag });
    } else if (random.chance(0.5)) {
      await client.call('POST', path, { subscriptions: [{ name }], principals });
    } else if (!isMover) await client.call('DELETE', path, { subscriptions: [name], principals });
  }

  /** All of its messages are where it was moved, for whoever names the position of the move. */
  private async look({ name, ids }: Topic): Promise<void> {
    const { client, position } = this;
    const headers = { 'Parley-Position': String(position) };
    const { now } = client.world.scheduler;
    const read = async (id: number): Promise<void> => {
      const path = `/messages/${id}`;
      const reply = await client.call('GET', path, { apply_markdown: false }, { headers });
      if (!this.isAnswered(reply)) return;
      const { subject } = reply!.body.message as { subject: string };
      if (name.mayBe(subject, now)) return;
      client.world.fault(
        `${client.host}: message ${id} is in ${subject}, and only in ${name.text}`,
      );
    };
    await Promise.all(ids.map(read));
  }

  private isAnswered(reply: Reply | null): boolean {
    if (reply === null || reply.status === 503) return false;
    if (reply.status === 200) return true;
    const { host, world } = this.client;
    world.fault(`${host}: a topic that is moved: ${reply.status} ${JSON.stringify(reply.body)}`);
    return false;
  }
}
