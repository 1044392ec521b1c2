import type { Parameters } from '../../system/harness/client.js';
import type { CallOptions, Reply, SimClient } from './client.js';
import { directText, maySee } from '../checks/visibility.js';
import { Register } from '../checks/register.js';

const TOPICS = ['lunch', 'release', 'incident'];
const EMOJI = ['octopus', 'tada', 'heart', 'smile'];
/** How long a writer waits that was asked to come back later, milliseconds. */
const COME_BACK_MS = 50;
/** A node answers from no older state, milliseconds; the rest is for what is on the way. */
const MOST_STALE_MS = 5000 + 1000;
/** A writer turns to its newest messages most. */
const RECENT = 12;

/** Of so many it takes one that every node must have. */
const MOST_FORMER = 400;
/** Texts that few stores keep as they are: half of a surrogate pair, and what stands for one in a store. */
const ODD_TEXTS = ['\ud83d', 'x\udc00y', '\uffff', '\uffffd83d', '日本', '\\ud800', '"'];
/** Messages that a writer sends or reads at once, at most: more commits than one are under way then. */
const MOST_AT_ONCE = 12;

/** One message of a writer, with what the writer knows of it. */
export interface Sent {
  readonly id: number;
  /** Where the journal has it. */
  readonly position: number;
  /** When it was acknowledged, milliseconds. */
  readonly at: number;
  /** Its text, as far as is known; null: it is deleted. */
  readonly content: Register<string | null>;
  /** Whether the writer reacted with each emoji, and starred it. */
  readonly marks: Map<string, Register<boolean>>;
}

interface Message extends Parameters {
  readonly content: string;
}

/**
 * A queue remembers its newest 200 messages under a `local_id`; an attempt that comes later than so many others makes a
 * second message (endpoints-messages.md, "Sending again"). Some of the others are under way.
 */
const SURELY_REMEMBERED = 150;

/** What the writer asked, and what the replies allow. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly parameters: Parameters;
  /** The reply to a request that changed nothing, beside 200. */
  readonly refusals: readonly string[];
}

/**
 * Writes one thing after the other, each at another node, and keeps a small model of what must be there: each thing
 * that it changes has no other writer, so it knows what a reader may see.
 */
export class Writer {
  readonly sent: Sent[] = [];
  /** Contents that were given out, acknowledged or not. */
  readonly contents = new Set<string>();
  private number = 0;
  private queueId = '';
  /** How often the store had gone back when the queue was registered. */
  private setbacksKnown = 0;
  private beginning: Promise<void> | null = null;
  /** Messages under a `local_id` so far. */
  private repeatable = 0;
  /** Contents of those of which an attempt got no reply, and how many there had been: it may still be under way. */
  private readonly astray = new Map<string, number>();

  constructor(
    readonly client: SimClient,
    private readonly name: string,
  ) {}

  /** Registers the queue whose `local_id`s let it send again; once for all that are sent at the same moment. */
  begin(): Promise<void> {
    this.beginning ??= this.register().finally(() => (this.beginning = null));
    return this.beginning;
  }

  private async register(): Promise<void> {
    const parameters = { event_types: ['user_settings'], fetch_event_types: [] };
    const { setbacks } = this.client.world;
    const { queue_id } = await this.client.mustCall('POST', '/register', parameters);
    this.queueId = String(queue_id);
    this.setbacksKnown = setbacks;
  }

