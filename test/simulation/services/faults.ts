import type { Random } from '../world/random.js';
import type { World } from '../world/world.js';
import type { Mood, ServiceHost } from './service-host.js';

type Away = (world: World, random: Random) => number;

interface Fault {
  readonly about: string;
  readonly happen: (world: World, random: Random) => Promise<void>;
}

/** What a fault does to a service, by its name. */
const MOODS: Readonly<Record<string, { readonly mood: Mood; readonly about: string }>> = {
  'services-refuse': {
    mood: 'refuses',
    about: 'a mail, push or webhook server takes nothing for a while',
  },
  'services-reject': {
    mood: 'rejects',
    about: 'a mail, push or webhook server takes nothing, and says that it never will',
  },
  'services-stall': {
    mood: 'stalls',
    about: 'a mail, push or webhook server stands still, and does afterwards what it was told',
  },
  'services-lose-replies': {
    mood: 'loses-replies',
    about: 'a mail, push or webhook server takes what it gets, and its connections break then',
  },
};

const CUT = 'services-cut';

/** Faults of what takes mails, pushes and calls. */
export const OF_SERVICES: ReadonlySet<string> = new Set([...Object.keys(MOODS), CUT]);

/** @param away how long a fault lasts, milliseconds */
export function serviceFaults(away: Away): Record<string, Fault> {
  const chosen = (world: World, random: Random): ServiceHost | null => {
    if (world.services.length > 0) return random.pick(world.services);
    world.missed++;
    return null;
  };
  const faults: Record<string, Fault> = {};
  for (const [name, { mood, about }] of Object.entries(MOODS)) {
    const happen = async (world: World, random: Random): Promise<void> => {
      const service = chosen(world, random);
      if (!service) return;
      const ms = away(world, random);
      world.tell(service.name, `${mood} for ${Math.round(ms)} ms`);
      service.mood = mood;
      await world.scheduler.pause(ms);
      // Another one may have begun since.
      if (service.mood === mood) service.mood = 'well';
    };
    faults[name] = { about, happen };
  }
  faults[CUT] = {
    about:
      'nodes and a mail, push or webhook server do not reach each other, in one direction or both',
    happen: async (world, random) => {
      const service = chosen(world, random);
      if (!service) return;
      const ms = away(world, random);
      const ways = random.pick([['there'], ['back'], ['there', 'back']]);
      const breaking = random.chance(0.5);
      const what = `nodes and ${service.name}: ${ways.join(' and ')} is cut`;
      world.tell('network', `${what} for ${Math.round(ms)} ms`);
      const each = (act: (from: string, to: string) => void): void => {
        for (const { name } of world.nodes) {
          if (ways.includes('there')) act(name, service.name);
          if (ways.includes('back')) act(service.name, name);
        }
      };
      each((from, to) => world.network.cut(from, to));
      await world.scheduler.pause(ms);
      each((from, to) => world.network.heal(from, to, breaking));
    },
  };
  return faults;
}
