import type { Client, Event, User } from '../../../client/index.js';
import { ALPHABET } from '../times.js';

type PersonEvent = Extract<Event, { type: 'realm_user' }>;

/** Pause before the list is asked for again where there was no answer. Milliseconds. */
const AGAIN_MS = 3000;

/**
 * Everybody of the organization, by id: first those near the reader, as the snapshot has them, and once something is drawn
 * all others, who are megabytes among many thousands.
 */
export class Everybody extends Map<number, User> {
  /** Whether somebody who is not here is in the organization nowhere. */
  isWhole = false;
  /** What was heard while the list was under way: it may be older. */
  private readonly heard: PersonEvent[] = [];
  /** Snapshots so far: a list that was asked for before the last one is of no use. */
  private round = 0;
  private isLoading = false;
  /** Who waits until all are here. */
  private waiting: (() => void)[] = [];
  /** All by name; absent after a change. */
  private sorted: readonly User[] | undefined;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {
    super();
  }

  get byName(): readonly User[] {
    return (this.sorted ??= [...this.values()].sort((a, b) =>
      ALPHABET.compare(a.full_name, b.full_name),
    ));
  }

  override set(id: number, user: User): this {
    this.sorted = undefined;
    return super.set(id, user);
  }

  /** @param near those of the snapshot, after which events come */
  start(near: readonly User[]): void {
    for (const user of near) this.set(user.user_id, user);
    this.heard.length = 0;
    this.round += 1;
    this.isWhole = false;
    this.isLoading = false;
  }

  /** Asks for all, unless they are here or on their way. */
  load(): void {
    if (this.isWhole || this.isLoading) return;
    this.isLoading = true;
    void this.ask(this.round);
  }

  /** Resolves once all are here. */
  async whole(): Promise<void> {
    this.load();
    if (!this.isWhole) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  apply(event: PersonEvent): void {
    if (!this.isWhole) this.heard.push(event);
    const { op, person } = event;
    const known = this.get(person.user_id);
    if (op === 'add') this.set(person.user_id, person);
    else if (op === 'update' && known) this.set(person.user_id, { ...known, ...person });
  }

  private async ask(round: number): Promise<void> {
    while (round === this.round) {
      try {
        const { members } = await this.client.call('GET /users', { client_gravatar: false });
        if (round !== this.round) return;
        for (const one of members) this.set(one.user_id, one);
        this.isWhole = true;
        for (const event of this.heard.splice(0)) this.apply(event);
        for (const resolve of this.waiting.splice(0)) resolve();
        return this.changed();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }
}
