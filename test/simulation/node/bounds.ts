import { MOST_UNSENT_BYTES } from './http-connection.js';

/** A change of a source before it is compiled: a part of a planted defect. */
export interface Edit {
  readonly file: string;
  /** Is there once, and replaced. */
  readonly text: string;
  readonly by: string;
}

/** Events that a queue keeps for a client that does not come. */
export const MOST_EVENTS = 500;
/** A day of what keeps messages, milliseconds. */
export const RETENTION_DAY_MS = 8000;
/** An hour of upkeep, milliseconds: so soon those past it are removed where a node leads. */
export const HOUR_MS = 3000;

const replaced = (file: string, text: string, by: string): Edit => ({ file, text, by });

/** Bounds that only large or old organizations come to are smaller, so that runs come to what is behind them. */
export const SMALLER: readonly Edit[] = [
  replaced(
    'src/store/embedded/encoding.ts',
    'const LARGE_COMMIT = 100;',
    'const LARGE_COMMIT = 12;',
  ),
  replaced(
    'src/store/embedded/merges/deferred-merges.ts',
    'const LEAST = 500;',
    'const LEAST = 4;',
  ),
  replaced('src/store/embedded/merges/unapplied.ts', 'const SLICE = 200;', 'const SLICE = 2;'),
  replaced(
    'src/store/embedded/merges/unapplied.ts',
    'const LARGE_SLICE = 2000;',
    'const LARGE_SLICE = 3;',
  ),
  replaced(
    'src/http/events/websocket.ts',
    'export const MAX_UNSENT_BYTES = 256 * 1024;',
    `export const MAX_UNSENT_BYTES = ${MOST_UNSENT_BYTES};`,
  ),
  replaced(
    'src/http/events/event-frames.ts',
    'const MAX_FRAME = 128 * 1024;',
    'const MAX_FRAME = 1024;',
  ),
  replaced(
    'src/nodes/service/organization-service.ts',
    'const QUEUE_LIMITS = { maxEvents: 10_000, maxBytes: 8 * 1024 * 1024 };',
    `const QUEUE_LIMITS = { maxEvents: ${MOST_EVENTS}, maxBytes: 8 * 1024 * 1024 };`,
  ),
  // A day is 20 s.
  replaced('src/nodes/upkeep/upkeep.ts', 'keepMs: keepUploadsMs,', 'keepMs: keepUploadsMs / 4320,'),
  replaced(
    'src/nodes/upkeep/background-service.ts',
    'const HOUR_MS = 3_600_000;',
    `const HOUR_MS = ${HOUR_MS};`,
  ),
  // The journal keeps what a queue needs and a few entries more.
  replaced(
    'src/nodes/upkeep/upkeep.ts',
    'const JOURNAL_LIMITS = { slack: 100_000, maximum: 2_000_000 };',
    'const JOURNAL_LIMITS = { slack: 40, maximum: 10_000 };',
  ),
  replaced(
    'src/nodes/upkeep/upkeep.ts',
    'return every(MINUTE_MS, () => {\n    inBackground(\n      () => retention',
    'return every(1500, () => {\n    inBackground(\n      () => retention',
  ),
  replaced(
    'src/organization/messages/retention/expired-messages.ts',
    'const DAY_SECONDS = 86_400;',
    `const DAY_SECONDS = ${RETENTION_DAY_MS / 1000};`,
  ),
  replaced(
    'src/organization/messages/retention/message-retention.ts',
    'const BATCH = { messages: 200, flags: 1000 };',
    'const BATCH = { messages: 3, flags: 1000 };',
  ),
  replaced(
    'src/organization/messages/deletion/topic-deletions.ts',
    'export const DELETION_BATCH = 500;',
    'export const DELETION_BATCH = 3;',
  ),
  replaced(
    'src/journal/entry-text.ts',
    'export const LARGE_ENTRY_WRITES = 500;',
    'export const LARGE_ENTRY_WRITES = 12;',
  ),
  replaced(
    'src/journal/entry-text.ts',
    'const WRITES_PER_LOOK = 16;',
    'const WRITES_PER_LOOK = 2;',
  ),
  // An event goes to some ten queues, and wakes as many.
  replaced('src/journal/queues/fan-out.ts', 'visits: 256, wakes: 16 };', 'visits: 2, wakes: 2 };'),
  // Heartbeats come every two seconds, and four use up the ids that an entry leaves for them.
  replaced(
    'src/journal/queues/heartbeats.ts',
    'export const HEARTBEATS_PER_ENTRY = 16;',
    'export const HEARTBEATS_PER_ENTRY = 4;',
  ),
  replaced(
    'actors/event-queue.ts',
    'export const HEARTBEAT_INTERVAL_MS = 45_000;',
    'export const HEARTBEAT_INTERVAL_MS = 2000;',
  ),
  replaced(
    'actors/event-queue.ts',
    'const HEARTBEAT_JITTER_MS = 10_000;',
    'const HEARTBEAT_JITTER_MS = 500;',
  ),
  // Few messages are searched by an index.
  replaced(
    'src/organization/messages/search/search-feed.ts',
    'const FEWEST = ENOUGH;',
    'const FEWEST = 8;',
  ),
  replaced('src/store/redis/scan.ts', 'const FIRST_FETCH = 64;', 'const FIRST_FETCH = 2;'),
  replaced('src/organization/state/load.ts', 'const BATCH = 2000;', 'const BATCH = 12;'),
];

