import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import { NO_REDIS } from '../../src/store/fixtures/redis-server.js';
import { readAllMessages } from '../harness/crowd/crash-clients.js';
import { NodeGroup, type CampaignNode } from '../harness/campaign/node-group.js';
import {
  RoamingReader,
  RoamingWriter,
  tryCall,
  type Campaign,
} from '../harness/campaign/roaming-clients.js';
import { differences } from '../harness/campaign/same-everywhere.js';
import type { ApiClient, WireEvent } from '../harness/client.js';
import { fullScale, randomOfRun, scaled } from '../harness/scale.js';

/** Queues of each kind and account: those of one kind see the same. */
const READERS = 2;
const WRITERS = 5;
/** What goes on before, and between, the mishaps of a round, milliseconds. */
const BEFORE_MS = { least: 100, most: 900 };
/** How long a node is paused or cut off, milliseconds: shorter and much longer than a lease. */
const AWAY_MS = { least: 100, most: 5000 };

const KINDS = {
  everything: {},
  messages: { event_types: ['message'] },
  reactions: { event_types: ['message', 'reaction'] },
};

type Mishap = (group: NodeGroup, random: () => number) => Promise<string>;

/** At full size at least one for each mishap. */
const ROUNDS = scaled(2, 100);

const between = (random: () => number, { least, most }: typeof AWAY_MS): number =>
  least + random() * (most - least);

/** Mostly the leader, because most can go wrong there. */
function victim({ nodes, leader }: NodeGroup, random: () => number): CampaignNode {
  const any = nodes[Math.floor(random() * nodes.length)]!;
  return random() < 0.6 ? (leader ?? any) : any;
}

function nameOf(node: CampaignNode): string {
  return `${node.name} (${node.role})`;
}

const killed: Mishap = async (group, random) => {
  const node = victim(group, random);
  const name = `${nameOf(node)} killed`;
  await node.server.kill();
  await pause(random() * 1000);
  await node.start();
  return name;
};

const stopped: Mishap = async (group, random) => {
  const node = victim(group, random);
  const name = `${nameOf(node)} stopped`;
  await node.server.stop();
  await node.start();
  return name;
};

const paused: Mishap = async (group, random) => {
  const node = victim(group, random);
  const ms = between(random, AWAY_MS);
  const name = `${nameOf(node)} paused for ${Math.round(ms)} ms`;
  node.server.pause();
  await pause(ms);
  node.server.resume();
  // A successor kills a leader that stands still within a transaction of an embedded store.
  if (node.toStore === null) await pause(100);
  if (node.server.running) return name;
  await node.start();
  return `${name} and killed by its successor`;
};

const cutOff: Mishap = async (group, random) => {
  const node = victim(group, random);
  const ms = between(random, AWAY_MS);
  const breaking = random() < 0.5;
  const name = `${nameOf(node)} cut off for ${Math.round(ms)} ms${breaking ? ', breaking' : ''}`;
  node.toStore!.cut();
  await pause(ms);
  node.toStore!.heal(breaking);
  return name;
};

const redisKilled: Mishap = async ({ redis }, random) => {
  await redis!.kill();
  await pause(random() * 1500);
  await redis!.start();
  return 'Redis killed';
};

/** The new leader is killed as soon as it leads, with the first of what it has written. */
const killedInTurn: Mishap = async (group, random) => {
  const killed: CampaignNode[] = [];
  for (let i = 0; i < group.nodes.length - 1; i++) {
    while (!group.leader) await pause(1);
    const { leader } = group;
    await pause(random() * 100);
    await leader.server.kill();
    killed.push(leader);
  }
  await Promise.all(killed.map((node) => node.start()));
  return `${killed.map(({ name }) => name).join(', ')} killed in turn`;
};

const allFollowersKilled: Mishap = async ({ followers }) => {
  await Promise.all(followers.map(({ server }) => server.kill()));
  await Promise.all(followers.map((node) => node.start()));
  return 'all followers killed';
};

const ON_ANY: readonly Mishap[] = [killed, paused, stopped, allFollowersKilled, killedInTurn];
const ON_REDIS: readonly Mishap[] = [...ON_ANY, killed, paused, cutOff, cutOff, redisKilled];

/** Accounts of a new organization. */
async function peopleOf(group: NodeGroup): Promise<ApiClient[]> {
  const owner = await group.owner();
  return [owner, await owner.createUser('hamlet'), await owner.createUser('iago')];
}

