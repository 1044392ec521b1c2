import Type, { type Static } from 'typebox';
import {
  Empty,
  endpoint,
  Id,
  nullable,
  oneOf,
  optional,
  required,
  withDefault,
  type ParamsOf,
  type ReplyOf,
} from '../endpoint.js';
import { Token } from '../text.js';
import {
  CONSOLE_LOG,
  CONSOLE_LOG_LEVELS,
  ConsoleLogins,
  FiguresHistory,
  LogRow,
} from './console-log.js';
import { ConsoleOperation } from './console-operation.js';
import { ConsoleTroubles } from './console-troubles.js';

/** Queues that one reply lists. */
export const CONSOLE_QUEUES = 500;
/** Events of the journal that are kept while somebody looks. */
export const CONSOLE_EVENTS = 500;
/** Users that a row of the journal names, and changes that an opened entry lists. */
export const CONSOLE_NAMES = 100;
/** Waiting events that an opened queue lists. */
export const CONSOLE_HELD = 20;

/** By what queues can be ordered. */
export const QUEUE_ORDERS = ['events', 'bytes', 'oldest', 'idle', 'user', 'acknowledged'] as const;

const Count = Type.Integer({ minimum: 0 });
const Counts = Type.Record(Type.String(), Count);

const Latencies = Type.Object(
  { bounds: Type.Array(Type.Number()), within: Type.Array(Count), count: Count },
  { title: 'Latencies' },
);

const StoreReplicas = Type.Object({ have: Count, wanted: Count }, { title: 'StoreReplicas' });

const ConsoleNode = Type.Object(
  {
    node_id: Type.String(),
    node_role: oneOf('leader', 'follower'),
    health: oneOf('ready', 'read_only'),
    store_replicas: Type.Optional(StoreReplicas),
    lag_ms: Count,
    uptime_seconds: Count,
    resident_bytes: nullable(Count),
    heap_bytes: nullable(Count),
    loop_delay_p50_ms: Type.Number(),
    loop_delay_p99_ms: Type.Number(),
    journal_head: Count,
    pending_entries: Count,
    search_lag: Count,
    requests: Count,
    delivered_events: Count,
    delivered_by: Counts,
    sends: Latencies,
    commits: Latencies,
    queue_counts: Counts,
    actors: Type.Record(Type.String(), Counts),
  },
  { title: 'ConsoleNode' },
);

const ConsoleQueue = Type.Object(
  {
    queue_id: Type.String(),
    user_id: Id,
    client: Type.String(),
    state: Type.String(),
    transport: Type.String(),
    node_id: Type.String(),
    events: Count,
    bytes: Count,
    oldest_seconds: Count,
    acknowledged: Type.Integer(),
    idle_seconds: Count,
  },
  { title: 'ConsoleQueue' },
);

const HeldEvent = Type.Object(
  { event_id: Id, event_type: Type.String(), bytes: Count },
  { title: 'HeldRow' },
);
const ActorStep = Type.Object(
  { at: Count, event: Type.String(), state: Type.String() },
  { title: 'ActorStep' },
);
/** The snapshot of the queue's actor but for its filter, with the deadline by the wall clock. */
const QueueSnapshot = Type.Object(
  {
    machine: Type.String(),
    version: Type.Integer(),
    value: Type.String(),
    context: Type.Object(
      { user_id: Id, since: Count, idle_timeout_ms: Count, deadline: Count },
      { title: 'QueueContext' },
    ),
  },
  { title: 'QueueSnapshot' },
);
const OpenedQueue = Type.Object(
  {
    ...ConsoleQueue.properties,
    newest_id: Type.Integer(),
    since: Count,
    idle_timeout_seconds: Count,
    event_types: nullable(Type.Array(Type.String())),
    narrow_terms: Count,
    capabilities: Type.Array(Type.String()),
    held: Type.Array(HeldEvent, { maxItems: CONSOLE_HELD }),
    steps: Type.Array(ActorStep),
    snapshot: QueueSnapshot,
  },
  { title: 'OpenedQueue' },
);

const JournalRow = Type.Object(
  {
    seq: Count,
    event_type: Type.String(),
    audience: Type.String(),
    stream_id: nullable(Id),
    users: Type.Array(Id, { maxItems: CONSOLE_NAMES }),
    user_count: nullable(Count),
  },
  { title: 'JournalRow' },
);
const EventVariant = Type.Object(
  { variant: Type.String(), bytes: Count, queues: Count },
  { title: 'EventVariant' },
);
const EntryEvent = Type.Object(
  { ...JournalRow.properties, variants: Type.Array(EventVariant) },
  { title: 'OpenedEntryRow' },
);
const EntryChange = Type.Object(
  { collection: Type.String(), document_id: Type.String(), change: Type.String() },
  { title: 'ChangedDocument' },
);
const OpenedEntry = Type.Object(
  {
    seq: Count,
    at: Count,
    changes: Type.Array(EntryChange, { maxItems: CONSOLE_NAMES }),
    change_count: Count,
    events: Type.Array(EntryEvent),
  },
  { title: 'OpenedEntry' },
);

