import { setTimeout as pause } from 'node:timers/promises';
import {
  ContractError,
  exchange,
  form,
  FORM,
  type ApiClient,
  type Reply,
  type Snapshot,
  type WireEvent,
} from '../client.js';
import { POSITION } from './position.js';
import type { NodeGroup } from './node-group.js';

/** A client turns to another node after this time without an answer, milliseconds. */
const IMPATIENCE_MS = 8000;
/** A reader leaves a poll or a socket after at most this time, milliseconds. */
const LONGEST_STAY_MS = 1500;
/** How long a client waits that was asked to come back later, milliseconds. */
const COME_BACK_MS = 25;

/** What all clients of a campaign share. */
export interface Campaign {
  readonly group: NodeGroup;
  readonly random: () => number;
  /** What no client may ever see. */
  readonly faults: string[];
  /** Requests by outcome. */
  readonly counts: Map<string, number>;
  /** The campaign is over, or rests. */
  isResting: boolean;
  /** The store may lose what was acknowledged: queues end then, and what was written may be gone. */
  readonly mayLose?: boolean;
  /** Longest pause of a writer after each thing that it wrote, milliseconds; absent: none. */
  readonly paceMs?: number;
  /** Called with each acknowledged message. */
  acknowledged?: () => void;
}

/** The account at a node that is picked anew for each request. */
export function anywhere({ group, random }: Campaign, account: ApiClient): ApiClient {
  return account.at(group.nodes[Math.floor(random() * group.nodes.length)]!.url);
}

