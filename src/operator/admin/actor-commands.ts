/** The actors of the organization, one by one: each is its snapshot, whether something of it is in memory or not. */
import { storedKind } from '../../../actors/kinds.js';
import type { ActorSnapshot } from '../../../actors/host.js';
import { stateChart, type StateChart } from '../../../actors/state-chart.js';
import type { ScheduledState } from '../../../schemas/scheduling/scheduled-messages.js';
import { badRequest } from '../../errors/index.js';
import type {
  ScheduledCollection,
  ScheduledDocument,
} from '../../organization/state/scheduled/scheduled-collection.js';
import type { AdminNode, AdminRequest, Work } from './admin-request.js';

/** Actors that one list shows. */
const MOST_LISTED = 1000;
/** Fields with what people write: that is theirs. */
const TEXTS = new Set(['content', 'rendered_content', 'note', 'topic', 'narrow']);

type Served = AdminNode['served'];

/** A row of a list. */
interface ActorRow {
  readonly id: string;
  readonly state: string;
  readonly deadline: string;
}

/** An actor as the operator is shown it. */
export interface ShownActor {
  readonly kind: string;
  readonly id: string;
  readonly state: string;
  readonly deadline: string;
  readonly snapshot: ActorSnapshot<unknown>;
  readonly chart: StateChart;
}

/** The actors of one kind, by the names that commands give them. */
interface Kind {
  readonly machine: string;
  /** Snapshots of those in a state, or of all; the first by id, as many as are listed. */
  readonly list: (served: Served, state: string | null) => Listed[];
  readonly find: (served: Served, id: string) => Promise<ActorSnapshot<unknown> | undefined>;
}

/** Of a scheduled item memory has no more than this. */
interface Listed {
  readonly id: string;
  readonly value: string;
  readonly deadline: number | null;
}

const KINDS: Readonly<Record<string, Kind>> = {
  'event-queue': {
    machine: 'event-queue',
    list: ({ queues }, state) =>
      firstOf(
        queues.all(),
        ({ queueId }) => queueId,
        ({ snapshot }) => snapshot.value,
        state,
      ).map((queue) => listed('event-queue', queue.queueId, queues.shown(queue))),
    find: async ({ queues }, id) => {
      const queue = queues.get(id);
      return queue && queues.shown(queue);
    },
  },
  'presence-session': {
    machine: 'presence-session',
    list: ({ org, presence }, state) =>
      firstOf(
        org.presenceSessions.byId(),
        ([id]) => id,
        ([, { value }]) => value,
        state,
      ).map(([id]) => listed('presence-session', id, presence.sessionOf(id)!)),
    find: async ({ presence }, id) => presence.sessionOf(id),
  },
  'scheduled-message': scheduled(({ org }) => org.scheduledMessages),
  reminder: scheduled(({ org }) => org.reminders),
  'topic-deletion': {
    machine: 'topic-deletion',
    list: ({ org }, state) =>
      firstOf(
        org.topicDeletions.byId(),
        ([id]) => id,
        ([, { value }]) => value,
        state,
      ).map(([id, document]) => listed('topic-deletion', id, document)),
    find: async ({ org }, id) => org.topicDeletions.get(id),
  },
};

/** Commands of the actors. */
export const ACTOR_COMMANDS: Readonly<Record<string, Work>> = {
  'actors count': ({ served }) =>
    Object.entries(served.figures().actors).flatMap(([machine, states]) =>
      Object.entries(states).map(([state, count]) => ({ machine, state, count })),
    ),
  'actors list': list,
  'actors show': show,
};

function list({ served }: AdminNode, { args }: AdminRequest): ActorRow[] {
  const [name = ''] = args;
  const state = args[1] ?? null;
  const { machine, list } = kindOf(name);
  const states = stateChart(storedKind(machine)).states.map(({ state_name }) => state_name);
  if (state !== null && !states.includes(state)) {
    throw badRequest(`Actors of the kind ${name} have the states ${states.join(', ')}`);
  }
  return list(served, state).map(({ id, value, deadline }) => ({
    ...{ id, state: value, deadline: timeText(deadline) },
  }));
}

async function show({ served }: AdminNode, request: AdminRequest): Promise<ShownActor> {
  const [name = '', id = ''] = request.args;
  const { machine, find } = kindOf(name);
  const snapshot = await find(served, id);
  if (!snapshot) throw badRequest(`There is no actor ${id} of the kind ${name}`);
  const kind = storedKind(machine);
  return {
    ...{ kind: name, id, state: snapshot.value },
    deadline: timeText(kind.deadlineOf(snapshot)),
    snapshot: withoutTexts(snapshot) as ActorSnapshot<unknown>,
    chart: stateChart(kind),
  };
}

/** @throws ApiError with the names of the kinds */
function kindOf(name: string): Kind {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (!kind) throw badRequest(`The kinds of actors are ${Object.keys(KINDS).join(', ')}`);
  return kind;
}

/** Items whose documents are in the store: what is listed of them is in memory. */
function scheduled<D extends ScheduledDocument>(
  of: (served: Served) => ScheduledCollection<D>,
): Kind {
  return {
    machine: 'scheduled-message',
    list: (served, state) => {
      const { index } = of(served);
      const ids =
        state === null ? index.firstIds(MOST_LISTED) : index.idsIn([state as ScheduledState]);
      return ids.slice(0, MOST_LISTED).map((id) => ({
        ...{ id: String(id), value: index.stateOf(id)!, deadline: index.deadlineOf(id)! },
      }));
    },
    find: async (served, id) => {
      if (!/^\d{1,15}$/.test(id)) return undefined;
      return (await of(served).fetch([Number(id)])).get(Number(id));
    },
  };
}

function listed(machine: string, id: string, snapshot: ActorSnapshot<unknown>): Listed {
  return { id, value: snapshot.value, deadline: storedKind(machine).deadlineOf(snapshot) };
}

/** Those in a state, the first by id. Keeps few at a time: there may be a hundred thousand. */
function firstOf<T>(
  all: Iterable<T>,
  idOf: (one: T) => string,
  stateOf: (one: T) => string,
  state: string | null,
): T[] {
  const order = (a: T, b: T): number => (idOf(a) < idOf(b) ? -1 : 1);
  let kept: T[] = [];
  let last: string | undefined;
  for (const one of all) {
    if (state !== null && stateOf(one) !== state) continue;
    if (last !== undefined && idOf(one) >= last) continue;
    kept.push(one);
    if (kept.length < 2 * MOST_LISTED) continue;
    kept = kept.sort(order).slice(0, MOST_LISTED);
    last = idOf(kept.at(-1)!);
  }
  return kept.sort(order).slice(0, MOST_LISTED);
}

/** Of each text that somebody wrote only how long it is. */
function withoutTexts(value: unknown, field = ''): unknown {
  if (TEXTS.has(field)) return `(${String(JSON.stringify(value).length)} characters)`;
  if (Array.isArray(value)) return value.map((one) => withoutTexts(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withoutTexts(one, name)]),
  );
}

function timeText(ms: number | null): string {
  return ms === null ? 'none' : new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
