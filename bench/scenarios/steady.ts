import { machineNow } from '../clock.js';
import { driveDeliveries, mostlyPolling, type Background } from '../harness/load/drive.js';
import { OURS, rounded } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { PING_SECONDS, pingPlan, presenceCursor } from '../harness/load/people.js';
import { messagePlan } from '../harness/load/publish.js';
import { Point, type Scenario } from '../harness/scenario.js';

/** History of the channel. */
const MESSAGES = 20_000;
const TOPICS = 50;
const EVENT_TYPES = [
  'message',
  'update_message',
  'update_message_flags',
  'reaction',
  'typing',
  'presence',
];
/** Messages a second. */
const PER_SECOND = 5;
/** The longest warm-up. */
const WARM_UP_SECONDS = 10;
/** Blocks of the event loop that are told one by one. */
const TOLD = 50;

/** What people do beside writing, each so often a second: a day's work of a team of a thousand. */
function backgroundOf(
  organization: BenchOrganization,
  cursor: number,
  seconds: number,
): Background[] {
  const { members, owner, channelId, messageIds } = organization;
  const everybody = members.map(({ authorization }, i) => ({
    authorization,
    fields: { message: String(messageIds[i * 7]!) },
  }));
  const one = (
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body: string | null,
    perSecond: number,
  ): Background => ({
    plan: { method, path: `/api/v1${path}`, body, accounts: everybody },
    // A server closes connections that were idle for some seconds.
    connections: Math.ceil(perSecond),
    perSecond,
  });
  const reactions = Math.min(1, members.length / (seconds + WARM_UP_SECONDS));
  const narrow = (terms: unknown): string => encodeURIComponent(JSON.stringify(terms));
  const page = 'anchor=newest&num_before=50&num_after=0&narrow=';
  const typing = `type=stream&op=start&stream_id=${channelId}&topic=load`;
  const search = narrow([['search', 'message']]);
  return [
    one('POST', '/typing', typing, 1),
    {
      plan: pingPlan(members, cursor, 'own'),
      connections: 16,
      perSecond: members.length / PING_SECONDS,
    },
    one('GET', `/messages?${page}${narrow([['channel', channelId]])}`, null, 4),
    one('GET', `/messages?${page}${search}`, null, 1),
    one('POST', '/messages/flags', 'op=add&flag=read&messages=[{message}]', 4),
    // Once each: a reaction that is there already is refused.
    one('POST', '/messages/{message}/reactions', 'emoji_name=tada', reactions),
    {
      plan: {
        method: 'PATCH',
        path: '/api/v1/messages/{message}',
        body:
          'topic=moved {n}&propagate_mode=change_one&send_notification_to_old_thread=false' +
          '&send_notification_to_new_thread=false',
        accounts: everybody.map(({ fields }) => ({ authorization: owner.authorization, fields })),
      },
      connections: 1,
      perSecond: 0.5,
    },
    one('POST', '/register', `event_types=${encodeURIComponent('["message"]')}`, 0.5),
  ];
}

export const steady: Scenario = {
  name: 'steady',
  work: 'a day of N people, all operations at a steady rate: blocks of the event loop with their causes',
  full: { clients: 1000, seconds: 600 },
  quick: { clients: 300, seconds: 8 },
  async run(context) {
    const { size, remote, store } = context;
    if (!context.wants(OURS) || remote) return [];
    const { clients, seconds } = size;
    const point = new Point('steady', `${clients} people, ${PER_SECOND} messages a second`, size);
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({
      ...{ users: clients, messages: MESSAGES, topics: TOPICS, listBlocks: true, remote, store },
    });
    try {
      const seats = await organization.seats(clients, EVENT_TYPES);
      const publish = messagePlan(organization.channelId, organization.owner);
      const background = backgroundOf(organization, await presenceCursor(organization), seconds);
      context.progress(`parley: measuring for ${seconds} s`);
      const began = machineNow();
      const rate = { perSecond: PER_SECOND, seconds };
      const outcome = await driveDeliveries(
        organization,
        mostlyPolling(seats),
        publish,
        rate,
        background,
      );
      const blocks = await organization.blocksSince(began);
      const longest = Math.max(0, ...blocks.map(({ block }) => block.ms));
      const counts = { blocks_over_20_ms: blocks.length, longest_block_ms: rounded(longest) };
      const figures = outcome.figures && { ...outcome.figures, ...counts };
      point.add(OURS, { ...outcome, figures });
      for (const { block, cause } of blocks.slice(0, TOLD)) {
        const after = Math.round(block.endUs / 1e6 - began / 1e3);
        point.notes.push(`block of ${Math.round(block.ms)} ms after ${after} s: ${cause}`);
      }
    } finally {
      await organization.close();
    }
    return [point.result()];
  },
};
