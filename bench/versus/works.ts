import type { Job, Transport } from '../exchange/jobs.js';
import { everyMs } from '../exchange/pace.js';
import { settingValue, SETTING } from '../exchange/sample.js';
import type { ApiReply } from '../harness/api-client.js';
import { consumerJobs } from '../harness/load/drive.js';
import { GeneratorProcess } from '../harness/processes/generator-process.js';
import { measure } from '../harness/measuring/measure.js';
import type { BenchOrganization } from '../harness/organization.js';
import { messagePlan } from '../harness/load/publish.js';

/** A work in progress on one server. */
export interface Windows {
  /** CPU of the server's process per operation of one window, microseconds. */
  run(): Promise<number>;
  end(): void;
}

/** Something of which two servers do the same amount in each window. */
export interface PairedWork {
  readonly name: string;
  begin(organization: BenchOrganization): Promise<Windows>;
}

/** When scheduled messages are due that nobody waits for; UNIX seconds, in 2096. */
const DISTANT_SECONDS = 4_000_000_000;

type Call = readonly [method: 'GET' | 'POST' | 'PATCH', path: string, parameters: Parameters];
type Parameters = Readonly<Record<string, string | number>>;

interface Place {
  readonly channelId: number;
  readonly queueId: string;
  /** Messages of the account that asks. */
  readonly messageIds: readonly number[];
}

export interface RequestWork {
  readonly name: string;
  /** Requests of a window: some 200 ms of the server. */
  readonly requests: number;
  /** How many messages the account that asks has in the channel; absent: one. */
  readonly messages?: number;
  /** Request `n`, from 0 on. `queueId` is of a queue without events. */
  readonly call: (n: number, place: Place) => Call;
  /** Prepares the account that asks, outside of what is measured. */
  readonly before?: (organization: BenchOrganization) => Promise<void>;
  /** Clears away, outside of what is measured. */
  readonly after?: (organization: BenchOrganization, replies: readonly ApiReply[]) => Promise<void>;
}

export async function dropQueues(
  { api, owner }: BenchOrganization,
  replies: readonly ApiReply[],
): Promise<void> {
  const drop = ({ queue_id }: ApiReply): Promise<ApiReply> =>
    api.call('DELETE', '/events', owner.authorization, { queue_id: String(queue_id) });
  await Promise.all(replies.map(drop));
}

export const REQUESTS: readonly RequestWork[] = [
  {
    name: 'empty poll',
    requests: 4000,
    call: (_, { queueId }) => {
      const cursor = { queue_id: queueId, last_event_id: -1, dont_block: 'true' };
      return ['GET', '/events', cursor];
    },
  },
  { name: 'GET /users/me', requests: 3000, call: () => ['GET', '/users/me', {}] },
  {
    name: 'GET /messages, 100',
    requests: 1500,
    call: () => ['GET', '/messages', { anchor: 'newest', num_before: 100, num_after: 0 }],
  },
  {
    name: 'register, everything',
    requests: 100,
    call: () => ['POST', '/register', { slim_presence: 'true', client_gravatar: 'false' }],
    after: dropQueues,
  },
  {
    name: 'register, one event type',
    requests: 300,
    call: () => ['POST', '/register', { event_types: '["message"]' }],
    after: dropQueues,
  },
  {
    name: 'PATCH /settings',
    requests: 2000,
    call: (n) => ['PATCH', '/settings', { [SETTING]: settingValue(n) }],
  },
  {
    name: 'POST /messages',
    requests: 1000,
    call: (n, { channelId }) => {
      const text = `A message of some words, number ${n}, as people write them all day.`;
      return ['POST', '/messages', { type: 'stream', to: channelId, topic: 'load', content: text }];
    },
  },
  {
    name: 'POST /messages, Markdown',
    requests: 500,
    call: (n, { channelId }) => {
      const text = `**Bold ${n}** and _slanted_, \`code\`, [a link](https://example.org/${n})\n\n* one\n* two :smile:`;
      return ['POST', '/messages', { type: 'stream', to: channelId, topic: 'rich', content: text }];
    },
  },
  {
    name: 'schedule a message',
    requests: 500,
    call: (n, { channelId }) => {
      const due = { scheduled_delivery_timestamp: DISTANT_SECONDS, content: `Number ${n}, later` };
      return [
        'POST',
        '/scheduled_messages',
        { type: 'stream', to: channelId, topic: 'later', ...due },
      ];
    },
    after: async ({ api, owner }, replies) => {
      const drop = ({ scheduled_message_id: id }: ApiReply): Promise<ApiReply> =>
        api.call('DELETE', `/scheduled_messages/${String(id)}`, owner.authorization);
      await Promise.all(replies.map(drop));
    },
  },
  {
    name: 'presence ping',
    requests: 4000,
    call: () => ['POST', '/users/me/presence', { status: 'active', slim_presence: 'true' }],
  },
];

