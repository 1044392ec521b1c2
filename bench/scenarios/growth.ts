import { median, OURS, rounded, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import { pairedWindows, verdictOf } from '../versus/pairs.js';
import {
  DELIVERIES,
  REQUESTS,
  requestWork,
  type PairedWork,
  type RequestWork,
} from '../versus/works.js';
import { indexed } from './search.js';
import { textOf, wordOf } from '../seed/vocabulary.js';

/** The small organization; the large one has `--clients` people and as many messages for each. */
const SMALL = 1000;
const MESSAGES_PER_PERSON = 10;
/** People in the channel; the others are not addressed. */
const MEMBERS = 10;
const ROUNDS = { quick: 7, full: 20 };
/** Where there is no time, windows before them, and how many times fewer requests they have, down to so many. */
const QUICK = { warmUps: 4, share: 2, least: 300 };

/** Operations beside those by which versions are compared. Their answers are the same at both sizes. */
const FURTHER: readonly RequestWork[] = [
  {
    name: 'GET /messages, first unread',
    requests: 200,
    call: () => ['GET', '/messages', { anchor: 'first_unread', num_before: 50, num_after: 50 }],
  },
  {
    name: 'GET /messages, one topic',
    requests: 200,
    call: (_, { channelId }) => {
      const narrow = JSON.stringify([
        ['channel', channelId],
        ['topic', 'own'],
      ]);
      return ['GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0, narrow }];
    },
  },
  {
    name: 'search, a word that is nowhere',
    requests: 100,
    call: (n) => {
      const narrow = JSON.stringify([['search', `nowhere${n}`]]);
      return ['GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0, narrow }];
    },
  },
  {
    name: 'search, a frequent word',
    requests: 100,
    call: (n) => {
      const narrow = JSON.stringify([['search', wordOf(n % 20)]]);
      return ['GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0, narrow }];
    },
  },
  {
    name: 'PATCH /messages/{id}',
    requests: 300,
    // Each may be edited 200 times.
    messages: 200,
    call: (n, { messageIds }) => [
      'PATCH',
      `/messages/${messageIds[n % messageIds.length]!}`,
      { content: `edited ${n}` },
    ],
  },
  {
    name: 'POST /messages/flags',
    requests: 500,
    call: (n, { messageIds }) => {
      const op = n % 2 === 0 ? 'add' : 'remove';
      return ['POST', '/messages/flags', { op, flag: 'starred', messages: `[${messageIds[0]!}]` }];
    },
  },
  {
    name: 'POST /typing',
    requests: 1000,
    call: (_, { channelId }) => [
      'POST',
      '/typing',
      { type: 'stream', op: 'start', stream_id: channelId, topic: 'own' },
    ],
  },
];

/** Operations whose answer has everybody. */
const GROWING = new Set(['register, everything']);

function worksOf(quick: boolean): readonly PairedWork[] {
  const works = [...REQUESTS.filter(({ name }) => !GROWING.has(name)), ...FURTHER];
  const requestsOf = ({ requests }: RequestWork): number =>
    quick ? Math.min(requests, Math.max(QUICK.least, requests / QUICK.share)) : requests;
  return [
    ...works.map((work) => requestWork({ ...work, requests: requestsOf(work) })),
    ...DELIVERIES,
  ];
}

async function open(context: ScenarioContext, people: number): Promise<BenchOrganization> {
  context.progress(`parley: preparing ${people} people`);
  const organization = await BenchOrganization.open({
    users: MEMBERS,
    outsiders: people - MEMBERS,
    messages: people * MESSAGES_PER_PERSON,
    contentOf: textOf,
    remote: null,
    store: context.store,
  });
  await indexed({ api: organization.api, account: organization.account(1) });
  return organization;
}

export const growth: Scenario = {
  name: 'growth',
  work: 'every operation in an organization of N people with ten messages each, over one of 1,000',
  full: { clients: 100_000, seconds: 0 },
  quick: { clients: 10_000, seconds: 0 },
  repeatsItself: true,
  async run(context) {
    const { size, quick, remote } = context;
    if (!context.wants(OURS) || remote) return [];
    const results: Result[] = [];
    const organizations: BenchOrganization[] = [];
    try {
      const opened = await Promise.allSettled(
        [SMALL, size.clients].map((people) => open(context, people)),
      );
      for (const one of opened) if (one.status === 'fulfilled') organizations.push(one.value);
      for (const one of opened) if (one.status === 'rejected') throw one.reason;
      const rounds = context.rounds ?? (quick ? ROUNDS.quick : ROUNDS.full);
      const warmUps = quick ? QUICK.warmUps : undefined;
      const [other, ours] = organizations as [BenchOrganization, BenchOrganization];
      for (const work of worksOf(quick)) {
        context.progress(`parley: ${work.name}`);
        const pairs = await pairedWindows(work, { other, ours }, rounds, warmUps);
        const { ratio, from, to } = verdictOf(pairs);
        const point = new Point('growth', work.name, size);
        point.add(OURS, {
          refused: null,
          latency: [],
          figures: {
            cpu_us_per_op: rounded(median(pairs.ours)),
            small_us_per_op: rounded(median(pairs.other)),
            over_small: rounded(ratio),
            over_small_from: rounded(from),
            over_small_to: rounded(to),
          },
        });
        results.push(point.result());
      }
    } finally {
      for (const organization of organizations) await organization.close();
    }
    return results;
  },
};