async function campaign(t: Test, group: NodeGroup, mishaps: readonly Mishap[]): Promise<void> {
  const random = randomOfRun(t);
  const people = await peopleOf(group);
  const before = await people[0]!.say('before any queue');
  const state: Campaign = { group, random, faults: [], counts: new Map(), isResting: true };
  const readers: RoamingReader[] = [];
  for (const account of people) {
    for (const [kind, parameters] of Object.entries(KINDS)) {
      for (let i = 0; i < READERS; i++) {
        readers.push(await RoamingReader.open(state, account, kind, parameters));
      }
    }
  }
  const writers = Array.from(
    { length: WRITERS },
    (_, i) => new RoamingWriter(state, people[i % people.length]!, `writer ${i}`),
  );

  for (let round = 1; round <= ROUNDS && t.passing(); round++) {
    state.isResting = false;
    const all = Promise.all([...readers, ...writers].map((one) => one.run()));
    const happened: string[] = [];
    const together = random() < 0.25 ? 2 : 1;
    for (let i = 0; i < together; i++) {
      await pause(between(random, BEFORE_MS));
      const first = fullScale && i === 0 && round <= mishaps.length;
      const mishap = first ? mishaps[round - 1]! : mishaps[Math.floor(random() * mishaps.length)]!;
      happened.push(await mishap(group, random));
    }
    await pause(between(random, BEFORE_MS));
    await group.settled();
    state.isResting = true;
    await all;
    const last = await sayInTheEnd(state, people[0]!, `end of round ${round}`);
    await Promise.all(readers.map((reader) => reader.catchUp(last)));
    const name = `round ${round}: ${happened.join(', ')}`;
    if (fullScale || state.faults.length > 0) t.comment(name);
    t.same(state.faults, [], name);
    await check(t, name, state, { people, readers, writers, before });
  }
  const counts = [...state.counts].map(([name, n]) => `${name}: ${n}`).sort();
  t.comment(counts.join(', '));
  if (!t.passing()) t.comment(group.output);
}

/** @returns id of a message that is sent as often as necessary */
async function sayInTheEnd(state: Campaign, account: ApiClient, content: string): Promise<number> {
  for (;;) {
    const message = { type: 'channel', to: 'general', topic: 'end', content };
    const reply = await tryCall(state, account, 'POST', '/messages', message);
    if (reply?.status === 200) return Number(reply.body['id']);
    await pause(25);
  }
}

/** Where a reader lacks messages, with the ids of the events around them. */
function gaps({ events }: RoamingReader, expected: readonly number[]): string {
  const idOf = (event: WireEvent): number =>
    event.type === 'message' ? (event['message'] as { id: number }).id : 0;
  const got = events.filter((event) => event.type === 'message');
  const lost = expected.filter((id) => !got.some((event) => idOf(event) === id));
  const places = lost.map((id) => {
    const [before, after] = [got.findLast((e) => idOf(e) < id), got.find((e) => idOf(e) > id)];
    return `message ${id} between the events ${before?.id} and ${after?.id}`;
  });
  return `${got.length} of ${expected.length}; ${places.join(', ')}`;
}

/** What holds whenever everybody rests. */
async function check(
  t: Test,
  name: string,
  { group, counts }: Campaign,
  found: {
    people: readonly ApiClient[];
    readers: readonly RoamingReader[];
    writers: readonly RoamingWriter[];
    before: number;
  },
): Promise<void> {
  const { people, readers, writers, before } = found;
  const stored = await readAllMessages(people[0]!.at(group.leader!.url));
  const lost = writers.flatMap(({ acknowledged }) =>
    [...acknowledged]
      .filter(([id, content]) => stored.get(id) !== content)
      .map(([id, content]) => `${id}: ${stored.get(id)} instead of ${content}`),
  );
  t.same(lost, [], `${name}: every acknowledged message is there`);
  counts.set(
    'acknowledged messages',
    writers.reduce((n, one) => n + one.acknowledged.size, 0),
  );
  const contents = [...stored.values()].filter((content) => content.startsWith('writer'));
  t.equal(new Set(contents).size, contents.length, 'nothing was carried out twice');
  const expected = [...stored.keys()].filter((id) => id > before).sort((a, b) => a - b);
  const wrong = readers.filter((reader) => reader.messages().join() !== expected.join());
  t.same(
    wrong.map((reader) => `${reader.queueId} ${reader.kind}: ${gaps(reader, expected)}`),
    [],
    'every queue got each message once, in order',
  );
  // Queues of one kind and account got the same events under the same ids.
  for (let i = 0; i < readers.length; i += READERS) {
    const [first, ...others] = readers.slice(i, i + READERS).map(({ events }) => events);
    for (const other of others) {
      t.ok(isDeepStrictEqual(other, first), 'two queues of one kind got the same events');
    }
  }
  t.same(await differences(group, people), [], 'the nodes have the same organization');
}

// Loaded machines take long to start processes.
t.setTimeout(scaled(300_000, 5_400_000));

void t.test('three nodes on one Redis', { skip: NO_REDIS ?? false }, async (t) => {
  const group = await NodeGroup.start(t, 'Redis', 3, { env: { PARLEY_LOG: 'info' } });
  await campaign(t, group, ON_REDIS);
});

void t.test('four processes on one embedded store', async (t) => {
  const group = await NodeGroup.start(t, 'embedded', 4, { env: { PARLEY_LOG: 'info' } });
  await campaign(t, group, ON_ANY);
});
