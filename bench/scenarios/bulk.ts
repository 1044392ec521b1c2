import { setTimeout as pause } from 'node:timers/promises';
import { mergeRuns } from '../repetition.js';
import { ApiClient } from '../harness/api-client.js';
import { OURS, rounded, type Outcome, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

/** People who are subscribed by one request, and messages of the topic that moves: what one request may ask for. */
const MOST = 10_000;
/** Members of the channel whose messages are marked and moved. */
const MEMBERS = 1000;
const ROUNDS = { quick: 3, full: 5 };
/** Between the reads of somebody else, so that they cost little beside the change. */
const READ_EVERY_MS = 5;
/** What clients ask for that tells of these changes. */
const EVENT_TYPES = [
  'message',
  'update_message',
  'update_message_flags',
  'delete_message',
  'stream',
  'subscription',
  'user_topic',
];

/** A large change: its name, and what makes it, the same amount of work in each round. */
interface Change {
  readonly name: string;
  make(organization: BenchOrganization, round: number): Promise<unknown>;
}

function changes(messages: number, topic: number, people: number): readonly Change[] {
  return [
    {
      name: `mark a channel of ${messages} unread as read`,
      make: ({ api, channelId, members }, round) =>
        api.call('POST', '/mark_stream_as_read', members[round]!.authorization, {
          stream_id: channelId,
        }),
    },
    {
      name: `move a topic of ${topic} messages`,
      make: ({ api, owner, messageIds }, round) =>
        api.call('PATCH', `/messages/${messageIds.at(-1)!}`, owner.authorization, {
          topic: `moved ${round}`,
          propagate_mode: 'change_all',
          send_notification_to_old_thread: 'false',
          send_notification_to_new_thread: 'false',
        }),
    },
    {
      name: `subscribe ${people} users`,
      make: ({ api, owner, outsiders }, round) =>
        api.call('POST', '/users/me/subscriptions', owner.authorization, {
          subscriptions: JSON.stringify([{ name: `large ${round}` }]),
          principals: JSON.stringify(outsiders.map(({ userId }) => userId)),
        }),
    },
  ];
}

/** How long somebody else's reads wait during a change, at most. */
class Reader {
  private stopped = false;
  private readonly reading: Promise<void>;
  wallMs = 0;
  /** Less the time in which the server's main thread waited for a processor. */
  ownMs = 0;
  /** Processor time of the server. */
  cpuMs = 0;

  constructor(
    private readonly organization: BenchOrganization,
    private readonly api: ApiClient,
  ) {
    this.reading = this.read();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.reading;
  }

  private async read(): Promise<void> {
    const { organization, api } = this;
    const { authorization } = organization.members.at(-1)!;
    while (!this.stopped) {
      const before = organization.usage();
      const began = performance.now();
      await api.call('GET', '/users/me', authorization);
      const wall = performance.now() - began;
      const after = organization.usage();
      this.wallMs = Math.max(this.wallMs, wall);
      this.ownMs = Math.max(this.ownMs, wall - ((after?.waitMs ?? 0) - (before?.waitMs ?? 0)));
      this.cpuMs = Math.max(this.cpuMs, (after?.cpuMs ?? 0) - (before?.cpuMs ?? 0));
      await pause(READ_EVERY_MS);
    }
  }
}

/** An outcome for each round, after one that compiles the code. */
async function measured(
  organization: BenchOrganization,
  change: Change,
  rounds: number,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const others = new ApiClient(organization.address, 1);
  for (let round = 0; round <= rounds; round++) {
    await organization.longestBlock();
    const before = organization.usage()?.cpuMs ?? 0;
    const began = performance.now();
    const reader = new Reader(organization, others);
    await change.make(organization, round);
    const reply_ms = performance.now() - began;
    await reader.stop();
    const cpu_ms = (organization.usage()?.cpuMs ?? 0) - before;
    const longest_block_ms = await organization.longestBlock();
    const waits = {
      others_wait_cpu_ms: reader.cpuMs,
      others_wait_ms: reader.wallMs,
      others_wait_own_ms: reader.ownMs,
    };
    if (round === 0) continue;
    const all = { longest_block_ms, ...waits, reply_ms };
    const figures = Object.entries({ cpu_us_per_op: cpu_ms * 1000, ...all });
    outcomes.push({
      figures: Object.fromEntries(figures.map(([name, value]) => [name, rounded(value)])),
      ...{ refused: null, latency: [] },
    });
  }
  others.close();
  return outcomes;
}

async function run(context: ScenarioContext): Promise<Result[]> {
  const { size, quick, remote, store } = context;
  const rounds = context.rounds ?? (quick ? ROUNDS.quick : ROUNDS.full);
  if (!context.wants(OURS) || remote) return [];
  const messages = size.clients;
  const most = quick ? MOST / 5 : MOST;
  context.progress(`parley: preparing ${messages} messages`);
  const organization = await BenchOrganization.open({
    users: quick ? MEMBERS / 5 : MEMBERS,
    outsiders: most,
    messages,
    topics: Math.max(1, Math.floor(messages / most)),
    watchLoop: true,
    remote,
    store,
  });
  try {
    // A queue of everybody, as if all had a client open.
    const everybody = [...organization.members, ...organization.outsiders];
    await organization.seats(everybody.length, EVENT_TYPES, everybody);
    const results: Result[] = [];
    for (const change of changes(messages, most, most)) {
      context.progress(`parley: ${change.name}`);
      const outcomes = await measured(organization, change, rounds);
      const runs = outcomes.map((outcome) => {
        const point = new Point('bulk', change.name, size);
        point.add(OURS, outcome);
        return [point.result()];
      });
      results.push(...mergeRuns(runs));
    }
    return results;
  } finally {
    await organization.close();
  }
}

export const bulk: Scenario = {
  name: 'bulk',
  repeatsItself: true,
  work: 'large changes, N messages in a channel: how long each blocks the event loop',
  full: { clients: 500_000, seconds: 0 },
  quick: { clients: 50_000, seconds: 0 },
  run,
};
