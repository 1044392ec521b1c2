import { median, OURS, rounded, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import { pairedWindows, verdictOf } from '../versus/pairs.js';
import {
  DELIVERIES,
  dropQueues,
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

/** Channels of the reader, in the second axis. */
const CHANNELS = { small: 10, large: 10_000 };

async function readEverything({ api, owner }: BenchOrganization): Promise<void> {
  await api.call('POST', '/mark_all_as_read', owner.authorization);
}

function page(anchor: string, ...narrow: readonly (readonly [string, string | number])[]) {
  const around = anchor === 'first_unread';
  const before = anchor === 'oldest' ? 0 : 50;
  const sides = { num_before: before, num_after: around ? 50 : 50 - before };
  return ['GET', '/messages', { anchor, ...sides, narrow: JSON.stringify(narrow) }] as const;
}

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
    name: 'GET /messages, one',
    requests: 1000,
    call: () => ['GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0 }],
  },
  {
    name: 'GET /messages, a random anchor',
    requests: 300,
    call: (n, { messageIds }) => {
      // A prime, so that anchors spread over all ids.
      const anchor = 1 + ((n * 7919) % messageIds[0]!);
      return ['GET', '/messages', { anchor, num_before: 25, num_after: 25 }];
    },
  },
  {
    name: 'GET /messages, one channel',
    requests: 300,
    call: (_, { channelId }) => {
      const narrow = JSON.stringify([['channel', channelId]]);
      return ['GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0, narrow }];
    },
  },
  ...['starred', 'mentioned', 'unread', 'dm'].map((flag): RequestWork => ({
    name: `GET /messages, is:${flag}`,
    requests: 300,
    call: () => {
      const narrow = JSON.stringify([['is', flag]]);
      return ['GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0, narrow }];
    },
  })),
  {
    name: 'GET /messages, the oldest',
    requests: 300,
    call: () => page('oldest'),
  },
  {
    name: 'GET /messages, first unread of a topic',
    requests: 300,
    call: (_, { channelId }) => page('first_unread', ['channel', channelId], ['topic', 'own']),
  },
  {
    name: 'GET /messages, all public channels',
    requests: 300,
    call: () => page('newest', ['channels', 'public']),
  },
  {
    name: 'search, a frequent word that is unread',
    requests: 100,
    call: (n) => page('newest', ['search', wordOf(n % 20)], ['is', 'unread']),
  },
  {
    name: 'register, unread messages',
    requests: 300,
    call: () => [
      'POST',
      '/register',
      { event_types: '["message"]', fetch_event_types: '["message","update_message_flags"]' },
    ],
    before: readEverything,
    after: dropQueues,
  },
  {
    name: 'GET /messages, first unread, all are read',
    requests: 200,
    call: () => page('first_unread'),
    before: readEverything,
  },
  {
    name: 'GET /messages, is:unread, all are read',
    requests: 300,
    call: () => page('newest', ['is', 'unread']),
    before: readEverything,
  },
  {
    name: 'POST /messages/flags/narrow, all are read',
    requests: 300,
    call: (_, { channelId }) => {
      const narrow = JSON.stringify([
        ['is', 'unread'],
        ['channel', channelId],
      ]);
      const change = { op: 'add', flag: 'read', narrow, anchor: 'newest' };
      return ['POST', '/messages/flags/narrow', { ...change, num_before: 50, num_after: 0 }];
    },
    before: readEverything,
  },
  {
    name: 'GET topics of a channel',
    requests: 500,
    call: (_, { channelId }) => ['GET', `/users/me/${channelId}/topics`, {}],
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

interface Size {
  readonly people: number;
  readonly channels: number;
}

async function open(context: ScenarioContext, size: Size): Promise<BenchOrganization> {
  const { people, channels } = size;
  context.progress(`parley: preparing ${people} people, and ${channels} channels of the reader`);
  const organization = await BenchOrganization.open({
    users: MEMBERS,
    outsiders: people - MEMBERS,
    messages: people * MESSAGES_PER_PERSON,
    ownersChannels: channels,
    contentOf: textOf,
    remote: null,
    store: context.store,
  });
  await indexed({ api: organization.api, account: organization.account(1) });
  return organization;
}

/** What is compared: each operation in the larger organization, over the same in the smaller one. */
interface Axis {
  /** Words behind an operation's name. */
  readonly suffix: string;
  readonly small: Size;
  readonly large: Size;
}

function axesOf(people: number): readonly Axis[] {
  const small = { people: SMALL, channels: CHANNELS.small };
  return [
    { suffix: '', small, large: { ...small, people } },
    {
      suffix: `, a reader of ${CHANNELS.large} channels`,
      small,
      large: { ...small, channels: CHANNELS.large },
    },
  ];
}

export const growth: Scenario = {
  name: 'growth',
  work: 'every operation in an organization of N people with ten messages each, over one of 1,000; and of a reader of 10,000 channels, over one of 10',
  full: { clients: 100_000, seconds: 0 },
  quick: { clients: 10_000, seconds: 0 },
  repeatsItself: true,
  async run(context) {
    const { size, remote } = context;
    if (!context.wants(OURS) || remote) return [];
    const results: Result[] = [];
    for (const axis of axesOf(size.clients)) results.push(...(await along(axis, context)));
    return results;
  },
};

async function along(axis: Axis, context: ScenarioContext): Promise<Result[]> {
  const { size, quick } = context;
  const results: Result[] = [];
  const organizations: BenchOrganization[] = [];
  try {
    const opened = await Promise.allSettled(
      [axis.small, axis.large].map((one) => open(context, one)),
    );
    for (const one of opened) if (one.status === 'fulfilled') organizations.push(one.value);
    for (const one of opened) if (one.status === 'rejected') throw one.reason;
    const rounds = context.rounds ?? (quick ? ROUNDS.quick : ROUNDS.full);
    const warmUps = quick ? QUICK.warmUps : undefined;
    const [other, ours] = organizations as [BenchOrganization, BenchOrganization];
    for (const work of worksOf(quick)) {
      const name = `${work.name}${axis.suffix}`;
      context.progress(`parley: ${name}`);
      const pairs = await pairedWindows(work, { other, ours }, rounds, warmUps);
      const { ratio, from, to } = verdictOf(pairs);
      const point = new Point('growth', name, size);
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
}