/** What is counted wherever a run comes to it: behind a text of a source, or before it. */
interface Reached {
  readonly what: string;
  readonly file: string;
  readonly text: string;
  readonly isBefore?: boolean;
  /** What must be so there. */
  readonly when?: string;
}

const REACHED: readonly Reached[] = [
  {
    what: 'the journal was trimmed',
    file: 'src/organization/state/journal-retention.ts',
    text: 'await this.store.trimJournal(before);',
  },
  {
    what: 'a queue expired',
    file: 'src/journal/queues/queues.ts',
    text: "if (queue.admits('message')) this.onLost(",
    isBefore: true,
    when: "reason === 'expired'",
  },
  {
    what: 'a scheduled message or reminder was delivered',
    file: 'src/organization/scheduling/delivery-worker.ts',
    text: 'runtime.transact((tx) => this.deliver(tx, item));',
  },
  {
    what: 'what was to be delivered had changed meanwhile',
    file: 'src/organization/scheduling/delivery-worker.ts',
    text: 'if (this.stale.has(items[i]!.key)) items.splice(i, 1);',
  },
  {
    what: 'expired messages were removed',
    file: 'src/organization/messages/retention/message-retention.ts',
    text: 'await runtime.journal.barrier();\n    return count;',
    isBefore: true,
  },
  {
    what: 'a batch of a topic was deleted',
    file: 'src/organization/messages/deletion/topic-deletions.ts',
    text: 'const ids = newestMessages(org, job, job.newest, DELETION_BATCH).reverse();',
  },
  {
    what: 'a large entry was encoded aside',
    file: 'src/journal/entry-text.ts',
    text: 'const encode = changeEncoder();\n  // All pieces',
    isBefore: true,
  },
  {
    what: 'heartbeats had used up the ids of an entry',
    file: 'src/journal/queues/heartbeats.ts',
    text: 'onceSettled(\n      this.ticked(),',
    isBefore: true,
  },
  {
    what: 'long work was interrupted',
    file: 'src/turns/event-loop-yield.ts',
    text: 'if (this.isUrgent) urgent.push(resolve);',
    isBefore: true,
  },
  {
    what: 'a delivery was interrupted',
    file: 'src/journal/queues/fan-out.ts',
    text: 'this.delay({ seq: delivery.seq, since: this.pace.clock(), delivery, then: null });',
  },
];

/** Inserts what counts into the text of a source; a planted defect may have taken the place away. */
export function counting(file: string, source: string): string {
  let counted = source;
  for (const { what, text, isBefore, when = 'true', ...one } of REACHED) {
    if (one.file !== file) continue;
    const call = `if (${when}) __given.process.reached(${JSON.stringify(what)});`;
    counted = counted.replace(text, () => (isBefore ? `${call}\n${text}` : `${text}\n${call}`));
  }
  return counted;
}

/** Names of what is counted. */
export const COUNTED = REACHED.map(({ what }) => what);
