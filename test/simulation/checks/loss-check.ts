import type { SimProcess } from '../node/process.js';
import type { World } from '../world/world.js';
import type { GoesOn, Loss, StoreCheck } from './store-check.js';

/** Another history begins so long after the last fault ended, milliseconds: nodes load, and leases end. */
const NOTICED_MS = 40_000;
const LOOK_MS = 100;

/**
 * What must come of positions that the store lost: who has seen one of them begins another history, as soon as it finds
 * the store to go on with something else; nobody else does. Until then clients may see anything. Where nobody lives who
 * has seen them, nobody can know (failures.md#history).
 */
export class LossCheck {
  /** What is known of losses behind which the same history goes on, and who has seen them. */
  private owed: { readonly what: string; readonly loss: Loss; readonly knowers: SimProcess[] }[] =
    [];
  /** Where the newest of all histories began. */
  private newestBegan = 0;
  /** Losses that no history has followed yet. */
  private open = 0;
  /** The newest position of these. */
  private through = 0;

  constructor(
    private readonly world: World,
    private readonly storeCheck: StoreCheck,
    /** The host whose command changes the store. */
    private readonly writing: () => string,
  ) {}

  /** A replica took over. @returns whether positions are gone */
  failedOver(lose: () => void): boolean {
    const { world, storeCheck } = this;
    const told = world.replicated?.kept ?? Infinity;
    const loss = storeCheck.failedOver(told, (how, seq) => {
      this.wentOn(how, seq, loss);
      if (how === 'behind') lose();
    });
    if (loss.after === loss.through) return false;
    world.tell('store', `lost positions ${loss.after + 1} to ${loss.through}`);
    world.losses.push(loss);
    this.open++;
    this.through = Math.max(this.through, loss.through);
    lose();
    return true;
  }

  /** Another history begins. */
  began(seq: number): void {
    const { world } = this;
    if (this.open === 0) world.fault(`another history begins at ${seq}, and nothing was lost`);
    if (this.owed.length > 0) world.counted('histories that ended because a node had seen more');
    // Who begins it may have seen less than is lost, and who has seen the rest begins yet another.
    if (seq > this.through) this.open = this.through = 0;
    this.owed = [];
    this.newestBegan = Math.max(this.newestBegan, seq);
    world.owed = null;
    world.histories++;
    world.tell('store', `another history begins at ${seq}`);
  }

  /**
   * What must be noticed is noticed soon.
   * @param restedAt when the last fault ended: clients that slept then may have come to their end much later
   */
  async settled(restedAt: number): Promise<void> {
    const { world } = this;
    const end = restedAt + NOTICED_MS;
    while (world.owed !== null && world.scheduler.now < end) await world.scheduler.pause(LOOK_MS);
    for (const { what, loss, knowers } of this.owed) {
      const knower = knowers.find((one) => this.knows(one, loss));
      if (knower) world.fault(`${what}, which ${knower.machine.name} has seen`);
      else world.undecided = `${what}: who has seen them lives no more`;
    }
  }

  private wentOn(how: GoesOn, seq: number, loss: Loss): void {
    const { world } = this;
    const name = this.writing();
    const all = world.nodes.flatMap(({ process }) => (process ? [process] : []));
    const knowers = all.filter((one) => this.knows(one, loss));
    const knower = knowers.find(({ machine }) => machine.name === name);
    if (how === 'anew') {
      if (knower && knower.known >= this.newestBegan && seq <= world.newestTold) {
        world.fault(
          `${name} has seen another history, which came to ${world.newestTold}, and begins one at ${seq}`,
        );
      }
      this.began(seq);
      return;
    }
    if (how === 'again') {
      // Nothing else stands there; the loss has become smaller by that.
      if (loss.after === loss.through) this.open--;
      return;
    }
    const what = `positions ${loss.after + 1} to ${loss.through} are gone, and ${name}`;
    const isTold = world.newestTold > loss.after;
    if (knower && isTold) {
      world.fault(`${what}, which has seen them, goes on at ${seq}`);
      return;
    }
    // Of earlier losses, too, which a history has followed that is gone now.
    for (const { after, messages } of world.losses) {
      if (after >= loss.after) for (const id of messages) world.givenAgain.add(id);
    }
    if (knowers.length === 0 && !isTold) {
      world.doubt = `${what} goes on, and somebody may yet be told of them`;
      return;
    }
    // The file of a process that is over may tell its successor.
    this.owed.push({ what: `${what} goes on at ${seq}`, loss, knowers });
    world.owed = what;
    world.tell('store', `${what} goes on at ${seq}; seen by ${names(knowers)}`);
  }

  private knows(process: SimProcess, loss: Loss): boolean {
    return this.lives(process) && process.known > loss.after;
  }

  private lives(process: SimProcess): boolean {
    return this.world.nodes.some((node) => node.process === process);
  }
}

function names(processes: readonly SimProcess[]): string {
  return processes.map(({ machine }) => machine.name).join(' and ') || 'none that lives';
}
