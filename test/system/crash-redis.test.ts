import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../src/store/fixtures/redis-server.js';
import {
  checkRound,
  readAllMessages,
  registerPollers,
  sayInTheEnd,
  Whistle,
  writeUntilGone,
} from './harness/crash-clients.js';
import { startOrganization } from './harness/organization.js';
import { scaled, seeded, seedOfRun } from './harness/scale.js';

const ROUNDS = scaled(4, 20);
const QUEUES = 200;
const WRITERS = 8;
/** A round lasts between these, milliseconds. */
const SHORTEST = 200;
const LONGEST = 1200;
/** Redis stays away up to this long, milliseconds: less and more than a request waits. */
const AWAY = 1500;

const VICTIMS = ['Parley', 'Redis', 'both'] as const;

// Loaded machines take long to start processes.
t.setTimeout(scaled(240_000, 900_000));

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const title = `${ROUNDS} crashes of Parley, Redis or both lose nothing that was acknowledged`;
  void t.test(title, async (t) => {
    const seed = seedOfRun();
    const random = seeded(seed);
    t.comment(`seed ${seed} (PARLEY_TEST_SEED), ${QUEUES} pollers, ${WRITERS} writers`);
    const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const organization = await startOrganization(t, {
      store: freshUrl(redis.port),
      env: { PARLEY_LEASE: '2', PARLEY_STORE_WAIT: '1', PARLEY_LOG: 'silent' },
    });
    let { server } = organization;
    const people = [organization.owner, organization.hamlet, organization.iago];
    const before = await organization.owner.say('before any queue');
    const owners = Array.from({ length: QUEUES }, (_, i) => people[i % people.length]!);
    const pollers = await registerPollers(owners);
    const acknowledged = new Map<number, string>();
    const killed = { Parley: 0, Redis: 0, both: 0 };

    for (let round = 1; round <= ROUNDS; round++) {
      // The first rounds kill each once; then it is left to chance.
      const victim = VICTIMS[round <= 3 ? round - 1 : Math.floor(random() * 3)]!;
      killed[victim] += 1;
      const whistle = new Whistle();
      pollers.forEach((poller, i) => poller.start(owners[i]!.at(server.url), whistle));
      const writing = Array.from({ length: WRITERS }, (_, i) => {
        const writer = people[i % people.length]!.at(server.url);
        return writeUntilGone(writer, `${round}.${i}`, acknowledged, whistle);
      });
      await pause(SHORTEST + random() * (LONGEST - SHORTEST));
      const kills = [];
      if (victim !== 'Redis') kills.push(server.kill());
      if (victim !== 'Parley') kills.push(redis.kill());
      await Promise.all(kills);
      if (victim !== 'Parley') {
        await pause(random() * AWAY);
        await redis.start();
      }
      if (victim !== 'Redis') {
        await Promise.all([...writing, ...pollers.map((poller) => poller.stopped())]);
        server = await server.restart(t);
      }
      const marker = await sayInTheEnd(organization.owner.at(server.url), `end ${round}`);
      acknowledged.set(marker, `end ${round}`);
      whistle.blow();
      await Promise.all(writing);
      // Wakes whoever still waits.
      const last = await sayInTheEnd(organization.owner.at(server.url), `after ${round}`);
      await Promise.all(pollers.map((poller) => poller.stopped()));
      await Promise.all(
        pollers.map((poller, i) => poller.catchUp(owners[i]!.at(server.url), last)),
      );
      const stored = await readAllMessages(organization.hamlet.at(server.url));
      checkRound(t, `round ${round}, ${victim}`, pollers, acknowledged, stored, before);
    }
    const counts = Object.entries(killed).map(([name, count]) => `${name} ${count}`);
    t.comment(`${acknowledged.size} messages acknowledged; killed: ${counts.join(', ')}`);
  });
}
