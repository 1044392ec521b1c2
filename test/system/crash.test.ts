import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import {
  checkRound,
  readAllMessages,
  registerPollers,
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

void t.test(`${ROUNDS} crashes lose nothing that was acknowledged`, async (t) => {
  const seed = seedOfRun();
  const random = seeded(seed);
  t.comment(`seed ${seed} (PARLEY_TEST_SEED), ${QUEUES} pollers, ${WRITERS} writers`);
  const organization = await startOrganization(t);
  let { server } = organization;
  const people = [organization.owner, organization.hamlet, organization.iago];
  const before = await organization.owner.say('before any queue');
  const owners = Array.from({ length: QUEUES }, (_, i) => people[i % people.length]!);
  const pollers = await registerPollers(owners);
  const acknowledged = new Map<number, string>();

  for (let round = 1; round <= ROUNDS; round++) {
    const never = new Whistle();
    pollers.forEach((poller, i) => poller.start(owners[i]!.at(server.url), never));
    const writing = Array.from({ length: WRITERS }, (_, i) => {
      const writer = people[i % people.length]!.at(server.url);
      return writeUntilGone(writer, `${round}.${i}`, acknowledged, never);
    });
    await pause(SHORTEST + random() * (LONGEST - SHORTEST));
    await server.kill();
    await Promise.all([...writing, ...pollers.map((poller) => poller.stopped())]);

    server = await server.restart(t);
    const marker = await organization.owner.at(server.url).say(`end of round ${round}`);
    acknowledged.set(marker, `end of round ${round}`);
    await Promise.all(
      pollers.map((poller, i) => poller.catchUp(owners[i]!.at(server.url), marker)),
    );
    const stored = await readAllMessages(organization.hamlet.at(server.url));
    checkRound(t, `round ${round}`, pollers, acknowledged, stored, before);
  }
  t.comment(`${acknowledged.size} messages acknowledged`);
});