  /** The store lost what it had answered: nobody knows more than the store. */
  lose(): void {
    const { world } = this.client;
    // What has their ids may be others.
    const kept = this.sent.filter(({ id }) => !world.givenAgain.has(id));
    if (kept.length < this.sent.length) this.sent.splice(0, Infinity, ...kept);
    for (const { position, content, marks } of this.sent) {
      const isLost = (one: number): boolean => world.isLost(one);
      if (isLost(position)) content.maybe(null);
      for (const register of [content, ...marks.values()]) register.lose(isLost);
    }
  }

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    while (!world.isResting && !world.isOver) {
      await this.one();
      await world.scheduler.pause(world.random.between(0, world.habits.pauseMs));
    }
  }

  /** @returns id of a message that is sent as often as necessary */
  async sayInTheEnd(): Promise<number> {
    const { world } = this.client;
    for (;;) {
      const sent = await this.say();
      if (sent) return sent.id;
      if (world.isOver) return 0;
      await world.scheduler.pause(COME_BACK_MS);
    }
  }

  private async one(): Promise<void> {
    const { random, habits } = this.client.world;
    const all = Object.entries(habits.work);
    let left = random.next() * all.reduce((sum, [, weight]) => sum + weight, 0);
    const [kind] = all.find(([, weight]) => (left -= weight) < 0) ?? all[0]!;
    const recent = this.sent.slice(-RECENT);
    if (kind === 'draft') await this.draft();
    else if (kind === 'direct') await this.tell();
    else if (kind === 'send' || recent.length === 0) await this.atOnce(() => this.say());
    else if (kind === 'read') {
      const former = this.former();
      const since = this.client.world.scheduler.now - MOST_STALE_MS;
      await this.atOnce(() => this.read(random.pick(former), {}, since));
    } else {
      const sent = random.pick(recent);
      if (kind === 'edit') await this.edit(sent);
      else if (kind === 'delete') await this.remove(sent);
      else if (kind === 'react') await this.mark(sent, random.pick(EMOJI));
      else await this.mark(sent, 'starred');
    }
  }

  /** Does it once, or several times at the same moment. */
  private async atOnce(act: () => Promise<unknown>): Promise<void> {
    const { random, habits } = this.client.world;
    const times = random.chance(habits.bursts) ? random.int(2, MOST_AT_ONCE) : 1;
    await Promise.all(Array.from({ length: times }, act));
  }

  /** Messages that every node must have by now, or else new ones. */
  private former(): readonly Sent[] {
    const { now } = this.client.world.scheduler;
    const all = this.sent.slice(-MOST_FORMER);
    const known = all.filter(({ at }) => at < now - MOST_STALE_MS);
    return known.length > 0 ? known.slice(-RECENT) : all.slice(-RECENT);
  }

  /** Sends a message to one user, and has another client look for it. */
  private async tell(): Promise<void> {
    const { client } = this;
    const { world } = client;
    const to = world.random.pick(world.clients).userId;
    const content = directText(client.userId, to, `${this.name}-${++this.number}`);
    const parameters = { type: 'direct', to: [to], content };
    const reply = await client.call('POST', '/messages', parameters);
    if (!this.judge('POST /messages', reply, []) || !reply) return;
    world.counted('acknowledged writes');
    const other = world.random.pick(world.clients);
    const path = `/messages/${String(reply.body.id)}`;
    const headers = { 'Parley-Position': String(reply.position ?? 0) };
    const found = await other.call('GET', path, { apply_markdown: false }, { headers });
    if (found === null || found.status === 503 || world.isLost(reply.position ?? 0)) return;
    if ((found.status === 200) !== maySee(other.userId, content)) {
      world.fault(`${other.host}: user ${other.userId} asks for "${content}": ${found.status}`);
    }
  }

  /** Keeps a draft with what few texts and numbers have, and reads it again. */
  private async draft(): Promise<void> {
    const { client } = this;
    const { random } = client.world;
    const content = `${this.name}-${++this.number} ${random.pick(ODD_TEXTS)}`;
    const timestamp = random.between(1.5e9, 2e9);
    const draft = { type: '', to: [], topic: random.pick(TOPICS), content, timestamp };
    const made = await client.call('POST', '/drafts', { drafts: [draft] });
    const isWhole = content.isWellFormed();
    if (!this.judge('POST /drafts', made, isWhole ? [] : ['BAD_REQUEST']) || !made) return;
    if (made.status !== 200) return;
    const [id] = made.body.ids as number[];
    const headers = { 'Parley-Position': String(made.position ?? 0) };
    const reply = await client.call('GET', '/drafts', {}, { headers });
    if (!this.judge('GET /drafts', reply, []) || !reply) return;
    const found = (reply.body.drafts as { id: number; content: string }[]).find(
      (one) => one.id === id,
    );
    if (found?.content !== content && !client.world.isLost(made.position ?? 0)) {
      client.world.fault(`${client.host}: draft ${id} reads ${JSON.stringify(found?.content)}`);
    }
    const gone = await client.call('DELETE', `/drafts/${id}`);
    this.judge(`DELETE /drafts/${id}`, gone, ['RESOURCE_NOT_FOUND', 'BAD_REQUEST']);
  }

  /** Sends a message; null where it is not known to be there. */
  private say(): Promise<Sent | null> {
    const { random, habits } = this.client.world;
    const content = `${this.name}-${++this.number} ${random.pick(['é', 'ß½', 'ok', '日本'])}`;
    this.contents.add(content);
    const parameters = { type: 'channel', to: 'general', topic: random.pick(TOPICS), content };
    return random.chance(habits.once) ? this.sayOnce(parameters) : this.sayUntilKnown(parameters);
  }

  /** Without a `local_id`, and so never again: nobody may make two of it. */
  private async sayOnce(parameters: Message): Promise<Sent | null> {
    const { node } = this.client;
    const reply = await this.client.call('POST', '/messages', parameters, { node });
    if (!this.judge('POST /messages', reply, []) || !reply) return null;
    return this.said([Number(reply.body.id)], parameters.content, reply.position ?? 0, node);
  }

  /** Under one `local_id`, until its fate is known. */
  private async sayUntilKnown(message: Message): Promise<Sent | null> {
    const { client } = this;
    const { world } = client;
    const { random, habits } = world;
    const local_id = `${this.name}.${this.number}`;
    const local = { queue_id: '', local_id };
    const ids = new Set<number>();
    this.repeatable += 1;
    for (const [content, count] of this.astray) {
      if (this.repeatable - count < SURELY_REMEMBERED) continue;
      world.mayBeTwice.add(content);
      this.astray.delete(content);
    }
    for (;;) {
      // Its queue is gone with the history that it was of, and what it remembers of messages, too.
      while (this.setbacksKnown < world.setbacks) await this.begin();
      const { setbacks } = world;
      if (local.queue_id !== '' && local.queue_id !== this.queueId)
        world.mayBeTwice.add(message.content);
      local.queue_id = this.queueId;
      const times = random.chance(habits.doubles) ? 2 : 1;
      const { node } = client;
      const replies = await Promise.all(
        Array.from({ length: times }, (_, i) =>
          client.call('POST', '/messages', { ...message, ...local }, i === 0 ? { node } : {}),
        ),
      );
      for (const reply of replies) {
        if (reply?.status === 200) ids.add(Number(reply.body.id));
        else this.judge('POST /messages', reply, []);
        if (reply === null) this.astray.set(message.content, this.repeatable);
      }
      if (setbacks < world.setbacks) world.mayBeTwice.add(message.content);
      if (ids.size > 0) {
        const position = Math.max(...replies.map((reply) => reply?.position ?? 0));
        return this.said([...ids], message.content, position, times === 1 ? node : null);
      }
      if (world.isOver) return null;
      await world.scheduler.pause(COME_BACK_MS);
    }
  }

  private async said(
    ids: readonly number[],
    content: string,
    position: number,
    node: string | null,
  ): Promise<Sent> {
    const { world } = this.client;
    const { scheduler } = world;
    const isTwice = ids.length > 1 && !world.mayBeTwice.has(content);
    if (isTwice) world.fault(`${content} was sent twice: messages ${ids.join(' and ')}`);
    const now = (): number => scheduler.now;
    const register = new Register<string | null>(content, now);
    for (const id of ids) world.gave(id, content);
    const known = { id: ids[0]!, position, at: scheduler.now };
    const sent: Sent = { ...known, content: register, marks: new Map() };
    if (world.isLost(position)) register.maybe(null);
    world.counted('acknowledged writes');
    if (ids.some((id) => world.givenAgain.has(id))) return sent;
    this.sent.push(sent);
    if (position === 0) world.fault(`${content}: a write told no position`);
    else await this.readBack(sent, position, node);
    return sent;
  }

  private async edit(sent: Sent): Promise<void> {
    const content = `${this.name}-${++this.number} edited`;
    this.contents.add(content);
    const asked = {
      ...{ method: 'PATCH', path: `/messages/${sent.id}`, parameters: { content } },
      refusals: sent.content.mayBe(null) ? ['BAD_REQUEST'] : [],
    };
    await this.change(sent, sent.content, content, asked);
  }

  private async remove(sent: Sent): Promise<void> {
    const asked = {
      ...{ method: 'DELETE', path: `/messages/${sent.id}`, parameters: {} },
      refusals: sent.content.mayBe(null) ? ['BAD_REQUEST'] : [],
    };
    await this.change(sent, sent.content, null, asked);
  }

  /** Reacts or stars, or takes that back. */
  private async mark(sent: Sent, mark: string): Promise<void> {
    const { random } = this.client.world;
    let register = sent.marks.get(mark);
    if (!register)
      sent.marks.set(mark, (register = new Register(false, () => this.client.world.scheduler.now)));
    const isOn = random.chance(0.6);
    const gone = sent.content.mayBe(null) ? ['BAD_REQUEST'] : [];
    if (mark === 'starred') {
      const op = isOn ? 'add' : 'remove';
      const parameters = { messages: [sent.id], op, flag: 'starred' };
      const asked = { method: 'POST', path: '/messages/flags', parameters, refusals: gone };
      // A flag of a message that is gone is ignored.
      if (!sent.content.mayBe(null)) await this.change(sent, register, isOn, asked);
      return;
    }
    const refusals = [...gone];
    if (register.mayBe(isOn)) {
      refusals.push(isOn ? 'REACTION_ALREADY_EXISTS' : 'REACTION_DOES_NOT_EXIST');
    }
    await this.change(sent, register, isOn, {
      ...{ method: isOn ? 'POST' : 'DELETE', path: `/messages/${sent.id}/reactions` },
      ...{ parameters: { emoji_name: mark }, refusals },
    });
  }

  /** Changes one thing, and takes what the reply says of it. */
  private async change<T>(sent: Sent, register: Register<T>, to: T, asked: Asked): Promise<void> {
    const { client } = this;
    const done = register.begin(to);
    const { node, world } = client;
    const losses = world.losses.length;
    const reply = await client.call(asked.method, asked.path, asked.parameters, { node });
    const isDone = reply?.status === 200;
    // What it was asked for was another thing by then.
    if (!isDone && world.losses.length > losses) return;
    if (!reply || !this.judge(`${asked.method} ${asked.path}`, reply, asked.refusals)) return;
    if (isDone) {
      done(reply.position ?? 0);
      register.lose((position) => client.world.isLost(position));
      client.world.counted('acknowledged writes');
      if (reply.position !== null) await this.readBack(sent, reply.position, node);
    } else if (String(reply.body.code).startsWith('REACTION')) done(reply.position ?? 0);
    else if (reply.body.code === 'BAD_REQUEST') sent.content.settle(null);
  }

  /** What was acknowledged is there for whoever names its position at any node, and for all at the node that wrote it. */
  private async readBack(sent: Sent, position: number, node: string | null): Promise<void> {
    const { random } = this.client.world;
    if (node !== null && random.chance(0.5)) {
      await this.read(sent, { node }, this.client.world.scheduler.now);
      return;
    }
    const headers = { 'Parley-Position': String(position) };
    await this.read(sent, { headers }, this.client.world.scheduler.now);
  }

  /** @param since what was acknowledged until then must be there */
  private async read(sent: Sent, options: CallOptions, since: number): Promise<void> {
    const { client } = this;
    const path = `/messages/${sent.id}`;
    const reply = await client.call('GET', path, { apply_markdown: false }, options);
    const gone = reply?.status === 400 && reply.body.code === 'BAD_REQUEST';
    if (!gone && (!reply || !this.judge(`GET ${path}`, reply, []))) return;
    const raw = gone ? null : String(reply.body.raw_content);
    const isNew = raw === null && sent.at > since;
    if (isNew || sent.content.mayBe(raw, since)) return;
    // Whoever names neither a position nor the node of the change may be told what a former master has.
    if (!options.headers && !options.node && client.world.replicated?.hadFormer(since)) return;
    client.world.fault(
      `${client.host}: message ${sent.id} reads ${raw}, and can only be ${sent.content.text}`,
    );
  }

  /** Whether it was carried out, or was refused as it should; no reply and 503 leave that open, anything else is a fault. */
  private judge(what: string, reply: Reply | null, refusals: readonly string[]): boolean {
    if (reply === null || reply.status === 503) return false;
    const code = String(reply.body.code);
    if (reply.status === 200) return true;
    if (refusals.includes(code)) return true;
    const { client } = this;
    client.world.fault(`${client.host}: ${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return false;
  }
}
