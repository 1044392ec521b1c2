import Type, { type Static } from 'typebox';
import { endpoint, Id, optional, withDefault } from '../endpoint.js';

/** Queues that one reply lists: those with most unacknowledged events. */
export const CONSOLE_QUEUES = 500;
/** Events of the journal that are kept while somebody looks. */
export const CONSOLE_EVENTS = 500;

const Count = Type.Integer({ minimum: 0 });

const ConsoleQueue = Type.Object(
  {
    queue_id: Type.String(),
    user_id: Id,
    state: Type.String(),
    transport: Type.String(),
    events: Count,
    bytes: Count,
    acknowledged: Type.Integer(),
    idle_seconds: Count,
  },
  { title: 'ConsoleQueue' },
);

const ConsoleEvent = Type.Object(
  { seq: Count, event_type: Type.String(), audience: Type.String() },
  { title: 'JournalRow' },
);

const Transition = Type.Object(
  { event: Type.String(), target: Type.String() },
  { title: 'StateTransition' },
);
const State = Type.Object(
  { state_name: Type.String(), is_final: Type.Boolean(), transitions: Type.Array(Transition) },
  { title: 'MachineState' },
);
const StateChart = Type.Object(
  { machine: Type.String(), initial_state: Type.String(), states: Type.Array(State) },
  { title: 'StateChart' },
);

export type ConsoleQueueRow = Static<typeof ConsoleQueue>;
export type ConsoleEventRow = Static<typeof ConsoleEvent>;
export type StateChartRow = Static<typeof StateChart>;

/** What the page `/console` shows: the node that answers, and nothing of what people write. */
export const getConsole = endpoint({
  operation: 'get-console',
  method: 'GET',
  path: '/realm/console',
  access: 'administrator',
  summary: 'Look into the running server',
  params: {
    events_after: optional(Id, { example: 20_480 }),
    with_queues: withDefault(Type.Boolean(), false),
    with_charts: withDefault(Type.Boolean(), false),
  },
  response: Type.Object({
    node_role: Type.Union([Type.Literal('leader'), Type.Literal('follower')]),
    uptime_seconds: Count,
    resident_bytes: Count,
    heap_bytes: Count,
    loop_delay_p50_ms: Type.Number(),
    loop_delay_p99_ms: Type.Number(),
    journal_head: Count,
    pending_entries: Count,
    delivered_events: Count,
    sends: Type.Object({
      bounds: Type.Array(Type.Number()),
      within: Type.Array(Count),
      count: Count,
    }),
    queue_counts: Type.Record(Type.String(), Count),
    actors: Type.Record(Type.String(), Type.Record(Type.String(), Count)),
    queues: Type.Optional(Type.Array(ConsoleQueue, { maxItems: CONSOLE_QUEUES })),
    journal_events: Type.Array(ConsoleEvent, { maxItems: CONSOLE_EVENTS }),
    charts: Type.Optional(Type.Array(StateChart)),
  }),
  errors: [],
  note: 'Figures are those of the process that answers, and computed for the request: while nobody asks, nothing is measured or kept for it.',
  events: [],
});
