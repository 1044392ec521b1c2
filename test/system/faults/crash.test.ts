import t from 'tap';
import type { ApiClient } from '../harness/client.js';
import { CrashCrowd, someTime } from '../harness/crowd/crash-crowd.js';
import { startOrganization } from '../harness/organization.js';
import { randomOfRun, scaled } from '../harness/scale.js';

const ROUNDS = scaled(3, 20);
const SIZE = { queues: scaled(60, 200), writers: scaled(4, 8) };
/** A round lasts between these, milliseconds. */
const SHORTEST = 200;
const LONGEST = 1200;

void t.test(`${ROUNDS} crashes lose nothing that was acknowledged`, async (t) => {
  const random = randomOfRun(t);
  const organization = await startOrganization(t);
  let { server } = organization;
  const connect = (account: ApiClient): ApiClient => account.at(server.url);
  const crowd = await CrashCrowd.gather(t, organization, SIZE);

  for (let i = 1; i <= ROUNDS; i++) {
    const round = crowd.begin(i, connect);
    await someTime(random, SHORTEST, LONGEST);
    await server.kill();
    await Promise.all([round.writing, crowd.stopped()]);
    server = await server.restart(t);
    await crowd.end(i, round, connect);
    await crowd.check(t, `round ${i}`, connect);
  }
  t.comment(`${crowd.acknowledged.size} messages acknowledged`);
});