/** Requests under way at once: those that the API client has connections for. */
export function requestWork({
  name,
  requests,
  messages = 1,
  call,
  before,
  after,
}: RequestWork): PairedWork {
  return {
    name,
    async begin(organization) {
      const { api, owner, channelId } = organization;
      const seat = await organization.seat(owner, ['alert_words']);
      const message = { type: 'stream', to: channelId, topic: 'own', content: 'a message of mine' };
      const sent = await Promise.all(
        Array.from({ length: messages }, () =>
          api.call('POST', '/messages', owner.authorization, message),
        ),
      );
      await before?.(organization);
      const messageIds = sent.map(({ id }) => Number(id));
      const place = { channelId, queueId: seat.queueId, messageIds };
      let next = 0;
      const one = (): Promise<ApiReply> => {
        const [method, path, parameters] = call(next++, place);
        return api.call(method, path, owner.authorization, parameters);
      };
      return {
        async run() {
          const start = organization.usage()!.cpuMs;
          const replies = await Promise.all(Array.from({ length: requests }, one));
          const cost = ((organization.usage()!.cpuMs - start) * 1000) / requests;
          await after?.(organization, replies);
          return cost;
        },
        end: () => undefined,
      };
    },
  };
}

/** Clients of a delivery work, all of one account; a server may refuse it more queues. */
const RECEIVERS = 100;
/** Messages of a window, and time between two. */
const MESSAGES = 40;
const INTERVAL_MS = 8;

function deliveryWork(transport: Transport): PairedWork {
  return {
    name: `delivery to ${RECEIVERS} by ${transport === 'poll' ? 'poll' : 'socket'}`,
    async begin(organization) {
      const { address, owner, channelId } = organization;
      const seats = await organization.seats(RECEIVERS, ['message']);
      const audience = { transport, dialect: 'parley', addressing: 'all', seats } as const;
      const plan = messagePlan(channelId, owner);
      const jobs: Job[] = [
        ...consumerJobs(address, audience),
        { role: 'request', server: address, plan, connections: 1 },
      ];
      const generators: GeneratorProcess[] = [];
      for (const job of jobs) generators.push(await GeneratorProcess.start(job));
      let first = 0;
      return {
        async run() {
          const round = {
            kind: 'open',
            first,
            count: MESSAGES,
            pace: everyMs(INTERVAL_MS),
          } as const;
          first += MESSAGES;
          const parts = generators.map((generator, index) => {
            return { generator, plan: round, counted: index < jobs.length - 1 };
          });
          const { figures, refused } = await measure(organization, parts, null);
          if (!figures) throw new Error(refused ?? 'The generators were too slow');
          return figures.cpu_us_per_op!;
        },
        end: () => generators.forEach((generator) => generator.stop()),
      };
    },
  };
}

export const DELIVERIES: readonly PairedWork[] = [deliveryWork('poll'), deliveryWork('push')];

/** What two versions are compared by. */
export const VERSUS_WORKS: readonly PairedWork[] = [...REQUESTS.map(requestWork), ...DELIVERIES];