const DueCount = Type.Object(
  { within_seconds: nullable(Count), messages: Count },
  { title: 'DueCount' },
);
const RunningDeletion = Type.Object(
  {
    stream_id: nullable(Id),
    deleted: Count,
    remaining: Count,
    running_ms: Count,
    limit_ms: Count,
  },
  { title: 'RunningDeletion' },
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

export type ConsoleNodeRow = Static<typeof ConsoleNode>;
export type ConsoleQueueRow = Static<typeof ConsoleQueue>;
export type OpenedQueueRow = Static<typeof OpenedQueue>;
export type ActorStepRow = Static<typeof ActorStep>;
export type JournalRowFields = Static<typeof JournalRow>;
export type OpenedEntryRow = Static<typeof OpenedEntry>;
export type DueCountRow = Static<typeof DueCount>;
export type RunningDeletionRow = Static<typeof RunningDeletion>;
export type StateChartRow = Static<typeof StateChart>;
export type LatencyCounts = Static<typeof Latencies>;

/** What one node reports of itself, which is all that a follower reports to the leader. */
export const ConsolePart = Type.Object({
  figures: ConsoleNode,
  queues: Type.Optional(Type.Array(ConsoleQueue, { maxItems: CONSOLE_QUEUES })),
  queues_found: Type.Optional(Count),
  queue: Type.Optional(OpenedQueue),
  troubles: Type.Optional(ConsoleTroubles),
  log: Type.Optional(Type.Array(LogRow, { maxItems: CONSOLE_LOG })),
});
export type ConsolePartFields = Static<typeof ConsolePart>;

/** What is asked of each node. */
const PART_PARAMS = {
  with_queues: withDefault(Type.Boolean(), false),
  queue_filter: withDefault(Type.String({ maxLength: 60 }), ''),
  queue_order: withDefault(oneOf(...QUEUE_ORDERS), 'events'),
  queues_ascending: withDefault(Type.Boolean(), false),
  open_queue: optional(Token, { example: 'fb67bf8a-c031-47cc-84cf-ed80accacda8' }),
  with_troubles: withDefault(Type.Boolean(), false),
  with_log: withDefault(Type.Boolean(), false),
  log_level: withDefault(oneOf(...CONSOLE_LOG_LEVELS), 'info'),
  log_filter: withDefault(Type.String({ maxLength: 60 }), ''),
};

/** What the page `/console` shows: the nodes, and nothing of what people write. */
export const getConsole = endpoint({
  operation: 'get-console',
  method: 'GET',
  path: '/realm/console',
  access: 'human-administrator',
  summary: 'Get figures of the running server',
  params: {
    events_after: optional(Id, { example: 20_480 }),
    ...PART_PARAMS,
    open_entry: optional(Id, { example: 20_480 }),
    with_actors: withDefault(Type.Boolean(), false),
    with_charts: withDefault(Type.Boolean(), false),
    with_operation: withDefault(Type.Boolean(), false),
    with_history: withDefault(Type.Boolean(), false),
    with_logins: withDefault(Type.Boolean(), false),
  },
  response: Type.Object({
    nodes: Type.Array(ConsoleNode, { minItems: 1 }),
    journal_first: nullable(Count),
    journal_events: Type.Array(JournalRow, { maxItems: CONSOLE_EVENTS }),
    entry: Type.Optional(OpenedEntry),
    queues: Type.Optional(Type.Array(ConsoleQueue, { maxItems: CONSOLE_QUEUES })),
    queues_found: Type.Optional(Count),
    queue: Type.Optional(OpenedQueue),
    troubles: Type.Optional(ConsoleTroubles),
    due: Type.Optional(Type.Array(DueCount)),
    deletions: Type.Optional(Type.Array(RunningDeletion)),
    charts: Type.Optional(Type.Array(StateChart)),
    operation: Type.Optional(ConsoleOperation),
    log: Type.Optional(Type.Array(LogRow, { maxItems: CONSOLE_LOG })),
    history: Type.Optional(FiguresHistory),
    logins: Type.Optional(ConsoleLogins),
  }),
  errors: [],
  note: 'The server computes figures for the request: while nobody asks, it measures and keeps nothing for it except failures. The leader answers, with what the followers report to it each second while somebody watches.',
  events: [],
});

export type ConsoleParams = ParamsOf<typeof getConsole>;
export type ConsoleReply = ReplyOf<typeof getConsole>;
export type PartParams = Pick<ConsoleParams, keyof typeof PART_PARAMS>;

/** Ends somebody's queue, as its owner could. */
export const dropQueue = endpoint({
  operation: 'drop-queue',
  method: 'DELETE',
  path: '/realm/console/queues/{queue_id}',
  access: 'human-administrator',
  summary: 'Delete somebody’s event queue',
  params: { queue_id: required(Token) },
  response: Empty,
  errors: ['BAD_EVENT_QUEUE_ID'],
  example: { queue_id: 'fb67bf8a-c031-47cc-84cf-ed80accacda8' },
  note: 'Its client registers a new one. The audit log says who did it.',
  events: [],
});
