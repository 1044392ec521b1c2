/** Failovers of the store under load, one after the other, with what must hold after each. */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import type { ApiClient } from '../client.js';
import { RoamingReader, RoamingWriter, tryCall, type Campaign } from './roaming-clients.js';
import { differences } from './same-everywhere.js';
import { lag, type Places, type StoreMishap } from './store-mishaps.js';

/** Queues of each account: those of one see the same. */
const READERS = 2;
const WRITERS = 5;
/** Pause of a writer, milliseconds: what is looked for are failovers, not how much a machine can do. */
const PACE_MS = 60;
/** What goes on before a mishap, and after it, milliseconds. */
const LOAD_MS = { least: 300, most: 1800 };
/** How often a replica lags when the master fails. */
const LAGS = 0.6;
/** A failover without an acknowledged write after so long is a failure, milliseconds. */
const PATIENCE_MS = 60_000;

/** What a campaign is to do. */
export interface Plan {
  readonly rounds: number;
  readonly mishaps: ReadonlyMap<string, StoreMishap>;
  /** How many replicas must have what is acknowledged. With 0 the store may lose it, so that queues end. */
  readonly replicas: number;
  /** Whether writes can only go on when the machine that failed is back. */
  readonly waitsForIt: boolean;
}

/** How long one failover took, milliseconds from the failure. */
interface Times {
  readonly promoted: number;
  /** Since when the master that took the first write has had as many replicas as that needs: until then it can only wait. */
  readonly followed: number;
  readonly written: number;
}

/** FailoverCampaign drives failovers, and knows what was acknowledged and what was seen. */
export class FailoverCampaign {
  private readonly state: Campaign;
  /** Messages by id, of rounds that are over: all of them are there in the end. */
  private readonly known = new Map<number, string>();
  private readonly times = new Map<string, Times[]>();
  private readers: RoamingReader[] = [];
  private writers: RoamingWriter[] = [];
  private people: ApiClient[] = [];
  /** Messages up to here belong to rounds that are over. */
  private settledTo = 0;
  private lost = 0;
  private histories = 0;

  constructor(
    private readonly t: Test,
    private readonly places: Places,
    private readonly plan: Plan,
  ) {
    const { group, random } = places;
    const fixed = { group, random, mayLose: this.mayLose, paceMs: PACE_MS };
    this.state = { ...fixed, faults: [], counts: new Map(), isResting: true };
  }

  private get mayLose(): boolean {
    return this.plan.replicas === 0;
  }

  async run(): Promise<void> {
    const { t, state, plan, places } = this;
    const owner = await places.group.owner();
    this.people = [owner, await owner.createUser('hamlet')];
    await this.begin();
    const kinds = [...plan.mishaps];
    for (let round = 0; round < plan.rounds && t.passing(); round++) {
      const [kind, mishap] = kinds[round % kinds.length]!;
      const name = `${round + 1}: master ${kind}`;
      t.comment(`${name}${await this.round(kind, mishap)}`);
      t.same(state.faults, [], name);
      await this.check(name);
    }
    await this.checkAll();
    this.report();
  }

  /** A queue for each reader, and writers, of which every second one sends again. */
  private async begin(): Promise<void> {
    const { state, people } = this;
    this.settledTo = await this.sayInTheEnd('before the queues');
    this.readers = [];
    for (const account of people) {
      for (let i = 0; i < READERS; i++) {
        this.readers.push(await RoamingReader.open(state, account, account.email, KIND));
      }
    }
    if (this.writers.length > 0) return;
    for (let i = 0; i < WRITERS; i++) {
      const account = people[i % people.length]!;
      const again = i % 2 === 0 && !this.mayLose;
      const { queue_id: id } = await account.okInTheEnd('POST', '/register', NOTHING);
      const queue = again ? String(id) : undefined;
      this.writers.push(new RoamingWriter(state, account, `writer ${i}`, queue));
    }
  }

  private async round(kind: string, mishap: StoreMishap): Promise<string> {
    const { state, places, plan } = this;
    const { store, group, random } = places;
    state.isResting = false;
    const all = Promise.all([...this.readers, ...this.writers].map((one) => one.run()));
    const ended = new AbortController();
    const lagging = random() < LAGS ? lag(places, ended.signal) : null;
    await pause(LOAD_MS.least + random() * (LOAD_MS.most - LOAD_MS.least));
    const promotion = store.promotion();
    const { promotions } = store;
    const began = Date.now();
    const end = await mishap(places);
    // One that stands still may be the one that is to be promoted: it goes on now and then.
    await this.inTime(promotion, 'a promotion');
    ended.abort();
    await lagging;
    const promoted = store.promotedAt - began;
    let from = began;
    if (plan.waitsForIt) {
      await end();
      await store.whole();
      from = Date.now() - promoted;
    }
    const wrote = new AbortController();
    const following = store.followedSince(plan.replicas, wrote.signal);
    const at = await this.nextAcknowledged().finally(() => wrote.abort());
    const written = at - from;
    const followed = Math.max(promoted, ((await following) ?? at) - from);
    const times = store.promotions - promotions;
    if (!plan.waitsForIt) await end();
    this.times.set(kind, [...(this.times.get(kind) ?? []), { promoted, followed, written }]);
    await pause(random() * LOAD_MS.most);
    await store.whole();
    await group.settled();
    state.isResting = true;
    await all;
    const seen = [
      ...(lagging ? ['a replica lags'] : []),
      `a replica after ${promoted} ms${times > 1 ? ` (${times} promotions)` : ''}`,
      `${plan.replicas} follow after ${followed} ms, writes after ${written} ms`,
    ];
    return `, ${seen.join(', ')}`;
  }

