import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import type { ApiClient } from '../client.js';
import {
  checkRound,
  readAllMessages,
  registerPollers,
  sayInTheEnd,
  Whistle,
  writeUntilGone,
  type CrashPoller,
} from './crash-clients.js';
import type { SmallOrganization } from '../organization.js';

/** An account's client as it reaches the server now. */
export type Connect = (account: ApiClient) => ApiClient;

export interface CrowdSize {
  readonly queues: number;
  readonly writers: number;
}

/** What goes on until a crash: writers write, and every queue is polled. */
export interface Round {
  readonly whistle: Whistle;
  /** Settles when the last writer found the server gone, or heard the whistle. */
  readonly writing: Promise<unknown>;
}

/** Waits for a random time, milliseconds, in which a round goes on. */
export function someTime(random: () => number, shortest: number, longest: number): Promise<void> {
  return pause(shortest + random() * (longest - shortest));
}

/** The people of an organization, who poll and write through crashes, and what they were told. */
export class CrashCrowd {
  /** Contents of the messages whose sending was answered with success, by id. */
  readonly acknowledged = new Map<number, string>();

  private constructor(
    private readonly people: readonly ApiClient[],
    private readonly pollers: readonly CrashPoller[],
    private readonly writers: number,
    /** The newest message from before there were queues. */
    private readonly before: number,
  ) {}

  /** Registers queues for everybody in turn. */
  static async gather(
    t: Test,
    { owner, hamlet, iago }: SmallOrganization,
    { queues, writers }: CrowdSize,
  ): Promise<CrashCrowd> {
    t.comment(`${queues} pollers, ${writers} writers`);
    const people = [owner, hamlet, iago];
    const before = await owner.say('before any queue');
    const owners = Array.from({ length: queues }, (_, i) => people[i % people.length]!);
    return new CrashCrowd(people, await registerPollers(owners), writers, before);
  }

  /** Everybody begins; what is written bears the name of the round. */
  begin(name: string | number, connect: Connect): Round {
    const whistle = new Whistle();
    this.pollers.forEach((poller, i) => poller.start(connect(this.person(i)), whistle));
    const writing = Array.from({ length: this.writers }, (_, i) =>
      writeUntilGone(connect(this.person(i)), `${name}.${i}`, this.acknowledged, whistle),
    );
    return { whistle, writing: Promise.all(writing) };
  }

  /** When no poller polls any more. */
  async stopped(): Promise<void> {
    await Promise.all(this.pollers.map((poller) => poller.stopped()));
  }

  /** Ends a round on a server that is there again: writers and pollers come to rest. */
  async end(name: string | number, { whistle, writing }: Round, connect: Connect): Promise<void> {
    const owner = connect(this.people[0]!);
    const content = `end ${name}`;
    this.acknowledged.set(await sayInTheEnd(owner, content), content);
    whistle.blow();
    await writing;
    // Wakes whoever still waits.
    const last = await sayInTheEnd(owner, `after ${name}`);
    await this.stopped();
    await Promise.all(
      this.pollers.map((poller, i) => poller.catchUp(connect(this.person(i)), last)),
    );
  }

  /** What was acknowledged is there, and every queue saw each message that is there exactly once. */
  async check(t: Test, name: string, connect: Connect): Promise<void> {
    const stored = await readAllMessages(connect(this.people[1]!));
    checkRound(t, name, this.pollers, this.acknowledged, stored, this.before);
  }

  private person(i: number): ApiClient {
    return this.people[i % this.people.length]!;
  }
}