export function count({ counts }: Campaign, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** A call at some node; null where no answer came. */
export async function tryCall(
  campaign: Campaign,
  account: ApiClient,
  method: string,
  path: string,
  parameters: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Reply | null> {
  const client = anywhere(campaign, account);
  const text = form(parameters);
  const inQuery = method === 'GET' && text !== '';
  try {
    return await exchange(client.url, method, `/api/v1${path}${inQuery ? `?${text}` : ''}`, {
      headers: {
        Authorization: client.authorization,
        ...(inQuery || text === '' ? {} : FORM),
        ...headers,
      },
      body: inQuery ? '' : text,
      signal: AbortSignal.timeout(IMPATIENCE_MS),
    });
  } catch (error) {
    if (error instanceof ContractError) campaign.faults.push(error.message);
    return null;
  }
}

/**
 * RoamingWriter writes one thing after the other, each at another node. It never sends anything twice, unless it has a queue:
 * then it sends a message under its local id until that is acknowledged.
 */
export class RoamingWriter {
  /** Contents of acknowledged messages by id. */
  readonly acknowledged = new Map<number, string>();
  /** Names of emoji that were acknowledged as reactions, by message. */
  readonly reactions = new Map<number, Set<string>>();
  private number = 0;

  constructor(
    private readonly campaign: Campaign,
    private readonly account: ApiClient,
    private readonly name: string,
    private readonly queueId?: string,
  ) {}

  /** Writes until the campaign rests. */
  async run(): Promise<void> {
    const { campaign } = this;
    while (!campaign.isResting && campaign.faults.length === 0) {
      const last = [...this.acknowledged.keys()].at(-1);
      const isDone =
        last !== undefined && campaign.random() < 0.2 ? await this.react(last) : await this.say();
      if (!isDone) await pause(COME_BACK_MS);
      else if (campaign.paceMs) await pause(campaign.random() * campaign.paceMs);
    }
  }

  private async say(): Promise<boolean> {
    const { campaign, account } = this;
    const content = `${this.name} ${this.number}`;
    const again = this.queueId ? { queue_id: this.queueId, local_id: content } : {};
    const reply = await tryCall(campaign, account, 'POST', '/messages', {
      ...{ type: 'channel', to: 'general', topic: this.name, content, ...again },
    });
    const isDone = this.judge('message', reply);
    if (isDone || !this.queueId) this.number++;
    if (!isDone) return false;
    const id = Number(reply!.body['id']);
    this.acknowledged.set(id, content);
    campaign.acknowledged?.();
    const position = reply!.headers[POSITION];
    if (typeof position !== 'string') campaign.faults.push('a write told no position');
    else await this.readBack(id, content, position);
    return true;
  }

  /** What was acknowledged is there for whoever names the position, at any node. */
  private async readBack(id: number, content: string, position: string): Promise<void> {
    const { campaign, account } = this;
    const reply = await tryCall(
      campaign,
      account,
      'GET',
      `/messages/${id}`,
      { apply_markdown: false },
      { [POSITION]: position },
    );
    if (!this.judge('read', reply)) return;
    const { raw_content: raw } = reply!.body;
    // Where that is lost, its id may be given to another until who has seen it reaches the store, and all queues end.
    if (raw !== content && !campaign.mayLose)
      campaign.faults.push(`message ${id} reads ${String(raw)}, not ${content}`);
  }

  private async react(id: number): Promise<boolean> {
    const emoji = EMOJI[Math.floor(this.campaign.random() * EMOJI.length)]!;
    const given = this.reactions.get(id) ?? new Set();
    if (given.has(emoji)) return true;
    const reply = await tryCall(this.campaign, this.account, 'POST', `/messages/${id}/reactions`, {
      emoji_name: emoji,
    });
    const exists = reply?.body['code'] === 'REACTION_ALREADY_EXISTS';
    if (!exists && !this.judge('reaction', reply)) return false;
    this.reactions.set(id, given.add(emoji));
    return true;
  }

  /** Whether it was carried out; 503 and a lost connection leave that open, anything else is a fault. */
  private judge(what: string, reply: Reply | null): boolean {
    const { campaign } = this;
    count(campaign, `${what} ${reply?.status ?? 'unanswered'}`);
    if (reply === null || reply.status === 503) return false;
    if (reply.status === 200) return true;
    if (campaign.mayLose && what !== 'message') return false;
    campaign.faults.push(`${what}: ${reply.status} ${reply.text}`);
    return false;
  }
}

const EMOJI = ['octopus', 'tada', 'heart', 'working_on_it', 'smile'];

/** RoamingReader reads one queue by polls and sockets at any node, and goes on with its cursor. */
export class RoamingReader {
  /** Everything that came, in the order in which it came. */
  readonly events: WireEvent[] = [];
  /** The queue is gone, as it must be where the store lost what it had. */
  ended = false;
  private cursor: number;

  constructor(
    private readonly campaign: Campaign,
    readonly account: ApiClient,
    readonly kind: string,
    readonly queueId: string,
    cursor: number,
  ) {
    this.cursor = cursor;
  }

  /** Registers a queue at some node. */
  static async open(
    campaign: Campaign,
    account: ApiClient,
    kind: string,
    parameters: Record<string, unknown>,
  ): Promise<RoamingReader> {
    const snapshot = (await anywhere(campaign, account).okInTheEnd('POST', '/register', {
      ...parameters,
      fetch_event_types: [],
    })) as Snapshot;
    return new RoamingReader(campaign, account, kind, snapshot.queue_id, snapshot.last_event_id);
  }

  /** Reads until the campaign rests. */
  async run(): Promise<void> {
    while (!this.campaign.isResting && this.campaign.faults.length === 0 && !this.ended) {
      await this.once();
    }
  }

  /** Reads until it has had a message. */
  async catchUp(messageId: number): Promise<void> {
    const has = (): boolean => this.ended || this.messages().includes(messageId);
    for (let i = 0; !has() && this.campaign.faults.length === 0; i++) {
      await this.once();
      if (i === 500) this.campaign.faults.push(`queue ${this.queueId} stays behind ${this.cursor}`);
    }
  }

  /** Ids of the messages it was told of. */
  messages(): number[] {
    return this.events
      .filter(({ type }) => type === 'message')
      .map((event) => (event['message'] as { id: number }).id);
  }

  private once(): Promise<void> {
    return this.campaign.random() < 0.3 ? this.bySocket() : this.byPoll();
  }

  private async byPoll(): Promise<void> {
    const { campaign, account } = this;
    const signal = AbortSignal.timeout(this.stay());
    const client = anywhere(campaign, account);
    const parameters = { queue_id: this.queueId, last_event_id: this.cursor };
    const reply = await client
      .call('GET', '/events', parameters, { signal })
      .catch((error: unknown) => {
        if (error instanceof ContractError) campaign.faults.push(error.message);
        return null;
      });
    if (reply === null) await pause(1);
    else if (reply.status === 200) {
      for (const event of reply.body['events'] as WireEvent[]) this.take(event);
    } else if (reply.status === 503) await pause(COME_BACK_MS);
    else if (campaign.mayLose && reply.body['code'] === 'BAD_EVENT_QUEUE_ID') this.ended = true;
    else campaign.faults.push(`poll at ${this.cursor}: ${reply.status} ${reply.text}`);
  }

  private async bySocket(): Promise<void> {
    const { campaign, account } = this;
    const client = anywhere(campaign, account);
    const parameters = { queue_id: this.queueId, last_event_id: this.cursor };
    const socket = client.socket(parameters, { handshakeTimeout: LONGEST_STAY_MS });
    const timer = setTimeout(() => socket.terminate(), this.stay());
    socket.on('error', () => undefined);
    socket.on('unexpected-response', (_request, { statusCode }) => {
      // The next poll says which.
      const mayBeGone = campaign.mayLose && statusCode === 400;
      if (statusCode !== 503 && !mayBeGone)
        campaign.faults.push(`socket at ${this.cursor}: ${statusCode}`);
      socket.terminate();
    });
    socket.on('message', (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as { type: string; events?: WireEvent[] };
      if (frame.type === 'error' && !campaign.mayLose) campaign.faults.push(data.toString());
      for (const event of frame.events ?? []) this.take(event);
      socket.send(JSON.stringify({ type: 'ack', last_event_id: this.cursor }));
    });
    const code = await new Promise<number>((resolve) => socket.on('close', resolve));
    clearTimeout(timer);
    count(campaign, `socket closed with ${code}`);
    if (code === 4001 && !campaign.mayLose)
      campaign.faults.push(`socket at ${this.cursor}: the queue is gone`);
    // Nobody else reads this queue: a node that was paused took an earlier request of this reader for a newer one.
    if (code === 4002) count(campaign, 'superseded by itself');
    if (code !== 1005) await pause(COME_BACK_MS);
  }

  private stay(): number {
    return Math.round(20 + this.campaign.random() * LONGEST_STAY_MS);
  }

  private take(event: WireEvent): void {
    if (event.id <= this.cursor) {
      this.campaign.faults.push(
        `queue ${this.queueId}: ${event.type} ${event.id} after ${this.cursor}`,
      );
    }
    this.cursor = event.id;
    if (event.type !== 'heartbeat') this.events.push(event);
  }
}
