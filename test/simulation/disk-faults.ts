import type { Fault } from './faults.js';
import type { SimNode } from './node/node.js';
import type { Random } from './world/random.js';
import type { World } from './world/world.js';

/**
 * Faults of the disk of a machine, and of its files.
 * @param victim whom something happens to
 * @param away how long something lasts, milliseconds
 */
export function diskFaults(
  victim: (world: World, random: Random) => SimNode,
  away: (world: World, random: Random) => number,
): Readonly<Record<string, Fault>> {
  return {
    'disk-full': {
      about: 'the disk of a machine is full',
      happen: async (world, random) => {
        const node = victim(world, random);
        world.tell(node.name, 'has a full disk');
        node.disk.isFull = true;
        node.disk.isCopying = random.chance(0.5);
        await world.scheduler.pause(away(world, random));
        node.disk.isFull = false;
      },
    },
    'disk-slow': {
      about: 'the disk of a machine takes long',
      happen: async (world, random) => {
        const node = victim(world, random);
        world.tell(node.name, 'has a slow disk');
        node.disk.slowMs = random.between(50, 1000);
        await world.scheduler.pause(away(world, random));
        node.disk.slowMs = 1;
      },
    },
    'files-fail': {
      about:
        'files of a machine fail, but those of the store: EMFILE for want of a descriptor, or EIO',
      happen: async (world, random) => {
        const node = victim(world, random);
        const code = random.pick(['EMFILE', 'EIO'] as const);
        const share = random.pick([0.1, 0.5, 1]);
        const calls = random.fork('calls');
        world.tell(node.name, `has files of which ${share * 100} % of the calls fail with ${code}`);
        const fails = (): boolean =>
          calls.chance(share) && (world.counted(`calls with ${code}`), true);
        const failing = { code, fails };
        node.disk.failing = failing;
        await world.scheduler.pause(away(world, random));
        if (node.disk.failing === failing) node.disk.failing = null;
      },
    },
  };
}
