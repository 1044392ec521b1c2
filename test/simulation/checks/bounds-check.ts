import type { SimProcess } from '../node/process.js';
import type { World } from '../world/world.js';

/** How often it looks, milliseconds. */
const EVERY_MS = 1000;

/** What a process has of timers beside those of its connections, and with each of these. */
const MOST_TIMERS = 60;
const TIMERS_PER_CONNECTION = 6;
/** What the other side of a connection has not taken, bytes: of the longest that stands still, and of a file. */
const MOST_UNSENT = 4 * 1024 * 1024;

/** Looks all the time at what processes hold, which no failure may let grow without bound. */
export class BoundsCheck {
  constructor(private readonly world: World) {}

  start(): void {
    const { world } = this;
    world.scheduler.in(EVERY_MS, () => {
      for (const { name, process } of world.nodes) {
        if (process && !process.isDead) this.look(name, process);
      }
      if (!world.isOver) this.start();
    });
  }

  private look(name: string, process: SimProcess): void {
    const { world } = this;
    const { timers, connections } = process.load;
    world.most('timers of a process', timers);
    world.most('connections of a process', connections);
    if (timers > MOST_TIMERS + TIMERS_PER_CONNECTION * connections) {
      world.fault(`${name}: ${timers} timers with ${connections} connections`);
    }
    let most = 0;
    for (const { unsent } of process.ends) most = Math.max(most, unsent);
    world.most('bytes that a connection has not taken', most);
    if (most > MOST_UNSENT) world.fault(`${name}: ${most} bytes wait for one connection`);
  }
}
