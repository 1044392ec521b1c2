import { ENDING, FAULTS } from './faults.js';
import type { Plan } from './plan.js';
import type { Random } from './world/random.js';
import type { World } from './world/world.js';

/** Faults that begin at the same moment. */
const MOST_MEETING = 3;

/** Disturber lets the faults of a plan happen. */
export class Disturber {
  /** Faults that were made to happen. */
  mishaps = 0;
  /** Faults that were begun, whether they found something to happen to or not. */
  private begun = 0;
  /** When a process was ended last, milliseconds. */
  private endedAt = -Infinity;

  constructor(
    private readonly world: World,
    private readonly plan: Plan,
    private readonly random: Random,
  ) {}

  /** Lets faults happen for a while, several at once too; all are over afterwards. */
  async disturb(ms: number): Promise<void> {
    const { world, plan } = this;
    const { scheduler } = world;
    const random = this.random.fork(`faults at ${scheduler.now}`);
    const end = scheduler.now + ms;
    const going: Promise<void>[] = [];
    while (!world.isOver) {
      const next = scheduler.now + random.between(0, 2 * plan.faultEveryMs);
      await scheduler.pause(Math.min(next, end) - scheduler.now);
      if (next >= end) break;
      if (plan.faults.length === 0) continue;
      const names = [random.pick(plan.faults)];
      while (names.length < MOST_MEETING && random.chance(plan.meets)) {
        names.push(random.pick(plan.faults));
      }
      world.meeting = names.length > 1 ? { victim: null, ms: null } : null;
      const others = plan.faults.filter((name) => !ENDING.has(name));
      for (const drawn of new Set(names)) {
        const isSpared = this.spares(drawn);
        if (isSpared && others.length === 0) continue;
        const name = isSpared ? random.pick(others) : drawn;
        const { missed } = world;
        going.push(FAULTS[name]!.happen(world, random.fork(`${name} ${++this.begun}`)));
        if (world.missed > missed) continue;
        this.mishaps++;
        world.counted(`fault ${name}`);
      }
      world.meeting = null;
    }
    await Promise.all(going);
  }

  /** Whether a fault would end a process too soon after another. */
  private spares(name: string): boolean {
    if (!ENDING.has(name)) return false;
    const { now } = this.world.scheduler;
    if (now < this.endedAt + this.plan.sparedMs) return true;
    this.endedAt = now;
    return false;
  }
}