  /** When a message was acknowledged next. */
  private async nextAcknowledged(): Promise<number> {
    const next = new Promise<void>((resolve) => {
      this.state.acknowledged = resolve;
    });
    await this.inTime(next, 'an acknowledged write');
    return Date.now();
  }

  private async inTime(what: Promise<void>, name: string): Promise<void> {
    const gone = new AbortController();
    const late = pause(PATIENCE_MS, true, { signal: gone.signal }).catch(() => false);
    const isLate = await Promise.race([what.then(() => false), late]);
    gone.abort();
    if (isLate)
      throw new Error(
        `${name} does not come: ${this.places.group.output}${this.places.store.output}`,
      );
  }

  /** @returns id of a message that is sent as often as necessary */
  private async sayInTheEnd(content: string): Promise<number> {
    const message = { type: 'channel', to: 'general', topic: 'end', content };
    for (;;) {
      const reply = await tryCall(this.state, this.people[0]!, 'POST', '/messages', message);
      if (reply?.status === 200) return Number(reply.body['id']);
      await pause(25);
    }
  }

  /** What holds whenever all rest. */
  private async check(name: string): Promise<void> {
    const { t, state, mayLose, readers, writers } = this;
    const last = await this.sayInTheEnd(`end of ${name}`);
    await Promise.all(readers.map((reader) => reader.catchUp(last)));
    const stored = await this.messagesAfter(this.settledTo);
    const acknowledged = writers.flatMap((one) => [...one.acknowledged]);
    // One that got no answer in a round is sent again in the next, and answered with what came of it then.
    const there = (id: number): string | undefined => stored.get(id) ?? this.known.get(id);
    const lost = acknowledged
      .filter(([id, content]) => there(id) !== content)
      .map(([id, content]) => `${id}: ${there(id)} instead of ${content}`);
    const ended = readers.filter((one) => one.ended);
    if (mayLose) {
      if (lost.length > 0) t.equal(ended.length, readers.length, `${name}: all hear of the loss`);
    } else {
      t.same(lost, [], `${name}: every acknowledged message is there`);
    }
    this.lost += lost.length;
    this.histories += ended.length > 0 ? 1 : 0;
    const contents = [...stored.values()].filter((content) => content.startsWith('writer'));
    t.equal(new Set(contents).size, contents.length, `${name}: nothing was carried out twice`);
    const expected = [...stored.keys()].join();
    const living = readers.filter((one) => !one.ended);
    const wrong = living.filter((one) => one.messages().join() !== expected);
    t.same(
      wrong.map((one) => `${one.queueId} has ${one.messages().join()} of ${expected}`),
      [],
      `${name}: every queue got each message that is there once, in order, and no other`,
    );
    for (const one of living) {
      const other = living.find(({ account }) => account === one.account)!;
      t.ok(isDeepStrictEqual(one.events, other.events), 'queues of an account got the same');
    }
    for (const one of living) one.events.length = 0;
    for (const [id, content] of stored) this.known.set(id, content);
    for (const one of writers) one.acknowledged.clear();
    this.settledTo = last;
    state.counts.set('messages', (state.counts.get('messages') ?? 0) + acknowledged.length);
    if (!t.passing()) t.comment(this.places.group.output + this.places.store.output);
    if (ended.length > 0) await this.begin();
  }

  /** In the end everything that was found after a round is still there, and nodes agree. */
  private async checkAll(): Promise<void> {
    const { t, places, people, mayLose, known } = this;
    if (!mayLose) {
      const stored = await this.messagesAfter(0);
      const gone = [...known].filter(([id, content]) => stored.get(id) !== content);
      t.same(gone, [], 'what was there after a round is there in the end');
    }
    t.same(await differences(places.group, people), [], 'the nodes have the same organization');
  }

  private async messagesAfter(id: number): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (let anchor = id; ;) {
      const page = await this.people[0]!.at(this.places.group.leader!.url).okInTheEnd(
        'GET',
        '/messages',
        {
          ...{ anchor, num_before: 0, num_after: 5000, include_anchor: false },
          ...{ apply_markdown: false, narrow: [{ operator: 'channel', operand: 'general' }] },
        },
      );
      const messages = page['messages'] as { id: number; content: string }[];
      for (const message of messages) found.set(message.id, message.content);
      if (page['found_newest'] === true) return found;
      anchor = messages.at(-1)!.id;
    }
  }

  private report(): void {
    const { t, state, lost, histories } = this;
    const all = [...this.times.values()].flat();
    for (const [kind, times] of [...this.times, ['all', all] as const]) {
      const of = (one: (times: Times) => number): string => {
        const sorted = times.map(one).sort((a, b) => a - b);
        return `${sorted[sorted.length >> 1]} (worst ${sorted.at(-1)})`;
      };
      const since = of(({ promoted, written }) => written - promoted);
      const waited = of(({ followed, written }) => written - followed);
      t.comment(
        `${kind}: ${times.length} failovers; a replica was master after ${of((one) => one.promoted)} ms, ` +
          `writes went on after ${of((one) => one.written)} ms, ${since} ms later, ` +
          `${waited} ms after enough replicas followed it`,
      );
    }
    const counts = [...state.counts].map(([name, n]) => `${name}: ${n}`).sort();
    t.comment(`${counts.join(', ')}; ${lost} lost, ${histories} histories begun`);
  }
}

const KIND = { event_types: ['message', 'reaction'] };
const NOTHING = { event_types: ['restart'], fetch_event_types: [] };
