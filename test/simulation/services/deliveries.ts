import type { StoreCheck } from '../checks/store-check.js';
import { maySee } from '../checks/visibility.js';
import type { SimProcess } from '../node/process.js';
import type { World } from '../world/world.js';
import type { Fate } from './service-host.js';

/** All is delivered so long after the last fault ended, milliseconds: a mail's third attempt, and what delays it. */
const DELIVERED_MS = 180_000;
const LOOK_MS = 500;

/** A message of a correspondent names itself, so that whoever meets its text can tell. */
const NAME = /\boutgoing-\d+-\d+\b/g;
const NOTICE = /#narrow\/near\/(\d+)/;

/** What a bot answers to a message. */
export function answerTo(name: string): string {
  return name.replace('outgoing', 'answer');
}

/** The first message of a correspondent that a text has. */
export function nameIn(text: string): string | null {
  return text.match(NAME)?.[0] ?? null;
}

/** What is to leave the server because of a message. */
export interface Expected {
  readonly name: string;
  /** By which services. */
  readonly by: readonly ('mail' | 'push' | 'hook')[];
  /** Whether it is a direct message, which no later mail shows again. */
  readonly isDirect: boolean;
}

/** One thing that is delivered, as a service reads it. */
export interface Delivery {
  /** What two attempts at it have in common. */
  readonly key: string;
  /** For whom it is; null where nobody has the address. */
  readonly userId: number | null;
  readonly text: string;
}

/** When a process was told that something had arrived. */
interface Received {
  /** How often the role of the writer had been given. */
  readonly sessions: number;
}

/**
 * What must hold of all that leaves the server: nothing before its message is durable, nothing to who may not see it,
 * nothing again by a leader that was told that it had arrived, and in the end all of it.
 */
export class Deliveries {
  readonly expected: Expected[] = [];
  /** Messages by their names that the store has, or had. */
  private readonly durable = new Set<string>();
  /** What each process was told of, by service and key. */
  private readonly received = new WeakMap<SimProcess, Map<string, Received>>();
  /** Direct messages by service and name, with the key under which each was taken. */
  private readonly keys = new Map<string, string>();
  /** Service and name of what was taken, and of what was refused for good. */
  private readonly settled = new Set<string>();
  /** Losses of the store when all was delivered last: since another one, what was delivered may be so again. */
  private losses = 0;

  constructor(
    private readonly world: World,
    private readonly storeCheck: StoreCheck,
  ) {
    storeCheck.created = (text) => {
      for (const name of text.match(NAME) ?? []) this.durable.add(name);
    };
  }

  /** A correspondent is about to send a message. */
  expect(expected: Expected): void {
    this.expected.push(expected);
  }

  /** A service got something. @returns called once its sender was told that it was taken */
  arrived(service: string, delivery: Delivery, fate: Fate, sender: SimProcess): () => void {
    const { world } = this;
    const { key, userId, text } = delivery;
    const names = new Set(text.match(NAME));
    const what = `${service}: ${key} of ${sender.machine.name}`;
    world.tell(service, `${key}, ${[...names].join(' ')}: ${fate}`);
    world.counted(`${service}: ${fate}`);
    for (const name of names) {
      if (!this.durable.has(name)) world.fault(`${what} has ${name} before that is durable`);
    }
    if (userId !== null && !maySee(userId, text)) {
      world.fault(
        `${what} is for ${userId}, who may not see it: ${JSON.stringify(text.slice(0, 400))}`,
      );
    }
    const id = `${service} ${key}`;
    if (this.isOnce && this.received.get(sender)?.get(id)?.sessions === this.sessions) {
      world.fault(`${what} comes again from the leader that was told of its arrival`);
    }
    if (fate === 'refused') return () => undefined;
    for (const name of names) this.settle(service, name, key, fate);
    return () => {
      if (fate !== 'taken') return;
      const known = this.received.get(sender) ?? new Map<string, Received>();
      this.received.set(sender, known.set(id, { sessions: this.sessions }));
    };
  }

  /** All that should have left the server has, for each message that the journal has. */
  async settledAll(when: string): Promise<void> {
    const { world } = this;
    const { scheduler } = world;
    const end = scheduler.now + DELIVERED_MS;
    for (;;) {
      const [missing] = this.missing();
      if (world.isOver) return;
      if (missing === undefined) break;
      if (scheduler.now >= end) {
        world.fault(`${when}: ${missing} after ${DELIVERED_MS} ms`);
        return;
      }
      await scheduler.pause(LOOK_MS);
    }
    this.losses = world.losses.length;
  }

  /** Whether nothing that was acknowledged is gone since all was delivered. */
  private get isOnce(): boolean {
    return this.world.losses.length === this.losses;
  }

  private get sessions(): number {
    return this.storeCheck.sessions.length;
  }

  private settle(service: string, name: string, key: string, fate: Fate): void {
    const id = `${service} ${name}`;
    this.settled.add(id);
    if (fate !== 'taken') return;
    const isDirect = this.expected.find((one) => one.name === name)?.isDirect ?? false;
    const former = this.keys.get(id);
    if (isDirect && this.isOnce && former !== undefined && former !== key) {
      this.world.fault(`${service}: ${name} is in ${key}, and was in ${former}`);
    }
    this.keys.set(id, key);
  }

  /** What has not left the server, and answers that are there more or less than once. */
  private missing(): string[] {
    const { world } = this;
    const ids = new Map<string, number>();
    const answers = new Map<string, number>();
    const count = (key: string): void => void answers.set(key, (answers.get(key) ?? 0) + 1);
    for (const [id, text] of this.storeCheck.createdMessages) {
      const name = nameIn(text);
      if (name !== null) ids.set(name, id);
      const [answer] = /\banswer-\d+-\d+\b/.exec(text) ?? [];
      if (answer !== undefined) count(answer);
      const [, about] = NOTICE.exec(text) ?? [];
      if (about !== undefined) count(`message ${about}`);
    }
    const missing: string[] = [];
    for (const { name, by } of this.expected) {
      const id = ids.get(name);
      if (id === undefined) continue;
      for (const service of by) {
        if (!this.settled.has(`${service} ${name}`)) missing.push(`${service} has no ${name}`);
      }
      if (!by.includes('hook')) continue;
      const said = (answers.get(answerTo(name)) ?? 0) + (answers.get(`message ${id}`) ?? 0);
      if (said === 0) missing.push(`nothing came of ${name} to the bot`);
      if (said > 1) world.fault(`${name} to the bot is answered ${said} times`);
    }
    return missing;
  }
}
